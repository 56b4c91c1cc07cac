"""The one place that all workers of a run know: it hands out permits, and hears how far everybody is."""

from __future__ import annotations

import time
from collections.abc import Sequence

from msgspec import Struct

from ..permits import SILENT, Permits

_MOST_MESSAGES = 100


class Told(Struct, frozen=True):
    """How far a partition is that is being scored, as its worker told it."""

    cases: int = 0
    failed: int = 0
    cost: float | None = 0.0
    trouble: str | None = None


class ClusterState(Struct, frozen=True):
    """What is under way over the whole cluster. `wasted` is what workers that died had spent on their partition."""

    workers: int = 0
    cases: int = 0
    failed: int = 0
    cost: float | None = 0.0
    wasted: float = 0.0
    trouble: str | None = None
    messages: tuple[str, ...] = ()


class Coordinator:
    """Runs as an actor, with one thread and one loop, so nothing in it needs a lock."""

    def __init__(self, at_once: int, per_minute: float | None) -> None:
        self._permits = Permits(at_once, per_minute)
        self._under_way: dict[tuple[str, str], tuple[Told, float]] = {}
        self._wasted = 0.0
        self._messages: list[str] = []
        self._said: set[str] = set()

    async def take(self, worker: str, wanted: int) -> int:
        """See `Permits`."""
        return await self._permits.take(worker, wanted)

    async def left(self, worker: str, throttled: Sequence[bool | None]) -> None:
        """See `Permits`."""
        self._permits.left(worker, throttled)

    async def report(self, worker: str, partition: str, told: Told) -> None:
        """A worker says how far it is with a partition."""
        self._under_way[worker, partition] = (told, time.monotonic())

    async def finished(self, worker: str, partition: str) -> None:
        """A partition is written down: from here on whoever started the run counts it."""
        self._under_way.pop((worker, partition), None)

    async def say(self, message: str) -> None:
        """Something that a person should read, once."""
        if message not in self._said and len(self._said) < _MOST_MESSAGES:
            self._said.add(message)
            self._messages.append(message)

    async def standing(self) -> ClusterState:
        """What is under way; messages are given out once."""
        now = time.monotonic()
        for key, (told, heard) in list(self._under_way.items()):
            if now - heard > SILENT:
                del self._under_way[key]
                self._wasted += told.cost or 0.0
        every = [told for told, _ in self._under_way.values()]
        costs = [told.cost for told in every]
        messages, self._messages = tuple(self._messages), []
        return ClusterState(
            workers=len({worker for worker, _ in self._under_way}),
            cases=sum(told.cases for told in every),
            failed=sum(told.failed for told in every),
            cost=None if None in costs else sum(cost or 0.0 for cost in costs),
            wasted=self._wasted,
            trouble=next((told.trouble for told in every if told.trouble), None),
            messages=messages,
        )
