"""Comparing the quantities of a claim with those of a text.

The evidence usually holds several numbers. For each number of the claim two are sought: the one that
agrees with it and the one that differs, each where the words around it fit best. Which of the two is its true
counterpart is weighed from how well they fit; only a differing one that clearly fits better is a conflict. A number
with no counterpart is missing. Calling a conflict wrongly costs more than overlooking one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ..text import Span
from .alignment import Placed, Prepared, near_share, prepare, sentence_share
from .arithmetic import RECKONING, follows
from .measures import Kind, Quantity, read
from .tolerance import agree, comparable

__all__ = ["Prepared", "Quantity", "QuantityFinding", "compare", "prepare", "read"]

_CLEAR = 0.84

# Fitted on labelled claims by logistic regression, passages apart; the order is that of `features`.
_BIAS = -0.69
_WEIGHTS = (
    3.35, 2.37, 0.77, -0.28, -2.28, -0.73, 0.32, -0.77, -1.58, -1.10, -0.43, -0.12, -0.82, -0.42, -1.19, -1.40,
    -1.43, 0.19, -0.50, -0.55, 0.64, 1.12, 2.23, -0.07, 1.16, -0.26, -0.72, -0.24,
)  # fmt: skip

Status = Literal["match", "conflict", "missing"]


@dataclass(frozen=True, slots=True)
class QuantityFinding:
    """What became of one quantity of a claim.

    `claim` and `evidence` are places in the two texts; a missing quantity has no evidence. `strength`
    is, from 0 to 1, how likely the number conflicts with the evidence, whatever the status.
    """

    status: Status
    kind: Kind
    claim: Span
    evidence: Span | None
    reason: str
    strength: float = 0.0


@dataclass(frozen=True, slots=True)
class _Counterpart:
    placed: Placed
    near: float
    around: float

    @property
    def fit(self) -> float:
        return self.near + self.around


def compare(claim: str, evidence: str | Prepared) -> list[QuantityFinding]:
    """One finding for each quantity of the claim, in the order they are written."""
    known = prepare(evidence) if isinstance(evidence, str) else evidence
    said = prepare(claim)
    agreeing = [_best(item, said, known, "yes") for item in said.placed]
    return [_finding(index, said, known, agreeing) for index in range(len(said.placed))]


def _best(item: Placed, said: Prepared, known: Prepared, wanted: str) -> _Counterpart | None:
    best: _Counterpart | None = None
    for other in known.placed:
        if not comparable(item.quantity, other.quantity) or agree(item.quantity, other.quantity) != wanted:
            continue
        found = _Counterpart(other, near_share(item, other, known), sentence_share(item, other, said, known))
        if best is None or found.fit > best.fit:
            best = found
    return best


def features(
    index: int, said: Prepared, known: Prepared, agreeing: list[_Counterpart | None], differing: _Counterpart
) -> tuple[float, ...]:
    """What speaks for and against a differing number being the counterpart."""
    item = said.placed[index]
    mine, theirs = item.quantity, differing.placed.quantity
    match = agreeing[index]
    others = [found for place, found in enumerate(agreeing) if found is not None and place != index]
    claim_sentence = said.spans[item.sentence].of(said.text)
    their_sentence = known.spans[differing.placed.sentence].of(known.text)
    reckons = RECKONING.search(claim_sentence) is not None and RECKONING.search(their_sentence) is None
    taken = any(found.placed is differing.placed for found in others)
    anchored = any(found.placed.sentence == differing.placed.sentence for found in others)
    nouns = bool(set(mine.nouns) & set(theirs.nouns))
    counts = mine.kind == "number" and mine.dimension == ""
    ratio = abs(math.log(abs(mine.low / theirs.low))) if mine.low and theirs.low and mine.date is None else 0.0
    return (
        differing.near,
        differing.around,
        differing.near * differing.around,
        float(match is not None),
        match.near if match else 0.0,
        match.around if match else 0.0,
        differing.fit - match.fit if match else 0.0,
        float(reckons),
        float(match is None and follows(mine, [placed.quantity for placed in known.placed])),
        float(taken),
        float(anchored),
        float(nouns),
        float(counts and not nouns),
        float(bool(mine.unit) and mine.unit.rstrip("s") == theirs.unit.rstrip("s")),
        float(mine.kind == "date"),
        float(mine.kind == "time"),
        float(mine.kind == "money"),
        float(mine.kind == "percent"),
        float(mine.kind in ("ordinal", "weekday")),
        float(mine.in_words),
        float(mine.bound == "about"),
        float(mine.bound in ("over", "under", "at least", "at most")),
        float(mine.bound == "exactly"),
        float(mine.kind == "date" and bool(item.event) and bool(differing.placed.event) and item.event != differing.placed.event),
        float(item.event == differing.placed.event != ""),
        min(ratio, 4.0),
        float(mine.low == 1),
        math.log(1 + len(known.placed)),
    )


def _finding(index: int, said: Prepared, known: Prepared, agreeing: list[_Counterpart | None]) -> QuantityFinding:
    item = said.placed[index]
    mine = item.quantity
    here = Span(mine.start, mine.end)
    match = agreeing[index]
    differing = _best(item, said, known, "no")
    strength = 0.0
    if differing is not None:
        values = features(index, said, known, agreeing, differing)
        strength = _chance(_BIAS + sum(weight * value for weight, value in zip(_WEIGHTS, values, strict=True)))
        if strength >= _CLEAR:
            theirs = differing.placed.quantity
            reason = f"the claim says {_shown(mine)}, the context says {_shown(theirs)}"
            return QuantityFinding("conflict", mine.kind, here, Span(theirs.start, theirs.end), reason, strength)
    if match is not None:
        theirs = match.placed.quantity
        same = _shown(mine) == _shown(theirs)
        reason = (
            f"the claim and the context both say {_shown(mine)}"
            if same
            else f"the claim says {_shown(mine)}, which agrees with {_shown(theirs)} in the context"
        )
        return QuantityFinding("match", mine.kind, here, Span(theirs.start, theirs.end), reason, strength)
    reason = f"the context does not mention {_shown(mine)}"
    return QuantityFinding("missing", mine.kind, here, None, reason, strength)


def _chance(score: float) -> float:
    return 1.0 / (1.0 + math.exp(-score))


def _shown(quantity: Quantity) -> str:
    """The quantity in words, with the word that bounds it: "at most 15 minutes"."""
    text = " ".join(quantity.text.split()).rstrip(".,")
    return text if quantity.bound == "plain" else f"{quantity.bound} {text}"
