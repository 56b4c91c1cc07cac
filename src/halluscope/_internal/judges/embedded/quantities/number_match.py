"""How each number of an answer stands to its context: stated there, following from it, at odds with it, or missing.

A number may be worked out: "€216.80" where the context has 76.80, 74.00 and 66.00. What was worked out may be used
again further on in the answer, and numbers of the question may be reckoned with, though they are no evidence.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ....text import Span
from ..claims.grammar import finite_verb
from ..phrases import pattern
from .alignment import Placed, Prepared, prepare
from .arithmetic import BY_CONSTANTS, TWO_STEPS, Arithmetic, Reached
from .comparison import Counterpart, Pairing, pairings, relate, same_value
from .numerals import unit_of
from .quantity import COMPUTED, LIMITS, ROUGHLY, NumberMatch, Quantity, with_bound
from .shares import shares

_MOST_READ = 60
_MOST_OPERANDS = 144
_MOST_MADE = 24
_COUNTERPART = 0.35
_LIKELY = 0.5
_FEW, _FURTHER = 7, 0.65
"""Of so few numbers all that follows is found, so another one is wrong with this probability at least."""
_HARDLY = 0.3
"""Unless its own doubt is below this: what is small or in words may have been counted."""
_EXACT = ("plain", "exactly")
_YEAR = re.compile(r"1\d{3}|20\d\d")
_QUIET = ("ordinal", "weekday")
_COMPARED = 0.2
"""The doubt of a number that is only compared."""
_CASE = re.compile(rf"\W*{pattern('cases')}\b", re.IGNORECASE)
_DENIES = re.compile(rf"\b{pattern('denials')}\b|n['’]t\b", re.IGNORECASE)
_ONE = re.compile(r"\b(?:an?|one|per|each|every)\s+(?:whole\s+|full\s+)?([a-z]+)\b", re.IGNORECASE)
_NOT_REACHED = Reached(None)


def number_matches(claims: Sequence[str], context: str | Prepared, question: str = "") -> list[list[NumberMatch]]:
    """For each claim of one answer, its numbers in the order they are written."""
    known = prepare(context) if isinstance(context, str) else context
    asked = prepare(question)
    texts = [prepare(claim) for claim in claims]
    told = [list(shares(text, known)) for text in texts]
    if not any(text.placed for text in texts):
        return told
    arithmetic = Arithmetic([*_operands(known, texts, asked), *(_made(placed.quantity) for placed in asked.placed)])
    read = [_Claim(text, known, asked) for text in texts]
    # What one step from another number makes is not sought in two.
    for furthest in (TWO_STEPS - 1, TWO_STEPS - 1, TWO_STEPS, TWO_STEPS):
        made = [quantity for claim in read for quantity in claim.work_out(arithmetic, furthest)]
        for quantity in made[:_MOST_MADE]:
            arithmetic.add(_made(quantity))
    return [_beside(claim.number_matches(), mine) for claim, mine in zip(read, told, strict=True)]


def _beside(found: list[NumberMatch], shared: list[NumberMatch]) -> list[NumberMatch]:
    """The shares, and the numbers that are no part of one."""
    taken = {place for share in shared for place in range(*share.claim)}
    apart = [one for one in found if taken.isdisjoint(range(*one.claim))]
    return sorted([*apart, *shared], key=lambda one: one.claim.start)


def _made(quantity: Quantity) -> Placed:
    return Placed(-1, quantity, -1)


def _operands(known: Prepared, texts: Sequence[Prepared], asked: Prepared) -> list[Placed]:
    """The numbers of the context to reckon with; of very many, those whose sentences share most with the answer."""
    placed: Sequence[Placed] = known.placed
    if len(placed) > _MOST_OPERANDS:
        words = {word for text in (*texts, asked) for stems in text.stems for word in stems}
        shared = [sum(map(known.weight, stems & words)) for stems in known.stems]
        best = sorted(placed, key=lambda item: -shared[item.sentence])[:_MOST_OPERANDS]
        placed = sorted(best, key=lambda item: item.index)
    return [one for item in placed for one in (item, item.meant and replace(item, quantity=item.meant)) if one]


class _Claim:
    """One claim while its numbers are worked out."""

    def __init__(self, said: Prepared, known: Prepared, asked: Prepared) -> None:
        self._said, self._known = said, known
        self._pairings = pairings(said, known, _MOST_READ)
        self._reached: dict[int, Reached] = {}
        self._few = len(known.placed) <= _FEW
        open_ones = [one.item for one in self._pairings if one.agreeing is None]
        self._asked = {item.index for item in open_ones if _is_asked(item.quantity, asked)}
        self._settled = self._asked | {one.item.index for one in self._pairings if one.agreeing is not None}

    def work_out(self, arithmetic: Arithmetic, furthest: int) -> list[Quantity]:
        """The numbers that could be worked out now and not before, up to this level."""
        made: list[Quantity] = []
        for pairing in self._pairings:
            index, quantity = pairing.item.index, pairing.item.quantity
            if index in self._settled or quantity.slight or quantity.kind in _QUIET:
                continue
            reached = arithmetic.reach(quantity)
            if pairing.turned or replaces(pairing, reached, self._said, self._known):
                reached = _NOT_REACHED
            self._reached[index] = reached
            if reached.level is not None and reached.level <= furthest:
                self._settled.add(index)
                made.append(quantity)
        return made

    def number_matches(self) -> list[NumberMatch]:
        return [number_match for pairing in self._pairings if (number_match := self._match(pairing)) is not None]

    def _match(self, pairing: Pairing) -> NumberMatch | None:
        quantity, match, other = pairing.item.quantity, pairing.agreeing, pairing.differing
        here = _place(quantity)
        if pairing.item.index in self._asked:
            return NumberMatch("asked", here)
        reached = self._reached.get(pairing.item.index, _NOT_REACHED)
        nowhere = match is None and reached.level is None
        if nowhere and _names_something(quantity, self._known):
            return None
        found = signs(pairing, reached, self._said, self._known)
        if nowhere and self._is_compared(pairing.item):
            return NumberMatch("compared", here, (), _COMPARED, signs=found)
        weighed = COMPUTED if reached.level is None and self._misses_limit(quantity) else doubt(found)
        untold = nowhere and quantity.date is None and quantity.bound in _EXACT
        further = self._few and untold and not found["supposes"] and weighed >= _HARDLY
        doubted = max(weighed, _FURTHER) if further else weighed
        if match is not None and (other is None or doubted < _LIKELY):
            same = match.placed.quantity
            return NumberMatch("stated", here, (_place(same),), doubted, *self._rewritten(quantity, same), found)
        if reached.level is not None and doubted < _LIKELY:
            operands = tuple(_place(self._known.placed[at].quantity) for at in reached.operands if at >= 0)
            return NumberMatch("follows", here, operands, doubted, signs=found)
        # Where the other number hardly takes its place, nothing clashes: it is one more that the context does not have.
        beside = further and weighed < _LIKELY
        if other is not None and not beside and (match or other.near + other.around > _COUNTERPART):
            return NumberMatch("conflicts", here, (_place(other.placed.quantity),), doubted, signs=found)
        if quantity.slight or quantity.kind in _QUIET:
            return None
        return NumberMatch("missing", here, (), doubted, signs=found)

    def _rewritten(self, quantity: Quantity, same: Quantity) -> tuple[str, int]:
        """The number as the context writes it, and how many characters that bound the claim's number go with it."""
        if quantity.bound not in (*LIMITS, "just over") or same_value(quantity, same):
            return same.text, 0
        start = with_bound(self._said.text, quantity.start)
        if start == quantity.start or same.bound != "plain":
            return "", 0
        lead = "at " if same.kind == "time" else "" if same.date is None else "on " if same.date.day else "in "
        return lead + same.text, quantity.start - start

    def _misses_limit(self, quantity: Quantity) -> bool:
        """Whether "more than 30" is held against the one number of its sort in the context, which is not."""
        if quantity.bound not in LIMITS or quantity.kind in ("date", "time"):
            return False
        related = [found for one in self._known.placed if (found := relate(quantity, one.quantity)) is not None]
        return [found.agreement for found in related] == ["no"]

    def _is_compared(self, item: Placed) -> bool:
        """Whether a number that the context does not have need not be there."""
        quantity = item.quantity
        sentence = self._said.spans[item.sentence]
        said, at = sentence.of(self._said.text), quantity.start - sentence.start
        unit = unit_of(quantity.unit) if quantity.unit else None
        named = [one for word in _ONE.findall(self._known.text) if (one := unit_of(word)) is not None] if unit else []
        if any(one.dimension == quantity.dimension and math.isclose(one.factor, quantity.low) for one in named):
            return True  # "60 seconds" beside "a minute"
        related = [(one.quantity, relate(quantity, one.quantity)) for one in self._known.placed]
        alike = [(other, found) for other, found in related if found is not None]
        if quantity.date and any(found.agreement == "open" and other.bound in LIMITS for other, found in alike):
            return True  # "in 2018" beside "since 2015"
        if _DENIES.search(said) and alike:
            return True
        verb = finite_verb(said)  # "An order of $80 ships free" is a case of "over $50"
        return bool(_CASE.match(said) and (alike or named) and (verb is None or at < verb.start))


