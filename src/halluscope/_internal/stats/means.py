"""How far a mean could be off: by drawing again, or by the normal distribution where there is enough to draw from."""

from __future__ import annotations

import numpy as np

from .arrays import Floats
from .bootstrap import Interval, bootstrap, paired_bootstrap

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
    half = 1.959964 * float(scores.std(ddof=1)) / n**0.5
    return Interval(float(scores.mean()) - half, float(scores.mean()) + half)


def difference_interval(differences: Floats) -> Interval | None:
    """The same for the mean difference of two scores of the same cases."""
    if not 2 <= len(differences) <= _DIFFERENCES_DRAWN:
        return mean_interval(differences)
    return paired_bootstrap(np.zeros(len(differences)), differences).interval
