"""Listening: uvicorn, with patience for no sender that sends nothing, and an end that answers what was accepted."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from ...errors import InputError
from .logs import LOG

_LAST_REQUESTS = 0.5
"""Seconds in which a connection that was idle when the end began may still send a request, and have it answered."""

_SLOW = b'{"error":{"code":"slow","message":"the request was not sent in time."}}'
_TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(_SLOW), _SLOW)
)


def protocol_with(seconds: float) -> type[H11Protocol]:
    """HTTP/1.1 in which a request's first line and headers have to come within so many seconds."""

    class Patient(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._timer = self.loop.call_later(seconds, self._give_up)

        def handle_events(self) -> None:
            super().handle_events()
            if self.cycle is not None and self._timer is not None:  # from here on the application sees to it
                self._timer.cancel()
                self._timer = None

        def connection_lost(self, exc: Exception | None) -> None:
            if self._timer is not None:
                self._timer.cancel()
            super().connection_lost(exc)

        def _give_up(self) -> None:
            self._timer = None
            if self.cycle is None and not self.transport.is_closing():
                self.transport.write(_TOO_SLOW)
                self.transport.close()

    return Patient


class Server(uvicorn.Server):
    """Ends on SIGTERM and Ctrl-C: no new connections, every request that came is answered, then the process ends."""

    def __init__(self, config: uvicorn.Config, on_end: Callable[[], None]) -> None:
        super().__init__(config)
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
        self.force_exit = self.should_exit  # who asks twice does not want to wait
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_end()
        for server in self.servers:
            server.close()
        if not self.force_exit:
            # A client may be about to send on a connection that it has kept: it is answered, and told to close.
            await asyncio.sleep(_LAST_REQUESTS)
        await super().shutdown(sockets)


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens; one sentence where that is not possible."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        made = socket.socket(found[0][0], socket.SOCK_STREAM)
        try:
            if sys.platform != "win32":  # where it would let two servers listen on one port
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(found[0][4])
        except BaseException:
            made.close()
            raise
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"cannot listen on {host}, port {port}: {why}. Choose another with --host and --port."
        ) from error
    return made


def server_for(app: ASGIApp, *, seconds: float, sending: float, on_end: Callable[[], None]) -> Server:
    """A server for the application; requests have so many seconds to be sent and to be answered."""
    config = uvicorn.Config(
        app,
        http=protocol_with(sending),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=round(seconds) + 5,
        backlog=1024,
    )
    return Server(config, on_end)


def serve_on(server: Server, host: str, port: int, path: str = "") -> None:
    """Listen until told to end."""
    listening = listening_socket(host, port)
    host, port = listening.getsockname()[:2]
    LOG.info("listening on http://%s:%d%s", f"[{host}]" if ":" in host else host, port, path)
    server.run(sockets=[listening])
    LOG.info("ended")
