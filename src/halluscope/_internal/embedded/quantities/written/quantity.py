"""A quantity as it is read from a text."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Literal, NamedTuple

from .bounds import Bound

__all__ = ["Date", "Kind", "Quantity"]

Kind = Literal["number", "percent", "money", "measure", "date", "time", "weekday", "ordinal"]


class Date(NamedTuple):
    """The parts a date states; ranges for decades, quarters and seasons.

    What is left open stays empty, which lets a less precise date agree with a more precise one.
    """

    years: tuple[int, int] | None = None
    months: tuple[int, int] | None = None
    day: int | None = None
    last: int | None = None
    """The last day, of several: "17 and 18 February"."""

    @property
    def weekday(self) -> int | None:
        """0 for Monday to 6 for Sunday, where the date states one day of one year."""
        number = self.number(self.years[0]) if self.years and not self.last else None
        return None if number is None else (number - 1) % 7

    def number(self, year: int) -> int | None:
        """Its last day in that year, counted from the first day of the first year."""
        if not self.months or not self.day:
            return None
        try:
            return datetime.date(year, self.months[0], self.last or self.day).toordinal()
        except ValueError:  # 30 February
            return None


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
        return self.kind == "number" and not self.nouns
