"""Statistics of one metric for a report."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ...stats.interval import Interval
from ..statistics.comparison import MetricComparison
from ..statistics.partial import Partial, most_first
from ..statistics.summary import MetricSummary

BINS = 20


class MetricTotals(Struct, frozen=True):
    """Statistics of one metric, and the record of them for the page."""

    figures: MetricSummary
    record: dict[str, Any]


def figure(value: float | None, interval: Interval | None) -> dict[str, float | None] | None:
    """Return a value with its 95 % interval, if there is one."""
    if value is None:
        return None
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return {"value": value, "low": low, "high": high}


def totals(partial: Partial, rows: int, change: MetricComparison | None = None) -> MetricTotals:
    """Return the statistics of a metric over `rows` rows, with the change since an earlier run, if there is one."""
    figures, thresholds = partial.summary(rows), partial.thresholds
    record = {
        "name": figures.metric,
        "direction": figures.direction,
        "results": figures.results,
        "scored": figures.scored,
        "mean": figure(figures.mean, figures.interval),
        "passed": figure(figures.pass_rate, figures.pass_interval),
        "outcomes": figures.outcomes,
        "threshold": min(thresholds) if len(thresholds) == 1 else None,
        "judges": list(most_first(partial.judges)),
        "histogram": _histogram(partial),
        "supports": most_first(partial.supports),
        "usage": partial.usage,
        "unpriced": partial.unpriced,
        "cached": partial.cached,
        "latency": partial.latency(),
        "change": None if change is None else _change(change),
    }
    return MetricTotals(figures, record)


def _change(change: MetricComparison) -> dict[str, Any]:
    return {
        "mean": figure(change.difference or 0.0, change.interval),
        "n": change.cases,
        "counts": {**change.counts, "new": change.new},
        "gone": change.gone,
        "beyond_noise": change.change in ("better", "worse"),
        "comparable": change.comparable,
    }


def _histogram(partial: Partial) -> dict[str, Any]:
    """Return the number of scores in bins from `low` to `high`, and how many of them passed."""
    import numpy as np

    scores = partial.scores.values
    low, high = min(0.0, scores.min(initial=0.0)), max(1.0, scores.max(initial=1.0))
    places = np.clip(np.floor((scores - low) / (high - low) * BINS + 1e-9), 0, BINS - 1).astype(np.intp)
    passed = [partial.passed.get(place, 0) for place in sorted(partial.scored)]
    counts, good = (np.bincount(places, some, BINS).astype(int).tolist() for some in (partial.scores.times, passed))
    return {"low": float(low), "high": float(high), "counts": counts, "passed": good}
