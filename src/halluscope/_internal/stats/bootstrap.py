"""How far a figure could be off: cases, or clusters of them, drawn again with replacement, with a fixed seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from msgspec import Struct

from ..errors import InputError
from .arrays import Floats, Ints, Numbers, as_floats, same_length
from .interval import Interval

RESAMPLES = 1000
LEVEL = 0.95

Figure = Callable[[Floats], float]
"""A figure as a function of how often each case counts."""


def replicates(
    figure: Figure, n: int, *, clusters: Ints | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Floats:
    """The figure on each resample; NaN where it is not defined there.

    `clusters` numbers, from 0, the cluster each case belongs to: cases that stand or fall together, such as
    the answers about one text, are drawn together.
    """
    if resamples < 1:
        raise InputError("a bootstrap needs at least one resample.")
    values = np.full(resamples, np.nan)
    if n:
        rng = np.random.default_rng(seed)
        units = n if clusters is None else int(clusters.max()) + 1
        for i in range(resamples):
            counts = np.bincount(rng.integers(0, units, size=units), minlength=units).astype(np.float64)
            values[i] = figure(counts if clusters is None else counts[clusters])
    return values


def bootstrap(
    figure: Figure, n: int, *, resamples: int = RESAMPLES, seed: int = 0, level: float = LEVEL
) -> Interval | None:
    """The percentile interval. None where the figure is undefined on a tenth or more of the resamples."""
    values = replicates(figure, n, resamples=resamples, seed=seed)
    return percentiles(values, level)


def bootstrap_all(
    figures: Mapping[str, Figure],
    n: int,
    *,
    clusters: Ints | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
) -> dict[str, Interval | None]:
    """The interval of each figure, all of them on the same resamples, which are drawn once."""
    values = {name: np.full(resamples, np.nan) for name in figures}
    place = iter(range(resamples))

    def each(weights: Floats) -> float:
        row = next(place)
        for name, figure in figures.items():
            values[name][row] = figure(weights)
        return 0.0

    replicates(each, n, clusters=clusters, resamples=resamples, seed=seed)
    return {name: percentiles(found, level) for name, found in values.items()}


def percentiles(values: Floats, level: float = LEVEL) -> Interval | None:
    """The middle part of the values that holds `level` of them."""
    if not 0 < level < 1:
        raise InputError(f"a confidence level lies between 0 and 1, {level:g} does not.")
    known = values[~np.isnan(values)]
    if not len(known) or len(known) <= 0.9 * len(values):
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


class PairedDifference(Struct, frozen=True):
    """How much `b` differs from `a` on the same cases. Noise where the interval holds 0."""

    difference: float
    interval: Interval | None
    n: int

    @property
    def beyond_noise(self) -> bool:
        return self.interval is not None and not self.interval.low <= 0 <= self.interval.high


def paired_bootstrap(
    a: Numbers | Figure,
    b: Numbers | Figure,
    n: int | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
) -> PairedDifference:
    """The difference b - a, each resample drawing the same cases for both.

    `a` and `b` are values per case, compared by their means, or figures (then `n` is the number of cases).
    """
    if callable(a) and callable(b):
        if n is None:
            raise InputError("`paired_bootstrap` of figures needs `n`, the number of cases.")
        first, second, size = a, b, n
    elif not callable(a) and not callable(b):
        ours, theirs = as_floats("a", a), as_floats("b", b)
        size = same_length(a=ours, b=theirs)
        first, second = _mean_of(ours), _mean_of(theirs)
    else:
        raise InputError("`paired_bootstrap` takes two lists of values or two figures, not one of each.")

    def difference(weights: Floats) -> float:
        return second(weights) - first(weights)

    values = replicates(difference, size, resamples=resamples, seed=seed)
    point = difference(np.ones(size)) if size else float("nan")
    return PairedDifference(float(point), percentiles(values, level), size)


def _mean_of(values: Floats) -> Figure:
    return lambda weights: float(weights @ values / weights.sum())
