"""Numbers that belong together.

Ranges ("5 to 7 days"), compound measures ("2 hours 30 minutes"), lists whose last number alone carries the unit
("0.5, 5 or 50 mg"), and the two ends of a time ("from June 2018 to May 2020").
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from .numerals import scale_in
from .units import unit_of

if TYPE_CHECKING:
    from .quantity import Quantity

__all__ = ["dated", "joined"]

_FARTHEST = 14
_RANGE_GAP = re.compile(r"\s?(?:-{1,2}|[–—]|to|and|or)\s?(?:up\s+to\s+)?(?:[$€£¥₹]|US\$|[A-Z]{3}\s)?\s?", re.IGNORECASE)
_COMPOUND_GAP = re.compile(r",?\s?(?:and\s)?\s?$")
_FROM = re.compile(r"\b(?:from|fell|rose|grew|down|up|increased|decreased|dropped)\s*\S?$", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s*\S{0,3}$", re.IGNORECASE)
_LIST_GAP = re.compile(
    r"(?:\s?[-–—/x×]\s?|,?\s(?:or|and|to|by|versus|vs\.?)\s)(?:(?:about|around|nearly|almost|over|up\sto|only|just)\s)?"
)
_COMMA = re.compile(r",\s")
_DATE_GAP = re.compile(r"\s?,?\s?(?:and|to|until|till|through|[-–—])\s(?:the\s|late\s|early\s|mid-)?|\s?[-–—]\s?")


def joined(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """The quantities with those that belong together made one, or given the unit they share."""
    out: list[Quantity] = []
    for quantity in quantities:
        if out and quantity.start - out[-1].end <= _FARTHEST:
            made = _one(text, out[-1], quantity)
            if made is not None:
                out[-1] = made
                continue
            _share(text, out, quantity)
        out.append(quantity)
    return out


def dated(text: str, dates: list[Quantity]) -> list[Quantity]:
    """The dates, each told the time it is an end of: "between June 2018 and February 2020"."""
    out = list(dates)
    for place, (left, right) in enumerate(pairwise(dates)):
        if left.date is None or right.date is None or right.start - left.end > _FARTHEST:
            continue
        if _DATE_GAP.fullmatch(text, left.end, right.start):
            out[place] = replace(out[place], within=(left.date, right.date))
            out[place + 1] = replace(right, within=(left.date, right.date))
    return out


def _one(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    gap = text[left.end : right.start]
    minutes = 60.0 if left.unit in ("hour", "hours") and gap == " " and right.bare and right.low < 60 else 0.0
    if minutes or (_compound(left, right) and _COMPOUND_GAP.fullmatch(gap)):
        total = left.low + right.low * (minutes or 1.0)  # "two hours twenty"
        return replace(left, end=right.end, text=text[left.start : right.end], low=total, high=total, step=right.step)
    if left.low != left.high or "ordinal" in (left.kind, right.kind) or not _RANGE_GAP.fullmatch(gap):
        return None
    word = gap.strip(" $€£¥₹").lower()
    strict = word in ("-", "--", "–", "—") or word.startswith("to")
    before = text[max(0, left.start - 14) : left.start]
    if not strict and not (word == "and" and _BETWEEN.search(before)):
        return None
    if word == "to" and _FROM.search(before):
        return None  # "from 38 ms to 24 ms" is a change, not a range
    if left.kind == "money" and right.kind == "number" and strict:
        right = replace(right, kind="money", dimension=left.dimension)  # "£54–57 million"
    low = _low_end(left, right)
    if low is None or low >= right.high:
        return None
    step = min(left.step, right.step)
    return replace(right, start=left.start, text=text[left.start : right.end], low=low, bound=left.bound, step=step)


def _compound(left: Quantity, right: Quantity) -> bool:
    if left.dimension != right.dimension or left.low <= right.low or left.unit == right.unit:
        return False
    return left.dimension == "duration" or (left.unit in ("foot", "feet", "ft") and right.unit.startswith("inch"))


def _low_end(left: Quantity, right: Quantity) -> float | None:
    """The lower end of a range in the unit of its upper end; None where the two do not go together."""
    low, dimension = left.low, left.dimension
    if dimension == "percent" and left.in_words and right.dimension != "percent":
        low, dimension = left.figure, ""  # "a quarter to half an inch"
    scale = scale_in(right.text)
    shared = scale > 1 and scale_in(left.text) == 1 and low < right.figure / scale
    if shared and (not dimension or left.kind == "money"):
        low *= scale  # "30 to 50 thousand"
    if dimension == right.dimension:
        return low
    if dimension or right.kind not in ("measure", "percent", "money"):
        return None
    unit = unit_of(right.unit) if right.unit else None
    return low * unit.factor + unit.offset if unit else low


def _share(text: str, out: list[Quantity], right: Quantity) -> None:
    """Give the bare numbers before `right` its unit: "from 38 to 24 ms", "0.5, 5 or 50 mg"."""
    unit = unit_of(right.unit) if right.unit else None
    if right.kind not in ("measure", "percent") or right.low != right.high or unit is None:
        return
    gap, next_start = _LIST_GAP, right.start
    for place in range(len(out) - 1, -1, -1):
        left = out[place]
        if left.kind != "number" or left.low != left.high or not gap.fullmatch(text, left.end, next_start):
            return
        low = left.low * unit.factor + unit.offset
        out[place] = replace(
            left, kind=right.kind, dimension=right.dimension, low=low, high=low, step=left.step * unit.factor,
            unit=right.unit, nouns=right.nouns,
        )  # fmt: skip
        next_start, gap = left.start, _COMMA
