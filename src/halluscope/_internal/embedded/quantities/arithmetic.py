"""Claims that reckon: a total, a difference, a share of what the context states.

Such a claim gives a number the context need not hold. It is not for this judge to do sums, but it must not
call a right one a conflict either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .written.quantity import Quantity

__all__ = ["RECKONING", "follows"]

RECKONING = re.compile(
    r"\b(?:more|less|fewer|longer|shorter|older|younger|higher|lower|larger|smaller|later|earlier|ahead|behind"
    r"|faster|slower|heavier|lighter|cheaper|further|extra|additional|difference|gap|total|totall?ed|altogether"
    r"|together|combined|in\s+all|overall|average|averag\w+|mean|each|per|remaining|remain\w*|rest|left|apart"
    r"|between\s+the|sum|share|yet\s+to|still|other\s+than|except|without|would|should\s+have|margin|twice"
    r"|by\s+the\s+time|sav\w+|gain\w*|double\w*|halv\w+|or)\b",
    re.IGNORECASE,
)
_MOST = 40
_YEAR = 365.25 * 86400.0
_MONTH = _YEAR / 12
_DAY = 86400.0
_EXACT, _ROUGH = 0.006, 0.06
_ROUGHLY = ("about", "nearly", "just over", "over", "under", "at least", "at most")


def follows(value: Quantity, numbers: Sequence[Quantity]) -> bool:
    """Whether a sum, difference, product or ratio of two numbers, or the time between two dates, gives the value."""
    usable = [number for number in numbers[:_MOST] if number.kind not in ("weekday", "time") and number.low]
    slack = _ROUGH if value.bound in _ROUGHLY else _EXACT
    if value.date is not None:
        return _later(value, usable)
    if value.kind in ("time", "weekday", "ordinal") or not value.low:
        return False
    if value.dimension == "duration" and _between(value, usable):
        return True
    plain = [_like(number, value) for number in usable if number.date is None]
    for index, left in enumerate(plain):
        for right in plain[index + 1 :]:
            if _pair(value, left, right, slack) or _pair(value, right, left, slack):
                return True
    return _sums(value, plain, slack)


def _like(number: Quantity, value: Quantity) -> Quantity:
    """A bare number beside amounts is an amount as well: "980 euros in the first year, 1,150 in the third"."""
    if number.dimension or value.kind not in ("money", "percent"):
        return number
    return replace(number, dimension=value.dimension, kind=value.kind) if not number.nouns[1:] else number


def _pair(value: Quantity, first: Quantity, second: Quantity, slack: float) -> bool:
    said = value.low

    def near(result: float) -> bool:
        return abs(result - said) <= slack * abs(said)

    if first.dimension == second.dimension == value.dimension and (
        near(first.low + second.low) or near(abs(first.low - second.low))
    ):
        return True
    if first.dimension == value.dimension and second.dimension == "percent":
        part = second.low / 100
        return near(first.low * part) or near(first.low * (1 - part)) or near(first.low * (1 + part))
    if first.dimension == value.dimension and second.dimension != value.dimension and second.figure > 1:
        return near(first.low * second.figure) or near(first.low / second.figure)
    if first.dimension == value.dimension == second.dimension == "" and second.low > 1:
        return near(first.low * second.low) or near(first.low / second.low)
    if value.dimension in ("percent", "times") and first.dimension == second.dimension:
        ratio = first.low / second.low * (100 if value.dimension == "percent" else 1)
        return near(ratio) or near(abs(ratio - 100)) or near(100 - ratio)
    return value.dimension == first.dimension == "percent" and near(100 - first.low)


def _sums(value: Quantity, numbers: Sequence[Quantity], slack: float) -> bool:
    """Whether three or more numbers that follow each other add up to the value, or leave it when taken away."""
    same = [number.low for number in numbers if number.dimension == value.dimension and number.low > 0]
    for first in range(len(same) - 2):
        total, rest = same[first] + same[first + 1], same[first] - same[first + 1]
        for number in same[first + 2 : first + 8]:
            total, rest = total + number, rest - number
            if min(abs(total - value.low), abs(rest - value.low)) <= slack * value.low:
                return True
    return False


def _moments(numbers: Sequence[Quantity]) -> Iterator[tuple[float, float]]:
    """The dates, in seconds, each with how far it may be off."""
    for number in numbers:
        date = number.date
        if date is None or not date.years or date.years[0] != date.years[1]:
            continue
        if not date.months or date.months[0] != date.months[1]:
            yield date.years[0] * _YEAR, _YEAR
        else:
            month = date.years[0] * _YEAR + (date.months[0] - 1) * _MONTH
            yield (month + (date.day - 1) * _DAY, _DAY) if date.day else (month, _MONTH)


def _between(value: Quantity, numbers: Sequence[Quantity]) -> bool:
    """Whether the value is the time between two dates: closed in 1967, reopened in 1998, about three decades."""
    found = list(_moments(numbers))
    for index, (left, coarse) in enumerate(found):
        for right, coarser in found[index + 1 :]:
            span, slack = abs(left - right), max(coarse, coarser, value.step) * 1.01
            if value.bound in _ROUGHLY:
                slack = max(slack, 0.1 * span)
            if span and abs(span - value.low) <= slack:
                return True
    return False


def _later(value: Quantity, numbers: Sequence[Quantity]) -> bool:
    """Whether the date lies a stated time after or before a stated date."""
    spans = [number.low for number in numbers if number.dimension == "duration"]
    for said, coarse in _moments([value]):
        for known, finer in _moments(numbers):
            slack = max(coarse, finer if finer < _YEAR else coarse) * 1.01
            if any(abs(abs(said - known) - span) <= slack for span in spans if said != known):
                return True
    return False
