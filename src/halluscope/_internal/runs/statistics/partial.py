"""Statistics of a part of a run, which can be merged without keeping the scores.

Scores are counted in steps of a millionth, so the order and the number of the parts do not change the result.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from ...core.result import Direction, Result, Usage
from .summary import MetricSummary, metric_summary

if TYPE_CHECKING:
    from ...stats.means import ScoreCounts

_FINE = 1_000_000
"""Number of steps from 0 to 1. The error of a mean or median is at most half a step."""
_GROWTH = 1.02
"""Ratio between the steps of latencies. The error of their quantiles is at most 1 %."""


class Partial(Struct):
    """Statistics of one metric over a part of a run."""

    metric: str
    direction: Direction
    judges: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)
    supports: dict[str, int] = field(default_factory=dict)
    scored: dict[int, int] = field(default_factory=dict)
    """The number of scores at each step."""
    passed: dict[int, int] = field(default_factory=dict)
    """How many of them passed."""
    latencies: dict[int, int] = field(default_factory=dict)
    thresholds: set[float] = field(default_factory=set)
    flagged_from: set[float] = field(default_factory=set)
    """The thresholds of the profile, if one was used."""
    usage: Usage = Usage()
    unpriced: int = 0
    """Results with an unknown price. `usage` has the cost of the others."""
    cached: int = 0

    @property
    def results(self) -> int:
        return sum(self.outcomes.values())

    @property
    def paid(self) -> Usage:
        """Calls, tokens and cost. The cost is None if a price is unknown."""
        return self.usage if not self.unpriced else self.usage + Usage(cost=None)

    def add(self, result: Result) -> None:
        _add(self.judges, [result.judge])
        _add(self.outcomes, [result.outcome.value])
        _add(self.supports, (verdict.support.value for verdict in result.verdicts))
        _add(self.latencies, [math.floor(math.log(max(result.latency_ms, 1e-3), _GROWTH))])
        if result.score is not None and math.isfinite(result.score):
            place = round(result.score * _FINE)
            _add(self.scored, [place])
            _add(self.passed, [place] if result.passed else [])
        self.thresholds.add(result.threshold)
        if "flagged_from" in result.figures:
            self.flagged_from.add(result.figures["flagged_from"])
        usage = result.usage
        priced = usage.cost is not None
        self.unpriced += not priced
        self.usage += usage if priced else Usage(usage.calls, usage.input_tokens, usage.output_tokens, 0.0)
        self.cached += sum(exchange.cached for exchange in result.exchanges)

    def merge(self, other: Partial) -> None:
        """Add the counts of another part."""
        for name in ("judges", "outcomes", "supports", "scored", "passed", "latencies"):
            counts = getattr(self, name)
            for thing, count in getattr(other, name).items():
                counts[thing] = counts.get(thing, 0) + count
        self.thresholds |= other.thresholds
        self.flagged_from |= other.flagged_from
        self.usage += other.usage
        self.unpriced += other.unpriced
        self.cached += other.cached

    @property
    def scores(self) -> ScoreCounts:
        return _counts({place / _FINE: count for place, count in self.scored.items()})

    def summary(self, rows: int) -> MetricSummary:
        """Compute the statistics. `rows` includes rows that could not be read."""
        return metric_summary(
            self.metric,
            ", ".join(most_first(self.judges)),
            self.direction,
            min(self.thresholds, default=0.0),
            outcomes=most_first(self.outcomes),
            passed=sum(self.passed.values()),
            scores=self.scores,
            rows=rows,
            flagged_from=min(self.flagged_from, default=None),
        )

    def latency(self) -> dict[str, float]:
        """Return the median and the 95th percentile in milliseconds."""
        times = _counts({_GROWTH ** (place + 0.5): count for place, count in self.latencies.items()})
        return {"median": times.quantile(0.5) or 0.0, "p95": times.quantile(0.95) or 0.0}


def most_first(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _counts(values: dict[float, int]) -> ScoreCounts:
    import numpy as np

    from ...stats.means import ScoreCounts

    ordered = sorted(values)
    return ScoreCounts(np.array(ordered, dtype=np.float64), np.array([values[one] for one in ordered], dtype=np.int64))


def _add(counts: dict[Any, int], things: Iterable[Any]) -> None:
    for thing in things:
        counts[thing] = counts.get(thing, 0) + 1
