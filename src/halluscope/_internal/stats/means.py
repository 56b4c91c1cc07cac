"""How far a mean could be off: by drawing again, or by the normal distribution where there is enough to draw from."""

from __future__ import annotations

from math import sqrt

import numpy as np

from .arrays import Floats
from .bootstrap import bootstrap, paired_bootstrap
from .interval import Interval

_MEANS_DRAWN = 5000
_DIFFERENCES_DRAWN = 20_000
"""With more values than this their mean is as good as normal, and drawing them again only costs time."""


def mean_interval(scores: Floats) -> Interval | None:
    """Where the mean lies with 95 % confidence; None for fewer than two scores."""
    n = len(scores)
    if n < 2:
        return None
    if n <= _MEANS_DRAWN:
        return bootstrap(lambda weights: float(weights @ scores) / n, n)
    return normal_interval(float(scores.mean()), float(scores.std(ddof=1)), n)


def normal_interval(mean: float, deviation: float, n: int) -> Interval:
    """The same by the normal distribution, from the standard deviation of n values."""
    half = 1.959964 * deviation / n**0.5
    return Interval(mean - half, mean + half)


def difference_interval(differences: Floats) -> Interval | None:
    """The same for the mean difference of two scores of the same cases."""
    if not 2 <= len(differences) <= _DIFFERENCES_DRAWN:
        return mean_interval(differences)
    return paired_bootstrap(np.zeros(len(differences)), differences).interval


def share_interval(part: int, whole: int) -> Interval | None:
    """Wilson's interval for a share, which stays honest where all or none are counted; None for fewer than two."""
    if whole < 2:
        return None
    share, z = part / whole, 1.959964
    middle = share + z * z / (2 * whole)
    half = z * sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    scale = 1 + z * z / whole
    return Interval(max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale))
