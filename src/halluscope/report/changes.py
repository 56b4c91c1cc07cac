"""What became of each case since an earlier run."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from ..result import Result
from .source import Pairs

CHANGES = ("same", "worse", "better", "lost", "gained", "new")
"""`lost` had a score and has none now, `gained` the other way round, `new` was not in the earlier run."""

Key = tuple[str, str, int]
"""A case's id, the metric, and which of several such results it is."""


class Before(Struct, frozen=True):
    """What the earlier run said of a case."""

    score: float | None
    passed: bool | None
    version: str
    judge: str


class Change(Struct, frozen=True):
    """One case, then and now."""

    kind: str
    before: Before | None = None


class Baseline:
    """The earlier run's scores, to be matched by case and metric."""

    def __init__(self, pairs: Pairs) -> None:
        self._results: dict[Key, Before] = {}
        self._sizes: Counter[str] = Counter()
        self._met: Counter[str] = Counter()
        seen: Counter[tuple[str, str]] = Counter()
        for case, result in pairs:
            here = (case.id, result.metric)
            before = Before(result.score, result.passed, result.metric_version, result.judge)
            self._results[(*here, seen[here])] = before
            self._sizes[result.metric] += 1
            seen[here] += 1

    def compare(self, case_id: str, result: Result, occurrence: int) -> Change:
        """How the result differs from the earlier one on the same case."""
        before = self._results.get((case_id, result.metric, occurrence))
        if before is None:
            return Change("new")
        self._met[result.metric] += 1
        return Change(_kind(before.score, result), before)

    def gone(self, metric: str) -> int:
        """How many results of the metric the earlier run had and this one lacks."""
        return self._sizes[metric] - self._met[metric]


def _kind(before: float | None, result: Result) -> str:
    now = result.score
    if before is None or now is None:
        return "same" if before is now else ("gained" if before is None else "lost")
    if now == before:
        return "same"
    return "better" if (now > before) == (result.direction == "higher") else "worse"
