"""Replacing a number with one that the context does not support."""

from __future__ import annotations

import re
from random import Random

from .change_date import dates
from .english import has
from .mutant import Edit, sentence_around
from .plain_numbers import Bound, Number, bound, near, numbers, values_in

_UP, _DOWN = (1.5, 1.8, 2.3, 3.0), (0.25, 0.4, 0.55, 0.65)
_LIST_MARK = re.compile(r"(?:^|\n)\s*\(?$")
_NAMED = re.compile(r"[a-z,;] (?:\w*[A-Z][\w-]*|No\.|[Vv]ersion|[Cc]hapter|[Ss]ection|[Aa]rticle|[Ff]igure|[Tt]able) $")
_PERCENT = re.compile(r"\s?(?:%|percent\b|per cent\b|percentage)")
_MONTHISH = re.compile(r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? $")


def quantities(answer: str) -> list[Number]:
    """Find numbers from two that are no years or parts of dates."""
    taken = dates(answer)
    return [
        number
        for number in numbers(answer)
        if number.value >= 2
        and not number.may_be_year
        and not any(date.start < number.end and number.start < date.end for date in taken)
    ]


def _changeable(answer: str) -> list[Number]:
    """Find quantities that are no list marks or parts of names.

    After "not" or "if", another number may also be true, as in "60 percent is not enough".
    """
    return [
        number
        for number in quantities(answer)
        if not (answer[number.end : number.end + 1] in (".", ")") and _LIST_MARK.search(answer[: number.start]))
        and not _NAMED.search(answer[max(0, number.start - 30) : number.start])
        and not has("not_alone", sentence_around(answer, number.start).of(answer))
        and not _MONTHISH.search(answer[max(0, number.start - 12) : number.start])
    ]


def change_number(answer: str, context: str, rng: Random) -> Edit | None:
    """Change one number clearly, in the direction that contradicts its bounds."""
    known = values_in(context) | values_in(answer)
    found = _changeable(answer)
    rng.shuffle(found)
    for number in found:
        how = bound(answer, number.start, number.whole_end)
        if how in ("lower", "upper") and not {number.value, number.value * number.scale} & values_in(context):
            continue  # the bound is not in the context: other bounds may also be true
        percent = _PERCENT.match(answer, number.end)
        for value in _proposals(number, how, rng):
            text = number.written(value)
            if text is None or (percent and value >= 100 >= number.value):
                continue
            read = numbers(text)
            new = read[0].value if read else value
            if new < 2 or near(new, known) or near(new * number.scale, known) or _wrong_side(new, number.value, how):
                continue
            return Edit(number.start, number.end, text)
    return None


def _proposals(number: Number, how: Bound, rng: Random) -> list[float]:
    value = number.value
    if how == "about":
        proposals = [value * factor for factor in (2.0, 2.5, 3.0, 0.4, 0.3)]
    elif value <= 12 and value == int(value):
        steps = [step for step in range(-5, 8) if abs(step) >= 1 and value + step >= 2]
        proposals = [value + step for step in steps]
    else:
        proposals = [value * factor for factor in _UP + _DOWN]
    rng.shuffle(proposals)
    return [proposal for proposal in proposals if not _wrong_side(proposal, value, how)]


def _wrong_side(new: float, old: float, how: Bound) -> bool:
    if how == "about" and 0.6 < new / old < 1.6:
        return True
    return (how == "lower" and new <= old) or (how == "upper" and new >= old)
