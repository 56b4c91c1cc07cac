"""Giving a number another unit."""

from __future__ import annotations

import re
from random import Random

from msgspec import Struct

from .mutant import Edit
from .number_bounds import bound
from .plain_numbers import Number, numbers

# Each family from small to large, by how many of the first its members are.
_FAMILIES: tuple[tuple[tuple[str, float], ...], ...] = (
    (("milliseconds", 1e-3), ("seconds", 1), ("minutes", 60), ("hours", 3600), ("days", 86400), ("weeks", 604800),
     ("months", 2.63e6), ("years", 3.156e7), ("decades", 3.156e8)),
    (("ms", 1e-3), ("s", 1), ("min", 60), ("h", 3600)),
    (("millimetres", 1e-3), ("centimetres", 1e-2), ("metres", 1), ("kilometres", 1e3)),
    (("millimeters", 1e-3), ("centimeters", 1e-2), ("meters", 1), ("kilometers", 1e3)),
    (("inches", 0.0254), ("feet", 0.3048), ("yards", 0.9144), ("miles", 1609)),
    (("mm", 1e-3), ("cm", 1e-2), ("m", 1), ("km", 1e3)),
    (("ft", 0.3048), ("mi", 1609)),
    (("milligrams", 1e-3), ("grams", 1), ("kilograms", 1e3), ("tonnes", 1e6)),
    (("ounces", 28.3), ("pounds", 453.6), ("tons", 907200)),
    (("mg", 1e-3), ("g", 1), ("kg", 1e3)),
    (("millilitres", 1e-3), ("litres", 1)), (("milliliters", 1e-3), ("liters", 1)),
    (("ml", 1e-3), ("cl", 1e-2), ("l", 1)),
    (("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)),
    (("kW", 1e3), ("MW", 1e6), ("GW", 1e9)), (("kWh", 1e3), ("MWh", 1e6), ("GWh", 1e9)),
    (("Hz", 1), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)),
    (("acres", 4047), ("hectares", 10000), ("square miles", 2.59e6)),
    (("square metres", 1), ("square kilometres", 1e6)), (("square meters", 1), ("square kilometers", 1e6)),
    (("thousand", 1e3), ("million", 1e6), ("billion", 1e9), ("trillion", 1e12)),
    (("cents", 1), ("dollars", 100)),
)  # fmt: skip
_REACH = 2
"""How far along its family a unit may move: years that become milliseconds test nothing."""
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
    """One measure: the number stays, the unit is another of its family, at least a third larger or smaller."""
    pairs = [(number, _UNIT.match(answer, number.end)) for number in numbers(answer) if number.value >= 2]
    found = [(number, match) for number, match in pairs if match]
    rng.shuffle(found)
    stated = _measures(context)
    for number, match in found:
        unit = _TABLE[match["unit"]]
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


def _measures(text: str) -> list[tuple[int, float]]:
    """What the context states, by family, in the family's smallest measure."""
    return [(unit.family, number.value * unit.size) for number, unit in _with_units(text)]


def _with_units(text: str) -> list[tuple[Number, _Unit]]:
    pairs = [(number, _UNIT.match(text, number.end)) for number in numbers(text)]
    return [(number, _TABLE[match["unit"]]) for number, match in pairs if match]
