"""Calibration of probabilities."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from .arrays import Floats, Numbers, as_bools, as_probabilities, as_weights, ratio, same_length

BINS = 10


class Bin(Struct, frozen=True):
    """The cases with a probability from `low` to `high`: mean probability and share of hallucinated cases."""

    low: float
    high: float
    n: float
    mean_probability: float
    share_hallucinated: float


class Calibration:
    """Cases in bins of equal width, sorted once for all resamples."""

    def __init__(self, truth: Numbers, probabilities: Numbers) -> None:
        self._is_bad, self._p = as_bools("truth", truth), as_probabilities("probabilities", probabilities)
        self.n = same_length(truth=self._is_bad, probabilities=self._p)
        self._gap = self._p - self._is_bad
        self._edges = np.linspace(0, 1, BINS + 1)
        self._home = np.searchsorted(self._edges[1:-1], self._p)

    def curve(self) -> tuple[Bin, ...]:
        """Return the bins that are not empty."""
        size, said, bad = (np.bincount(self._home, column, BINS) for column in (None, self._p, self._is_bad))
        low, high = self._edges[:-1], self._edges[1:]
        return tuple(
            Bin(*map(float, (low[i], high[i], size[i], said[i] / size[i], bad[i] / size[i])))
            for i in np.flatnonzero(size)
        )

    def error(self, weights: Numbers | None = None) -> float:
        """Return the expected calibration error."""
        count = as_weights(weights, self.n)
        apart = np.abs(np.bincount(self._home, count * self._gap, BINS)).sum()
        return ratio(float(apart), float(count.sum()))

    def brier(self, weights: Numbers | None = None) -> float:
        """Return the Brier score: 0 is perfect, 0.25 is that of always 0.5."""
        count = as_weights(weights, self.n)
        return ratio(float(count @ self._gap**2), float(count.sum()))


def logistic(x: Floats | float) -> Floats:
    """Return the logistic function, without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(np.asarray(x) / 2)), dtype=np.float64)
