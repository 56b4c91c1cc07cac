"""When two quantities count as the same.

The rules are those of a fair reader. A number may be less precise than its source, as long as rounding
the source gives it. An approximation word widens it, a bounding word turns it into an inequality, and
"exactly" takes all latitude away. A date may leave parts out.
"""

from __future__ import annotations

import math
from typing import Literal

from .dates import Date
from .measures import Quantity

__all__ = ["Agreement", "agree", "comparable"]

Agreement = Literal["yes", "no", "open"]
"""`open`: neither agrees nor differs, such as a rough number that is off by more than a rough number should be."""

_ABOUT = 0.10
_TOO_FAR = 0.20
_CONVERTED = 0.025
_ROUNDED = 0.02
_SAME = 1e-9


def comparable(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the two measure the same sort of thing, so that their values can differ at all."""
    if claim.kind == evidence.kind == "date":
        return _shared_parts(claim.date, evidence.date)
    if "date" in (claim.kind, evidence.kind):
        return False
    if claim.kind == "ordinal" or evidence.kind == "ordinal":
        return claim.kind == evidence.kind and claim.unit == evidence.unit  # Form 1040 is no Phase 3
    return claim.dimension == evidence.dimension


def agree(claim: Quantity, evidence: Quantity) -> Agreement:
    """Whether the claim's quantity is what the evidence's quantity says, or differs from it."""
    if claim.date is not None and evidence.date is not None:
        return _agree_dates(claim, evidence)
    if claim.kind == "time":
        return _agree_times(claim, evidence)
    if claim.kind in ("weekday", "ordinal"):
        return "yes" if claim.low == evidence.low else "no"
    if claim.low != claim.high or evidence.low != evidence.high:
        return _agree_ranges(claim, evidence)
    return _agree_numbers(claim, evidence)


def _shared_parts(claim: Date | None, evidence: Date | None) -> bool:
    if claim is None or evidence is None:
        return False
    both_years = claim.years is not None and evidence.years is not None
    both_months = claim.months is not None and evidence.months is not None
    return both_years or both_months


def _agree_dates(claim: Quantity, evidence: Quantity) -> Agreement:
    said, known = claim.date, evidence.date
    if said is None or known is None:
        return "open"
    slack = 2 if claim.bound in ("about", "nearly", "just over") and said.months is None else 0
    if said.years and known.years and not _overlap(said.years, known.years, slack):
        return "no"
    if said.months and known.months:
        month_slack = 1 if claim.bound in ("about", "nearly", "just over") else 0
        if not _overlap(said.months, known.months, month_slack):
            return "no"
    if said.day and known.day and said.day != known.day:
        close = claim.bound in ("about", "nearly", "just over") and abs(said.day - known.day) <= 3
        return "yes" if close else "no"
    more_precise = (
        (said.day and not known.day) or (said.months and not known.months) or (said.years and not known.years)
    )
    return "open" if more_precise else "yes"


def _overlap(left: tuple[int, int], right: tuple[int, int], slack: int = 0) -> bool:
    return left[0] - slack <= right[1] and right[0] <= left[1] + slack


def _agree_times(claim: Quantity, evidence: Quantity) -> Agreement:
    slack = 20 if claim.bound in ("about", "nearly", "just over") else 0
    for said in {claim.low, claim.high}:
        for known in {evidence.low, evidence.high}:
            if abs(said - known) <= slack:
                return "yes"
    return "no"


def _close(said: float, known: float, share: float) -> bool:
    return abs(said - known) <= share * max(abs(known), abs(said)) + _SAME


def _agree_ranges(claim: Quantity, evidence: Quantity) -> Agreement:
    if claim.low == claim.high:
        inside = evidence.low * (1 - _ROUNDED) <= claim.low <= evidence.high * (1 + _ROUNDED)
        at_end = _close(claim.low, evidence.low, _ROUNDED) or _close(claim.low, evidence.high, _ROUNDED)
        if at_end:
            return "yes"
        return "open" if inside else "no"
    if evidence.low == evidence.high:
        return "yes" if claim.low * (1 - _ROUNDED) <= evidence.low <= claim.high * (1 + _ROUNDED) else "no"
    if _close(claim.low, evidence.low, _ROUNDED) and _close(claim.high, evidence.high, _ROUNDED):
        return "yes"
    return "no"


def _agree_numbers(claim: Quantity, evidence: Quantity) -> Agreement:
    said, known = claim.low, evidence.low
    same = _close(said, known, _SAME) or _rounds_to(claim, evidence)
    if said * known < 0:
        return "no"
    if claim.bound == "exactly":
        if evidence.bound not in ("plain", "exactly"):
            return "no"
        return "yes" if _close(said, known, _SAME) else "no"
    if same and evidence.bound != "plain":
        return _same_value(claim, evidence)
    if claim.bound in ("over", "at least", "just over"):
        return _above(claim, evidence)
    if claim.bound in ("under", "at most", "nearly"):
        return _below(claim, evidence)
    if same:
        return "yes"
    if evidence.bound in ("over", "at least", "under", "at most"):
        upwards = evidence.bound in ("over", "at least")
        allowed = said > known if upwards else said < known
        return "open" if allowed else "no"
    slack = _ABOUT if claim.bound == "about" else _ABOUT / 2 if evidence.bound == "about" else 0.0
    if slack:
        if _close(said, known, slack):
            return "yes"
        return "open" if _close(said, known, _TOO_FAR) else "no"
    if claim.in_words and claim.kind == "percent" and _close(said, known, 0.06):
        return "yes"  # "a third" of 34 %
    return "no"


def _same_value(claim: Quantity, evidence: Quantity) -> Agreement:
    """Equal numbers, bounded differently: "at least 6" is not "up to 6"."""
    low_side, high_side = ("over", "at least", "just over"), ("under", "at most", "nearly")
    if claim.bound in low_side and evidence.bound in high_side:
        return "no"
    if claim.bound in high_side and evidence.bound in low_side:
        return "no"
    return "yes"


def _above(claim: Quantity, evidence: Quantity) -> Agreement:
    said, known = claim.low, evidence.low
    if known > said or _close(said, known, _SAME):
        if claim.bound == "just over" and not _close(said, known, _TOO_FAR):
            return "no"
        return "yes" if known > said or claim.bound != "over" else "open"
    if evidence.bound in ("over", "at least"):
        return "no"
    return "open" if _close(said, known, _ROUNDED) else "no"


def _below(claim: Quantity, evidence: Quantity) -> Agreement:
    said, known = claim.low, evidence.low
    if known < said or _close(said, known, _SAME):
        if claim.bound == "nearly" and not _close(said, known, _TOO_FAR):
            return "no"
        return "yes" if known < said or claim.bound != "under" else "open"
    return "open" if _close(said, known, 0.05 if claim.bound == "nearly" else _ROUNDED) else "no"


def _rounds_to(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the claim's number is the evidence's, rounded to the digits the claim gives.

    Small whole numbers are counts and never rounded: 30 people are not 28. A different unit of the same
    dimension (miles for kilometres) allows for the conversion.
    """
    said, known = claim.low, evidence.low
    if claim.unit and evidence.unit and claim.unit.rstrip("s") != evidence.unit.rstrip("s"):
        if _close(said, known, _CONVERTED):
            return True
        return _offset_unit(claim) and abs(said - known) <= max(claim.step, evidence.step)
    if claim.step <= evidence.step or not known:
        return False
    finer = abs(said - known) <= claim.step / 2 * (1 + 1e-6)
    if claim.step >= 10 and abs(said) < 1000 and claim.dimension in ("", "duration"):
        return False
    limit = 0.05 if claim.step != 10 ** round(math.log10(claim.step)) or claim.step < 1 else _ROUNDED
    return finer and _close(said, known, max(limit, _ROUNDED) if abs(said) < 1e6 else 0.05)


def _offset_unit(claim: Quantity) -> bool:
    return claim.dimension == "temperature"
