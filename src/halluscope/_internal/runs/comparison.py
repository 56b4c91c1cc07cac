"""What changed between two runs, with an interval, so that noise is not called a regression."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Literal

import numpy as np
from msgspec import Struct

from ..errors import InputError
from ..plumbing.public import public
from ..result import Changed, Direction, change_between
from ..stats import Interval
from ..stats.means import difference_interval
from ..store import RunInfo, Store
from ..store.run_reader import Asked, Light, light_results, questions

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


Pair = tuple[Light, Light]


class Kept:
    """A run, and the store that keeps it."""

    def __init__(self, store: Store, info: RunInfo) -> None:
        self.store = store
        self.info = info

    def results(self, metric: str) -> list[Light]:
        return list(light_results(self.store, self.info.id, metric))

    @cached_property
    def asked(self) -> dict[int, Asked]:
        """What was asked at each position; all texts are read for it, so only where it is needed."""
        return questions(self.store, self.info.id)


def compare(before: Kept, after: Kept) -> Comparison:
    """How `after` differs from `before`."""
    common = [s for s in after.info.scorers if any(s.metric == old.metric for old in before.info.scorers)]
    if not common:
        raise InputError(f"the runs {before.info.name!r} and {after.info.name!r} have no metric in common.")
    matched_by: Literal["id", "question"] = "id"
    metrics: list[MetricComparison] = []
    alone = (0, 0)
    for scorer in common:
        old, new = before.results(scorer.metric), after.results(scorer.metric)
        pairs = _matched([(r.id, r) for r in old], [(r.id, r) for r in new])
        by_question = _matched_by_question(before, after, old, new, pairs)
        if by_question:
            matched_by = "question"
            pairs = sorted(pairs + by_question, key=lambda pair: pair[1].position)
        alone = (max(alone[0], len(old) - len(pairs)), max(alone[1], len(new) - len(pairs)))
        earlier = next(s for s in before.info.scorers if s.metric == scorer.metric)
        same = (earlier.version, earlier.judge) == (scorer.version, scorer.judge)
        metrics.append(_metric(scorer.metric, scorer.direction, pairs, same))
    return Comparison(
        before=before.info.name,
        after=after.info.name,
        matched_by=matched_by,
        metrics=tuple(metrics),
        only_before=alone[0],
        only_after=alone[1],
    )


def _matched_by_question(
    before: Kept, after: Kept, old: list[Light], new: list[Light], pairs: list[Pair]
) -> list[Pair]:
    """Those of the other results that answer the same question.

    An id made from the texts changes with the output, so that it finds only answers that stayed the
    same. Ids of the user's own are taken at their word, unless most of them mean nothing to the other run.
    """
    if len(pairs) == min(len(old), len(new)):
        return []
    met_before, met_after = {r.position for r, _ in pairs}, {r.position for _, r in pairs}
    every = 2 * len(pairs) < min(len(old), len(new))

    def left(run: Kept, results: list[Light], met: set[int]) -> list[tuple[Hashable, Light]]:
        others = ((run.asked[r.position], r) for r in results if r.position not in met)
        return [(asked.key, r) for asked, r in others if every or not asked.named]

    return _matched(left(before, old, met_before), left(after, new, met_after))


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


def _metric(metric: str, direction: Direction, pairs: list[Pair], comparable: bool) -> MetricComparison:
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
