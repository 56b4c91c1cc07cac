"""All that one step makes of some numbers: sums, differences, products, shares, ratios, times between dates.

The results are put on three levels: a plain step from operands that belong together (in one sentence, record or
column), a step from near ones or a step that is seldom meant, and any other.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .written.quantity import Quantity

__all__ = ["DAY", "NEIGHBOUR", "YEAR", "Floats", "Operand", "Operations", "moment_of"]

Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_Valued = list[tuple[int, float]]
"""Places of operands with their values."""

YEAR = 365.2425
"""In days."""
DAY = 1440.0
"""In minutes."""
NEIGHBOUR = "the day "
"""What the words for the day before or after another begin with."""
_SECONDS = 60 * DAY
"""Of a day."""
_MOST = 48
"""How many numbers of one sort are reckoned with: the time grows with the square."""
_KNOWN = (2.0, 3.0, 4.0, 6.0, 7.0, 12.0, 24.0, 52.0, 60.0)
"""What everyone knows: the months of a year, the weeks, the days of a week, the hours, the quarters, a half."""
_LONGEST_RUN = 14
_PINCH = 2000.0
"""A number so many times smaller than another is not added to it: as it is rounded, the other would not change."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A number to reckon with, and where it belongs."""

    quantity: Quantity
    group: int
    """The sentence or record it stands in; below zero where it was worked out, and belongs to everything."""
    label: tuple[str, ...] = ()
    text: str = ""
    index: int = -1
    """Its place among the numbers of the context."""


class Level:
    """Values in one unit, how far each may be off, and what made it."""

    def __init__(self) -> None:
        self._made: list[tuple[str, Floats, _Ints, _Ints, float]] = []

    def add(self, name: str, values: Floats | float, left: _Ints | int, right: _Ints | int, slack: float = 0.0) -> None:
        """Results of one operation, and the places of their operands."""
        if np.size(values):
            self._made.append((name, np.atleast_1d(values), np.atleast_1d(left), np.atleast_1d(right), slack))

    @cached_property
    def values(self) -> Floats:
        """All results."""
        return np.concatenate([np.zeros(0), *(values for _, values, *_ in self._made)])

    @cached_property
    def slacks(self) -> Floats:
        """How far each may be off."""
        return np.concatenate([np.zeros(0), *(np.full(values.shape, slack) for _, values, *_, slack in self._made)])

    def made(self, place: int) -> tuple[str, int, int]:
        """How a result was made, and the places of its operands."""
        for name, values, left, right, _ in self._made:
            if place < values.size:
                return name, int(left[place]), int(right[place])
            place -= values.size
        raise IndexError(place)


