"""Figures of a part of a run that can be added to those of another part: no scores are kept, only what they sum up to.

Counts, sums and extremes of the whole come out the same in whatever order, and in however many parts, the results
were counted. Quantiles are read off a grid of ten thousand places from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from msgspec import Struct, field

from ..result import Direction, Outcome, Result, Usage
from ..stats.interval import Interval
from ..stats.means import normal_interval, share_interval
from .summary import MetricSummary

_FINE = 10_000
"""Places of the grid from 0 to 1: a median is off by half of one of them at most."""
_GROWTH = 1.02
"""From one place of the grid of latencies to the next: their quantiles are off by a hundredth at most."""


class OutcomeCounts(Struct):
    """What is counted of a metric's results, whatever their scores are."""

    judges: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)
    thresholds: set[float] = field(default_factory=set)
    flagged_from: set[float] = field(default_factory=set)
    """The thresholds of the profile that judged, where one did: it stands beside every score."""
    supports: dict[str, int] = field(default_factory=dict)
    usage: Usage = Usage()
    unpriced: int = 0
    """Results whose price is not known; `usage` has the money of the others."""
    cached: int = 0

    @property
    def results(self) -> int:
        return sum(self.outcomes.values())

    def add(self, result: Result) -> None:
        """Count one result."""
        _count(self.judges, [result.judge])
        _count(self.outcomes, [result.outcome.value])
        _count(self.supports, (verdict.support.value for verdict in result.verdicts))
        self.thresholds.add(result.threshold)
        if "flagged_from" in result.figures:
            self.flagged_from.add(result.figures["flagged_from"])
        usage = result.usage
        priced = usage.cost is not None
        self.unpriced += not priced
        known = usage if priced else Usage(usage.calls, usage.input_tokens, usage.output_tokens, 0.0)
        self.usage = self.usage + known
        self.cached += sum(exchange.cached for exchange in result.exchanges)

    def merge(self, other: OutcomeCounts) -> None:
        """Count what the other has counted."""
        _merge(self.judges, other.judges)
        _merge(self.outcomes, other.outcomes)
        _merge(self.supports, other.supports)
        self.thresholds |= other.thresholds
        self.flagged_from |= other.flagged_from
        self.usage = self.usage + other.usage
        self.unpriced += other.unpriced
        self.cached += other.cached

    @property
    def paid(self) -> Usage:
        """What all calls took; its cost is None where one had no price."""
        return self.usage if not self.unpriced else self.usage + Usage(cost=None)


class Sum(Struct):
    """A sum without rounding: the order of what is added makes no difference (Shewchuk's partial sums)."""

    parts: list[float] = field(default_factory=list)

    def add(self, number: float) -> None:
        kept = 0
        for part in self.parts:
            large, small = (number, part) if abs(number) >= abs(part) else (part, number)
            number = large + small
            lost = small - (number - large)
            if lost:
                self.parts[kept] = lost
                kept += 1
        self.parts[kept:] = [number]

    def merge(self, other: Sum) -> None:
        for part in other.parts:
            self.add(part)

    @property
    def value(self) -> float:
        return math.fsum(self.parts)


