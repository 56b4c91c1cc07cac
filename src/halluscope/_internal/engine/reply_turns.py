"""Whose turn it is to ask a judge, where several processes keep their answers in one place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence, Set
from contextlib import asynccontextmanager, suppress
from typing import Generic, Protocol, TypeVar, cast
from weakref import WeakKeyDictionary

from ..errors import StoreError
from ..plumbing.public import public

T = TypeVar("T")
R = TypeVar("R")

_RENEWED = 5.0
"""Seconds between two signs of life of a process that waits for answers others wait for as well."""
_TOGETHER = 0.02
"""Seconds between two writings of claims at least. Answers do not wait: those of one moment are one writing."""
_FIRST_LOOK, _RARE_LOOK = 0.02, 0.5
"""Seconds between two looks for an answer that another process is asking for."""


@public
class ReplyCache(Protocol):
    """Keeps answers by content."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, entry: bytes) -> None: ...


class SharedReplyCache(ReplyCache, Protocol):
    """One that several processes use at once: a question is claimed before it is asked, and renewed meanwhile."""

    def put_all(self, entries: Mapping[str, bytes]) -> None:
        """Keep many answers together, which costs little more than one."""
        ...

    def claim(self, keys: Collection[str]) -> Set[str]:
        """Those that may be asked: not where another process is asking, nor where there is an answer by now."""
        ...

    def release(self, key: str) -> None: ...


class Turns:
    """The turns at one cache, for every event loop that uses it."""

    def __init__(self, cache: ReplyCache) -> None:
        self._cache = cache
        self._shared = cast("SharedReplyCache", cache) if hasattr(cache, "claim") else None
        self._writers: WeakKeyDictionary[asyncio.AbstractEventLoop, _Writer] = WeakKeyDictionary()

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[bytes | None]:
        """The answer that is kept, or None when it is this process's turn to ask for one."""
        kept = self._cache.get(key)
        shared = self._shared
        if kept is not None or shared is None:
            yield kept
            return
        writer = self._writer(shared)
        wait = _FIRST_LOOK
        try:
            while not await writer.claims.added(key):
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
            writer.held.discard(key)

    async def keep(self, key: str, entry: bytes) -> None:
        """Keep an answer: it is written when this returns, however it returns."""
        if self._shared is None:
            self._cache.put(key, entry)
            return
        try:
            await self._writer(self._shared).answers.added((key, entry))
        except asyncio.CancelledError:
            self._cache.put(key, entry)  # it was paid for
            raise

    def _writer(self, shared: SharedReplyCache) -> _Writer:
        loop = asyncio.get_running_loop()
        found = self._writers.get(loop)
        if found is None:
            found = self._writers[loop] = _Writer(shared)
        return found


class _Together(Generic[T, R]):
    """What many want written: what comes alone is written at once, what comes at one moment together.

    `apart`: seconds between two writings at least.
    """

    def __init__(self, write: Callable[[list[T]], Sequence[R]], apart: float = 0.0) -> None:
        self._write = write
        self._apart = apart
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._written = 0.0

    def added(self, item: T) -> asyncio.Future[R]:
        """What came of the item, once it is written."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_at(self._written + self._apart, self._write_all)
        done: asyncio.Future[R] = loop.create_future()
        self._waiting.append((item, done))
        return done

    def _write_all(self) -> None:
        waiting = [(item, done) for item, done in self._waiting if not done.done()]
        self._waiting.clear()
        self._written = asyncio.get_running_loop().time()
        try:
            results = self._write([item for item, _ in waiting])
        except Exception as error:
            for _, done in waiting:
                done.set_exception(error)
            return
        for (_, done), result in zip(waiting, results, strict=True):
            done.set_result(result)


class _Writer:
    """The claims and answers of one event loop; its claims are renewed while they are held."""

    def __init__(self, cache: SharedReplyCache) -> None:
        self.held: set[str] = set()
        self.claims = _Together(self._claim, _TOGETHER)
        self.answers = _Together(self._keep)
        self._cache = cache
        self._renewing = False

    def _claim(self, keys: list[str]) -> list[bool]:
        granted = self._cache.claim(keys)
        self.held |= granted
        if self.held and not self._renewing:
            self._renew_later()
        return [key in granted for key in keys]

    def _keep(self, entries: list[tuple[str, bytes]]) -> list[None]:
        self._cache.put_all(dict(entries))
        return [None] * len(entries)

    def _renew_later(self) -> None:
        self._renewing = True
        asyncio.get_running_loop().call_later(_RENEWED, self._renew)

    def _renew(self) -> None:
        self._renewing = False
        if self.held:
            with suppress(StoreError):  # told when the answer is kept
                self._cache.claim(self.held)
            self._renew_later()
