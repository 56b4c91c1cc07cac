"""Whether a number can be worked out from others, and how much that tells.

With forty numbers in a context nearly every small number is the sum or the product of some two. So a value found
this way tells only as much as it is unlikely to be found by chance: beside each finding stands how large a part of
the values around it can be reached as well. A few operands that belong together reach few values and tell much; any two
numbers, and two steps, reach many and tell little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .operations import DAY, YEAR, Floats, Operand, Operations, moment_of
from .written.quantity import Quantity
from .written.units import unit_of

__all__ = ["BY_CONSTANTS", "TWO_STEPS", "Operand", "Reached", "Reckoner"]

TWO_STEPS = 3
"""The last level, behind the three of one step."""
BY_CONSTANTS = 1
"""The level where one number is multiplied or divided by two, twelve and the like."""
_AROUND = 0.35
_CELLS = 12.0
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
    """How a value was reached: on which level (None: on none), by chance how likely, and in words."""

    level: int | None
    chance: float = 1.0
    """How likely another value would have been reached on that level too."""
    words: str = ""
    operands: tuple[int, ...] = ()
    """The places of the operands among the numbers of the context; -1 for one that is not from there."""


class Reckoner:
    """The numbers of a context, of a question and of what was worked out already, and what they reach."""

    def __init__(self, operands: Sequence[Operand]) -> None:
        self._operands = list(operands)
        self._steps: dict[tuple[str, float], Operations] = {}

    def add(self, operand: Operand) -> None:
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
            off = level.values - value
            if around:
                off = (off + around / 2) % around - around / 2
            near = (off <= above + level.slacks + _TINY) & (-off <= below + level.slacks + _TINY)
            if target.date:  # five years after 2003 is no day of 2008
                near &= level.slacks <= below
            hits = np.flatnonzero(near)
            if hits.size:
                name, *places = level.made(int(hits[np.argmin(np.abs(off[hits]))]))
                made_of = [self._operands[place] for place in places]
                words = name.format(*(one.text for one in made_of))
                chance = _chance(off, abs(value), below, above)
                return Reached(number, chance, words, tuple(dict.fromkeys(one.index for one in made_of)))
        return Reached(None) if target.kind in ("date", "time") else _two_steps(steps, value, below, above)

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


def _chance(off: Floats, value: float, below: float, above: float) -> float:
    """The part of the values around this one, told apart as finely as it is stated, that are reached.

    `off` are the distances of all that is reached from it.
    """
    cell = (below + above) or _TINY
    wide = max(_AROUND * value, _CELLS * cell)
    inside = off[np.abs(off) <= wide]
    return min(1.0, np.unique(np.round(inside / cell)).size * cell / (2 * wide))


def _two_steps(steps: Operations, value: float, below: float, above: float) -> Reached:
    """Whether another number or another result, added, taken away or multiplied, makes the value."""
    first = np.unique(steps.levels[0].values)
    first = first[(first > 0) & np.isfinite(first)]
    if not first.size:
        return Reached(None)
    wide = max(_AROUND * abs(value), _CELLS * (below + above))
    more = np.unique(np.concatenate([first, [one for _, one in steps.same]]))
    around = hits = 0
    for goal, low, high in ((value - first, below, above), (first - value, above, below)):
        around += _count(more, goal - wide, goal + wide)
        hits += _count(more, goal - low - _TINY, goal + high + _TINY)
    factors = {abs(factor) for _, factor in steps.factors} | {part for _, part in steps.parts}
    factors |= {1 - part for _, part in steps.parts if part < 1} | {*_CONSTANTS, *(1 / one for one in _CONSTANTS)}
    for factor in factors:
        around += _count(first * factor, np.array([value - wide]), np.array([value + wide]))
        hits += _count(first * factor, np.array([value - below - _TINY]), np.array([value + above + _TINY]))
    if not hits:
        return Reached(None)
    chance = 1.0 - math.exp(-around * (below + above) / (2 * wide))
    return Reached(TWO_STEPS, chance, "two steps from numbers of the context")


def _count(ordered: Floats, low: Floats, high: Floats) -> int:
    """How many of the ordered values lie between the ends of each stretch."""
    return int(np.sum(np.searchsorted(ordered, high, "right") - np.searchsorted(ordered, low, "left")))