class Operations:
    """One step with each of the operands, for results of one dimension."""

    def __init__(self, operands: list[Operand], dimension: str, factor: float, year: int) -> None:
        self._operands = operands
        self._all = [(place, operand.quantity) for place, operand in enumerate(operands)][-3 * _MOST :]
        self._groups = np.array([operand.group for operand in operands])
        labels: dict[tuple[str, ...], int] = {}
        self._labels = np.array(
            [labels.setdefault(one.label, len(labels)) if one.label else -1 - at for at, one in enumerate(operands)]
        )
        self._year = year
        self.levels = (Level(), Level(), Level())
        self.same = self._valued(dimension, factor)
        if dimension == "date":
            self._dates()
        elif dimension == "time":
            self._clock()
        else:
            self._numbers(dimension)

    def _numbers(self, dimension: str) -> None:
        self._pairs(self.same)
        self._runs()
        if dimension == "duration":
            self._between_dates()
            self._between_times()
        if not dimension:
            self._between_years()
        if dimension == "percentage points":
            self._pairs(self._valued("percent", 1.0))
        elif dimension in ("percent", "times"):
            self._ratios(100.0 if dimension == "percent" else 1.0)
            self._complements()
        else:
            self._shares()
            self._products()
        if dimension == "area":
            self._areas()

    def _valued(self, dimension: str, factor: float) -> _Valued:
        """The operands of a dimension with their values, and bare numbers that may be of it."""
        out: _Valued = []
        for place, one in self._all:
            if one.kind in ("date", "time", "weekday", "ordinal"):
                continue
            if one.dimension == dimension or {one.dimension, dimension} == {"angle", "temperature"}:
                out.append((place, one.low))
                if one.high != one.low:
                    out.append((place, one.high))
            elif not one.dimension and not one.nouns:
                out.append((place, one.figure * factor))
        return out[-_MOST:]

    @cached_property
    def factors(self) -> _Valued:
        """The numbers that others can be multiplied with, as they are written: nights, pieces, hours."""
        return [
            (place, one.figure)
            for place, one in self._all
            if one.kind in ("number", "measure") and one.figure not in (0.0, 1.0)
        ][-_MOST:]

    @cached_property
    def parts(self) -> _Valued:
        """The shares and percentages, as parts of one."""
        return [
            (place, value / 100)
            for place, value in self._valued("percent", 1.0)
            if value and self._operands[place].quantity.dimension
        ]

    def _put(self, name: str, values: Floats, left: _Ints, right: _Ints, rank: int = 0) -> None:
        """`rank` is 0 for a plain step, 1 for one that is seldom meant."""
        groups = self._groups
        made = (groups[left] < 0) | (groups[right] < 0)
        tight = made | (groups[left] == groups[right]) | (self._labels[left] == self._labels[right])
        close = tight | (np.abs(groups[left] - groups[right]) <= 1)
        at = np.minimum(np.where(tight, 0, np.where(close, 1, 2)) + rank, 2)
        for number, level in enumerate(self.levels):
            chosen = np.isfinite(values) & (at == number) & (left != right)
            level.add(name, values[chosen], left[chosen], right[chosen])

    def _pairs(self, same: _Valued) -> None:
        if len(same) > 1:
            places, values = _split(same)
            i, j = np.triu_indices(len(same), 1)
            left, right, a, b = places[i], places[j], values[i], values[j]
            counts = np.minimum(np.abs(a), np.abs(b)) * _PINCH >= np.maximum(np.abs(a), np.abs(b))
            left, right, a, b = left[counts], right[counts], a[counts], b[counts]
            self._put("{} + {}", a + b, left, right)
            larger = a >= b
            self._put("{} − {}", np.abs(a - b), np.where(larger, left, right), np.where(larger, right, left))
            self._put("the mean of {} and {}", (a + b) / 2, left, right, 1)

    def _runs(self) -> None:
        """Three and more that stand in one column or follow each other in one record or list."""
        rows: dict[tuple[str, object], _Valued] = defaultdict(list)
        for place, value in self.same:
            operand = self._operands[place]
            rows["all", 0].append((place, value))
            if operand.label:
                rows["label", operand.label].append((place, value))
            if operand.group < 0:
                rows["label", "made"].append((place, value))
            else:
                rows["group", operand.group].append((place, value))
                rows["on", operand.group].append((place, value))
                rows["on", operand.group - 1].append((place, value))
        for (sort, _), row in rows.items():
            self._run(row, exact=sort in ("label", "group"))

    def _run(self, row: _Valued, *, exact: bool) -> None:
        places, values = _split(row)
        sums = np.concatenate([[0.0], np.cumsum(values)])
        for length in range(3, min(len(row), _LONGEST_RUN) + 1):
            totals = sums[length:] - sums[:-length]
            first, last = places[: len(totals)], places[length - 1 :]
            whole = exact and length == len(row)
            self.levels[0 if whole else 1].add("{} to {}, added", totals, first, last)
            self.levels[0 if whole else 2].add("the mean of {} to {}", totals / length, first, last)
            rest = np.abs(2 * values[: len(totals)] - totals)
            self.levels[1 if exact else 2].add("{} less those that follow to {}", rest, first, last)

    def _products(self) -> None:
        if not self.same:
            return
        places, values = _split(self.same)
        for known in _KNOWN:
            self.levels[1].add(f"{known:g} × {{}}", values * known, places, places)
            self.levels[1].add(f"{{}} ÷ {known:g}", values / known, places, places)
        if self.factors:
            left, right, a, b = _crossed(self.same, self.factors)
            self._put("{} × {}", a * b, left, right)
            self._put("{} ÷ {}", a / b, left, right, 1)

    def _areas(self) -> None:
        """Length by width."""
        lengths = self._valued("length", 1.0)
        if lengths:
            left, right, a, b = _crossed(lengths, lengths)
            self._put("{} × {}", a * b, left, right)

    def _shares(self) -> None:
        if not self.same or not self.parts:
            return
        left, right, a, part = _crossed(self.same, self.parts)
        self._put("{} × {}", a * part, left, right)
        self._put("{} less {}", a * (1 - part), left, right)
        self._put("{} plus {}", a * (1 + part), left, right)
        self._put("{} ÷ {}", a / part, left, right, 1)

    def _ratios(self, hundred: float) -> None:
        alike: dict[str, _Valued] = defaultdict(list)
        for place, one in self._all:
            if one.kind in ("number", "money", "measure", "percent") and one.low > 0:
                alike[one.dimension].append((place, one.low))
        for same in (valued[-_MOST:] for valued in alike.values() if len(valued) > 1):
            left, right, a, b = _crossed(same, same)
            self._put("{} of {}", hundred * a / b, left, right)
            self._put("the change between {} and {}", np.abs(hundred * (a - b) / b), left, right)
            self._put("{} of itself and {}", hundred * a / (a + b), left, right, 1)
            if len(same) > 2:
                places, values = _split(same)
                self.levels[1].add("{} of all", hundred * values / values.sum(), places, places)

    def _complements(self) -> None:
        for place, value in self._valued("percent", 1.0):
            self.levels[0].add("100 − {}", 100 - value, place, place)
        for place, one in self._all:
            if one.dimension == "times":
                for value in (100 * one.low, 100 * abs(one.low - 1)):
                    self.levels[0].add("{} as much", value, place, place)

    @cached_property
    def _moments(self) -> list[tuple[int, float, float]]:
        """The dates in days, each with how far it may be off; of a span of years both ends."""
        out = []
        for place, one in self._all:
            date, moment = one.date, moment_of(one, self._year)
            if date is None or moment is None:
                continue
            if date.years and date.years[0] != date.years[1] and not date.months:
                out += [(place, year * YEAR + 183, 183.0) for year in date.years]
            else:
                out.append((place, moment, 1.0 if date.day else 15.5 if date.months else 183.0))
        return out[-_MOST:]

    @cached_property
    def _spans(self) -> _Valued:
        return [(place, one.low) for place, one in self._all if one.dimension == "duration"][-_MOST:]

    def _dates(self) -> None:
        for place, moment, off in self._moments:
            for other, span in self._spans:
                slack = off if off > 1 else 1.0 if span > 27 * _SECONDS else 0.0
                self.levels[0].add("{} and {} later", moment + span / _SECONDS, place, other, slack)
                self.levels[0].add("{} less {}", moment - span / _SECONDS, place, other, slack)
            if off == 1:
                self.levels[0].add(f"{NEIGHBOUR}after {{}}", moment + 1, place, place, -off)
                self.levels[0].add(f"{NEIGHBOUR}before {{}}", moment - 1, place, place, -off)

    def _clock(self) -> None:
        """A time and what lies between: one span, or several that follow each other, as in a plan of the day."""
        if not self._spans:
            return
        others, spans = _split(self._spans)
        sums = np.concatenate([[0.0], np.cumsum(spans / 60)])
        moments = [(place, moment) for place, one in self._all if one.kind == "time" for moment in {one.low, one.high}]
        for place, moment in moments:
            for length in range(1, min(len(spans), _LONGEST_RUN) + 1):
                span, last = sums[length:] - sums[:-length], others[length - 1 :]
                name, level = ("{} and {}", self.levels[0]) if length == 1 else ("{} and all to {}", self.levels[1])
                level.add(f"{name} later", (moment + span) % DAY, np.full_like(last, place), last)
                level.add(f"{name} earlier", (moment - span) % DAY, np.full_like(last, place), last)

    def _between_dates(self) -> None:
        for (place, moment, off), (other, later, coarse) in combinations(self._moments, 2):
            days = max(off, coarse)
            if later != moment:
                slack = (days if days < 100 else 2 * days) * _SECONDS + 1
                self.levels[0].add("the time from {} to {}", abs(later - moment) * _SECONDS, place, other, slack)

    def _between_years(self) -> None:
        """How many years? "Nine", from 1902 to 1911."""
        years = [(place, one.low) for place, one in self._all if one.date and one.date.years]
        for (place, first), (other, second) in combinations(years[-_MOST:], 2):
            if first != second:
                self.levels[0].add("the years from {} to {}", abs(second - first), place, other)

    def _between_times(self) -> None:
        clock = [(place, one) for place, one in self._all if one.kind == "time"][-_MOST:]
        for (place, first), (other, second) in combinations(clock, 2):
            gaps = {abs(a - b) for a in (first.low, first.high) for b in (second.low, second.high)} - {0.0}
            for minutes in gaps | {DAY - gap for gap in gaps}:
                self.levels[0].add("the time from {} to {}", 60 * minutes, place, other)


def moment_of(quantity: Quantity, year: int) -> float | None:
    """A date in days, a year or a month by its middle; `year` where it states none."""
    date = quantity.date
    if date is None:
        return None
    if date.years:
        year = (date.years[0] + date.years[1]) // 2
    if not date.months:
        return year * YEAR + 183
    if date.day is None:
        return year * YEAR + (date.months[0] + date.months[1] - 1) / 24 * YEAR
    number = date.number(year)
    return None if number is None else number + YEAR


def _split(valued: _Valued) -> tuple[_Ints, Floats]:
    return np.array([place for place, _ in valued]), np.array([value for _, value in valued])


def _crossed(left: _Valued, right: _Valued) -> tuple[_Ints, _Ints, Floats, Floats]:
    """All pairs of one of these and one of those: their places and their values."""
    (places, values), (others, factors) = _split(left), _split(right)
    return (
        np.repeat(places, len(right)),
        np.tile(others, len(left)),
        np.repeat(values, len(right)),
        np.tile(factors, len(left)),
    )
