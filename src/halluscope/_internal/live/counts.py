"""What became of the answers."""

from __future__ import annotations

import threading

from msgspec import Struct

from ..plumbing.public import public_in


@public_in("halluscope.live")
class Counts(Struct, frozen=True, kw_only=True):
    """How many answers there were, and what became of them: stored + dropped + failed + waiting = sampled.

    `seen` are all answers, `sampled` those whose trace was drawn, without those that the filter left out (`filtered`).
    `dropped` found the queue full or the day's money spent (`over_budget` of them). `failed` have no score because a
    judge failed, or the store; where the store did not, the reason stands there. `waiting` are being scored.
    """

    seen: int = 0
    sampled: int = 0
    stored: int = 0
    dropped: int = 0
    failed: int = 0
    waiting: int = 0
    filtered: int = 0
    over_budget: int = 0


class Counter:
    """Counts from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = dict.fromkeys(Counts.__struct_fields__, 0)

    def add(self, **changes: int) -> None:
        """Change several counts at once, so that they always add up."""
        with self._lock:
            for name, change in changes.items():
                self._counts[name] += change

    @property
    def now(self) -> Counts:
        with self._lock:
            return Counts(**self._counts)
