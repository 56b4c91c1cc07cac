"""How each number of an answer stands to its context: stated there, following from it, at odds with it, or missing.

A number may be worked out: "€216.80" where the context has 76.80, 74.00 and 66.00. What was worked out may be used
again further on in the answer, and numbers of the question may be reckoned with, though they are no evidence.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...text import Span
from .alignment import Placed, Prepared, prepare
from .counterparts import Pairing, pairings
from .doubts import doubt, replaces, signs
from .reckoning import TWO_STEPS, Operand, Reached, Reckoner
from .tolerance import relate, same_value
from .written.bounds import LIMITS
from .written.quantity import Kind, Quantity

__all__ = ["UNTOLD", "Standing", "Status", "standings"]

Status = Literal["stated", "asked", "follows", "conflicts", "missing", "unread"]
UNTOLD: tuple[Status, ...] = ("missing", "asked")
"""Of such a number the context says nothing."""
_MOST_READ = 60
_MOST_OPERANDS = 144
_MOST_MADE = 24
_BY_CHANCE = 0.5
_COUNTERPART = 0.35
_LIKELY = 0.5
_FEW, _FURTHER = 7, 0.65
"""Of so few numbers all that follows is found, so a further one is held for wrong with this chance at least."""
_HARDLY = 0.3
"""Unless its own doubt is below this: what is small or in words may have been counted."""
_EXACT = ("plain", "exactly")
_YEAR = re.compile(r"1\d{3}|20\d\d")
_QUIET = ("ordinal", "weekday")
_NOT_REACHED = Reached(None)


@dataclass(frozen=True, slots=True)
class Standing:
    """How one number of a claim stands.

    `stated`: the context has it, at `evidence`. `asked`: only the question has it. `follows`: it can be worked out
    from the numbers at `evidence`. `conflicts`: the context has another number in its place, at `evidence`.
    `missing`: neither there nor to be worked out. `unread`: one of so many that it was not looked at.
    """

    status: Status
    kind: Kind
    claim: Span
    evidence: tuple[Span, ...]
    reason: str
    doubt: float
    """The chance, from 0 to 1, that the number is wrong."""
    written: str = ""
    """A stated number as the context writes it, where that says the same."""
    signs: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)
    """What that chance was weighed from."""

    @property
    def strength(self) -> float:
        """How sure the status is, from 0 to 1."""
        return self.doubt if self.status in ("conflicts", "missing") else 1.0 - self.doubt


def standings(claims: Sequence[str], context: str | Prepared, question: str = "") -> list[list[Standing]]:
    """For each claim of one answer, its numbers in the order they are written."""
    known = prepare(context) if isinstance(context, str) else context
    asked = prepare(question)
    texts = [prepare(claim) for claim in claims]
    if not any(text.placed for text in texts):
        return [[] for _ in claims]
    reckoner = Reckoner([*_operands(known, texts, asked), *(_made(placed.quantity) for placed in asked.placed)])
    read = [_Claim(text, known, asked) for text in texts]
    # What one step from another number makes is not sought in two.
    for furthest in (TWO_STEPS - 1, TWO_STEPS - 1, TWO_STEPS, TWO_STEPS):
        made = [quantity for claim in read for quantity in claim.work_out(reckoner, furthest)]
        for quantity in made[:_MOST_MADE]:
            reckoner.add(_made(quantity))
    return [claim.standings() for claim in read]


def _made(quantity: Quantity) -> Operand:
    return Operand(quantity, -1, (), _shown(quantity))


def _operands(known: Prepared, texts: Sequence[Prepared], asked: Prepared) -> list[Operand]:
    """The numbers of the context to reckon with; of very many, those whose sentences share most with the answer."""
    placed: Sequence[Placed] = known.placed
    if len(placed) > _MOST_OPERANDS:
        words = {word for text in (*texts, asked) for stems in text.stems for word in stems}
        shared = [sum(map(known.weight, stems & words)) for stems in known.stems]
        best = sorted(placed, key=lambda item: -shared[item.sentence])[:_MOST_OPERANDS]
        placed = sorted(best, key=lambda item: item.index)
    return [
        Operand(quantity, item.sentence, item.label or item.column, _shown(quantity), item.index)
        for item in placed
        for quantity in (item.quantity, item.meant)
        if quantity is not None
    ]


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

    def work_out(self, reckoner: Reckoner, furthest: int) -> list[Quantity]:
        """The numbers that could be worked out now and not before, up to this level."""
        made: list[Quantity] = []
        for pairing in self._pairings:
            index, quantity = pairing.item.index, pairing.item.quantity
            if index in self._settled or quantity.slight or quantity.kind in _QUIET:
                continue
            reached = reckoner.reach(quantity)
            if pairing.turned or replaces(pairing, reached, self._said, self._known):
                reached = _NOT_REACHED
            self._reached[index] = reached
            if reached.level is not None and reached.level <= furthest and reached.chance < _BY_CHANCE:
                self._settled.add(index)
                made.append(quantity)
        return made

    def standings(self) -> list[Standing]:
        found = [standing for pairing in self._pairings if (standing := self._standing(pairing)) is not None]
        for quantity in (item.quantity for item in self._said.placed[len(self._pairings) :]):
            reason = f"more than {_MOST_READ} numbers in one claim: {_shown(quantity)} was not looked at"
            found.append(Standing("unread", quantity.kind, Span(quantity.start, quantity.end), (), reason, 0.0))
        return found

    def _standing(self, pairing: Pairing) -> Standing | None:
        quantity, match, other = pairing.item.quantity, pairing.agreeing, pairing.differing
        here, shown = Span(quantity.start, quantity.end), _shown(quantity)
        if pairing.item.index in self._asked:
            return Standing("asked", quantity.kind, here, (), f"only the question says {shown}", 0.0)
        reached = self._reached.get(pairing.item.index, _NOT_REACHED)
        if match is None and reached.level is None and _names_something(quantity, self._known):
            return None
        found = signs(pairing, reached, self._said, self._known)
        weighed = doubt(found)
        untold = match is None and reached.level is None and quantity.date is None and quantity.bound in _EXACT
        further = self._few and untold and not found["supposes"] and weighed >= _HARDLY
        doubted = max(weighed, _FURTHER) if further else weighed

        def stands(status: Status, reason: str, *theirs: Quantity, written: str = "") -> Standing:
            places = tuple(Span(one.start, one.end) for one in theirs)
            return Standing(status, quantity.kind, here, places, reason, doubted, written, found)

        if match is not None and (other is None or doubted < _LIKELY):
            same = match.placed.quantity
            known = _shown(same)
            agrees = "the context says {1} too" if shown == known else "{0} agrees with {1} in the context"
            # Behind a bound ("over 1,000") the exact number would say something else.
            bounded = quantity.bound in (*LIMITS, "just over") and not same_value(quantity, same)
            return stands("stated", agrees.format(shown, known), same, written="" if bounded else same.text)
        if reached.level is not None and doubted < _LIKELY:
            operands = [self._known.placed[at].quantity for at in reached.operands if at >= 0]
            return stands("follows", f"{shown} = {reached.words}", *operands)
        # Where the other number hardly takes its place, nothing clashes: it is one more that the context does not have.
        beside = further and weighed < _LIKELY
        if other is not None and not beside and (match or other.near + other.around > _COUNTERPART):
            theirs = other.placed.quantity
            reason = f"the claim says {shown}, the context says {_shown(theirs)}"
            return stands("conflicts", reason, theirs)
        if quantity.slight or quantity.kind in _QUIET:
            return None
        reason = f"{shown} is neither in the context nor a sum, difference or share of its numbers"
        return stands("missing", reason)


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


def _shown(quantity: Quantity) -> str:
    """The quantity in words, with the word that bounds it: "at most 15 minutes"."""
    text = " ".join(quantity.text.split()).rstrip(".,")
    return text if quantity.bound == "plain" else f"{quantity.bound} {text}"
