"""Counts of the answers in live scoring."""

from __future__ import annotations

import threading

from msgspec import Struct

from ..core.plumbing.public import public_in


@public_in("halluscope.live")
class Counts(Struct, frozen=True, kw_only=True):
    """The number of answers by what happened to them: stored + dropped + failed + waiting = sampled.

    Attributes:
        seen: All answers.
        sampled: Answers chosen by their trace, without the filtered ones.
        stored: Answers whose results are stored.
        dropped: Answers that found the queue full or the budget spent.
        failed: Answers without a score because the judge or the store failed.
        waiting: Answers that wait or are being scored.
        filtered: Answers skipped by the filter.
        over_budget: Dropped answers that found the budget spent.
        sent: Scores accepted by sinks.
        not_sent: Scores that were not sent, for example because they have no trace.
    """

    seen: int = 0
    sampled: int = 0
    stored: int = 0
    dropped: int = 0
    failed: int = 0
    waiting: int = 0
    filtered: int = 0
    over_budget: int = 0
    sent: int = 0
    not_sent: int = 0


class Counter:
    def __init__(self) -> None:
        # Re-entrant: the garbage collector may close a watched stream inside `add`, which counts too.
        self._lock = threading.RLock()
        self._counts = dict.fromkeys(Counts.__struct_fields__, 0)

    def add(self, **changes: int) -> None:
        """Change several counts together, so that they always add up."""
        with self._lock:
            for name, change in changes.items():
                self._counts[name] += change

    @property
    def now(self) -> Counts:
        with self._lock:
            return Counts(**self._counts)
