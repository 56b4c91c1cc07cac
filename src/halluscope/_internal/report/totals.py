"""One metric over a whole report: its figures, and what the page shows beside them, gathered as results go by."""

from __future__ import annotations

from array import array
from collections import Counter
from math import isfinite
from typing import Any

from msgspec import Struct, structs

from ..figures.comparison import MetricComparison
from ..figures.partial import OutcomeCounts, Partial
from ..figures.summary import Counted, MetricSummary
from ..result import Direction, Outcome, Result, Usage
from ..stats.interval import Interval

BINS = 20


class Histogram(Struct, frozen=True):
    """How many scores lie in each of equal parts of the range from `low` to `high`, and how many of those passed."""

    low: float
    high: float
    counts: list[int]
    passed: list[int]


class MetricTotals(Struct, frozen=True):
    """One metric over all cases. `threshold` is None where results have several."""

    figures: MetricSummary
    threshold: float | None
    judges: list[str]
    histogram: Histogram
    supports: dict[str, int]
    usage: Usage
    unpriced: int
    cached: int
    latency: dict[str, float]
    change: MetricComparison | None = None

    def record(self) -> dict[str, Any]:
        """The same as the page reads it."""
        figures, change = self.figures, self.change
        beside = {name: value for name, value in structs.asdict(self).items() if name not in ("figures", "change")}
        return {
            **beside,
            "name": figures.metric,
            "direction": figures.direction,
            "results": figures.results,
            "scored": figures.scored,
            "mean": figure(figures.mean, figures.interval),
            "passed": figure(figures.pass_rate, figures.pass_interval),
            "outcomes": figures.outcomes,
            "change": None
            if change is None
            else {
                "mean": figure(change.difference or 0.0, change.interval),
                "n": change.cases,
                "counts": {**change.counts, "new": change.new},
                "gone": change.gone,
                "beyond_noise": change.change in ("better", "worse"),
                "comparable": change.comparable,
            },
        }


def figure(value: float | None, interval: Interval | None) -> dict[str, float | None] | None:
    """A figure with its 95 % interval, where there are enough values for one."""
    if value is None:
        return None
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return {"value": value, "low": low, "high": high}


class Tally:
    """One metric's figures in the making. Holds numbers, no texts."""

    def __init__(self, metric: str, direction: Direction) -> None:
        self.metric = metric
        self.direction: Direction = direction
        self._counts = OutcomeCounts()
        self._scores = array("d")
        self._passed = array("b")
        self._latencies = array("d")

    @property
    def results(self) -> int:
        return self._counts.results

    def add(self, result: Result) -> None:
        """Count one result."""
        self._counts.add(result)
        self._latencies.append(result.latency_ms)
        if result.score is not None and isfinite(result.score):
            self._scores.append(result.score)
            self._passed.append(bool(result.passed))

    def totals(self, change: MetricComparison | None) -> MetricTotals:
        """The figures, and the change since an earlier run where there is one."""
        import numpy as np

        counts = self._counts
        scores, passed = np.asarray(self._scores, dtype=np.float64), np.asarray(self._passed, dtype=np.int64)
        outcomes = dict(Counter(counts.outcomes).most_common())
        if Outcome.SCORED.value in outcomes:
            outcomes[Outcome.SCORED.value] = len(scores)  # a score that is no number counts in nothing
        judges = ", ".join(_most_first(counts.judges))
        counted = Counted(outcomes, int(passed.sum()), scores)
        figures = counted.summary(self.metric, judges, self.direction, min(counts.thresholds), self.results)
        median, high = np.quantile(np.asarray(self._latencies), [0.5, 0.95])
        latency = {"median": float(median), "p95": float(high)}
        return _totals(figures, counts, histogram(scores, np.ones_like(passed), passed), latency, change)


def totals_of(partial: Partial, rows: int) -> MetricTotals:
    """The figures of results that were counted elsewhere. `rows` are all rows of the data."""
    return _totals(partial.summary(rows), partial.counts, histogram(*partial.scores.on_grid()), partial.latency(), None)


def _totals(
    figures: MetricSummary,
    counts: OutcomeCounts,
    histogram: Histogram,
    latency: dict[str, float],
    change: MetricComparison | None,
) -> MetricTotals:
    thresholds = counts.thresholds
    return MetricTotals(
        figures=figures,
        threshold=min(thresholds) if len(thresholds) == 1 else None,
        judges=_most_first(counts.judges),
        histogram=histogram,
        supports=dict(Counter(counts.supports).most_common()),
        usage=counts.usage,
        unpriced=counts.unpriced,
        cached=counts.cached,
        latency=latency,
        change=change,
    )


def _most_first(counts: dict[str, int]) -> list[str]:
    return [name for name, _ in Counter(counts).most_common()]


def histogram(scores: Any, times: Any, passed: Any) -> Histogram:
    """Of scores, how often there is each, and how many of those passed."""
    import numpy as np

    low, high = min(0.0, scores.min(initial=0.0)), max(1.0, scores.max(initial=1.0))
    places = np.clip(np.floor((scores - low) / (high - low) * BINS + 1e-9), 0, BINS - 1).astype(np.intp)
    counts = np.bincount(places, weights=times, minlength=BINS).astype(np.int64)
    good = np.bincount(places, weights=passed, minlength=BINS).astype(np.int64)
    return Histogram(float(low), float(high), counts.tolist(), good.tolist())
