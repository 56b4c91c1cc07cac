"""How fast checks are answered, and so how long the next one would take."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from ..plumbing.threads import cores

_REMEMBERED, _FEWEST = 32, 8
"""Answers by whose pace the next one's time is foretold, and how many of them it takes."""


class Pace:
    """Counts checks. It knows a pace only while more are under way than there are cores: a queue."""

    def __init__(self) -> None:
        self._under_way = 0
        self._between: deque[float] = deque(maxlen=_REMEMBERED)
        self._last: float | None = None

    @contextmanager
    def check(self) -> Iterator[None]:
        """One check, from its beginning to its answer; one that fails says nothing of the pace."""
        self._under_way += 1
        try:
            yield
            now = time.monotonic()
            if self._last is not None:
                self._between.append(now - self._last)
            self._last = now
        finally:
            self._under_way -= 1
            if self._under_way <= cores():
                self._last = None
            if not self._under_way:
                self._between.clear()

    @property
    def crowded(self) -> bool:
        """Whether checks wait for each other."""
        return self._under_way > cores()

    @property
    def expected(self) -> float:
        """Seconds until a check that comes now is answered; 0 where that is not known."""
        if not self.crowded or len(self._between) < _FEWEST:
            return 0.0
        return sum(self._between) / len(self._between) * self._under_way
