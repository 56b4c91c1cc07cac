"""One HTTP session per event loop and process, closed when the loop shuts down."""

from __future__ import annotations

import asyncio
import atexit
import gc
import os
import ssl
import warnings
from collections.abc import AsyncGenerator
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.plumbing.threads import loaded
from ...core.version import __version__

if TYPE_CHECKING:
    import aiohttp

KEEP_ALIVE = 15.0
"""Seconds that an unused connection stays open."""


class _Open(NamedTuple):
    session: aiohttp.ClientSession
    closer: AsyncGenerator[None, None]


_open: dict[tuple[int, asyncio.AbstractEventLoop], _Open] = {}
"""By process and loop. A forked child neither uses nor closes the sessions of its parent."""


async def session() -> aiohttp.ClientSession:
    """Return the running loop's session. The first call imports aiohttp in a background thread."""
    key = os.getpid(), asyncio.get_running_loop()
    if key not in _open:
        await loaded(_import)
        _abandon()
    if key not in _open:
        closer = _closed_with_loop(key)
        _open[key] = _Open(_new_session(), closer)
        await closer.__anext__()
    return _open[key].session


def _import() -> None:
    import aiohttp  # noqa: F401


def _new_session() -> aiohttp.ClientSession:
    import aiohttp

    class Connector(aiohttp.TCPConnector):
        async def connect(self, *request: Any, **options: Any) -> aiohttp.connector.Connection:
            """Skip a kept connection that has received something unasked: it would answer the next request."""
            while True:
                connection = await super().connect(*request, **options)
                if connection.protocol is None or not connection.protocol.should_close:
                    return connection
                connection.close()

        def __del__(self, _warnings: object = None) -> None:
            """Suppress warnings about connections that can no longer be closed."""

    return aiohttp.ClientSession(
        connector=Connector(limit=0, keepalive_timeout=KEEP_ALIVE),  # the caller limits concurrency
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"user-agent": f"halluscope/{__version__}", "content-type": "application/json"},
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # the caller sets a time limit
    )


async def _closed_with_loop(key: tuple[int, asyncio.AbstractEventLoop]) -> AsyncGenerator[None, None]:
    """Close the session when the loop shuts down its asynchronous generators, of which this is one."""
    try:
        yield
    finally:
        await _open.pop(key).session.close()


def _abandon() -> None:
    """Let go of sessions whose loop was closed without shutting down its generators, and of a parent process's."""
    closed = [key for key in _open if key[0] == os.getpid() and key[1].is_closed()]
    for key, held in list(_open.items()):
        if key in closed or key[0] != os.getpid():
            held.session.detach()
    if closed:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            for key in closed:
                del _open[key]
            gc.collect()  # a socket is closed with the last reference to it, and transports refer to themselves


@lru_cache(maxsize=1)
def trusted() -> ssl.SSLContext:
    """Return the TLS settings of the system; SSL_CERT_FILE and SSL_CERT_DIR replace its certificates."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


@atexit.register
def _close() -> None:
    """Close the sessions of loops that are open but not running."""
    _abandon()
    for (_, loop), held in list(_open.items()):
        if not held.session.closed and not loop.is_running():
            with suppress(Exception):
                loop.run_until_complete(held.closer.aclose())
