"""The connections of each event loop, kept for the next request to the same server and closed with the loop.

A loop that is closed without shutting its generators down, or that belongs to the process this one was forked from,
leaves connections that nobody can close any more: they are given up silently.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import os
import ssl
import warnings
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import lru_cache, partial
from typing import Any, NamedTuple

from ...plumbing.time_limit import time_limit
from .connections import Connection, NoAnswer, Response, Tunnel
from .request import Endpoint, Route, tunnel

_KEPT = 15.0
"""Seconds that a connection is kept open while nobody uses it."""
_NEXT_ADDRESS = 0.25
"""Seconds until the next of a host's addresses is tried as well (RFC 8305)."""
_TURNS = 100
"""Turns of the loop that closing waits for; it takes two or three."""


class Pool:
    """The connections of one event loop. There is no limit to them: who asks bounds how much is asked at once."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._open: set[Connection] = set()
        self._idle: dict[Route, list[Connection]] = {}
        self._sweeper: asyncio.TimerHandle | None = None

    async def post(self, way: Route, request: bytes, timeout: float, limit: int) -> Response:
        """The whole response, within `timeout` seconds and `limit` bytes."""
        until = self._loop.time() + timeout
        kept = self._kept(way)
        if kept is not None:
            with suppress(NoAnswer):  # closed in the moment we wrote: nothing was answered, so it may be asked again
                return await kept.ask(request, timeout, limit)
        fresh = await self._connected(way, until - self._loop.time())
        return await fresh.ask(request, until - self._loop.time(), limit)

    @asynccontextmanager
    async def stream(
        self, way: Route, request: bytes, timeout: float
    ) -> AsyncIterator[tuple[Response, asyncio.StreamReader]]:
        """A response without its body, and the body as it comes. `timeout` bounds connecting, then the first lines."""
        reader = asyncio.StreamReader(loop=self._loop)
        connection = self._kept(way)
        response = None
        if connection is not None:
            with suppress(NoAnswer):
                response = await connection.ask(request, timeout, float("inf"), reader)
        if connection is None or response is None:
            reader = asyncio.StreamReader(loop=self._loop)
            connection = await self._connected(way, timeout)
            response = await connection.ask(request, timeout, float("inf"), reader)
        try:
            yield response, reader
        finally:
            connection.leave(reader)

    async def aclose(self) -> None:
        """Close all connections, and wait until the system knows."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        for connection in list(self._open):
            connection.close()
        for _ in range(_TURNS):
            if not self._open:
                return
            await asyncio.sleep(0)

    def give_up(self) -> None:
        """Let go of connections whose loop is closed: a socket is closed with the last reference to it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            self._idle.clear()
            if self._open:
                while self._open:
                    with suppress(RuntimeError):  # that the loop is closed; a transport asks first whether it is itself
                        self._open.pop().close()
                gc.collect()  # a connection and its transport hold each other

    def _kept(self, way: Route) -> Connection | None:
        """An open connection, the one that was used last: the others may so become old."""
        idle = self._idle.get(way)
        while idle:
            connection = idle.pop()
            if not connection.transport.is_closing():
                return connection
        return None

    def _keep(self, way: Route, connection: Connection) -> None:
        connection.idle_since = self._loop.time()
        self._idle.setdefault(way, []).append(connection)
        if self._sweeper is None:
            self._sweeper = self._loop.call_later(_KEPT, self._sweep)

    def _sweep(self) -> None:
        """Close what nobody has used for long; the oldest come first."""
        now = self._loop.time()
        for way, idle in list(self._idle.items()):
            old = [connection for connection in idle if now - connection.idle_since >= _KEPT]
            del idle[: len(old)]
            for connection in old:
                connection.close()
            if not idle:
                del self._idle[way]
        oldest = min((idle[0].idle_since for idle in self._idle.values()), default=None)
        self._sweeper = None if oldest is None else self._loop.call_later(oldest + _KEPT - now, self._sweep)

    def _lost(self, way: Route, connection: Connection) -> None:
        self._open.discard(connection)
        idle = self._idle.get(way, [])
        if connection in idle:
            idle.remove(connection)

    async def _connected(self, way: Route, timeout: float) -> Connection:
        async with time_limit(timeout):
            try:
                connection = await (self._through_tunnel(way) if way.proxy and way.server.tls else self._direct(way))
            except ssl.SSLCertVerificationError:
                raise
            except OSError as error:  # also where the system's own patience ended, which is not ours
                raise ConnectionError(str(error) or type(error).__name__) from error
        if not connection.transport.is_closing():
            self._open.add(connection)
        return connection

    def _made(self, way: Route) -> Connection:
        return Connection(self._loop, partial(self._keep, way), partial(self._lost, way))

    async def _direct(self, way: Route) -> Connection:
        _, connection = await self._loop.create_connection(
            partial(self._made, way), **self._place(way.proxy or way.server)
        )
        return connection

    async def _through_tunnel(self, way: Route) -> Connection:
        """TLS with the server, inside of what the proxy carries to and fro."""
        assert way.proxy is not None
        transport, proxy = await self._loop.create_connection(partial(Tunnel, self._loop), **self._place(way.proxy))
        try:
            transport.write(tunnel(way))
            status = await proxy.status
            if not 200 <= status < 300:
                raise ConnectionError(f"the proxy {way.proxy.authority} refused the connection (HTTP {status})")
            connection, name = self._made(way), _certified(way.server)
            inside = await self._loop.start_tls(transport, connection, trusting(), server_hostname=name)
            assert inside is not None
        except BaseException:
            transport.abort()
            raise
        connection.connection_made(inside)
        return connection

    def _place(self, server: Endpoint) -> dict[str, Any]:
        place: dict[str, Any] = {"host": server.host, "port": server.port}
        if server.tls:
            place |= {"ssl": trusting(), "server_hostname": _certified(server)}
        if not server.is_address and isinstance(self._loop, asyncio.BaseEventLoop):  # uvloop's does not know it
            place["happy_eyeballs_delay"] = _NEXT_ADDRESS
        return place


def _certified(server: Endpoint) -> str:
    """The host's name as it stands in certificates."""
    return server.host.rstrip(".")


