"""How far a figure could be off."""

from __future__ import annotations

from msgspec import Struct

from ..plumbing.public import public


@public
class Interval(Struct, frozen=True):
    """Where the figure lies with 95 % confidence."""

    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low
