"""Replacing the unit of a number."""

from __future__ import annotations

import re
from random import Random

from msgspec import Struct

from .mutant import WORDS, Edit
from .plain_numbers import Number, bound, numbers

# Each family from small to large, with sizes in a common unit.
_FAMILIES: list[list[tuple[str, float]]] = [[(name, size) for name, size in family] for family in WORDS["units"]]
_REACH = 2
"""Maximum distance between the units: replacing years with milliseconds would be too easy."""
_SINGULAR = {"inches": "inch", "feet": "foot", "centuries": "century"}


class _Unit(Struct, frozen=True):
    family: int
    size: float
    plural: bool


def _table() -> dict[str, _Unit]:
    table: dict[str, _Unit] = {}
    for place, family in enumerate(_FAMILIES):
        for name, size in family:
            one = _singular(name)
            table[name] = _Unit(place, size, one != name)
            table.setdefault(one, _Unit(place, size, False))
    return table


def _singular(name: str) -> str:
    head, _, last = name.rpartition(" ")
    one = _SINGULAR.get(last, last[:-1] if len(last) > 3 and last.endswith("s") else last)
    return f"{head} {one}".strip()


_TABLE = _table()
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
        family = _FAMILIES[unit.family]
        place = [size for _, size in family].index(unit.size)
        neighbours = list(family[max(0, place - _REACH) : place + _REACH + 1])
        rng.shuffle(neighbours)
        for name, size in neighbours:
            if size == unit.size or (how == "upper" and size > unit.size) or (how == "lower" and size < unit.size):
                continue
            if how == "about" and 0.5 < size / unit.size < 2:
                continue
            amount = number.value * size
            if any(of == unit.family and 0.8 < amount / known < 1.25 for of, known in stated if known):
                continue
            # "a three-day trip" has the unit in the singular, and so has "1 day".
            text = name if unit.plural or name in ("thousand", "million", "billion", "trillion") else _singular(name)
            return Edit(match.start("unit"), match.end("unit"), text)
    return None


def _measures(text: str) -> list[tuple[Number, re.Match[str], _Unit]]:
    pairs = [(number, _UNIT.match(text, number.end)) for number in numbers(text)]
    return [(number, match, _TABLE[match["unit"]]) for number, match in pairs if match]
