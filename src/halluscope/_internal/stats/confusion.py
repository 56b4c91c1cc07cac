"""Confusion matrices and the measures derived from them."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from .arrays import Numbers, as_bools, as_weights, ratio, same_length


class Confusion(Struct, frozen=True):
    """A confusion matrix. Positive is hallucinated."""

    tp: float
    fp: float
    fn: float
    tn: float

    @property
    def n(self) -> float:
        return self.tp + self.fp + self.fn + self.tn

    @property
    def accuracy(self) -> float:
        return ratio(self.tp + self.tn, self.n)

    @property
    def precision(self) -> float:
        """Share of flagged cases that are hallucinated."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Share of hallucinated cases that are flagged."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def specificity(self) -> float:
        """Share of factual cases that are not flagged."""
        return ratio(self.tn, self.tn + self.fp)

    @property
    def false_alarms(self) -> float:
        """Share of factual cases that are flagged."""
        return ratio(self.fp, self.tn + self.fp)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall of the hallucinated class."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def balanced_accuracy(self) -> float:
        """The mean of recall and specificity. 0.5 for a judge that always gives the same verdict."""
        return (self.recall + self.specificity) / 2

    @property
    def kappa(self) -> float:
        """Cohen's kappa of labels and verdicts."""
        agreed = self.accuracy
        bad = (self.tp + self.fn) * (self.tp + self.fp)
        good = (self.tn + self.fp) * (self.tn + self.fn)
        by_chance = ratio(bad + good, self.n**2)
        return ratio(agreed - by_chance, 1 - by_chance)


class Counting:
    """Labels and verdicts of all cases, prepared for many resamples."""

    def __init__(self, truth: Numbers, said: Numbers) -> None:
        is_bad, flagged = as_bools("truth", truth), as_bools("said", said)
        self.n = same_length(truth=is_bad, said=flagged)
        self._kind = 2 * is_bad.astype(np.intp) + flagged

    def __call__(self, weights: Numbers | None = None) -> Confusion:
        """Return the confusion matrix."""
        tn, fp, fn, tp = np.bincount(self._kind, as_weights(weights, self.n), 4).tolist()
        return Confusion(tp=tp, fp=fp, fn=fn, tn=tn)
