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
from .written.quantity import Kind, Quantity

__all__ = ["UNTOLD", "Standing", "Status", "standings"]

Status = Literal["stated", "asked", "follows", "conflicts", "missing", "unread"]
UNTOLD: tuple[Status, ...] = ("missing", "asked")
"""Of such a number the context says nothing."""
_MOST_READ = 60
_MOST_OPERANDS = 144
_MOST_MADE = 24
_ONE_STEP = (TWO_STEPS - 1, TWO_STEPS - 1)
_BY_CHANCE = 0.5
_COUNTERPART = 0.35
_LIKELY = 0.5
_QUIET = ("ordinal", "weekday")
_BOUNDED = ("over", "just over", "at least", "under", "at most")
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
    for furthest in (*_ONE_STEP, TWO_STEPS, TWO_STEPS):  # what one step from another number makes is not sought in two
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
        self._asked = {
            pairing.item.index for pairing in self._pairings
            if pairing.agreeing is None and _is_asked(pairing.item.quantity, asked)
        }  # fmt: skip
        self._reached: dict[int, Reached] = {}
        self._settled = {
            pairing.item.index for pairing in self._pairings
            if pairing.agreeing is not None or pairing.item.index in self._asked
        }  # fmt: skip

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
        left = self._said.placed[len(self._pairings) :]
        return [*found, *map(_unread, left)]

    def _standing(self, pairing: Pairing) -> Standing | None:
        quantity, match, other = pairing.item.quantity, pairing.agreeing, pairing.differing
        here = Span(quantity.start, quantity.end)
        if pairing.item.index in self._asked:
            return Standing("asked", quantity.kind, here, (), f"only the question says {_shown(quantity)}", 0.0)
        reached = None if match else self._reached.get(pairing.item.index, _NOT_REACHED)
        if reached is not None and reached.level is None and _names_something(quantity, self._known):
            return None
        found = signs(pairing, reached, self._said, self._known)
        doubted = doubt(found)

        def stands(status: Status, reason: str, *theirs: Quantity, written: str = "") -> Standing:
            places = tuple(Span(one.start, one.end) for one in theirs)
            return Standing(status, quantity.kind, here, places, reason, doubted, written, found)

        if match is not None and (other is None or doubted < _LIKELY):
            same = match.placed.quantity
            return stands("stated", _agree(quantity, same), same, written=_written(quantity, same))
        if reached is not None and reached.level is not None and doubted < _LIKELY:
            operands = [self._known.placed[at].quantity for at in reached.operands if at >= 0]
            return stands("follows", f"{_shown(quantity)} = {reached.words}", *operands)
        if other is not None and (match or other.near + other.around + other.field > _COUNTERPART):
            theirs = other.placed.quantity
            reason = f"the claim says {_shown(quantity)}, the context says {_shown(theirs)}"
            return stands("conflicts", reason, theirs)
        if quantity.slight or quantity.kind in _QUIET:
            return None
        reason = f"{_shown(quantity)} is neither in the context nor a sum, difference or share of its numbers"
        return stands("missing", reason)


def _names_something(quantity: Quantity, known: Prepared) -> bool:
    """Whether it stands in a text that means no number by it: the 11.2 of "version 11.2"."""
    if quantity.kind != "number":
        return False
    starts = [item.quantity.start for item in known.placed]
    for place in re.finditer(rf"(?<![\w.,]){re.escape(quantity.text)}(?!\w|[.,]\d)", known.text):
        before = bisect_right(starts, place.start()) - 1
        if before < 0 or known.placed[before].quantity.end <= place.start():
            return True
    return False


def _is_asked(quantity: Quantity, asked: Prepared) -> bool:
    for item in asked.placed[:_MOST_READ]:
        relation = relate(quantity, item.quantity)
        if relation is not None and relation.agreement == "yes":
            return True
    return False


def _unread(item: Placed) -> Standing:
    quantity = item.quantity
    reason = f"more than {_MOST_READ} numbers in one claim: {_shown(quantity)} was not looked at"
    return Standing("unread", quantity.kind, Span(quantity.start, quantity.end), (), reason, 0.0)


def _agree(mine: Quantity, theirs: Quantity) -> str:
    said, known = _shown(mine), _shown(theirs)
    return f"the context says {known} too" if said == known else f"{said} agrees with {known} in the context"


def _written(mine: Quantity, theirs: Quantity) -> str:
    """As the context writes it; behind a bound ("over 1,000") the exact number would say something else."""
    return "" if mine.bound in _BOUNDED and not same_value(mine, theirs) else theirs.text


def _shown(quantity: Quantity) -> str:
    """The quantity in words, with the word that bounds it: "at most 15 minutes"."""
    text = " ".join(quantity.text.split()).rstrip(".,")
    return text if quantity.bound == "plain" else f"{quantity.bound} {text}"
