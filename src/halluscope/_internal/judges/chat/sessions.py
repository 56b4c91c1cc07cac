"""One client session for each event loop, closed with the loop.

A loop that is closed without shutting its generators down, or that belongs to the process this one
was forked from, leaves a session that nobody can close any more: such a session is given up silently.
"""

from __future__ import annotations

import asyncio
import atexit
import os
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import aiohttp


class _Held(NamedTuple):
    keeper: AsyncGenerator[aiohttp.ClientSession, None]
    session: aiohttp.ClientSession
    process: int


_held: dict[asyncio.AbstractEventLoop, _Held] = {}


async def session() -> aiohttp.ClientSession:
    """The running loop's session, kept open between calls."""
    loop = asyncio.get_running_loop()
    held = _held.get(loop)
    if held is None:
        _give_up()
        keeper = _open(loop)
        held = _held[loop] = _Held(keeper, await keeper.__anext__(), os.getpid())
    return held.session


async def _open(loop: asyncio.AbstractEventLoop) -> AsyncGenerator[aiohttp.ClientSession, None]:
    """Holds a session until the loop shuts its generators down, which is before it closes."""
    import aiohttp

    class Connector(aiohttp.TCPConnector):
        """Says nothing when it is given up."""

        def __del__(self, _warnings: object = None) -> None:
            return

    opened = aiohttp.ClientSession(
        connector=Connector(limit=0),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        auto_decompress=False,  # no more than a bounded part is unpacked, by who reads it
    )
    try:
        yield opened
    finally:
        _held.pop(loop, None)
        await opened.close()


def _give_up() -> None:
    """Let go of sessions that cannot be closed any more."""
    for loop, held in list(_held.items()):
        if loop.is_closed() or held.process != os.getpid():
            held.session.detach()


@atexit.register
def _at_exit() -> None:
    """Close what loops that are not running left open."""
    _give_up()
    for loop, held in list(_held.items()):
        if not held.session.closed and not loop.is_running():
            with suppress(Exception):
                loop.run_until_complete(held.keeper.aclose())