@lru_cache(maxsize=1)
def trusting() -> ssl.SSLContext:
    """What the system trusts; SSL_CERT_FILE and SSL_CERT_DIR name something else."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


class _Held(NamedTuple):
    keeper: AsyncGenerator[Pool, None]
    pool: Pool


_held: dict[asyncio.AbstractEventLoop, _Held] = {}
_left_by_fork: list[_Held] = []
"""A forked child has the parent's connections too, and must neither use nor close them."""


async def pool() -> Pool:
    """The running loop's pool."""
    loop = asyncio.get_running_loop()
    held = _held.get(loop)
    if held is None:
        _give_up()
        keeper = _open(loop)
        held = _held[loop] = _Held(keeper, await keeper.__anext__())
    return held.pool


async def _open(loop: asyncio.AbstractEventLoop) -> AsyncGenerator[Pool, None]:
    """Holds a pool until the loop shuts its generators down, which is before it closes."""
    made = Pool(loop)
    try:
        yield made
    finally:
        _held.pop(loop, None)
        await made.aclose()


def _give_up() -> None:
    """Let go of what cannot be closed any more."""
    for loop, held in list(_held.items()):
        if loop.is_closed():
            _held.pop(loop, None)
            held.pool.give_up()


def _after_fork() -> None:
    _left_by_fork.extend(_held.values())
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@atexit.register
def _at_exit() -> None:
    """Close what loops that are not running left open."""
    _give_up()
    for loop, held in list(_held.items()):
        if not loop.is_running():
            with suppress(Exception):
                loop.run_until_complete(held.keeper.aclose())
