"""Whose turn it is to ask a judge, where several processes keep their answers in one place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Set
from contextlib import asynccontextmanager, suppress
from typing import Protocol, cast
from weakref import WeakKeyDictionary

from ..errors import StoreError
from ..plumbing.public import public

_RENEWED = 5.0
"""Seconds between two signs of life of a process that waits for answers others wait for as well."""
_TOGETHER = 0.02
"""Seconds between two writings of claims at least: a claim comes alone at once, many come together."""
_FIRST_LOOK, _RARE_LOOK = 0.02, 0.5
"""Seconds between two looks for an answer that another process is asking for."""


@public
class ReplyCache(Protocol):
    """Keeps answers by content."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, entry: bytes) -> None: ...


class SharedReplyCache(ReplyCache, Protocol):
    """One that several processes use at once: a question is claimed before it is asked, and renewed meanwhile."""

    def claim(self, keys: Collection[str]) -> Set[str]:
        """Those that may be asked: not where another process is asking, nor where there is an answer by now."""
        ...

    def release(self, key: str) -> None: ...


class Turns:
    """The turns at one cache, for every event loop that uses it."""

    def __init__(self, cache: ReplyCache) -> None:
        self.cache = cache
        self._claims: WeakKeyDictionary[asyncio.AbstractEventLoop, _Claims] = WeakKeyDictionary()

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[bytes | None]:
        """The answer that is kept, or None when it is this process's turn to ask for one."""
        kept = self.cache.get(key)
        if kept is not None or not hasattr(self.cache, "claim"):
            yield kept
            return
        shared = cast("SharedReplyCache", self.cache)
        claims = self._claims.setdefault(asyncio.get_running_loop(), _Claims(shared))
        wait = _FIRST_LOOK
        try:
            while not await claims.claimed(key):
                if (kept := shared.get(key)) is not None:
                    yield kept
                    return
                await asyncio.sleep(wait)
                wait = min(_RARE_LOOK, wait * 1.5)
            yield None
        except BaseException:
            shared.release(key)
            raise
        finally:
            claims.held.discard(key)


class _Claims:
    """Those of one event loop, written and renewed together."""

    def __init__(self, cache: SharedReplyCache) -> None:
        self.held: set[str] = set()
        self._cache = cache
        self._waiting: list[tuple[str, asyncio.Future[bool]]] = []
        self._written = 0.0
        self._renewing = False

    def claimed(self, key: str) -> asyncio.Future[bool]:
        """Whether the claim was granted, once it is written."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_at(self._written + _TOGETHER, self._write)
        claim: asyncio.Future[bool] = loop.create_future()
        self._waiting.append((key, claim))
        return claim

    def _write(self) -> None:
        waiting = [(key, claim) for key, claim in self._waiting if not claim.done()]
        self._waiting.clear()
        self._written = asyncio.get_running_loop().time()
        try:
            granted = self._cache.claim([key for key, _ in waiting])
        except Exception as error:
            for _, claim in waiting:
                claim.set_exception(error)
            return
        self.held |= granted
        for key, claim in waiting:
            claim.set_result(key in granted)
        if self.held and not self._renewing:
            self._renew_later()

    def _renew_later(self) -> None:
        self._renewing = True
        asyncio.get_running_loop().call_later(_RENEWED, self._renew)

    def _renew(self) -> None:
        self._renewing = False
        if self.held:
            with suppress(StoreError):  # told when the answer is kept
                self._cache.claim(self.held)
            self._renew_later()
