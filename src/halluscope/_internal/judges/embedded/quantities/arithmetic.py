"""All that one step makes of some numbers: sums, differences, products, shares, ratios, times between dates.

The results are put on three levels: a plain step from operands that belong together (in one sentence, record or
column), a step from near ones or a step that is seldom meant, and any other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .alignment import Placed
from .numerals import unit_of
from .quantity import LIMITS, Quantity

Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_Valued = list[tuple[int, float]]
"""Places of operands with their values."""

YEAR = 365.2425
"""In days."""
DAY = 1440.0
"""In minutes."""
_NEIGHBOUR = -1.0
"""Slack of the day before or after another, which is that day and no other."""
_SECONDS = 60 * DAY
"""Of a day."""
_MOST = 48
"""How many numbers of one sort are reckoned with: the time grows with the square."""
_KNOWN = (2.0, 3.0, 4.0, 6.0, 7.0, 12.0, 24.0, 52.0, 60.0)
"""What everyone knows: the months of a year, the weeks, the days of a week, the hours, the quarters, a half."""
_LONGEST_RUN = 14
_PINCH = 2000.0
"""A number so many times smaller than another is not added to it: as it is rounded, the other would not change."""


class Level:
    """Values in one unit, the places of the operands of each, and how far it may be off."""

    def __init__(self) -> None:
        self._made: list[tuple[Floats, _Ints, _Ints, Floats]] = []

    def add(self, values: Floats | float, left: _Ints | int, right: _Ints | int, slack: float = 0.0) -> None:
        """Results of one operation, and the places of their operands."""
        made = np.atleast_1d(values)
        self._made.append((made, np.atleast_1d(left), np.atleast_1d(right), np.full(made.shape, slack)))

    @cached_property
    def results(self) -> tuple[Floats, _Ints, _Ints, Floats]:
        """All values, the places of their first and second operands, and how far each may be off."""
        empty = (np.zeros(0), np.zeros(0, int), np.zeros(0, int), np.zeros(0))
        values, left, right, slacks = zip(empty, *self._made, strict=True)
        return np.concatenate(values), np.concatenate(left), np.concatenate(right), np.concatenate(slacks)


class Operations:
    """One step with each of the operands, for results of one dimension."""

    def __init__(self, operands: list[Placed], dimension: str, factor: float, year: int) -> None:
        self._operands = operands
        self._all = [(place, operand.quantity) for place, operand in enumerate(operands)][-3 * _MOST :]
        self._groups = np.array([operand.sentence for operand in operands])
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

    def _put(self, values: Floats, left: _Ints, right: _Ints, rank: int = 0) -> None:
        """`rank` is 0 for a plain step, 1 for one that is seldom meant."""
        groups = self._groups
        made = (groups[left] < 0) | (groups[right] < 0)
        tight = made | (groups[left] == groups[right]) | (self._labels[left] == self._labels[right])
        close = tight | (np.abs(groups[left] - groups[right]) <= 1)
        at = np.minimum(np.where(tight, 0, np.where(close, 1, 2)) + rank, 2)
        for number, level in enumerate(self.levels):
            chosen = np.isfinite(values) & (at == number) & (left != right)
            level.add(values[chosen], left[chosen], right[chosen])

    def _pairs(self, same: _Valued) -> None:
        if len(same) > 1:
            places, values = _split(same)
            i, j = np.triu_indices(len(same), 1)
            left, right, a, b = places[i], places[j], values[i], values[j]
            counts = np.minimum(np.abs(a), np.abs(b)) * _PINCH >= np.maximum(np.abs(a), np.abs(b))
            left, right, a, b = left[counts], right[counts], a[counts], b[counts]
            self._put(a + b, left, right)
            larger = a >= b
            self._put(np.abs(a - b), np.where(larger, left, right), np.where(larger, right, left))
            self._put((a + b) / 2, left, right, 1)

    def _products(self) -> None:
        same = [(place, value) for place, value in self.same if not self._operands[place].quantity.slight]
        if not same:
            return
        places, values = _split(same)
        for known in _KNOWN:
            self.levels[1].add(values * known, places, places)
            self.levels[1].add(values / known, places, places)
        if self.factors:
            left, right, a, b = _crossed(same, self.factors)
            self._put(a * b, left, right)
            self._put(a / b, left, right, 1)

    def _areas(self) -> None:
        """Length by width."""
        lengths = self._valued("length", 1.0)
        if lengths:
            left, right, a, b = _crossed(lengths, lengths)
            self._put(a * b, left, right)

    def _shares(self) -> None:
        if not self.same or not self.parts:
            return
        left, right, a, part = _crossed(self.same, self.parts)
        self._put(a * part, left, right)
        self._put(a * (1 - part), left, right)
        self._put(a * (1 + part), left, right)
        self._put(a / part, left, right, 1)

    def _ratios(self, hundred: float) -> None:
        alike: dict[str, _Valued] = defaultdict(list)
        for place, one in self._all:
            if one.kind in ("number", "money", "measure", "percent") and one.low > 0:
                alike[one.dimension].append((place, one.low))
        for same in (valued[-_MOST:] for valued in alike.values() if len(valued) > 1):
            left, right, a, b = _crossed(same, same)
            self._put(hundred * a / b, left, right)
            self._put(np.abs(hundred * (a - b) / b), left, right)
            self._put(hundred * a / (a + b), left, right, 1)
            if len(same) > 2:
                places, values = _split(same)
                self.levels[1].add(hundred * values / values.sum(), places, places)

    def _complements(self) -> None:
        for place, value in self._valued("percent", 1.0):
            self.levels[0].add(100 - value, place, place)
        for place, one in self._all:
            if one.dimension == "times":
                for value in (100 * one.low, 100 * abs(one.low - 1)):
                    self.levels[0].add(value, place, place)

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
                self.levels[0].add(moment + span / _SECONDS, place, other, slack)
                self.levels[0].add(moment - span / _SECONDS, place, other, slack)
            if off == 1:
                self.levels[0].add(moment + 1, place, place, _NEIGHBOUR)
                self.levels[0].add(moment - 1, place, place, _NEIGHBOUR)

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
                level = self.levels[0 if length == 1 else 1]
                level.add((moment + span) % DAY, np.full_like(last, place), last)
                level.add((moment - span) % DAY, np.full_like(last, place), last)

    def _between_dates(self) -> None:
        for (place, moment, off), (other, later, coarse) in combinations(self._moments, 2):
            days = max(off, coarse)
            if later != moment:
                slack = (days if days < 100 else 2 * days) * _SECONDS + 1
                self.levels[0].add(abs(later - moment) * _SECONDS, place, other, slack)

    def _between_years(self) -> None:
        """How many years? "Nine", from 1902 to 1911."""
        years = [(place, one.low) for place, one in self._all if one.date and one.date.years]
        for (place, first), (other, second) in combinations(years[-_MOST:], 2):
            if first != second:
                self.levels[0].add(abs(second - first), place, other)

    def _between_times(self) -> None:
        clock = [(place, one) for place, one in self._all if one.kind == "time"][-_MOST:]
        for (place, first), (other, second) in combinations(clock, 2):
            gaps = {abs(a - b) for a in (first.low, first.high) for b in (second.low, second.high)} - {0.0}
            for minutes in gaps | {DAY - gap for gap in gaps}:
                self.levels[0].add(60 * minutes, place, other)


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


TWO_STEPS = 3
"""The last level, behind the three of one step."""
BY_CONSTANTS = 1
"""The level where one number is multiplied or divided by two, twelve and the like."""
_TINY = 1e-9
_ROUGH = {
    "about": (0.08, 0.08), "nearly": (0.08, 0.02), "just over": (0.0, 0.08), "over": (0.0, 0.12),
    "at least": (0.0, 0.08), "under": (0.12, 0.0), "at most": (0.08, 0.0),
}  # fmt: skip
"""How far the true value may lie below and above a number that a word bounds."""
_IN_WORDS = 0.06
"""And around a share in words: "a third"."""
_ROUNDED = 0.02
_LARGE = 1000.0
_MOST_CURRENCIES = 2
_CONSTANTS = (2.0, 3.0, 4.0, 7.0, 12.0, 24.0, 52.0, 60.0)


class Reached(NamedTuple):
    """On which level a value was reached (None: on none), and from what."""

    level: int | None
    operands: tuple[int, ...] = ()
    """The places of the operands among the numbers of the context; -1 for one that is not from there."""
    neighbour: bool = False
    """Whether it is the day before or after its operand."""


class Arithmetic:
    """The numbers of a context, of a question and of what was worked out already, and what they reach."""

    def __init__(self, operands: Sequence[Placed]) -> None:
        self._operands = list(operands)
        self._steps: dict[tuple[str, float], Operations] = {}

    def add(self, operand: Placed) -> None:
        """One more number to reckon with."""
        self._operands.append(operand)
        self._steps.clear()

    def reach(self, target: Quantity) -> Reached:
        """How the target can be worked out: on the first level that has it."""
        middle = target.low if target.kind == "time" else (target.low + target.high) / 2
        value = moment_of(target, self._year) if target.date else middle
        if value is None or not self._operands:
            return Reached(None)
        unit = unit_of(target.unit) if target.unit else None
        sorts = [(target.dimension, unit.factor if unit else 1.0)]
        if target.bare:  # "which is 550 less", of euros
            currencies = {one.quantity.dimension for one in self._operands if one.quantity.kind == "money"}
            sorts += [(currency, 1.0) for currency in sorted(currencies)[:_MOST_CURRENCIES]]
        elif target.kind == "number" and target.nouns[:1] == ("point",):  # "16 points short", of percentages
            sorts.append(("percentage points", 1.0))
        tried = (self._reach(target, value, sort) for sort in sorts)
        return next((found for found in tried if found.level is not None), Reached(None))

    def _reach(self, target: Quantity, value: float, sort: tuple[str, float]) -> Reached:
        if sort not in self._steps:
            self._steps[sort] = Operations(self._operands, *sort, self._year)
        steps = self._steps[sort]
        below, above = _tolerance(target)
        around = _cycle(target)
        for number, level in enumerate(steps.levels):
            values, left, right, slacks = level.results
            off = values - value
            if around:
                off = (off + around / 2) % around - around / 2
            near = (off <= above + slacks + _TINY) & (-off <= below + slacks + _TINY)
            if target.date:  # five years after 2003 is no day of 2008
                near &= slacks <= below
            hits = np.flatnonzero(near)
            if hits.size:
                best = hits[np.argmin(np.abs(off[hits]))]
                operands = dict.fromkeys(self._operands[place].index for place in (left[best], right[best]))
                return Reached(number, tuple(operands), bool(slacks[best] == _NEIGHBOUR))
        if target.kind in ("date", "time") or target.bound in LIMITS:
            return Reached(None)
        return _two_steps(steps, value, below, above)

    @cached_property
    def _year(self) -> int:
        """The year of dates that state none."""
        dates = [operand.quantity.date for operand in self._operands]
        years = [date.years[0] for date in dates if date and date.years]
        return max(years, key=years.count) if years else 2001


def _cycle(quantity: Quantity) -> float:
    """After how much it comes again: 30 June of whichever year, 6:00 in the morning or in the evening; 0 for never."""
    if quantity.kind == "time":
        return DAY if quantity.low == quantity.high else DAY / 2
    return YEAR if quantity.date and not quantity.date.years else 0.0


def _tolerance(quantity: Quantity) -> tuple[float, float]:
    """How far below and above the stated value the true one may lie."""
    if quantity.date is not None:
        date = quantity.date
        years = date.years[1] - date.years[0] if date.years else 0
        days = 1.0 if date.day else 15.5 if date.months else 183.0 * (1 + years)
        return (2 * days, 2 * days) if quantity.bound in _ROUGH else (days, days)
    value = abs(quantity.low)
    scale = value / abs(quantity.figure) if quantity.figure else 1.0
    digit = quantity.step
    if digit > scale:  # 70 is 70, but 12,400 may be 12,380
        digit = min(digit, max(scale, _ROUNDED * value)) if value >= _LARGE * scale else scale
    near = max(digit / 2, _IN_WORDS * value if quantity.kind == "percent" and quantity.in_words else 0.0)
    below, above = _ROUGH.get(quantity.bound, (0.0, 0.0))
    return max(near, below * value), max(near, above * value)


def _two_steps(steps: Operations, value: float, below: float, above: float) -> Reached:
    """Whether another number or another result, added, taken away or multiplied, makes the value."""
    first = np.unique(steps.levels[0].results[0])
    first = first[(first > 0) & np.isfinite(first)]
    more = np.unique(np.concatenate([first, [one for _, one in steps.same]]))
    factors = {abs(factor) for _, factor in steps.factors} | {part for _, part in steps.parts}
    factors |= {1 - part for _, part in steps.parts if part < 1} | {*_CONSTANTS, *(1 / one for one in _CONSTANTS)}
    near, far = value - below - _TINY, value + above + _TINY
    hit = (
        _any_between(more, value - first - below - _TINY, value - first + above + _TINY)
        or _any_between(more, first - value - above - _TINY, first - value + below + _TINY)
        or any(np.any((first * factor >= near) & (first * factor <= far)) for factor in factors)
    )
    return Reached(TWO_STEPS) if hit else Reached(None)


def _any_between(ordered: Floats, low: Floats, high: Floats) -> bool:
    """Whether one of the ordered values lies between the ends of one of the stretches."""
    return bool(np.any(np.searchsorted(ordered, high, "right") > np.searchsorted(ordered, low, "left")))
