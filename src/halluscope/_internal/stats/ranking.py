"""Ranking measures: ROC and precision-recall curves."""

from __future__ import annotations

import numpy as np

from .arrays import Floats, Numbers, as_bools, as_floats, as_weights, same_length


class Ranking:
    """Cases sorted by score, prepared for many resamples.

    Cases with equal scores form one step: no order among them is made up.
    """

    def __init__(self, truth: Numbers, scores: Numbers) -> None:
        is_bad, values = as_bools("truth", truth), as_floats("scores", scores)
        self.n = same_length(truth=is_bad, scores=values)
        self._order = np.argsort(-values, kind="stable")
        ranked = values[self._order]
        self._is_bad = is_bad[self._order]
        self._steps = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]]) if self.n else np.zeros(0, np.intp)

    def _counts(self, weights: Numbers | None) -> tuple[Floats, Floats]:
        """Return hallucinated and factual cases at each score, from the highest down."""
        if not self.n:
            return np.zeros(0), np.zeros(0)
        count = as_weights(weights, self.n)[self._order]
        bad = np.add.reduceat(count * self._is_bad, self._steps)
        return bad, np.add.reduceat(count, self._steps) - bad

    def auroc(self, weights: Numbers | None = None) -> float:
        """Return the area under the ROC curve."""
        bad, good = self._counts(weights)
        pairs = bad.sum() * good.sum()
        if not pairs:
            return float("nan")
        good_below = good.sum() - np.cumsum(good)
        return float((bad * (good_below + good / 2)).sum() / pairs)

    def average_precision(self, weights: Numbers | None = None) -> float:
        """Return the average precision, without interpolation."""
        bad, good = self._counts(weights)
        total = bad.sum()
        if not total:
            return float("nan")
        caught, flagged = np.cumsum(bad), np.cumsum(bad + good)
        precision = np.divide(caught, flagged, out=np.zeros_like(caught), where=flagged > 0)
        return float((bad / total * precision).sum())
