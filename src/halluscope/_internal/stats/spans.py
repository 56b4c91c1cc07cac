"""Agreement of marked characters."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..core.errors import InputError
from .arrays import Bools, Numbers, as_weights, ratio

Spans = Iterable[tuple[int, int]]
"""Start and end of spans of a text. They may overlap."""


class SpanCounts:
    """Counts marked characters of each case, given as (spans of people, spans of the judge, length of the output)."""

    def __init__(self, cases: Iterable[tuple[Spans, Spans, int]]) -> None:
        masks = [(covered(people, length), covered(judge, length)) for people, judge, length in cases]
        self._both = np.array([(theirs & ours).sum() for theirs, ours in masks], dtype=np.float64)
        self._all = np.array([theirs.sum() + ours.sum() for theirs, ours in masks], dtype=np.float64)

    def f1(self, weights: Numbers | None = None) -> float:
        """Return the F1 over the characters of all cases."""
        count = as_weights(weights, len(self._all))
        return ratio(float(2 * count @ self._both), float(count @ self._all))


def covered(spans: Spans, length: int) -> Bools:
    """Return which characters of a text the spans cover."""
    mask = np.zeros(length, dtype=np.bool_)
    for start, end in spans:
        if not 0 <= start <= end <= length:
            raise InputError(f"the span {start}:{end} is outside a text of {length} characters.")
        mask[start:end] = True
    return mask
