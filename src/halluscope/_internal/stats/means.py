"""Confidence intervals of means: by bootstrap, or by the normal distribution for many values."""

from __future__ import annotations

from math import ceil, floor, sqrt

import numpy as np

from .arrays import Floats, Ints
from .bootstrap import bootstrap
from .interval import Interval

_MOST_DRAWN = 5000


class ScoreCounts:
    """Sorted scores, and how often each occurs."""

    def __init__(self, values: Floats, times: Ints) -> None:
        self.values = values
        self.times = times
        self.count = int(times.sum())

    @classmethod
    def of(cls, scores: Floats) -> ScoreCounts:
        values, times = np.unique(scores, return_counts=True)
        return cls(values, times.astype(np.int64))

    @property
    def mean(self) -> float | None:
        return float(self.values @ self.times / self.count) if self.count else None

    @property
    def deviation(self) -> float:
        """The standard deviation, 0 for fewer than two scores."""
        if self.mean is None or self.count < 2:
            return 0.0
        return sqrt(float((self.values - self.mean) ** 2 @ self.times) / (self.count - 1))

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the mean. None for fewer than two scores."""
        if self.mean is None or self.count <= _MOST_DRAWN:
            return mean_interval(np.repeat(self.values, self.times))
        return normal_interval(self.mean, self.deviation, self.count)

    def quantile(self, share: float) -> float | None:
        """Return a quantile, interpolated linearly."""
        if not self.count:
            return None
        ends = np.cumsum(self.times)
        place = (self.count - 1) * share
        below, above = (float(self.values[np.searchsorted(ends, k, side="right")]) for k in (floor(place), ceil(place)))
        return below + (above - below) * (place - floor(place))


def mean_interval(scores: Floats, most_drawn: int = _MOST_DRAWN) -> Interval | None:
    """Return the 95 % interval of the mean. None for fewer than two scores.

    For more than `most_drawn` scores, the mean is close enough to normal.
    """
    n = len(scores)
    if n < 2:
        return None
    if n <= most_drawn:
        return bootstrap(lambda weights: float(weights @ scores) / n, n)
    return normal_interval(float(scores.mean()), float(scores.std(ddof=1)), n)


def normal_interval(mean: float, deviation: float, n: int) -> Interval:
    """Return the interval by the normal distribution, from the standard deviation of n values."""
    half = 1.959964 * deviation / n**0.5
    return Interval(mean - half, mean + half)


def share_interval(part: int, whole: int) -> Interval | None:
    """Return Wilson's interval of a share, which is also valid for 0 and 1. None for fewer than two."""
    if whole < 2:
        return None
    share, z = part / whole, 1.959964
    middle = share + z * z / (2 * whole)
    half = z * sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    scale = 1 + z * z / whole
    return Interval(max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale))
