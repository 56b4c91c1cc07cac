"""Replacing the unit of a number."""

from __future__ import annotations

import re
from random import Random

from msgspec import Struct

from .english import WORDS
from .mutant import Edit
from .plain_numbers import Number, bound, numbers

_REACH = 2
"""Maximum distance between the units: replacing years with milliseconds would be too easy."""


class _Unit(Struct, frozen=True):
    family: int
    size: float
    plural: bool


# Each family from small to large: plural, singular, and the size in a common unit.
_UNITS = [(place, *unit) for place, family in enumerate(WORDS["units"]) for unit in family]
_TABLE = {singular: _Unit(place, size, plural=False) for place, _, singular, size in _UNITS} | {
    plural: _Unit(place, size, plural != singular) for place, plural, singular, size in _UNITS
}
_UNIT = re.compile(
    rf"(?P<gap>[ -]?)(?P<unit>{'|'.join(sorted(map(re.escape, _TABLE), key=len, reverse=True))})(?![\w/²³^-])"
)


def change_unit(answer: str, context: str, rng: Random) -> Edit | None:
    """Replace one unit with another one of its family."""
    found = [measure for measure in _measures(answer) if measure[0].value >= 2]
    rng.shuffle(found)
    stated = [(unit.family, number.value * unit.size) for number, _, unit in _measures(context)]
    for number, match, unit in found:
        how = bound(answer, number.start, match.end())
        family = WORDS["units"][unit.family]
        place = [size for _, _, size in family].index(unit.size)
        neighbours = family[max(0, place - _REACH) : place + _REACH + 1]
        rng.shuffle(neighbours)
        for plural, singular, size in neighbours:
            if size == unit.size or (how == "upper" and size > unit.size) or (how == "lower" and size < unit.size):
                continue
            if how == "about" and 0.5 < size / unit.size < 2:
                continue
            amount = number.value * size
            if any(of == unit.family and 0.8 < amount / known < 1.25 for of, known in stated if known):
                continue
            # "a three-day trip" has the unit in the singular, and so has "1 day".
            return Edit(match.start("unit"), match.end("unit"), plural if unit.plural else singular)
    return None


def _measures(text: str) -> list[tuple[Number, re.Match[str], _Unit]]:
    pairs = [(number, _UNIT.match(text, number.end)) for number in numbers(text)]
    return [(number, match, _TABLE[match["unit"]]) for number, match in pairs if match]
