"""Confidence intervals."""

from __future__ import annotations

from msgspec import Struct

from ..core.plumbing.public import public


@public
class Interval(Struct, frozen=True):
    """A 95 % confidence interval.

    Attributes:
        low: The lower end.
        high: The upper end.
    """

    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low