def _place(quantity: Quantity) -> Span:
    return Span(quantity.start, quantity.end)


def _names_something(quantity: Quantity, known: Prepared) -> bool:
    """Whether it stands in a text that means no number by it: the 11.2 of "version 11.2", the year of a date."""
    if quantity.kind != "number":
        return False
    starts = [item.quantity.start for item in known.placed]
    for place in re.finditer(rf"(?<![\w.,]){re.escape(quantity.text)}(?!\w|[.,]\d)", known.text):
        before = bisect_right(starts, place.start()) - 1
        within = known.placed[before].quantity if before >= 0 else None
        if within is None or within.end <= place.start() or (within.date and _YEAR.fullmatch(quantity.text)):
            return True
    return False


def _is_asked(quantity: Quantity, asked: Prepared) -> bool:
    relations = (relate(quantity, item.quantity) for item in asked.placed[:_MOST_READ])
    return any(relation is not None and relation.agreement == "yes" for relation in relations)


_COUNTED = 12.0
_RECKONS = re.compile(rf"\b{pattern('reckoning')}\b|[=×+]", re.IGNORECASE)
"""Words that reckon: such a claim gives numbers that the context need not hold."""
_SUPPOSES = re.compile(rf"\b{pattern('supposing_numbers')}\b", re.IGNORECASE)
_RATE = re.compile(
    r"\b(?:per\s+(\w+)|(?:an?|each|every)\s+(second|minute|hour|day|night|week|month|quarter|year))\b", re.IGNORECASE
)
_PERIOD = re.compile(r"\b(?:hour|day|daily|week|month|quarter|year|annual)", re.IGNORECASE)
_NEXT_DAY = re.compile(rf"\b{pattern('next_days')}\b", re.IGNORECASE)
_CLEARLY, _OPEN = 0.8, 0.45
"""How much better another number must fit for one that is stated to be wrong; else the doubt is this at most."""
_BEHIND = 26
_IN_PLACE = 0.6
"""How well the words beside two numbers must fit for the one to stand in the other's place."""
_MULTIPLE = 0.1
"""And where the one is twice the other, or twelve times, which nearly every round number is of some other."""


