"""The figures of a run: only cases with a score count in a mean, and how many those are is said beside it."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from ..errors import UnknownName
from ..plumbing.public import public
from ..result import Direction, Outcome, Usage
from ..stats import Interval
from ..stats.means import mean_interval
from ..store import RunInfo, ScorerInfo, Store
from ..store.run_reader import scores_of, tally, usage_of_run


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
    outcomes: dict[str, int]


@public
class Summary(Struct, frozen=True, kw_only=True):
    """The figures of a run. `cases` are the rows that could be read."""

    run: str
    state: str
    note: str
    data: str
    cases: int
    bad_rows: int
    coverage: float
    metrics: tuple[MetricSummary, ...]
    usage: Usage
    seconds: float

    def __getitem__(self, metric: str) -> MetricSummary:
        for summary in self.metrics:
            if summary.metric == metric:
                return summary
        raise UnknownName("metric in this run called", metric, (summary.metric for summary in self.metrics))

    def __str__(self) -> str:
        lines = [f"run {self.run}: {self.state}, {self.cases} cases, {self.bad_rows} bad rows"]
        for m in self.metrics:
            mean = "no score" if m.mean is None else f"mean {m.mean:.3f}"
            if m.interval is not None:
                mean += f" ({m.interval.low:.3f} to {m.interval.high:.3f})"
            lines.append(f"  {m.metric}: {mean}, {m.passed} of {m.scored} passed, coverage {m.coverage:.1%}")
        return "\n".join(lines)


def summarised(store: Store, info: RunInfo) -> Summary:
    """The figures of a run."""
    rows = info.cases + info.bad_rows
    metrics = tuple(_metric(store, info.id, scorer, rows) for scorer in info.scorers)
    return Summary(
        run=info.name,
        state=info.state,
        note=info.note,
        data=info.data,
        cases=info.cases,
        bad_rows=info.bad_rows,
        coverage=_share(sum(metric.scored for metric in metrics), rows * len(metrics)),
        metrics=metrics,
        usage=usage_of_run(store, info.id),
        seconds=info.seconds,
    )


def _metric(store: Store, run: int, scorer: ScorerInfo, rows: int) -> MetricSummary:
    outcomes, passed = tally(store, run, scorer.metric)
    scores = scores_of(store, run, scorer.metric)
    scored = outcomes.get(Outcome.SCORED.value, 0)
    return MetricSummary(
        metric=scorer.metric,
        judge=scorer.judge,
        direction=scorer.direction,
        threshold=scorer.threshold,
        results=sum(outcomes.values()),
        scored=scored,
        coverage=_share(scored, rows),
        mean=float(scores.mean()) if scored else None,
        interval=mean_interval(scores),
        median=float(np.median(scores)) if scored else None,
        lowest=float(scores.min()) if scored else None,
        highest=float(scores.max()) if scored else None,
        passed=passed,
        pass_rate=passed / scored if scored else None,
        outcomes=outcomes,
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
