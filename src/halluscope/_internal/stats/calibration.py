"""Whether a probability means what it says: of the cases given 0.8, are eight in ten hallucinated?"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from ..errors import InputError
from .arrays import Numbers, as_bools, as_probabilities, as_weights, ratio, same_length


class Bin(Struct, frozen=True):
    """The cases whose probability lies between `low` and `high`: what was said, and what was so."""

    low: float
    high: float
    n: float
    mean_probability: float
    share_hallucinated: float


class Calibration:
    """Cases sorted into bins of equal width once, for as many resamples as are wanted."""

    def __init__(self, truth: Numbers, probabilities: Numbers, bins: int = 10) -> None:
        if bins < 1:
            raise InputError("a calibration curve needs at least one bin.")
        self._is_bad, self._p = as_bools("truth", truth), as_probabilities("probabilities", probabilities)
        self.n = same_length(truth=self._is_bad, probabilities=self._p)
        self._gap = self._p - self._is_bad
        self._edges = np.linspace(0, 1, bins + 1)
        self._home = np.searchsorted(self._edges[1:-1], self._p)
        self._bins = bins

    def curve(self, weights: Numbers | None = None) -> tuple[Bin, ...]:
        """The bins that hold any case."""
        count = as_weights(weights, self.n)
        size, said, bad = (
            np.bincount(self._home, column, self._bins) for column in (count, count * self._p, count * self._is_bad)
        )
        low, high = self._edges[:-1], self._edges[1:]
        return tuple(
            Bin(*map(float, (low[i], high[i], size[i], said[i] / size[i], bad[i] / size[i])))
            for i in np.flatnonzero(size)
        )

    def error(self, weights: Numbers | None = None) -> float:
        """How far probability and share are apart, averaged over cases."""
        count = as_weights(weights, self.n)
        apart = np.abs(np.bincount(self._home, count * self._gap, self._bins)).sum()
        return ratio(float(apart), float(count.sum()))

    def brier(self, weights: Numbers | None = None) -> float:
        """The mean squared distance of probability and truth: 0 is best, 0.25 is saying 0.5 always."""
        count = as_weights(weights, self.n)
        return ratio(float(count @ self._gap**2), float(count.sum()))


def calibration_curve(
    truth: Numbers, probabilities: Numbers, bins: int = 10, weights: Numbers | None = None
) -> tuple[Bin, ...]:
    """The bins of equal width that hold any case."""
    return Calibration(truth, probabilities, bins).curve(weights)


def expected_calibration_error(
    truth: Numbers, probabilities: Numbers, bins: int = 10, weights: Numbers | None = None
) -> float:
    """How far probability and share are apart, averaged over cases."""
    return Calibration(truth, probabilities, bins).error(weights)


def brier(truth: Numbers, probabilities: Numbers, weights: Numbers | None = None) -> float:
    """The mean squared distance of probability and truth."""
    return Calibration(truth, probabilities).brier(weights)


def logistic(x: float) -> float:
    """From any number to a probability, without overflow."""
    return float(1 / (1 + np.exp(-x))) if x >= 0 else float(np.exp(x) / (1 + np.exp(x)))
