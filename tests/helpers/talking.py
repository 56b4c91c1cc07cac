"""Servers on loopback that say what they like, byte by byte, and know what was said to them."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from . import waiting

OBJECT = b'{"ok": true}'


def response(body: bytes = OBJECT, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Peer:
    """The server's end of one connection."""

    def __init__(self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server = server
        self.reader = reader
        self.writer = writer
        self.served = 0

    async def request(self) -> tuple[bytes, bytes]:
        """The next request, head and body; EOFError where there is none any more."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        body = await self.reader.readexactly(int(lengths[0].split(b":")[1])) if lengths else b""
        self.server.requests.append((head, body))
        self.served += 1
        return head, body

    async def say(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()


class Server:
    """What connected, and what was asked."""

    def __init__(self) -> None:
        self.port = 0
        self.peers: list[Peer] = []
        self.requests: list[tuple[bytes, bytes]] = []
        self.closed = 0
        """Connections that ended."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


Talk = Callable[[Peer], Awaitable[None]]


@asynccontextmanager
async def talking(talk: Talk, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """A server in the running loop that talks so on every connection, and then closes it."""
    server, tasks = Server(), set[asyncio.Task[None]]()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(server, reader, writer)
        server.peers.append(peer)
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            with suppress(EOFError, ConnectionError, asyncio.CancelledError):
                await talk(peer)
        finally:
            server.closed += 1
            tasks.discard(task)
            writer.close()

    listening = await asyncio.start_server(connected, host, 0, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for peer in server.peers:
            peer.writer.transport.abort()
        for _ in range(5):  # until the loop has closed them
            await asyncio.sleep(0)


async def until(condition: Callable[[], object], every: float = 0.005) -> None:
    """Let the others go on until this is so, for less than a connection is kept that nobody uses."""
    await waiting.until(condition, 10, every)


def answering(*pieces: bytes) -> Talk:
    """Gives every request this response, and keeps the connection open."""

    async def talk(peer: Peer) -> None:
        while True:
            await peer.request()
            await peer.say(*(pieces or (response(),)))

    return talk


def certificate(folder: Path, *names: str) -> tuple[Path, ssl.SSLContext]:
    """A certificate for these hosts that vouches for itself, and a server's context with it."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    named = ["-subj", "/CN=a judge", "-addext", f"subjectAltName={','.join(names)}"]
    where = ["-out", str(cert), "-keyout", str(key)]
    subprocess.run(["openssl", "req", *made, *named, *where], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return cert, context
