"""Statistics of one metric over many cases. Only cases with a score count in the mean."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ...core.counting import count_of
from ...core.plumbing.public import public_in
from ...core.repair import Repaired
from ...core.result import Direction, Outcome
from ...stats.interval import Interval

if TYPE_CHECKING:
    from ...stats.means import ScoreCounts


@public_in("halluscope.runs")
class RepairCounts(Struct, frozen=True, kw_only=True):
    """The results of repairing the outputs of a run.

    Attributes:
        tried: Outputs that did not pass.
        changed: Those that were changed.
        passed: Those that pass now, or are the abstention.
        edits: Number of edits.
    """

    tried: int = 0
    changed: int = 0
    passed: int = 0
    edits: int = 0

    @classmethod
    def of(cls, repairs: Iterable[Repaired]) -> RepairCounts:
        """Count repairs."""
        found = list(repairs)
        return cls(
            tried=len(found),
            changed=sum(one.changed for one in found),
            passed=sum(one.passed is True or one.abstained for one in found),
            edits=sum(len(one.edits) for one in found),
        )

    def __str__(self) -> str:
        return f"repair: {count_of(self.edits, 'edit')}, {self.passed} of {self.tried} outputs have nothing wrong now"


@public_in("halluscope.runs")
class MetricSummary(Struct, frozen=True, kw_only=True):
    """Statistics of one metric over all cases of a run. Only cases with a score are included in the mean.

    Attributes:
        metric: Name of the metric.
        judge: Name of the judge.
        direction: Which scores are better.
        threshold: The score that passes.
        results: The number of results.
        scored: The number of results with a score.
        coverage: The share of rows with a score, including rows that could not be read.
        mean: The mean score.
        interval: Its 95 % interval.
        median: The median score.
        lowest: The lowest score.
        highest: The highest score.
        passed: The number of results that passed.
        pass_rate: The share of scored results that passed.
        pass_interval: Its 95 % interval.
        outcomes: The number of results by outcome.
        flagged_from: The threshold of the profile, if one was used.
        conversations: The number of conversations that were judged turn by turn.
        conversations_passed: How many of them have only turns that passed or make no claim.
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
    repairs: RepairCounts | None = None
    """The results of repairs, if outputs that did not pass were repaired."""
    flagged_from: float | None = None
    conversations: int = 0
    conversations_passed: int = 0


def metric_summary(
    metric: str,
    judge: str,
    direction: Direction,
    threshold: float,
    *,
    outcomes: dict[str, int],
    passed: int,
    scores: ScoreCounts,
    rows: int,
    **more: Any,
) -> MetricSummary:
    """Compute the statistics of a metric. `rows` includes rows that could not be read."""
    from ...stats.means import share_interval

    scored = scores.count
    if Outcome.SCORED.value in outcomes:
        outcomes = {**outcomes, Outcome.SCORED.value: scored}  # a score that is not a number does not count
    return MetricSummary(
        metric=metric,
        judge=judge,
        direction=direction,
        threshold=threshold,
        results=sum(outcomes.values()),
        scored=scored,
        coverage=scored / rows if rows else 0.0,
        mean=scores.mean,
        interval=scores.interval,
        median=scores.quantile(0.5),
        lowest=scores.quantile(0.0),
        highest=scores.quantile(1.0),
        passed=passed,
        pass_rate=passed / scored if scored else None,
        pass_interval=share_interval(passed, scored),
        outcomes=outcomes,
        **more,
    )