class Spread(Struct):
    """How scores are spread: how many, their sums, their extremes, and a fine grid of how many lie where."""

    count: int = 0
    total: Sum = field(default_factory=Sum)
    squares: Sum = field(default_factory=Sum)
    lowest: float | None = None
    highest: float | None = None
    grid: dict[int, int] = field(default_factory=dict)
    passed: dict[int, int] = field(default_factory=dict)
    """How many of those at each place of the grid passed."""

    def add(self, score: float, passed: bool) -> None:
        self.count += 1
        self.total.add(score)
        self.squares.add(score * score)
        self._reach(score, score)
        place = round(score * _FINE)
        _count(self.grid, [place])
        if passed:
            _count(self.passed, [place])

    def merge(self, other: Spread) -> None:
        self.count += other.count
        self.total.merge(other.total)
        self.squares.merge(other.squares)
        if other.lowest is not None and other.highest is not None:
            self._reach(other.lowest, other.highest)
        _merge(self.grid, other.grid)
        _merge(self.passed, other.passed)

    def _reach(self, low: float, high: float) -> None:
        self.lowest = low if self.lowest is None else min(low, self.lowest)
        self.highest = high if self.highest is None else max(high, self.highest)

    @property
    def mean(self) -> float | None:
        return self.total.value / self.count if self.count else None

    @property
    def interval(self) -> Interval | None:
        """Where the mean lies with 95 % confidence."""
        if self.count < 2 or self.mean is None:
            return None
        variance = max(0.0, self.squares.value - self.count * self.mean**2) / (self.count - 1)
        return normal_interval(self.mean, math.sqrt(variance), self.count)

    def on_grid(self) -> tuple[Any, Any, Any]:
        """Scores as the grid has them, rising; how many there are of each; and how many of those passed."""
        places = sorted(self.grid)
        return (
            np.array(places, dtype=np.float64) / _FINE,
            np.array([self.grid[place] for place in places], dtype=np.int64),
            np.array([self.passed.get(place, 0) for place in places], dtype=np.int64),
        )


class Partial(Struct):
    """One metric over a part of a run."""

    metric: str
    direction: Direction
    counts: OutcomeCounts = field(default_factory=OutcomeCounts)
    scores: Spread = field(default_factory=Spread)
    latencies: dict[int, int] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        """Count one result."""
        self.counts.add(result)
        _count(self.latencies, [math.floor(math.log(max(result.latency_ms, 1e-3), _GROWTH))])
        if result.score is not None and math.isfinite(result.score):
            self.scores.add(result.score, bool(result.passed))

    def merge(self, other: Partial) -> None:
        """Count what the other has counted."""
        self.counts.merge(other.counts)
        self.scores.merge(other.scores)
        _merge(self.latencies, other.latencies)

    def summary(self, rows: int) -> MetricSummary:
        """The figures. `rows` are all rows of the data, also those that could not be read."""
        scores, counts = self.scores, self.counts
        values, times, passes = scores.on_grid()
        passed = int(passes.sum())
        outcomes = dict(sorted(counts.outcomes.items(), key=lambda item: -item[1]))
        if Outcome.SCORED.value in outcomes:
            outcomes[Outcome.SCORED.value] = scores.count  # a score that is no number counts in nothing
        return MetricSummary(
            metric=self.metric,
            judge=", ".join(sorted(counts.judges, key=lambda name: -counts.judges[name])),
            direction=self.direction,
            threshold=min(counts.thresholds, default=0.0),
            results=counts.results,
            scored=scores.count,
            coverage=scores.count / rows if rows else 0.0,
            mean=scores.mean,
            interval=scores.interval,
            median=quantile(values, times, 0.5),
            lowest=scores.lowest,
            highest=scores.highest,
            passed=passed,
            pass_rate=passed / scores.count if scores.count else None,
            pass_interval=share_interval(passed, scores.count),
            outcomes=outcomes,
            flagged_from=min(counts.flagged_from, default=None),
        )

    def latency(self) -> dict[str, float]:
        """The median and the 95th percentile, in milliseconds."""
        places = sorted(self.latencies)
        values = np.array([_GROWTH ** (place + 0.5) for place in places])
        times = np.array([self.latencies[place] for place in places], dtype=np.int64)
        return {"median": quantile(values, times, 0.5) or 0.0, "p95": quantile(values, times, 0.95) or 0.0}


def quantile(values: Any, times: Any, share: float) -> float | None:
    """The quantile of values, rising, that each stand there so many times; between two of them in proportion."""
    count = int(times.sum())
    if not count:
        return None
    ends = np.cumsum(times)
    place = (count - 1) * share
    below, above = (
        float(values[np.searchsorted(ends, k, side="right")]) for k in (math.floor(place), math.ceil(place))
    )
    return below + (above - below) * (place - math.floor(place))


def _count(counts: dict[Any, int], things: Iterable[Any]) -> None:
    for thing in things:
        counts[thing] = counts.get(thing, 0) + 1


def _merge(counts: dict[Any, int], others: Mapping[Any, int]) -> None:
    for thing, count in others.items():
        counts[thing] = counts.get(thing, 0) + count
