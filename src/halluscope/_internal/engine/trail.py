"""What is recorded while a case is scored."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..core.case import Case
from ..core.plumbing.threads import Work
from ..core.result import Exchange, Usage
from .questions import Question

_CALLS_AT_ONCE = 16
"""Most calls at the same time for one case. A runner limits those of all cases with a `Throttle`."""

Heard = Callable[[Question[Any], Any], None]
"""A callback for every answered question, while the case is being scored."""


class TimeSpent:
    """Adds up the time spent on a case, without the time in which all its questions wait in a queue."""

    def __init__(self) -> None:
        self._spans: list[tuple[float, float]] = []

    @contextmanager
    def span(self) -> Iterator[Callable[[], None]]:
        """Count the time in a `with` block. Overlapping blocks count once. It yields a function to start anew."""
        start = time.perf_counter()

        def restart() -> None:
            nonlocal start
            start = time.perf_counter()

        try:
            yield restart
        finally:
            self._spans.append((start, time.perf_counter()))

    @property
    def seconds(self) -> float:
        total = until = 0.0
        for start, end in sorted(self._spans):
            total += max(0.0, end - max(start, until))
            until = max(until, end)
        return total


class Trail:
    """Exchanges, notes, usage and time of one result. Judges in `late` ran out of time and are asked no more."""

    def __init__(self, case: Case, work: Work | None = None, heard: Heard | None = None) -> None:
        self.work = work or Work()
        self.heard = heard
        self.exchanges: list[Exchange] = []
        self.notes: list[str] = list(case.notes)
        self.usage = Usage()
        self.spent = TimeSpent()
        self.turns = asyncio.Semaphore(_CALLS_AT_ONCE)
        self.late: set[str] = set()

    def add(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)
        self.usage = self.usage + exchange.usage

    def note(self, *notes: str) -> None:
        self.notes += [note for note in dict.fromkeys(notes) if note not in self.notes]
