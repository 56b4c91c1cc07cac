"""Estimating how long the next check will take, from how fast checks are being answered."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from ...core.plumbing.threads import cores

_MAX_SAMPLES, _MIN_SAMPLES = 32, 8
"""Numbers of answers that an estimate uses at most and needs at least."""


class Pace:
    """Measures the time between answers while there is a queue, i.e. more open checks than cores."""

    def __init__(self) -> None:
        self._under_way = 0
        self._between: deque[float] = deque(maxlen=_MAX_SAMPLES)
        self._last: float | None = None

    @contextmanager
    def check(self) -> Iterator[None]:
        """Record one check. A failed check is not used for the estimate."""
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
        """Whether checks are waiting for a core."""
        return self._under_way > cores()

    @property
    def expected(self) -> float:
        """Estimated seconds until a new check is answered, 0 if unknown."""
        if not self.crowded or len(self._between) < _MIN_SAMPLES:
            return 0.0
        return sum(self._between) / len(self._between) * self._under_way
