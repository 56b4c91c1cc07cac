"""A quantity as it is read from a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .bounds import Bound
from .dates import Date

__all__ = ["Kind", "Quantity"]

Kind = Literal["number", "percent", "money", "measure", "date", "time", "weekday", "ordinal"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity of a text.

    `low` and `high` are in the base unit of `dimension` and differ only for a range; `step` is the size
    of the last digit stated; `nouns` are the stems of the words counted ("12 unused days": unused, day).
    `figure` is the number as it is written, before its unit. One that is `slight` ("one", "first", "twice") may
    contradict, but that a text lacks it says nothing.
    """

    start: int
    end: int
    text: str
    kind: Kind
    dimension: str
    low: float
    high: float
    step: float
    bound: Bound = "plain"
    date: Date | None = None
    nouns: tuple[str, ...] = ()
    in_words: bool = False
    unit: str = ""
    figure: float = 0.0
    slight: bool = False
    within: tuple[Date, Date] | None = None
    """The two ends of the time that a date begins or ends."""

    @property
    def bare(self) -> bool:
        """Whether it is a number that does not say what it counts or measures."""
        return self.kind == "number" and not self.dimension and not self.nouns

    @property
    def value(self) -> float:
        """The number itself; the middle of a range."""
        return (self.low + self.high) / 2
