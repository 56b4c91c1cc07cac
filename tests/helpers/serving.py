"""Our own server in this process, on a port of its own, in a thread of its own: real HTTP."""

from __future__ import annotations

import asyncio
import select
import socket
import threading
from typing import Any, TypeVar

from halluscope._internal.runs.store import Store
from halluscope._internal.serving.http.application import Application
from halluscope._internal.serving.http.settings import ServerSettings
from halluscope._internal.serving.http.transport.listening import Server, listening_socket

from .waiting import wait_until

R = TypeVar("R", bound="Running")


class Running:
    """A server that listens on a free port of this machine."""

    def __init__(self, server: Server) -> None:
        self._socket = listening_socket("127.0.0.1", 0)
        self.port: int = self._socket.getsockname()[1]
        self._server = server
        self._thread = threading.Thread(target=self._run, name="served", daemon=True)

    def _run(self) -> None:
        asyncio.run(self._server.serve([self._socket]))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self: R) -> R:
        self._thread.start()
        wait_until(lambda: self._server.started or not self._thread.is_alive())
        assert self._thread.is_alive(), "the server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(30)
        assert not self._thread.is_alive(), "the server did not end"

    def raw(self, sent: bytes, *more: Any) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer to these very bytes; `more` follows, a number is a pause."""
        with socket.create_connection(("127.0.0.1", self.port), 30) as connection:
            connection.sendall(sent)
            for piece in more:
                if not isinstance(piece, bytes):
                    threading.Event().wait(piece)
                elif select.select([connection], [], [], 0)[0]:
                    break  # the answer is there
                else:
                    connection.sendall(piece)
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += connection.recv(65536) or _broken(answer)
            head, _, body = answer.partition(b"\r\n\r\n")
            lines = head.decode().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
            while len(body) < int(headers.get("content-length", 0)):
                body += connection.recv(65536) or _broken(answer)
            return int(lines[0].split()[1]), headers, body


class Served(Running):
    """Our own server. `application` is what runs; do not touch it but to look."""

    def __init__(self, settings: ServerSettings | None = None, store: Store | None = None) -> None:
        self.settings = settings or ServerSettings()
        self.application = Application(self.settings, store)
        super().__init__(self.application.server())

    @property
    def headers(self) -> dict[str, str]:
        """What a client that may ask sends along."""
        token = self.settings.token
        return {} if token is None else {"authorization": f"Bearer {token}"}


def _broken(answer: bytes) -> bytes:
    raise AssertionError(f"the connection ended after {answer!r}")