def doubt(found: Mapping[str, float]) -> float:
    """The chance, from 0 to 1, that a number with these signs is wrong."""
    weights = _weights()["stated" if "stated" in found else "unstated"]
    score = sum(weights.get(name, 0.0) * value for name, value in found.items())
    chance = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))
    even = "stated" in found and found.get("another nearer", 0.0) + found.get("another around", 0.0) <= _CLEARLY
    return min(chance, _OPEN) if even else chance


@lru_cache(maxsize=1)
def _weights() -> dict[str, dict[str, float]]:
    loaded: dict[str, dict[str, float]] = json.loads(Path(__file__).with_name("quantities.json").read_text("utf-8"))
    return loaded


def signs(pairing: Pairing, reached: Reached, said: Prepared, known: Prepared) -> dict[str, float]:
    """What speaks for and against a number; `reached` counts where the context does not state it."""
    quantity, match, other = pairing.item.quantity, pairing.agreeing, pairing.differing
    sentence = said.spans[pairing.item.sentence].of(said.text)
    reckons = float(_RECKONS.search(sentence) is not None)
    found = {"one": 1.0}
    if match is not None:
        found |= _stated(quantity, match, other)
    elif reached.level is None:
        found |= {f"not reached: {_sort(quantity)}": 1.0, "not reached, reckons": reckons}
    else:
        found |= {
            f"reached {reached.level}": 1.0,
            "reached, reckons": reckons,
            "reached, a count": float(_sort(quantity) == "count"),
        }
    found |= {
        "supposes": float(_SUPPOSES.search(sentence) is not None),
        "exactly": float(quantity.bound == "exactly"),
        "roughly": float(quantity.bound in ROUGHLY),
        "round": float(quantity.date is None and quantity.step >= 0.099 * abs(quantity.low)),
        "in words": float(quantity.in_words),
    }
    if other is None:
        return found | {"no other": 1.0}
    theirs = other.placed.quantity
    return found | {
        "near": other.near,
        "around": other.around,
        "near and around": other.near * other.around,
        "same digits": float(other.relation.swapped),
        "both limits": float(quantity.bound in LIMITS and theirs.bound in LIMITS),
        "other rate": float(_rate(quantity, said) != _rate(theirs, known)),
        "loose": float(other.relation.loose),
    }


