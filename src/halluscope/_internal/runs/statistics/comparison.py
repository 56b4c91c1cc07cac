"""Comparing two runs, with confidence intervals, so that noise is not reported as a regression."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, Protocol

import msgspec
from msgspec import Struct

from ...core.case import Case
from ...core.plumbing.public import public, public_in
from ...core.result import Changed, Direction, Result, change_between
from ...stats.interval import Interval

Change = Literal["better", "worse", "no clear change", "nothing to compare"]


@public_in("halluscope.runs")
class CaseChange(Struct, frozen=True):
    """One case in both runs.

    Attributes:
        id: Id of the case.
        before: The earlier score, if any.
        after: The later score, if any.
        passed_before: Whether the earlier result passed.
        passed_after: Whether the later result passed.
        change: "better", "worse", "same", "lost" or "gained" (a score).
    """

    id: str
    before: float | None
    after: float | None
    passed_before: bool | None
    passed_after: bool | None
    change: Changed

    @property
    def difference(self) -> float | None:
        """The later minus the earlier score, None unless both exist."""
        return None if self.before is None or self.after is None else self.after - self.before


@public_in("halluscope.runs")
class MetricComparison(Struct, frozen=True, kw_only=True):
    """One metric in both runs, over the cases with a score in both.

    Attributes:
        metric: Name of the metric.
        direction: Which scores are better.
        cases: The number of cases with a score in both runs.
        before: The earlier mean.
        after: The later mean.
        difference: The later minus the earlier mean.
        interval: Its 95 % interval.
        change: "better" or "worse" if the interval does not contain 0.
        comparable: False if the judge or the version of the metric differs.
        counts: The number of cases by change.
        changed: The cases that changed, the worst first.
        gone: The number of results that only the earlier run has.
        new: The number of results that only the later run has.
    """

    metric: str
    direction: Direction
    cases: int
    before: float | None
    after: float | None
    difference: float | None
    interval: Interval | None
    change: Change
    comparable: bool
    counts: dict[str, int]
    changed: tuple[CaseChange, ...]
    gone: int = 0
    new: int = 0


@public
class Comparison(Struct, frozen=True, kw_only=True):
    """The comparison of two runs.

    Attributes:
        before: Name of the earlier run.
        after: Name of the later run.
        matched_by: "id", or "question" if some cases were matched by input and context.
        metrics: The comparison of each metric.
        only_before: The number of cases that only the earlier run has.
        only_after: The number of cases that only the later run has.
    """

    before: str
    after: str
    matched_by: Literal["id", "question"]
    metrics: tuple[MetricComparison, ...]
    only_before: int
    only_after: int

    @property
    def worse(self) -> tuple[MetricComparison, ...]:
        """The metrics that are significantly worse."""
        return tuple(metric for metric in self.metrics if metric.change == "worse")


class Light(Struct, frozen=True):
    """A result without texts."""

    position: int
    id: str
    score: float | None
    passed: bool | None
    outcome: str


class Asked(Struct, frozen=True):
    """The question of a case: a hash of input and context, and whether the case was given an id."""

    key: bytes
    named: bool

    @classmethod
    def of(cls, case: Case) -> Asked:
        texts = msgspec.msgpack.encode((case.input, case.context))
        return cls(hashlib.blake2b(texts, digest_size=16).digest(), case.named)


class Compared(Protocol):
    """The results of one run. `asked`, by position, is slow and only used if ids do not match."""

    def results(self, metric: str) -> Sequence[Light]: ...

    @property
    def asked(self) -> Mapping[int, Asked]: ...


class Gathered:
    """One side of a comparison, collected from cases and results without keeping their texts."""

    def __init__(self, pairs: Iterable[tuple[Case, Result]] = ()) -> None:
        self.asked: dict[int, Asked] = {}
        self.measures: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        """The versions and judges of each metric."""
        self._results: defaultdict[str, list[Light]] = defaultdict(list)
        for case, result in pairs:
            self.add(case, result)

    def add(self, case: Case, result: Result) -> int:
        """Add a result. Returns its position."""
        position = len(self.asked)
        self.asked[position] = Asked.of(case)
        self.measures[result.metric].add((result.metric_version, result.judge))
        self._results[result.metric].append(Light(position, case.id, result.score, result.passed, result.outcome.value))
        return position

    def results(self, metric: str) -> list[Light]:
        return self._results.get(metric, [])


Pair = tuple[Light, Light]


class Matched(Struct, frozen=True):
    """The results of a metric for the same cases, and how many results only one of the runs has."""

    metric: str
    pairs: Sequence[Pair]
    by_question: bool
    gone: int
    new: int


def matched(metric: str, before: Compared, after: Compared) -> Matched:
    """Match the results of the same cases in two runs.

    Cases are matched by id. An id made from the texts changes with the output, so those cases are matched by question,
    and so are all others if most ids do not exist in the other run.
    """
    old, new = before.results(metric), after.results(metric)
    pairs = _matched([(r.id, r) for r in old], [(r.id, r) for r in new])
    fewer = min(len(old), len(new))
    if len(pairs) == fewer:
        return Matched(metric, pairs, False, len(old) - fewer, len(new) - fewer)
    met_before, met_after = {r.position for r, _ in pairs}, {r.position for _, r in pairs}
    every = 2 * len(pairs) < fewer

    def left(side: Compared, results: Sequence[Light], met: set[int]) -> list[tuple[Hashable, Light]]:
        others = ((side.asked[r.position], r) for r in results if r.position not in met)
        return [(asked.key, r) for asked, r in others if every or not asked.named]

    by_question = _matched(left(before, old, met_before), left(after, new, met_after))
    pairs = sorted(pairs + by_question, key=lambda pair: pair[1].position)
    return Matched(metric, pairs, bool(by_question), len(old) - len(pairs), len(new) - len(pairs))


def _matched(old: Iterable[tuple[Hashable, Light]], new: Iterable[tuple[Hashable, Light]]) -> list[Pair]:
    """Match results with the same key. Repeated keys are matched in order."""
    waiting: dict[tuple[Hashable, int], Light] = {}
    seen: Counter[Hashable] = Counter()
    for key, result in old:
        waiting[key, seen[key]] = result
        seen[key] += 1
    seen.clear()
    pairs = []
    for key, result in new:
        earlier = waiting.get((key, seen[key]))
        seen[key] += 1
        if earlier is not None:
            pairs.append((earlier, result))
    return pairs


def compare_metric(found: Matched, direction: Direction, *, comparable: bool) -> MetricComparison:
    """Compare a metric on matched cases."""
    import numpy as np

    from ...stats.means import mean_interval

    cases = [_case(old, new, direction) for old, new in found.pairs]
    both = [(c.before, c.after) for c in cases if c.before is not None and c.after is not None]
    scores = np.array(both, dtype=np.float64).reshape(-1, 2)
    differences = scores[:, 1] - scores[:, 0]
    n = len(both)
    interval = mean_interval(differences, most_drawn=20_000)
    difference = float(differences.mean()) if n else None
    return MetricComparison(
        metric=found.metric,
        direction=direction,
        cases=n,
        before=float(scores[:, 0].mean()) if n else None,
        after=float(scores[:, 1].mean()) if n else None,
        difference=difference,
        interval=interval,
        change=_change(difference, interval, direction),
        comparable=comparable,
        counts=dict(Counter("unscored" if c.before is c.after is None else c.change for c in cases)),
        changed=tuple(sorted((c for c in cases if c.change != "same"), key=lambda c: _badness(c, direction))),
        gone=found.gone,
        new=found.new,
    )


def _change(difference: float | None, interval: Interval | None, direction: Direction) -> Change:
    if difference is None:
        return "nothing to compare"
    if interval is None or interval.low <= 0 <= interval.high:
        return "no clear change"
    return "better" if (difference < 0) == (direction == "lower") else "worse"


def _case(old: Light, new: Light, direction: Direction) -> CaseChange:
    change = change_between(old.score, new.score, direction)
    return CaseChange(new.id, old.score, new.score, old.passed, new.passed, change)


def _badness(case: CaseChange, direction: Direction) -> tuple[int, float]:
    order = ("worse", "lost", "gained", "better")
    size = case.difference or 0.0
    return order.index(case.change), -size if direction == "lower" else size
