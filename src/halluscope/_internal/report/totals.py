"""One metric over a whole report: its figures, and what the page shows beside them, gathered as results go by."""

from __future__ import annotations

from array import array
from collections import Counter
from math import isfinite
from typing import Any

from msgspec import Struct, structs

from ..figures.comparison import MetricComparison
from ..figures.summary import Counted, MetricSummary
from ..result import Direction, Outcome, Result, Usage
from ..stats import Interval

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
        self._scores = array("d")
        self._passed = array("b")
        self._latencies = array("d")
        self._thresholds: set[float] = set()
        self._judges: Counter[str] = Counter()
        self._outcomes: Counter[str] = Counter()
        self._supports: Counter[str] = Counter()
        self._usage = Usage()
        self._unpriced = 0
        self._cached = 0

    @property
    def results(self) -> int:
        return sum(self._outcomes.values())

    def add(self, result: Result) -> None:
        """Count one result."""
        self._judges[result.judge] += 1
        self._outcomes[result.outcome.value] += 1
        self._thresholds.add(result.threshold)
        self._latencies.append(result.latency_ms)
        self._supports.update(verdict.support.value for verdict in result.verdicts)
        priced = result.usage.cost is not None
        self._unpriced += not priced
        usage = result.usage
        known = usage if priced else Usage(usage.calls, usage.input_tokens, usage.output_tokens, 0.0)
        self._usage = self._usage + known
        self._cached += sum(exchange.cached for exchange in result.exchanges)
        if result.score is not None and isfinite(result.score):
            self._scores.append(result.score)
            self._passed.append(bool(result.passed))

    def totals(self, change: MetricComparison | None) -> MetricTotals:
        """The figures, and the change since an earlier run where there is one."""
        import numpy as np

        thresholds = sorted(self._thresholds)
        scores, passed = np.asarray(self._scores, dtype=np.float64), np.asarray(self._passed, dtype=np.bool_)
        outcomes = dict(self._outcomes.most_common())
        if Outcome.SCORED.value in outcomes:
            outcomes[Outcome.SCORED.value] = len(scores)  # a score that is no number counts in nothing
        judges = [name for name, _ in self._judges.most_common()]
        counted = Counted(outcomes, int(passed.sum()), scores)
        return MetricTotals(
            figures=counted.summary(self.metric, ", ".join(judges), self.direction, thresholds[0], self.results),
            threshold=thresholds[0] if len(thresholds) == 1 else None,
            judges=judges,
            histogram=_histogram(scores, passed),
            supports=dict(self._supports.most_common()),
            usage=self._usage,
            unpriced=self._unpriced,
            cached=self._cached,
            latency=_latency(self._latencies),
            change=change,
        )


def _histogram(scores: Any, passed: Any) -> Histogram:
    import numpy as np

    low, high = min(0.0, scores.min(initial=0.0)), max(1.0, scores.max(initial=1.0))
    places = np.clip(np.floor((scores - low) / (high - low) * BINS + 1e-9), 0, BINS - 1).astype(np.intp)
    counts, good = np.bincount(places, minlength=BINS), np.bincount(places[passed], minlength=BINS)
    return Histogram(float(low), float(high), counts.tolist(), good.tolist())


def _latency(values: array[float]) -> dict[str, float]:
    import numpy as np

    median, high = np.quantile(np.asarray(values), [0.5, 0.95])
    return {"median": float(median), "p95": float(high)}
