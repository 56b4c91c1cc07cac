"""Reading and decoding request bodies, whole or line by line while they are sent, with limits on size and time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.types import Receive

from ....core.plumbing.time_limit import time_limit
from ...service.limits import Limits
from .refusals import Refusal

T = TypeVar("T")

JSON, LINES = "application/json", "application/x-ndjson"

_DRAINED = 16 * 1024 * 1024
_DRAINING = 2.0
"""Bytes and seconds of a refused body to read and discard. Otherwise a client that is still sending would see a broken
connection instead of the response."""


class ClientGone(Exception):
    """The client has disconnected."""


async def read_json(request: Request, type: type[T], limits: Limits) -> T:
    if media_type(request) != JSON:
        raise Refusal(415, "media_type", f"the request must be sent as content-type {JSON}.")
    return decoded(await read_body(request, limits), type)


def media_type(request: Request) -> str:
    """Return the media type of the body. Raises `Refusal` if the body is compressed."""
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise Refusal(415, "media_type", "compressed requests are not supported: send the body uncompressed.")
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def decoded(body: bytes, type: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=type)
    except msgspec.ValidationError as error:
        raise Refusal(422, "invalid", f"the request is invalid: {error}.") from None
    except (msgspec.MsgspecError, ValueError) as error:
        raise Refusal(400, "not_json", f"the body is not JSON in UTF-8: {error}.") from None
    except RecursionError:
        raise Refusal(400, "not_json", "the body is nested too deeply to be read.") from None


async def read_body(request: Request, limits: Limits) -> bytes:
    """Read the whole body within the limits."""
    body = bytearray()
    try:
        async with time_limit(limits.sending):
            async for piece in pieces(request, limits):
                body += piece
    except (asyncio.TimeoutError, TimeoutError):
        raise slow(f"the request was not sent within {limits.sending:g} s.") from None
    except _TooLarge as error:
        if error.more:
            await drain(request.receive)
        raise
    return bytes(body)


async def pieces(request: Request, limits: Limits) -> AsyncIterator[bytes]:
    """Yield the body as it arrives, up to the limit of size."""
    announced = request.headers.get("content-length", "")
    taken = 0
    too_large = announced.isdigit() and int(announced) > limits.body
    more = True
    while more and not too_large:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        piece, more = message.get("body", b""), message.get("more_body", False)
        taken += len(piece)
        too_large = taken > limits.body
        if piece and not too_large:
            yield piece
    if too_large:
        raise _TooLarge(limits, more)


class _TooLarge(Refusal):
    """The body is too large. `more` says whether the client is still sending."""

    def __init__(self, limits: Limits, more: bool) -> None:
        self.more = more
        super().__init__(413, "too_large", f"the request is larger than the limit of {limits.body:,} bytes.")


def slow(message: str) -> Refusal:
    return Refusal(408, "slow", message, {"connection": "close"})


async def drain(receive: Receive) -> None:
    """Discard the rest of a body, up to a limit."""
    seen = 0
    try:
        async with time_limit(_DRAINING):
            while seen < _DRAINED:
                message = await receive()
                seen += len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
    except (asyncio.TimeoutError, TimeoutError):
        return


class Feed:
    """The lines of a request. Each must arrive within the time limit of a request."""

    def __init__(self, request: Request, limits: Limits) -> None:
        self._request = request
        self._limits = limits
        self._lines: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        self._reading = asyncio.ensure_future(self._read())

    async def left(self) -> None:
        """Return when the client has disconnected."""
        await asyncio.shield(self._reading)
        while (await self._request.receive())["type"] != "http.disconnect":
            pass

    async def first(self, type: type[T]) -> T:
        line = await self._next()
        if line is None:
            raise Refusal(400, "not_json", "the request has no lines: send the settings as the first line.")
        return decoded(line, type)

    async def rest(self, type: type[T]) -> AsyncIterator[T]:
        while (line := await self._next()) is not None:
            yield decoded(line, type)

    async def _next(self) -> bytes | None:
        try:
            async with time_limit(self._limits.seconds):
                line = await self._lines.get()
        except (asyncio.TimeoutError, TimeoutError):
            raise slow(f"the next line was not sent within {self._limits.seconds:g} s.") from None
        if isinstance(line, Exception):
            raise line
        return line

    async def _read(self) -> None:
        try:
            async with time_limit(self._limits.writing):
                waiting = bytearray()
                async for piece in pieces(self._request, self._limits):
                    waiting += piece
                    if b"\n" in piece:
                        *whole, waiting = waiting.split(b"\n")
                        self._put(*whole)
                self._put(waiting)
            self._lines.put_nowait(None)
        except (asyncio.TimeoutError, TimeoutError):
            self._lines.put_nowait(slow(f"the text was not complete within {self._limits.writing:g} s."))
        except (Refusal, ClientGone) as error:
            self._lines.put_nowait(error)

    def _put(self, *lines: bytearray) -> None:
        for line in lines:
            if line.strip():
                self._lines.put_nowait(bytes(line))
