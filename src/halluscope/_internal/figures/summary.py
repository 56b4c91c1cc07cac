"""One metric over many cases: only those with a score count in a mean, and how many those are is said beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ..plumbing.public import public
from ..result import Direction, Outcome
from ..stats.interval import Interval

if TYPE_CHECKING:
    from ..stats.arrays import Floats


@public
class MetricSummary(Struct, frozen=True, kw_only=True):
    """One metric over all cases of a run. Only cases with a score count in `mean`; `coverage` says how many have one.

    `coverage` is the share of all rows of the data, those that could not be read included.
    """

    metric: str
    judge: str
    direction: Direction
    threshold: float
    results: int
    scored: int
    coverage: float
    mean: float | None
    interval: Interval | None
    median: float | None
    lowest: float | None
    highest: float | None
    passed: int
    pass_rate: float | None
    pass_interval: Interval | None = None
    outcomes: dict[str, int]
    flagged_from: float | None = None
    """By a profile: the judge's probability from which on an output counts as hallucinated."""


class Counted(Struct, frozen=True):
    """What is counted of a metric's results: how many have each outcome, how many passed, and the scores."""

    outcomes: dict[str, int]
    passed: int
    scores: Floats

    def summary(self, metric: str, judge: str, direction: Direction, threshold: float, rows: int) -> MetricSummary:
        """The figures. `rows` are all rows of the data, also those that could not be read."""
        import numpy as np

        from ..stats.means import mean_interval, share_interval

        scores, scored = self.scores, self.outcomes.get(Outcome.SCORED.value, 0)
        return MetricSummary(
            metric=metric,
            judge=judge,
            direction=direction,
            threshold=threshold,
            results=sum(self.outcomes.values()),
            scored=scored,
            coverage=scored / rows if rows else 0.0,
            mean=float(scores.mean()) if len(scores) else None,
            interval=mean_interval(scores),
            median=float(np.median(scores)) if len(scores) else None,
            lowest=float(scores.min()) if len(scores) else None,
            highest=float(scores.max()) if len(scores) else None,
            passed=self.passed,
            pass_rate=self.passed / scored if scored else None,
            pass_interval=share_interval(self.passed, scored),
            outcomes=self.outcomes,
        )
