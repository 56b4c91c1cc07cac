"""uvicorn with a time limit on every step of a connection, and a graceful shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from ....core.errors import InputError
from ...service.limits import Limits
from .bodies import slow
from .logs import LOG
from .refusals import Refusal

_DRAIN_TIME = 0.5
"""Seconds after the start of the shutdown in which idle connections may still send a request."""

_MIN_READ = 16 * 1024
"""Bytes of a response that a client must read within the time limit for sending a request."""

_SEND_BUFFER = 256 * 1024
"""Size of the kernel's send buffer. With a larger one, a client that does not read would be noticed late."""

_BACKLOG = 256
"""How many connections may wait to be accepted."""


class BoundedConnection(H11Protocol):
    """One connection. A client has `timeout_keep_alive` seconds to send the head of the next request, and to continue
    reading a response. The time for the body is limited in `bodies`."""

    _reader_timer: asyncio.TimerHandle | None = None
    _unread = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # pause writing while anything is unread
        self._idle_since = self.loop.time()
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)
        if len(self.connections) > _most_connections():
            self._make_room()

    def _make_room(self) -> None:
        """Drop the connection that has been idle for the longest time."""
        found = (one for one in self.connections if isinstance(one, BoundedConnection) and one.idle)
        min(found, key=lambda one: one._idle_since).transport.abort()

    @property
    def idle(self) -> bool:
        """Whether there is no complete request that waits for its response."""
        cycle = self.cycle
        return cycle is None or cycle.response_complete or (cycle.more_body and not cycle.response_started)

    def data_received(self, data: bytes) -> None:
        self.conn.receive_data(data)  # not super(): uvicorn would stop the timer at the first byte
        self.handle_events()

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._unset_keepalive_if_required()

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def timeout_keep_alive_handler(self) -> None:
        if self.cycle is None or self.conn.trailing_data[0]:
            self._refuse(slow(f"the request was not sent within {self.timeout_keep_alive:g} s."))
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        self._refuse(Refusal(400, "not_http", "the request is not valid HTTP/1.1.", {"connection": "close"}))

    def _refuse(self, refusal: Refusal) -> None:
        """Close the connection, with a response if none has begun."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            answer = refusal.response()
            reason = HTTPStatus(refusal.status).phrase.encode()
            head = h11.Response(status_code=refusal.status, headers=answer.raw_headers, reason=reason)
            for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        if self.cycle is not None and not self.cycle.response_complete:  # a response of it would come after this one
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_watching()

    def _watch_reader(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._reader_timer = self.loop.call_later(self.timeout_keep_alive, self._reader_timeout)

    def _stop_watching(self) -> None:
        if self._reader_timer is not None:
            self._reader_timer.cancel()

    def _reader_timeout(self) -> None:
        if self._unread - self.transport.get_write_buffer_size() < _MIN_READ:
            self.transport.abort()
        else:
            self._watch_reader()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)


def _most_connections() -> int:
    """Maximum number of connections, which leaves file descriptors for the store and the network."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return 1000
    return min(1000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


class Server(uvicorn.Server):
    """On SIGTERM and Ctrl-C, accepts no new connections, answers every received request, then ends."""

    def __init__(self, config: uvicorn.Config, grace: float, on_end: Callable[[], None]) -> None:
        super().__init__(config)
        self._grace = grace
        self._on_end = on_end

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {sign: signal.signal(sign, self.handle_exit) for sign in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for sign, handler in before.items():
                signal.signal(sign, handler)

    def handle_exit(self, sig: int, frame: Any) -> None:
        if self.should_exit:  # second signal: drop all connections, which cancels their work
            asyncio.get_running_loop().call_soon_threadsafe(self._hang_up)
        self.should_exit = True

    def _hang_up(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_end()
        for server in self.servers:
            server.close()
        if self.server_state.connections:  # a client may just be sending a request
            await asyncio.sleep(_DRAIN_TIME)
        asyncio.get_running_loop().call_later(self._grace, self._hang_up)
        await super().shutdown(sockets)


def listening_socket(host: str, port: int) -> socket.socket:
    """Create a listening socket. Raises `InputError` if that is not possible."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        made = socket.socket(found[0][0], socket.SOCK_STREAM)
        try:
            if sys.platform != "win32":  # on Windows, two servers could listen on one port
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)  # inherited by accepted connections
            made.bind(found[0][4])
            made.listen(_BACKLOG)  # from now on clients may connect, also while the server still starts
        except BaseException:
            made.close()
            raise
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"cannot listen on {host}, port {port}: {why}. Choose another with --host and --port."
        ) from error
    return made


def server_for(app: ASGIApp, limits: Limits, on_end: Callable[[], None]) -> Server:
    config = uvicorn.Config(
        app,
        http=BoundedConnection,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=limits.sending,  # type: ignore[arg-type]  # uvicorn takes fractions too
        timeout_graceful_shutdown=round(limits.seconds) + 5,
        backlog=_BACKLOG,
    )
    return Server(config, limits.seconds + 1, on_end)


def serve_on(server: Server, host: str, port: int, path: str = "") -> None:
    """Serve until a signal ends the process."""
    listening = listening_socket(host, port)
    host, port = listening.getsockname()[:2]
    LOG.info("listening on http://%s:%d%s", f"[{host}]" if ":" in host else host, port, path)
    server.run(sockets=[listening])
    LOG.info("stopped")
