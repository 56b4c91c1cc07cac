"""Reply caches, and turns to ask a judge where several processes share a cache."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence, Set
from contextlib import asynccontextmanager, suppress
from typing import Generic, Protocol, TypeVar, cast
from weakref import WeakKeyDictionary

from ..core.errors import StoreError
from ..core.plumbing.public import public

T = TypeVar("T")
R = TypeVar("R")

_RENEWAL = 1.5
"""Seconds between two renewals of the claims that a process holds."""
_CLAIMS_APART = 0.02
"""Least seconds between two writes of claims. Answers are written without delay, those of one moment together."""
_FIRST_WAIT, _LONGEST_WAIT = 0.02, 0.5
"""Shortest and longest seconds between two lookups of an answer that another process is asking for."""


@public
class ReplyCache(Protocol):
    """Keeps replies. Keys are hashes of question and judge."""

    def get(self, key: str) -> bytes | None:
        """The entry with this key, None if there is none."""

    def put(self, key: str, entry: bytes) -> None:
        """Keep an entry."""


class SharedReplyCache(ReplyCache, Protocol):
    """A cache that several processes share. A process claims a question before it asks, and renews the claim."""

    def put_all(self, entries: Mapping[str, bytes]) -> None:
        """Keep several entries in one write."""

    def claim(self, keys: Collection[str]) -> Set[str]:
        """Claim questions, and return those that no other process is asking and that have no entry."""

    def release(self, key: str) -> None: ...


class Turns:
    """Turns to ask for the entries of one cache."""

    def __init__(self, cache: ReplyCache) -> None:
        self._cache = cache
        self._shared = cast("SharedReplyCache", cache) if hasattr(cache, "claim") else None
        self._writers: WeakKeyDictionary[asyncio.AbstractEventLoop, _Writer] = WeakKeyDictionary()

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[bytes | None]:
        """Yield the entry, or None if it is this process's turn to ask."""
        kept = self._cache.get(key)
        shared = self._shared
        if kept is not None or shared is None:
            yield kept
            return
        writer = self._writer(shared)
        wait = _FIRST_WAIT
        try:
            while not await writer.claims.add(key):
                if (kept := shared.get(key)) is not None:
                    yield kept
                    return
                await asyncio.sleep(wait)
                wait = min(_LONGEST_WAIT, wait * 1.5)
            yield None
        except BaseException:
            shared.release(key)
            raise
        finally:
            writer.held.discard(key)

    async def keep(self, key: str, entry: bytes) -> None:
        """Write an entry. It is written even if the caller is cancelled."""
        if self._shared is None:
            self._cache.put(key, entry)
            return
        try:
            await self._writer(self._shared).answers.add((key, entry))
        except asyncio.CancelledError:
            self._cache.put(key, entry)  # the reply was paid for
            raise

    def _writer(self, shared: SharedReplyCache) -> _Writer:
        loop = asyncio.get_running_loop()
        found = self._writers.get(loop)
        if found is None:
            found = self._writers[loop] = _Writer(shared)
        return found


class _Batch(Generic[T, R]):
    """Combines the writes of one moment. `apart` is the least time between two writes, in seconds."""

    def __init__(self, write: Callable[[list[T]], Sequence[R]], apart: float = 0.0) -> None:
        self._write = write
        self._apart = apart
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._written = 0.0

    def add(self, item: T) -> asyncio.Future[R]:
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
    """Writes the claims and entries of one event loop, and renews its claims."""

    def __init__(self, cache: SharedReplyCache) -> None:
        self.held: set[str] = set()
        self.claims = _Batch(self._claim, _CLAIMS_APART)
        self.answers = _Batch(self._keep)
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
        asyncio.get_running_loop().call_later(_RENEWAL, self._renew)

    def _renew(self) -> None:
        self._renewing = False
        if self.held:
            with suppress(StoreError):  # raised again when the entry is written
                self._cache.claim(self.held)
            self._renew_later()
