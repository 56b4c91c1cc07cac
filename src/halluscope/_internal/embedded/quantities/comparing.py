"""Comparing the quantities of a claim with those of a text.

The evidence usually holds several numbers. For each number of the claim two are sought: the one that
agrees with it and the one that differs, each where the words around it fit best. Which of the two is its true
counterpart is weighed from how well they fit; only a differing one that clearly fits better is a conflict. A number
with no counterpart is missing. Calling a conflict wrongly costs more than overlooking one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...text import Span, stem
from .alignment import Prepared, prepare
from .arithmetic import RECKONING
from .counterparts import Counterpart, Pairing, pairings
from .tolerance import same_value
from .weighing import conflict, one_denies, rate
from .written.measures import read
from .written.quantity import Kind, Quantity

__all__ = ["Prepared", "Quantity", "QuantityFinding", "compare", "prepare", "read"]

_CLEAR = 0.85
_CLEAR_THOUGH_DERIVED = 0.96
_LABELLED = 0.9

Status = Literal["match", "conflict", "missing"]


@dataclass(frozen=True, slots=True)
class QuantityFinding:
    """What became of one quantity of a claim.

    `claim` and `evidence` are places in the two texts; a missing quantity has no evidence. `strength`
    is, from 0 to 1, how likely the number conflicts with the evidence, whatever the status. `same` says that
    both state one value, however they are written.
    """

    status: Status
    kind: Kind
    claim: Span
    evidence: Span | None
    reason: str
    strength: float = 0.0
    same: bool = False


def compare(claim: str, evidence: str | Prepared) -> list[QuantityFinding]:
    """One finding for each quantity of the claim that tells something, in the order they are written."""
    said = prepare(claim)
    if not said.placed:
        return []
    known = prepare(evidence) if isinstance(evidence, str) else evidence
    found = [_finding(pairing, said, known) for pairing in pairings(said, known)]
    return [finding for finding in found if finding is not None]


def _finding(pairing: Pairing, said: Prepared, known: Prepared) -> QuantityFinding | None:
    mine = pairing.item.quantity
    here = Span(mine.start, mine.end)
    match, differing = pairing.agreeing, pairing.differing
    strength = 0.0
    if differing is not None:
        strength, derived = conflict(pairing, differing, said, known)
        labelled = pairing.labelled and _plain_field(pairing, differing, said, known)
        if labelled:
            strength = max(strength, _LABELLED)
        if strength >= (_CLEAR_THOUGH_DERIVED if derived else _CLEAR) and (
            labelled or not _one_denies(pairing, differing, said, known)
        ):
            theirs = differing.placed.quantity
            reason = f"the claim says {_shown(mine)}, the context says {_shown(theirs)}"
            return QuantityFinding("conflict", mine.kind, here, Span(theirs.start, theirs.end), reason, strength)
    if match is not None:
        return _match(mine, here, match, strength)
    if mine.slight:
        return None
    reason = f"the context does not mention {_shown(mine)}"
    return QuantityFinding("missing", mine.kind, here, None, reason, strength)


def _match(mine: Quantity, here: Span, match: Counterpart, strength: float) -> QuantityFinding:
    theirs = match.placed.quantity
    said, known = _shown(mine), _shown(theirs)
    reason = (
        f"the claim and the context both say {said}"
        if said == known
        else f"the claim says {said}, which agrees with {known} in the context"
    )
    place = Span(theirs.start, theirs.end)
    return QuantityFinding("match", mine.kind, here, place, reason, strength, same_value(mine, theirs))


def _plain_field(pairing: Pairing, differing: Counterpart, said: Prepared, known: Prepared) -> bool:
    """Whether the claim is of the record that holds the field, and states its value rather than reckons with it."""
    other, words = differing.placed, said.stems[pairing.item.sentence]
    if not differing.around and len(known.spans) > 1:
        return False
    match = pairing.agreeing
    if match and words & known.stems[match.placed.sentence] - known.stems[other.sentence] - pairing.item.own:
        return False
    if rate(pairing.item.quantity, said) != rate(other.quantity, known):
        return False
    return all(stem(word.group().lower()) in other.label for word in RECKONING.finditer(said.text))


def _one_denies(pairing: Pairing, differing: Counterpart, said: Prepared, known: Prepared) -> bool:
    mine, theirs = said.spans[pairing.item.sentence], known.spans[differing.placed.sentence]
    return one_denies(mine.of(said.text), theirs.of(known.text))


def _shown(quantity: Quantity) -> str:
    """The quantity in words, with the word that bounds it: "at most 15 minutes"."""
    text = " ".join(quantity.text.split()).rstrip(".,")
    return text if quantity.bound == "plain" else f"{quantity.bound} {text}"
