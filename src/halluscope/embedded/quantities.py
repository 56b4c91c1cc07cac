"""Comparing the quantities of a claim with those of a text.

The evidence usually holds several numbers. Each number of the claim is first looked for by value; only
when no number of its sort agrees is one sought that plays the same part (the same unit or counted thing,
in a sentence about the same matter), and only then is a different value a conflict. A number that has no
counterpart is missing. Calling a conflict wrongly costs more than missing one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..text import Span
from .alignment import Placed, Prepared, alignment, prepare, reckoned
from .measures import Kind, Quantity, read
from .tolerance import agree, comparable

__all__ = ["Prepared", "Quantity", "QuantityFinding", "compare", "prepare", "read"]

Status = Literal["match", "conflict", "missing"]


@dataclass(frozen=True, slots=True)
class QuantityFinding:
    """What became of one quantity of a claim.

    `claim` and `evidence` are places in the two texts; a missing quantity has no evidence. `strength`
    says from 0 to 1 how well the words around the two numbers agree.
    """

    status: Status
    kind: Kind
    claim: Span
    evidence: Span | None
    reason: str
    strength: float = 0.0


_ALIGNED = 0.4


def compare(claim: str, evidence: str | Prepared) -> list[QuantityFinding]:
    """One finding for each quantity of the claim, in the order they are written."""
    known = prepare(evidence) if isinstance(evidence, str) else evidence
    said = prepare(claim)
    matched: dict[int, int] = {}
    for index, item in enumerate(said.placed):
        found = _by_value(item, said, known)
        if found is not None:
            matched[index] = found
    spoken_for = set(matched.values())
    return [
        _matching(item, known, matched[index]) if index in matched else _differing(item, said, known, spoken_for)
        for index, item in enumerate(said.placed)
    ]


def _by_value(item: Placed, said: Prepared, known: Prepared) -> int | None:
    """The evidence number that agrees with this one and whose words agree best."""
    best, best_score = None, -1.0
    for index, other in enumerate(known.placed):
        if not comparable(item.quantity, other.quantity) or agree(item.quantity, other.quantity) != "yes":
            continue
        score = alignment(item, other, said, known)
        if score > best_score:
            best, best_score = index, score
    return best


def _matching(item: Placed, known: Prepared, index: int) -> QuantityFinding:
    mine, theirs = item.quantity, known.placed[index].quantity
    return QuantityFinding(
        "match", mine.kind, Span(mine.start, mine.end), Span(theirs.start, theirs.end),
        f"the claim says {mine.text}, and so does the context ({theirs.text})"
        if mine.text != theirs.text else f"the claim and the context both say {mine.text}",
        1.0,
    )  # fmt: skip


def _differing(item: Placed, said: Prepared, known: Prepared, spoken_for: set[int]) -> QuantityFinding:
    mine = item.quantity
    best, best_score = None, 0.0
    for index, other in enumerate(known.placed):
        if index in spoken_for or not comparable(mine, other.quantity) or agree(mine, other.quantity) != "no":
            continue
        score = alignment(item, other, said, known)
        if score > best_score:
            best, best_score = index, score
    if (
        best is not None
        and best_score >= _ALIGNED
        and not (known.placed[best].reckoned < item.reckoned or reckoned(mine, known))
    ):
        theirs = known.placed[best].quantity
        return QuantityFinding(
            "conflict", mine.kind, Span(mine.start, mine.end), Span(theirs.start, theirs.end),
            f"the claim says {mine.text}, the context says {theirs.text}", best_score,
        )  # fmt: skip
    return QuantityFinding(
        "missing", mine.kind, Span(mine.start, mine.end), None, f"the context does not mention {mine.text}"
    )