def replaces(pairing: Pairing, reached: Reached, said: Prepared, known: Prepared) -> bool:
    """Whether a number was worked out from nothing but the one whose place it takes: 256 GB from 512 GB.

    Where no word reckons, that is another number and not half of it.
    """
    other, mine = pairing.differing, pairing.item
    if reached.neighbour:
        return not _next_day(reached.operands[0], mine, said, known)
    fit = _MULTIPLE if reached.level == BY_CONSTANTS else _IN_PLACE
    if other is None or reached.operands != (other.placed.index,) or other.near < fit:
        return False
    here, there = said.spans[mine.sentence].of(said.text), known.spans[other.placed.sentence].of(known.text)
    if _RECKONS.search(here) or _periods(here) != _periods(there):
        return False
    return _rate(mine.quantity, said) == _rate(other.placed.quantity, known)


def _next_day(operand: int, mine: Placed, said: Prepared, known: Prepared) -> bool:
    """Whether a text speaks of the day before or after the one it names: of itself 15 May says nothing of the 16th."""
    sentences = [said.spans[mine.sentence].of(said.text)]
    if operand >= 0:
        there = known.placed[operand].sentence
        sentences += [span.of(known.text) for span in known.spans[there : there + 2]]
    return any(_NEXT_DAY.search(sentence) for sentence in sentences)


def _periods(sentence: str) -> set[str]:
    """The spans of time that a sentence speaks of: what a year costs follows from what a month does."""
    return {word.lower() for word in _PERIOD.findall(sentence)}


def _sort(quantity: Quantity) -> str:
    """What a number is, for how much its absence tells."""
    if quantity.date is not None:
        return "date" if quantity.date.years else "day" if quantity.date.day else "month"
    if quantity.kind in ("time", "weekday", "ordinal"):
        return quantity.kind
    small = quantity.figure == int(quantity.figure) and abs(quantity.figure) <= _COUNTED
    unit = unit_of(quantity.unit) if quantity.unit else None
    whole = unit is None or quantity.low == quantity.figure * unit.factor  # seven hours and twenty minutes are no count
    if small and whole and quantity.dimension in ("", "duration", "times"):
        return "count"
    return "share" if quantity.kind == "percent" else "amount"


def _stated(quantity: Quantity, match: Counterpart, other: Counterpart | None) -> dict[str, float]:
    return {
        "stated": 1.0,
        "stated exactly": float(same_value(quantity, match.placed.quantity)),
        "stated near": match.near,
        "stated around": match.around,
        "another nearer": max(0.0, other.near - match.near) if other else 0.0,
        "another around": max(0.0, other.around - match.around) if other else 0.0,
    }


def _rate(quantity: Quantity, text: Prepared) -> str:
    """What an amount is for one of: "612 kg of CO2 per tonne", "39 pounds a month"."""
    found = _RATE.search(text.text, quantity.end, quantity.end + _BEHIND)
    return (found.group(1) or found.group(2)).lower().rstrip("s") if found else ""
