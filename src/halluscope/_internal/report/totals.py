"""The figures of a whole run, metric by metric, gathered while the results go by."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from math import isfinite, sqrt

from msgspec import Struct

from ..result import Direction, Result, Usage
from ..stats.means import difference_interval, mean_interval
from .changes import Change

BINS = 20
FEWEST = 5
"""Fewer values than this say next to nothing about where their mean could lie."""


class Figure(Struct, frozen=True):
    """A mean or a share, with its 95 % interval where there are enough values for one."""

    value: float
    low: float | None = None
    high: float | None = None


class Difference(Struct, frozen=True):
    """How much the mean moved on the cases that both runs scored."""

    mean: Figure
    n: int
    counts: dict[str, int]
    gone: int
    beyond_noise: bool
    comparable: bool
    """False where the metric's version or the judge changed: then the numbers mean different things."""


class Histogram(Struct, frozen=True):
    """How many scores lie in each of equal parts of the range from `low` to `high`, and how many of those passed."""

    low: float
    high: float
    counts: list[int]
    passed: list[int]


class MetricTotals(Struct, frozen=True):
    """One metric over all cases."""

    name: str
    direction: Direction
    threshold: float | None
    judges: list[str]
    results: int
    scored: int
    mean: Figure | None
    passed: Figure | None
    histogram: Histogram
    outcomes: dict[str, int]
    supports: dict[str, int]
    usage: Usage
    unpriced: int
    cached: int
    latency: dict[str, float]
    change: Difference | None = None


class Tally:
    """One metric's figures in the making. Holds numbers, no texts."""

    def __init__(self, metric: str, direction: Direction) -> None:
        self.metric = metric
        self.direction: Direction = direction
        self._scores = array("d")
        self._passed = array("b")
        self._latencies = array("d")
        self._differences = array("d")
        self._thresholds: set[float] = set()
        self._judges: Counter[str] = Counter()
        self._outcomes: Counter[str] = Counter()
        self._supports: Counter[str] = Counter()
        self._changes: Counter[str] = Counter()
        self._comparable = True
        self._usage = Usage()
        self._unpriced = 0
        self._cached = 0

    @property
    def results(self) -> int:
        return sum(self._outcomes.values())

    def add(self, result: Result, change: Change | None) -> None:
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
        if change is not None:
            self._compare(result, change)

    def _compare(self, result: Result, change: Change) -> None:
        self._changes[change.kind] += 1
        before = change.before
        if before is None:
            return
        self._comparable &= before.version == result.metric_version and before.judge == result.judge
        if before.score is not None and result.score is not None:
            self._differences.append(result.score - before.score)

    def totals(self, gone: int | None) -> MetricTotals:
        """The figures. `gone` is None where there is no earlier run."""
        thresholds = sorted(self._thresholds)
        return MetricTotals(
            name=self.metric,
            direction=self.direction,
            threshold=thresholds[0] if len(thresholds) == 1 else None,
            judges=[name for name, _ in self._judges.most_common()],
            results=self.results,
            scored=len(self._scores),
            mean=mean_with_interval(self._scores),
            passed=share_with_interval(sum(self._passed), len(self._passed)),
            histogram=_histogram(self._scores, self._passed),
            outcomes=dict(self._outcomes.most_common()),
            supports=dict(self._supports.most_common()),
            usage=self._usage,
            unpriced=self._unpriced,
            cached=self._cached,
            latency=_latency(self._latencies),
            change=None if gone is None else self._change(gone),
        )

    def _change(self, gone: int) -> Difference:
        moved = mean_with_interval(self._differences, paired=True) or Figure(0.0)
        beyond = moved.low is not None and moved.high is not None and not moved.low <= 0 <= moved.high
        return Difference(moved, len(self._differences), dict(self._changes), gone, beyond, self._comparable)


def mean_with_interval(values: Iterable[float], *, paired: bool = False) -> Figure | None:
    """The mean and its bootstrap interval, None of nothing.

    The interval is the one that a run's summary gives or, for `paired` differences, its comparison.
    """
    import numpy as np

    given = np.asarray(values, dtype=np.float64)
    if not len(given):
        return None
    mean = float(given.mean())
    if len(given) < FEWEST:
        return Figure(mean)
    interval = difference_interval(given) if paired else mean_interval(given)
    return Figure(mean) if interval is None else Figure(mean, interval.low, interval.high)


def share_with_interval(part: int, whole: int) -> Figure | None:
    """A share and Wilson's interval for it, which stays honest where all or none are counted."""
    if not whole:
        return None
    share, z = part / whole, 1.959964
    if whole < FEWEST:
        return Figure(share)
    middle = share + z * z / (2 * whole)
    half = z * sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    scale = 1 + z * z / whole
    return Figure(share, max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale))


def _histogram(scores: array[float], passed: array[int]) -> Histogram:
    import numpy as np

    given = np.asarray(scores, dtype=np.float64)
    low, high = min(0.0, given.min(initial=0.0)), max(1.0, given.max(initial=1.0))
    places = np.clip(np.floor((given - low) / (high - low) * BINS + 1e-9), 0, BINS - 1).astype(np.intp)
    counts = np.bincount(places, minlength=BINS)
    good = np.bincount(places[np.asarray(passed, dtype=np.bool_)], minlength=BINS)
    return Histogram(float(low), float(high), counts.tolist(), good.tolist())


def _latency(values: array[float]) -> dict[str, float]:
    import numpy as np

    if not len(values):
        return {}
    median, high = np.quantile(np.asarray(values), [0.5, 0.95])
    return {"median": float(median), "p95": float(high)}
