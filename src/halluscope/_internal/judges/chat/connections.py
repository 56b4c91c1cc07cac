"""A connection to a judge's server: one request at a time, kept open for the next.

What is hard about HTTP, reading responses, is left to httptools, which is the parser of Node.js; here is who waits
for which response, and what becomes of the connection after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

_LARGE = 1 << 20
"""Bytes: a larger request is sent piece by piece, so that other calls go on meanwhile."""
_PIECE = 1 << 18
_HEAD_LIMIT = 1 << 16
"""Bytes of a response before its body begins."""
_READ = frozenset({b"content-encoding", b"content-length", b"transfer-encoding", b"retry-after", b"retry-after-ms"})


class NoAnswer(ConnectionError):
    """The connection ended before a byte of the response had come."""


class BadResponse(ConnectionError):
    """What the server sent is no HTTP response."""


class CutOff(ConnectionError):
    """The connection ended in the middle of the response."""


class TooLarge(Exception):
    """The response has more bytes than it may."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Response(NamedTuple):
    """A response; of its headers only those that we read, by their names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytearray


class Incoming:
    """A response while it comes in: the parser calls the methods that begin with `on_`."""

    def __init__(self, limit: float, reader: asyncio.StreamReader | None = None) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self.reader = reader
        self.begun = False
        self.whole = False
        self.reusable = False
        """Whether the connection may be used again after it."""
        self._size = 0
        self._limit = limit
        self._parser: HttpResponseParser | None = HttpResponseParser(self)

    def feed(self, data: bytes) -> None:
        """Read on; a response that breaks the rules raises."""
        assert self._parser is not None
        self.begun = True
        if not self.status:
            self._size += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            if not self.whole:
                raise BadResponse(f"what it sent is not HTTP/1.1 ({error})") from error
            self.reusable = False
        if not self.status and self._size > _HEAD_LIMIT:
            raise BadResponse(f"the response has more than {_HEAD_LIMIT // 1024} kB of headers")
        if self.status and self._size > self._limit:
            raise TooLarge(self.status)

    def end(self) -> None:
        """No more comes: of a body whose length nobody told, that is its end."""
        told = "content-length" in self.headers or "chunked" in self.headers.get("transfer-encoding", "").lower()
        self.whole = self.whole or bool(self.status and not told)

    def forget(self) -> None:
        """Let go of the parser: the two hold each other, and would stay until all garbage is looked for."""
        self._parser = None

    def on_message_begin(self) -> None:
        if self.whole:  # a second response, which nobody asked for
            self.reusable = False

    def on_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        if name in _READ and not self.status:
            self.headers[name.decode()] = value.decode("latin-1").strip()

    def on_headers_complete(self) -> None:
        assert self._parser is not None
        status = self._parser.get_status_code()
        if status < 200:  # announces the response, no more
            self.headers.clear()
        elif not self.status:
            self.status, self._size = status, 0

    def on_body(self, piece: bytes) -> None:
        if self.whole:
            return
        self._size += len(piece)
        if self.reader is not None:
            self.reader.feed_data(piece)
        elif self._size <= self._limit:
            self.body += piece

    def on_message_complete(self) -> None:
        if self.status and not self.whole:
            assert self._parser is not None
            self.whole, self.reusable = True, self._parser.should_keep_alive()


class Connection(asyncio.Protocol):
    """One connection, and the request that is under way on it, if any.

    `free` is called whenever another request may follow, `lost` when none can any more.
    """

    transport: asyncio.Transport

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        free: Callable[[Connection], None],
        lost: Callable[[Connection], None],
    ) -> None:
        self.idle_since = 0.0
        self._loop = loop
        self._free = free
        self._lost = lost
        self._incoming: Incoming | None = None
        self._answer: asyncio.Future[Response] | None = None
        self._sending = False
        self._room: asyncio.Future[None] | None = None
        """There while the system takes no more bytes."""

    async def ask(
        self, request: bytes, timeout: float, limit: float, reader: asyncio.StreamReader | None = None
    ) -> Response:
        """Send the request and wait for its response, or, where there is a reader for the body, for its status."""
        if self.transport.is_closing():
            raise NoAnswer("the connection was closed")
        incoming = self._incoming = Incoming(limit, reader)
        answer: asyncio.Future[Response] = self._loop.create_future()
        self._answer = answer
        timer = self._loop.call_later(timeout, self._expire, incoming)
        if reader is not None:
            reader.set_transport(self.transport)
        try:
            if len(request) < _LARGE:
                self.transport.write(request)
            else:
                await self._send_in_pieces(request, incoming)
            return await answer
        except BaseException:
            if self._incoming is incoming:
                self.close()
            raise
        finally:
            timer.cancel()

    def close(self) -> None:
        """At once; nobody waits any more for what is under way."""
        self._end_request()
        self.transport.abort()

    def leave(self, reader: asyncio.StreamReader) -> None:
        """Nobody reads on: where the body is not whole, the rest of it would be read as the next response."""
        if self._incoming is not None and self._incoming.reader is reader:
            self.close()

    async def _send_in_pieces(self, request: bytes, incoming: Incoming) -> None:
        view, self._sending = memoryview(request), True
        for start in range(0, len(view), _PIECE):
            if self._incoming is not incoming:  # the response is there, or never will be
                return
            self.transport.write(view[start : start + _PIECE])
            await (self._room or asyncio.sleep(0))
        self._sending = False

    def _expire(self, incoming: Incoming) -> None:
        if self._incoming is incoming:
            self._fail(asyncio.TimeoutError())

    def _fail(self, error: Exception) -> None:
        incoming, answer = self._incoming, self._answer
        self.close()
        if answer is not None and not answer.done():
            answer.set_exception(error)
        elif incoming is not None and incoming.reader is not None:
            incoming.reader.set_exception(error)

    def _end_request(self) -> None:
        if self._incoming is not None:
            self._incoming.forget()
        self._incoming = self._answer = None
        self.resume_writing()

    def _advance(self, incoming: Incoming) -> None:
        """Hand on what has come of the response."""
        answer = self._answer
        if answer is not None and not answer.done() and (incoming.whole or (incoming.status and incoming.reader)):
            answer.set_result(Response(incoming.status, incoming.headers, incoming.body))
        if not incoming.whole:
            return
        if incoming.reader is not None:
            incoming.reader.feed_eof()
            self.transport.resume_reading()
        if incoming.reusable and not self._sending:
            self._end_request()
            self._free(self)
        else:
            self.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        incoming = self._incoming
        if incoming is None:  # an answer to nothing, which must not become one to the next request
            self.close()
            return
        try:
            incoming.feed(data)
        except (BadResponse, TooLarge) as error:
            self._fail(error)
        else:
            self._advance(incoming)

    def eof_received(self) -> None:
        self._ended(None)
        self.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._ended(error)
        self._lost(self)
        self.transport.abort()  # in Python 3.10, TLS that the server ended does not know by itself that it is closed

    def _ended(self, error: Exception | None) -> None:
        incoming = self._incoming
        if incoming is None:
            return
        if error is None:
            incoming.end()
        if incoming.whole:
            self._advance(incoming)
        elif incoming.begun:
            self._fail(CutOff(f"the response broke off ({error or 'the connection was closed'})"))
        else:
            self._fail(NoAnswer(str(error or "the connection was closed without a response")))

    def pause_writing(self) -> None:
        self._room = self._loop.create_future()

    def resume_writing(self) -> None:
        room, self._room = self._room, None
        if room is not None and not room.done():
            room.set_result(None)


class Tunnel(asyncio.Protocol):
    """What a proxy says to the request for a way through it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.status: asyncio.Future[int] = loop.create_future()
        self._incoming = Incoming(_HEAD_LIMIT)

    def data_received(self, data: bytes) -> None:
        try:
            self._incoming.feed(data)
        except (BadResponse, TooLarge) as error:
            self._end(error)
        else:
            if self._incoming.status and not self.status.done():
                self.status.set_result(self._incoming.status)

    def connection_lost(self, error: Exception | None) -> None:
        self._end(NoAnswer(str(error or "the proxy closed the connection")))

    def _end(self, error: Exception) -> None:
        if not self.status.done():
            self.status.set_exception(error)
