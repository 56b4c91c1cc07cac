"""Claims that reckon: a total, a difference, a share of what the context states.

Such a claim gives a number the context need not hold. It is not for this judge to do sums, but it must not
call a right one a conflict either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .measures import Quantity

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


def follows(value: Quantity, numbers: Sequence[Quantity]) -> bool:
    """Whether a sum, difference, product or ratio of two numbers gives the value."""
    if value.date is not None or value.kind in ("time", "weekday", "ordinal") or not value.low:
        return False
    usable = [
        number
        for number in numbers[:_MOST]
        if number.kind in ("number", "money", "measure", "percent", "ordinal") and number.low
    ]
    slack = 0.06 if value.bound in ("about", "nearly", "just over", "over", "under") else 0.006
    for index, left in enumerate(usable):
        for right in usable[index + 1 :]:
            if _pair(value, left, right, slack) or _pair(value, right, left, slack):
                return True
    return False


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
    if first.dimension == value.dimension and second.dimension in ("", "times") and second.low > 1:
        return near(first.low * second.low) or near(first.low / second.low)
    if value.dimension in ("percent", "times") and first.dimension == second.dimension:
        ratio = first.low / second.low * (100 if value.dimension == "percent" else 1)
        return near(ratio) or near(abs(ratio - 100))
    return value.dimension == first.dimension == "percent" and near(100 - first.low)
