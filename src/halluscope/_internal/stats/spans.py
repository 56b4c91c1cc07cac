"""How well marked characters agree with those that people marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from ..errors import InputError
from .arrays import Bools, Floats, Numbers, as_weights, ratio

Spans = Iterable[tuple[int, int]]
"""Pieces of a text, each from its first character to the one after its last; they may overlap."""


class SpanCounts(Struct, frozen=True):
    """Characters marked by both, by the judge alone, by people alone: one entry per case."""

    both: Sequence[int]
    judge_only: Sequence[int]
    people_only: Sequence[int]

    def _totals(self, weights: Numbers | None) -> tuple[float, float, float]:
        count: Floats = as_weights(weights, len(self.both))
        sides = (self.both, self.judge_only, self.people_only)
        both, judge, people = (float(count @ np.asarray(side, dtype=np.float64)) for side in sides)
        return both, judge, people

    def precision(self, weights: Numbers | None = None) -> float:
        both, judge, _ = self._totals(weights)
        return ratio(both, both + judge)

    def recall(self, weights: Numbers | None = None) -> float:
        both, _, people = self._totals(weights)
        return ratio(both, both + people)

    def f1(self, weights: Numbers | None = None) -> float:
        """F1 over the characters of all cases together."""
        both, judge, people = self._totals(weights)
        return ratio(2 * both, 2 * both + judge + people)


def covered(spans: Spans, length: int) -> Bools:
    """Which characters of a text of this length the spans cover."""
    mask = np.zeros(length, dtype=np.bool_)
    for start, end in spans:
        if not 0 <= start <= end <= length:
            raise InputError(f"the span {start}:{end} does not lie in a text of {length} characters.")
        mask[start:end] = True
    return mask


def span_counts(cases: Iterable[tuple[Spans, Spans, int]]) -> SpanCounts:
    """Counts for each case, given as (spans of people, spans of the judge, length of the output)."""
    rows = []
    for people, judge, length in cases:
        theirs, ours = covered(people, length), covered(judge, length)
        rows.append((int((theirs & ours).sum()), int((ours & ~theirs).sum()), int((theirs & ~ours).sum())))
    return SpanCounts(*([row[i] for row in rows] for i in range(3)))
