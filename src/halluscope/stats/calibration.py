"""Whether a probability means what it says: of the cases given 0.8, are eight in ten hallucinated?"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..errors import InputError
from .arrays import Bools, Floats, Numbers, as_bools, as_probabilities, as_weights, ratio, same_length


class Bin(Struct, frozen=True):
    """The cases whose probability lies between `low` and `high`: what was said, and what was so."""

    low: float
    high: float
    n: float
    mean_probability: float
    share_hallucinated: float


def _read(
    truth: Numbers, probabilities: Numbers, weights: Numbers | None, bins: int
) -> tuple[Bools, Floats, Floats, NDArray[np.intp]]:
    if bins < 1:
        raise InputError("a calibration curve needs at least one bin.")
    is_bad, p = as_bools("truth", truth), as_probabilities("probabilities", probabilities)
    count = as_weights(weights, same_length(truth=is_bad, probabilities=p))
    return is_bad, p, count, np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], p)


def calibration_curve(
    truth: Numbers, probabilities: Numbers, bins: int = 10, weights: Numbers | None = None
) -> tuple[Bin, ...]:
    """The bins of equal width that hold any case."""
    is_bad, p, count, home = _read(truth, probabilities, weights, bins)
    size = np.bincount(home, count, bins)
    said = np.bincount(home, count * p, bins)
    bad = np.bincount(home, count * is_bad, bins)
    edges = np.linspace(0, 1, bins + 1)
    return tuple(
        Bin(float(edges[i]), float(edges[i + 1]), float(size[i]), float(said[i] / size[i]), float(bad[i] / size[i]))
        for i in np.flatnonzero(size)
    )


def expected_calibration_error(
    truth: Numbers, probabilities: Numbers, bins: int = 10, weights: Numbers | None = None
) -> float:
    """How far probability and share are apart, averaged over cases."""
    is_bad, p, count, home = _read(truth, probabilities, weights, bins)
    gap = np.bincount(home, count * (p - is_bad), bins)
    return ratio(float(np.abs(gap).sum()), float(count.sum()))


def brier(truth: Numbers, probabilities: Numbers, weights: Numbers | None = None) -> float:
    """The mean squared distance of probability and truth: 0 is best, 0.25 is saying 0.5 always."""
    is_bad, p, count, _ = _read(truth, probabilities, weights, 1)
    return ratio(float((count * (p - is_bad) ** 2).sum()), float(count.sum()))


def logistic(x: float) -> float:
    """From any number to a probability, without overflow."""
    return float(1 / (1 + np.exp(-x))) if x >= 0 else float(np.exp(x) / (1 + np.exp(x)))
