"""Bootstrap confidence intervals, over cases or clusters of cases, with a fixed seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Union

import numpy as np

from ..core.errors import InputError
from .arrays import Floats, Ints
from .interval import Interval

RESAMPLES = 1000
LEVEL = 0.95

Figure = Callable[[Floats], Union[float, Sequence[float]]]
"""A statistic, or several, as a function of the weights of the cases."""


def replicates(
    figure: Figure, n: int, *, clusters: Ints | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Floats:
    """Return the statistics on each resample, NaN where they are undefined.

    `clusters` numbers, from 0, the cluster each case belongs to: cases that stand or fall together, such as
    the answers about one text, are drawn together.
    """
    if resamples < 1:
        raise InputError("a bootstrap needs at least one resample.")
    if not n:
        return np.full(resamples, np.nan)
    rng = np.random.default_rng(seed)
    units = n if clusters is None else int(clusters.max()) + 1
    values = []
    for _ in range(resamples):
        counts = np.bincount(rng.integers(0, units, size=units), minlength=units).astype(np.float64)
        values.append(figure(counts if clusters is None else counts[clusters]))
    return np.array(values, dtype=np.float64)


def bootstrap(figure: Figure, n: int, *, resamples: int = RESAMPLES, seed: int = 0) -> Interval | None:
    """Return the percentile interval. None if the statistic is undefined on 10 % of the resamples or more."""
    return percentiles(replicates(figure, n, resamples=resamples, seed=seed))


def percentiles(values: Floats) -> Interval | None:
    """Return the central interval that contains the share `LEVEL` of the values."""
    known = values[~np.isnan(values)]
    if not len(known) or len(known) <= 0.9 * len(values):
        return None
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high))
