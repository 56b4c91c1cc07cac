"""What changed between two runs, with an interval, so that noise is not called a regression."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, Protocol

import msgspec
from msgspec import Struct

from ..case import Case
from ..plumbing.public import public
from ..result import Changed, Direction, Result, change_between
from ..stats.interval import Interval

Change = Literal["better", "worse", "no clear change", "nothing to compare"]


@public
class CaseChange(Struct, frozen=True):
    """One case in both runs; a score is None where the case had none."""

    id: str
    before: float | None
    after: float | None
    passed_before: bool | None
    passed_after: bool | None
    change: Changed

    @property
    def difference(self) -> float | None:
        """After less before, None unless both have a score."""
        return None if self.before is None or self.after is None else self.after - self.before


@public
class MetricComparison(Struct, frozen=True, kw_only=True):
    """One metric in both runs. `difference` is over the cases that have a score in both, after less before.

    It is `better` or `worse` only where the interval leaves out 0. `comparable` is False where the
    metric's version or the judge is not the same: then the scores may mean different things.
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
    """The cases that are not the same, the worst first."""
    gone: int = 0
    """Results that only the earlier run has."""
    new: int = 0
    """Results that only the later run has."""


@public
class Comparison(Struct, frozen=True, kw_only=True):
    """Two runs side by side.

    `matched_by` is `question` where ids did not do for all cases, and some were matched by input and context.
    """

    before: str
    after: str
    matched_by: Literal["id", "question"]
    metrics: tuple[MetricComparison, ...]
    only_before: int
    only_after: int

    @property
    def worse(self) -> tuple[MetricComparison, ...]:
        """The metrics that got worse, beyond noise."""
        return tuple(metric for metric in self.metrics if metric.change == "worse")


class Light(Struct, frozen=True):
    """A result without its texts."""

    position: int
    id: str
    score: float | None
    passed: bool | None


class Asked(Struct, frozen=True):
    """What was asked in a case, and whether the case has an id of its own.

    `key` names input and context: it is the same for two answers to one question.
    """

    key: bytes
    named: bool

    @classmethod
    def of(cls, case: Case) -> Asked:
        """What was asked in this case."""
        texts = msgspec.msgpack.encode((case.input, case.context))
        return cls(hashlib.blake2b(texts, digest_size=16).digest(), case.named)


class Compared(Protocol):
    """The results of one side. `asked`, by position, may cost much, and is looked at only where ids do not do."""

    def results(self, metric: str) -> Sequence[Light]: ...

    @property
    def asked(self) -> Mapping[int, Asked]: ...


class Gathered:
    """One side of a comparison, gathered from cases and results as they go by. Holds numbers, no texts."""

    def __init__(self, pairs: Iterable[tuple[Case, Result]] = ()) -> None:
        self.asked: dict[int, Asked] = {}
        self.measures: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        """For each metric the versions and judges that its results are by."""
        self._results: defaultdict[str, list[Light]] = defaultdict(list)
        for case, result in pairs:
            self.add(case, result)

    def add(self, case: Case, result: Result) -> int:
        """Take in a result; returns its position."""
        position = len(self.asked)
        self.asked[position] = Asked.of(case)
        self.measures[result.metric].add((result.metric_version, result.judge))
        self._results[result.metric].append(Light(position, case.id, result.score, result.passed))
        return position

    def results(self, metric: str) -> list[Light]:
        return self._results.get(metric, [])


Pair = tuple[Light, Light]


def matched(metric: str, before: Compared, after: Compared) -> tuple[list[Pair], bool]:
    """The results of the same cases, then and now, and whether ids did not do for all of them.

    An id made from the texts changes with the output, so that it finds only answers that stayed the
    same: such a case is matched by its question. Ids of the user's own are taken at their word,
    unless most of them mean nothing to the other run.
    """
    old, new = before.results(metric), after.results(metric)
    pairs = _matched([(r.id, r) for r in old], [(r.id, r) for r in new])
    fewer = min(len(old), len(new))
    if len(pairs) == fewer:
        return pairs, False
    met_before, met_after = {r.position for r, _ in pairs}, {r.position for _, r in pairs}
    every = 2 * len(pairs) < fewer

    def left(side: Compared, results: Sequence[Light], met: set[int]) -> list[tuple[Hashable, Light]]:
        others = ((side.asked[r.position], r) for r in results if r.position not in met)
        return [(asked.key, r) for asked, r in others if every or not asked.named]

    by_question = _matched(left(before, old, met_before), left(after, new, met_after))
    return sorted(pairs + by_question, key=lambda pair: pair[1].position), bool(by_question)


def _matched(old: Iterable[tuple[Hashable, Light]], new: Iterable[tuple[Hashable, Light]]) -> list[Pair]:
    """Results with the same key; where a key is used often, the first goes with the first, and so on."""
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


def compare_metric(
    metric: str, direction: Direction, before: Compared, after: Compared, pairs: Sequence[Pair], *, comparable: bool
) -> MetricComparison:
    """How a metric moved on the cases that were matched."""
    import numpy as np

    from ..stats.means import difference_interval

    cases = [_case(old, new, direction) for old, new in pairs]
    both = [(c.before, c.after) for c in cases if c.before is not None and c.after is not None]
    scores = np.array(both, dtype=np.float64).reshape(-1, 2)
    differences = scores[:, 1] - scores[:, 0]
    n = len(both)
    interval = difference_interval(differences)
    difference = float(differences.mean()) if n else None
    return MetricComparison(
        metric=metric,
        direction=direction,
        cases=n,
        before=float(scores[:, 0].mean()) if n else None,
        after=float(scores[:, 1].mean()) if n else None,
        difference=difference,
        interval=interval,
        change=_change(difference, interval, direction),
        comparable=comparable,
        counts=dict(Counter(case.change for case in cases)),
        changed=tuple(sorted((c for c in cases if c.change != "same"), key=lambda c: _badness(c, direction))),
        gone=len(before.results(metric)) - len(pairs),
        new=len(after.results(metric)) - len(pairs),
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
