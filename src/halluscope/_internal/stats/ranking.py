"""How well scores put the hallucinated above the factual, whatever the threshold."""

from __future__ import annotations

import numpy as np

from .arrays import Floats, Numbers, as_bools, as_floats, as_weights, same_length


class Ranking:
    """Cases sorted once by score, so that a thousand resamples need no second sort.

    Cases with equal scores form one step: no order among them is made up.
    """

    def __init__(self, truth: Numbers, scores: Numbers) -> None:
        is_bad, values = as_bools("truth", truth), as_floats("scores", scores)
        self.n = same_length(truth=is_bad, scores=values)
        self._order = np.argsort(-values, kind="stable")
        ranked = values[self._order]
        self._is_bad = is_bad[self._order]
        self._last: tuple[Numbers, tuple[Floats, Floats]] | None = None
        self._steps = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]]) if self.n else np.zeros(0, np.intp)

    def _counts(self, weights: Numbers | None) -> tuple[Floats, Floats]:
        """Hallucinated and factual cases in each step, from the highest score down."""
        if not self.n:
            return np.zeros(0), np.zeros(0)
        if self._last is not None and weights is self._last[0]:
            return self._last[1]
        count = as_weights(weights, self.n)[self._order]
        bad = np.add.reduceat(count * self._is_bad, self._steps)
        found = bad, np.add.reduceat(count, self._steps) - bad
        if weights is not None:
            self._last = (weights, found)
        return found

    def auroc(self, weights: Numbers | None = None) -> float:
        """The probability that a hallucinated case scores above a factual one; a tie counts half."""
        bad, good = self._counts(weights)
        pairs = bad.sum() * good.sum()
        if not pairs:
            return float("nan")
        good_below = good.sum() - np.cumsum(good)
        return float((bad * (good_below + good / 2)).sum() / pairs)

    def average_precision(self, weights: Numbers | None = None) -> float:
        """Precision averaged over the steps in recall, without interpolation."""
        bad, good = self._counts(weights)
        total = bad.sum()
        if not total:
            return float("nan")
        caught, flagged = np.cumsum(bad), np.cumsum(bad + good)
        precision = np.divide(caught, flagged, out=np.zeros_like(caught), where=flagged > 0)
        return float((bad / total * precision).sum())


def auroc(truth: Numbers, scores: Numbers, weights: Numbers | None = None) -> float:
    """The area under the ROC curve."""
    return Ranking(truth, scores).auroc(weights)


def average_precision(truth: Numbers, scores: Numbers, weights: Numbers | None = None) -> float:
    """The area under the precision-recall curve, by steps."""
    return Ranking(truth, scores).average_precision(weights)
