"""When two quantities count as the same.

The rules are those of a fair reader. A number may be less precise than its source, as long as rounding
the source gives it. An approximation word widens it, a bounding word turns it into an inequality, and
"exactly" takes all latitude away. A date may leave parts out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

from .alignment import Placed, Prepared, near_share, sentence_shares
from .numerals import unit_of
from .quantity import LIMITS, LOWER, ROUGHLY, UPPER, Date, Quantity

Agreement = Literal["yes", "no", "open"]
"""`open`: neither agrees nor differs, such as a rough number that is off by more than a rough number should be."""

_ABOUT = 0.10
_TOO_FAR = 0.20
_CONVERTED = 0.025
_MONTHS = 0.09  # four weeks are taken for a month
_LOOSELY = 0.05
_ROUNDED = 0.02
_SAME = 1e-9
_MOST_TIMES = 3.0
"""Beyond so many times a bound, "more than" says nothing of the number any more."""
_OTHER_LIMIT = 1.5


class Relation(NamedTuple):
    """How a number of a claim stands to one of the evidence.

    `loose`: only one of them says what it measures, as in a field `temp: 20`.
    `swapped`: the same digits with another unit, or of another kind: 37 % and 37 people.
    """

    agreement: Agreement
    loose: bool = False
    swapped: bool = False


def relate(claim: Quantity, evidence: Quantity) -> Relation | None:
    """How the two stand to each other; None where they do not measure the same sort of thing."""
    said, known = claim.date, evidence.date
    if said and known:
        shared = (said.years and known.years) or (said.months and known.months)
        return Relation(_agree_dates(claim, evidence, said, known)) if shared else None
    if said or known:
        return Relation("yes", loose=True) if _part_of_date(claim, evidence) else None
    if "ordinal" in (claim.kind, evidence.kind):
        if claim.kind != evidence.kind or not _same_row(claim, evidence):  # Form 1040 is no Phase 3
            return None
        return Relation("yes" if claim.low == evidence.low else "no")
    if claim.dimension != evidence.dimension:
        return _other_dimension(claim, evidence)
    if claim.kind == "weekday":
        return Relation("yes" if claim.low == evidence.low else "no")
    if claim.kind == "time":
        return Relation("yes" if _same_time(claim, evidence) else "no")
    ranged = claim.low != claim.high or evidence.low != evidence.high
    agreement = _agree_ranges(claim, evidence) if ranged else _agree_numbers(claim, evidence)
    return Relation(agreement, swapped=agreement == "no" and _same_digits(claim, evidence))


def same_value(claim: Quantity, evidence: Quantity) -> bool:
    """Whether both state one and the same value, however they are written."""
    if claim.date is not None or evidence.date is not None:
        return claim.date == evidence.date
    if claim.dimension != evidence.dimension or claim.kind != evidence.kind:
        return False
    return _close(claim.low, evidence.low, _SAME) and _close(claim.high, evidence.high, _SAME)


def _part_of_date(claim: Quantity, evidence: Quantity) -> bool:
    """A year may have been read as a number, or the other way round; a date tells its weekday, and is "the 20th"."""
    dated, other = (claim, evidence) if claim.date else (evidence, claim)
    if dated.date is None:
        return False
    if other.kind == "number":
        return dated.date.months is None and dated.low == dated.high in (other.low, other.high)
    if other.kind == "ordinal":
        return not other.nouns and dated.date.day == other.low
    return claim.kind == "weekday" and dated.date.weekday == claim.low


def _same_row(claim: Quantity, evidence: Quantity) -> bool:
    """Whether two places in an order are of the same order: "Season 4" and "the fourth season"."""
    if claim.unit == evidence.unit:
        return True
    return (claim.unit in evidence.nouns[:2]) if claim.unit else (evidence.unit in claim.nouns[:2])


def _same_time(claim: Quantity, evidence: Quantity) -> bool:
    slack = 20 if claim.bound in ROUGHLY else 0
    known = (evidence.low, evidence.high)
    if claim.bound in ("under", "over") and evidence.bound == "plain":
        return any(one <= claim.high if claim.bound == "under" else one >= claim.low for one in known)
    return any(abs(said - one) <= slack for said in (claim.low, claim.high) for one in known)


def _other_dimension(claim: Quantity, evidence: Quantity) -> Relation | None:
    dimensions = {claim.dimension, evidence.dimension}
    if dimensions & {"time", "weekday"}:
        return Relation("yes", loose=True) if _hour_alone(claim, evidence) else None
    if dimensions == {"angle", "temperature"}:
        return Relation(_agree_figures(claim, evidence))
    if dimensions == {"times", "percent"}:
        part = {claim.dimension: claim.low, evidence.dimension: evidence.low}
        return Relation("yes") if _close(100 * part["times"], part["percent"], _ROUNDED) else None
    if "" in dimensions:
        bare = claim if not claim.dimension else evidence
        distinct = claim.figure == evidence.figure and (claim.figure >= 13 or claim.figure % 1 != 0)
        if not bare.nouns or (distinct and bare is evidence):
            return Relation(_agree_figures(claim, evidence), loose=True)
    money = claim.kind == evidence.kind == "money"  # 40 dollars for 40 euros
    return Relation("no", swapped=True) if money and claim.figure == evidence.figure else None


def _hour_alone(claim: Quantity, evidence: Quantity) -> bool:
    """Whether one is an hour and the other the number of that hour: "noon" for "open 12-15"."""
    timed, other = (claim, evidence) if claim.kind == "time" else (evidence, claim)
    if timed.kind != "time" or not other.bare:
        return False
    return any(60 * hour % 1440 in (timed.low, timed.high) for hour in (other.low, other.high))


def _same_digits(claim: Quantity, evidence: Quantity) -> bool:
    """The same digits with another unit, scale or point: 95 °C for 95 °F, 4.48 million for 4.48 billion."""
    if claim.low != claim.high or evidence.low != evidence.high or "times" in (claim.dimension, evidence.dimension):
        return False
    if claim.dimension and claim.figure == evidence.figure:
        return claim.figure > 2
    mine, theirs = _digits(claim.figure), _digits(evidence.figure)
    return len(mine) > 1 and mine == theirs and claim.dimension == evidence.dimension


def _digits(figure: float) -> str:
    return f"{figure:.10e}".split("e")[0].rstrip("0").replace(".", "").lstrip("-")


def _agree_figures(claim: Quantity, evidence: Quantity) -> Agreement:
    """The same, of the numbers as they are written."""
    said, known = claim.figure, evidence.figure
    share = claim.low / evidence.low if evidence.low else 0.0
    if _close(said, known, _SAME) or (claim.dimension == "percent" and _close(share, 100.0, 0.005) and known <= 1):
        return "yes"
    slack = _ABOUT if claim.bound in ROUGHLY else _ROUNDED if abs(said) >= 10 and claim.step > evidence.step else 0.0
    if slack and _close(said, known, slack):
        return "yes"
    if claim.bound in LIMITS or claim.low != claim.high:
        return "open"
    return "no"


def _agree_dates(claim: Quantity, evidence: Quantity, said: Date, known: Date) -> Agreement:
    before = _is_before(known, said)
    if before is not None and claim.bound in ("under", "over"):
        return "yes" if before is (claim.bound == "under") else "no"
    if before is not None:
        beyond = evidence.bound in ("under", "at most") if before is False else evidence.bound in ("over", "at least")
        if beyond or (before and claim.bound == "at most"):
            return "open"  # "at work there since 2015", and still there in 2018
    rough = claim.bound in ROUGHLY
    years = _overlap(said.years, known.years, 2 if rough and not said.months else 0)
    months = _overlap(said.months, known.months, 1 if rough else 0)
    mine, theirs = (_days(date) for date in (said, known))
    several = bool(said.last and known.last)
    if not years or not months or not _overlap(mine, theirs, 3 if rough else 0) or (several and mine != theirs):
        within = evidence.within and _order(evidence.within[0]) <= _order(said) <= _order(evidence.within[1])
        return "open" if within else "no"
    more_precise = any(mine and not theirs for mine, theirs in zip(said[:3], known[:3], strict=True))
    return "open" if more_precise else "yes"


def _is_before(one: Date, other: Date) -> bool | None:
    """Whether one date lies wholly before the other; None where they meet or cannot be compared."""
    if (one.years is None) != (other.years is None) or (one.years is None and not (one.months and other.months)):
        return None
    if _ends(one)[1] < _ends(other)[0]:
        return True
    return False if _ends(other)[1] < _ends(one)[0] else None


def _ends(date: Date) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The first and the last day of a date."""
    years, months = date.years or (0, 0), date.months or (1, 12)
    return (years[0], months[0], date.day or 1), (years[1], months[1], date.last or date.day or 31)


