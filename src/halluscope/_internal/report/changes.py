"""What became of each case since an earlier run."""

from __future__ import annotations

from collections import Counter, defaultdict, deque

from msgspec import Struct

from ..case import Case
from ..result import Result, change_between
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
    """The earlier run's scores, to be matched by case and metric.

    Cases are matched by id. An id that was only made from the case's texts changes with the output:
    such a case is matched by what was asked instead, its input and context.
    """

    def __init__(self, pairs: Pairs) -> None:
        self._results: dict[Key, Before] = {}
        self._asked: defaultdict[tuple[int, str], deque[Key]] = defaultdict(deque)
        self._met: set[Key] = set()
        seen: Counter[tuple[str, str]] = Counter()
        for case, result in pairs:
            key = (case.id, result.metric, seen[case.id, result.metric])
            seen[case.id, result.metric] += 1
            self._results[key] = Before(result.score, result.passed, result.metric_version, result.judge)
            if not case.named:
                self._asked[_question(case), result.metric].append(key)

    def compare(self, case: Case, result: Result, occurrence: int) -> Change:
        """How the result differs from the earlier one on the same case."""
        key: Key | None = (case.id, result.metric, occurrence)
        if key not in self._results:
            key = None if case.named else self._waiting(case, result.metric)
        if key is None:
            return Change("new")
        self._met.add(key)
        before = self._results[key]
        return Change(change_between(before.score, result.score, result.direction), before)

    def gone(self, metric: str) -> int:
        """How many results of the metric the earlier run had and this one lacks."""
        return sum(key[1] == metric and key not in self._met for key in self._results)

    def _waiting(self, case: Case, metric: str) -> Key | None:
        """The first earlier result on the same question that is not matched yet."""
        waiting = self._asked.get((_question(case), metric), deque())
        while waiting:
            key = waiting.popleft()
            if key not in self._met:
                return key
        return None


def _question(case: Case) -> int:
    return hash((case.input, case.context))
