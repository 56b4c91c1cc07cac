"""Whose turn it is to ask a judge, where several processes keep their answers in one place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Protocol, cast

from ..errors import StoreError
from ..plumbing.public import public

_RENEWED = 5.0
"""Seconds between two signs of life of a process that waits for an answer others wait for as well."""
_FIRST_LOOK, _RARE_LOOK = 0.02, 0.5
"""Seconds between two looks for an answer that another process is asking for."""


@public
class ReplyCache(Protocol):
    """Keeps answers by content."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, entry: bytes) -> None: ...


class SharedReplyCache(ReplyCache, Protocol):
    """One that several processes use at once: a question is claimed before it is asked, and renewed meanwhile."""

    def claim(self, key: str) -> bool:
        """Whether it may be asked: not where another process is asking it, nor where there is an answer by now."""
        ...

    def release(self, key: str) -> None: ...


@asynccontextmanager
async def turn_to_ask(cache: ReplyCache, key: str) -> AsyncIterator[bytes | None]:
    """The answer that is kept, or None when it is this process's turn to ask for one."""
    kept = cache.get(key)
    if kept is not None or not hasattr(cache, "claim"):
        yield kept
        return
    shared = cast("SharedReplyCache", cache)
    wait = _FIRST_LOOK
    while not shared.claim(key):
        if (kept := cache.get(key)) is not None:
            yield kept
            return
        await asyncio.sleep(wait)
        wait = min(_RARE_LOOK, wait * 1.5)
    loop = asyncio.get_running_loop()

    timers: list[asyncio.TimerHandle] = []

    def renew() -> None:
        with suppress(StoreError):  # told when the answer is kept
            shared.claim(key)
        timers[:] = [loop.call_later(_RENEWED, renew)]

    timers.append(loop.call_later(_RENEWED, renew))
    try:
        yield None
    except BaseException:
        shared.release(key)
        raise
    finally:
        timers[0].cancel()