def _days(date: Date) -> tuple[int, int] | None:
    return (date.day, date.last or date.day) if date.day else None


def _order(date: Date) -> tuple[int, int, int]:
    return (date.years or (0, 0))[0], (date.months or (0, 0))[0], date.day or 0


def _overlap(left: tuple[int, int] | None, right: tuple[int, int] | None, slack: int) -> bool:
    """Whether two stretches meet; where one is not stated, nothing says that they do not."""
    return not left or not right or (left[0] - slack <= right[1] and right[0] <= left[1] + slack)


def _close(said: float, known: float, share: float) -> bool:
    return abs(said - known) <= share * max(abs(known), abs(said)) + _SAME


def _converted(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the two are in different units: miles for kilometres."""
    return bool(claim.unit and evidence.unit) and unit_of(claim.unit) != unit_of(evidence.unit)


def _agree_ranges(claim: Quantity, evidence: Quantity) -> Agreement:
    converted = _converted(claim, evidence)

    def meets(said: float, known: float) -> bool:
        return _close(said, known, _ROUNDED) or (converted and abs(said - known) <= claim.step)

    if claim.low == claim.high:
        inside = evidence.low * (1 - _ROUNDED) <= claim.low <= evidence.high * (1 + _ROUNDED)
        at_end = meets(claim.low, evidence.low) or meets(claim.low, evidence.high)
        if at_end or (inside and claim.bound in ROUGHLY):
            return "yes"
        return "open" if inside else "no"
    if evidence.low == evidence.high:
        return "yes" if claim.low * (1 - _ROUNDED) <= evidence.low <= claim.high * (1 + _ROUNDED) else "no"
    return "yes" if meets(claim.low, evidence.low) and meets(claim.high, evidence.high) else "no"


def _agree_numbers(claim: Quantity, evidence: Quantity) -> Agreement:
    said, known = claim.low, evidence.low
    same = _close(said, known, _SAME) or _rounds_to(claim, evidence)
    if said * known < 0:
        booked = evidence.kind in ("number", "money") and evidence.step < 1 and _close(said, -known, _SAME)
        return "yes" if booked and claim.bound == "plain" else "no"  # a payment of 23.00 is booked as -23.00
    if claim.bound == "exactly":
        return "yes" if evidence.bound in ("plain", "exactly") and _close(said, known, _SAME) else "no"
    if same and evidence.bound != "plain":  # "at least 6" is not "up to 6"
        sides = ((LOWER, UPPER), (UPPER, LOWER))
        return "no" if any(claim.bound in mine and evidence.bound in theirs for mine, theirs in sides) else "yes"
    if claim.bound in LOWER + UPPER:
        return _agree_bounded(claim, evidence)
    if same:
        return "yes"
    if evidence.bound in LIMITS:
        allowed = said > known if evidence.bound in LOWER else said < known
        return "open" if allowed else "no"
    slack = _ABOUT if claim.bound == "about" else _ABOUT / 2 if evidence.bound == "about" else 0.0
    if slack:
        if _close(said, known, slack):
            return "yes" if claim.bound == "about" else "open"  # "about 500" may be 498, and does not say so
        return "open" if _close(said, known, _TOO_FAR) else "no"
    a_third = claim.in_words and claim.kind == "percent" and _close(said, known, 0.06)  # of 34 %
    return "yes" if a_third else "no"


def _agree_bounded(claim: Quantity, evidence: Quantity) -> Agreement:
    """Of a claim that says more or less than a number."""
    said, known = claim.low, evidence.low
    if claim.bound == "nearly":
        said, known = abs(said), abs(known)  # nearly -60 degrees
    upwards = claim.bound in LOWER
    beyond = known > said if upwards else known < said
    if not beyond and not _close(said, known, _SAME):
        if upwards and evidence.bound in ("over", "at least"):
            return "no"
        return "open" if _close(said, known, _LOOSELY if claim.bound == "nearly" else _ROUNDED) else "no"
    if claim.bound in ROUGHLY and not _close(said, known, _TOO_FAR):
        return "no"
    small, large = sorted((abs(said), abs(known)))
    apart = 1 + _ROUNDED if claim.bound in ("at most", "at least") else _OTHER_LIMIT
    if evidence.bound == claim.bound and large > apart * small:
        return "no"  # two unlike limits of one kind
    during = claim.bound == "over" and claim.dimension == "duration"  # "over seven days"
    met = beyond or during or claim.bound not in ("over", "under")
    return "yes" if met and large <= _MOST_TIMES * small else "open"  # far from it: true, but hardly meant


def _rounds_to(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the claim's number is the evidence's, rounded to the digits the claim gives.

    Small whole numbers are counts and never rounded: 30 people are not 28. Another unit allows for the conversion.
    """
    said, known = claim.low, evidence.low
    if _converted(claim, evidence):
        months = claim.dimension == "duration" and any(name.startswith("month") for name in (claim.unit, evidence.unit))
        if _close(said, known, _MONTHS if months else _CONVERTED):
            return True
        if claim.dimension == "temperature":
            return abs(said - known) <= max(claim.step, evidence.step)
        return abs(said - known) <= claim.step / 2 and _close(said, known, 2 * _CONVERTED)
    if claim.step <= evidence.step or not known:
        return False
    if claim.step >= 10 and abs(said) < 1000 and claim.dimension in ("", "duration"):
        return False
    odd = claim.step != 10 ** round(math.log10(claim.step)) or claim.step < 1 or abs(said) >= 1e6
    finer = abs(said - known) <= claim.step / 2 * (1 + 1e-6)
    return finer and _close(said, known, _LOOSELY if odd else _ROUNDED)


_LOOSE = 0.7
"""What a number counts that does not say what it measures, beside one that does."""


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A number of the evidence, and how well its surroundings fit those of a number of the claim."""

    placed: Placed
    relation: Relation
    near: float
    around: float

    @property
    def fit(self) -> float:
        """One figure for it."""
        return (self.near + self.around) * (_LOOSE if self.relation.loose else 1.0)


@dataclass(frozen=True, slots=True)
class Pairing:
    """A number of the claim with its counterparts, where there are any."""

    item: Placed
    agreeing: Counterpart | None
    differing: Counterpart | None
    turned: bool
    """Whether it is only known as the other end of a change: who grew from 5 to 9 did not grow to 5."""


def pairings(said: Prepared, known: Prepared, most: int) -> list[Pairing]:
    """One pairing for each of the first `most` numbers of the claim, in their order.

    The limit keeps the time in proportion to the text: each number is held against all of the evidence.
    """
    items = said.placed[:most]
    found = [_by_end(item, _candidates(item, said, known)) for item in items]
    agreeing = [_best(_of(meant, "yes")) for meant, _ in found]
    out = []
    for index, (item, (meant, other_ends)) in enumerate(zip(items, found, strict=True)):
        others = (one for place, one in enumerate(agreeing) if one is not None and place != index)
        taken = frozenset(one.placed.index for one in others)
        turned = agreeing[index] is None and bool(_of(other_ends, "yes"))
        out.append(Pairing(item, agreeing[index], _best(_of(meant, "no"), taken), turned))
    return out


def _of(candidates: list[Counterpart], agreement: Agreement) -> list[Counterpart]:
    return [one for one in candidates if one.relation.agreement == agreement]


def _candidates(item: Placed, said: Prepared, known: Prepared) -> list[Counterpart]:
    shares = sentence_shares(item, said, known)
    mine = sum(known.weight(word) * closeness for word, closeness in item.near.items())
    out = []
    for other in known.placed:
        relation = _related(item.quantity, other)
        if relation is not None:
            near = near_share(item, mine, other, known)
            out.append(Counterpart(other, relation, near, shares[other.sentence]))
    return out


def _related(mine: Quantity, other: Placed) -> Relation | None:
    """How the two stand to each other; one below "EUR million" may be meant in millions or as it is written."""
    plain = relate(mine, other.quantity)
    if other.meant is None or (plain is not None and plain.agreement == "yes"):
        return plain
    meant = relate(mine, other.meant)
    return meant if meant is not None and (plain is None or meant.agreement == "yes") else plain


def _by_end(item: Placed, candidates: list[Counterpart]) -> tuple[list[Counterpart], list[Counterpart]]:
    """Those that may be meant, and the other ends of spans of which one is: who rose to 9 did not rise to 5, from 5."""
    ends = {one.placed.sentence for one in candidates if one.placed.end == item.end != ""}
    meant: list[Counterpart] = []
    other: list[Counterpart] = []
    for one in candidates:
        (meant if one.placed.sentence not in ends or one.placed.end in ("", item.end) else other).append(one)
    return meant, other


def _best(candidates: list[Counterpart], taken: frozenset[int] = frozenset()) -> Counterpart | None:
    """The one that fits best; one that another number of the claim agrees with fits half as well."""
    return max(candidates, key=lambda one: one.fit / (2 if one.placed.index in taken else 1), default=None)
