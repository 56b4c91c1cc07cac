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
from .alignment import Placed, Prepared, near_share, prepare, same_label, sentence_share
from .arithmetic import RECKONING, follows
from .measures import Kind, Quantity, read
from .tolerance import agree, comparable
from .wording import hedges, negations

__all__ = ["Prepared", "Quantity", "QuantityFinding", "compare", "prepare", "read"]

_CLEAR = 0.82
_LABELLED = 0.9
_BEHIND = 26

# Fitted on labelled claims by logistic regression, passages apart; the order is that of `features`.
_BIAS = -1.18
_WEIGHTS = (
    1.41, 1.95, 0.83, 1.96, 0.60, 0.52, -1.89, -0.27, -1.25, -0.66, -0.67, -1.23, -0.61, -0.51, -0.70, -0.03,
    -0.55, 1.59, -1.29, 0.67, -1.30, -1.50, 0.34, -0.42, -0.52, 0.56, 1.07, 1.98, 1.08, -0.25, -0.90, -0.20,
    -0.21,
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
    near_back: float
    around_back: float

    @property
    def fit(self) -> float:
        return self.near + self.around


def compare(claim: str, evidence: str | Prepared) -> list[QuantityFinding]:
    """One finding for each quantity of the claim, in the order they are written."""
    said = prepare(claim)
    if not said.placed:
        return []
    known = prepare(evidence) if isinstance(evidence, str) else evidence
    agreeing = [_best(item, said, known, "yes") for item in said.placed]
    return [_finding(index, said, known, agreeing) for index in range(len(said.placed))]


def _best(
    item: Placed, said: Prepared, known: Prepared, wanted: str, taken: frozenset[int] = frozenset()
) -> _Counterpart | None:
    best: _Counterpart | None = None
    for other in known.placed:
        if not comparable(item.quantity, other.quantity) or agree(item.quantity, other.quantity) != wanted:
            continue
        near, near_back = near_share(item, other, known)
        around, around_back = sentence_share(item, other, said, known)
        if other.quantity.start in taken:
            near, around = near / 2, around / 2
        found = _Counterpart(other, near, around, near_back, around_back)
        if best is None or found.fit > best.fit:
            best = found
    return best


def _taken(index: int, agreeing: list[_Counterpart | None]) -> frozenset[int]:
    """The evidence numbers that other numbers of the claim agree with."""
    return frozenset(
        found.placed.quantity.start for place, found in enumerate(agreeing) if found is not None and place != index
    )


def features(
    index: int, said: Prepared, known: Prepared, agreeing: list[_Counterpart | None], differing: _Counterpart
) -> tuple[float, ...]:
    """What speaks for and against a differing number being the counterpart."""
    item = said.placed[index]
    mine, theirs = item.quantity, differing.placed.quantity
    match = agreeing[index]
    claim_sentence = said.spans[item.sentence].of(said.text)
    their_sentence = known.spans[differing.placed.sentence].of(known.text)
    reckons = _reckons(claim_sentence) and not _reckons(their_sentence)
    reckons_here = _reckons(said.text[mine.end : mine.end + _BEHIND]) and not _reckons(
        known.text[theirs.end : theirs.end + _BEHIND]
    )
    derived = match is None and follows(mine, [placed.quantity for placed in known.placed])
    taken = _taken(index, agreeing)
    anchored = any(
        found is not None and place != index and found.placed.sentence == differing.placed.sentence
        for place, found in enumerate(agreeing)
    )
    rivals = sum(comparable(mine, other.quantity) and other.quantity.start not in taken for other in known.placed)
    counted = bool(set(mine.nouns) & set(theirs.nouns))
    counts = mine.kind == "number" and not mine.dimension
    same_unit = bool(mine.unit) and mine.unit.rstrip("s") == theirs.unit.rstrip("s")
    ratio = abs(math.log(abs(mine.low / theirs.low))) if mine.low and theirs.low and mine.date is None else 0.0
    is_date = float(mine.kind == "date")
    return (
        differing.near,
        differing.around,
        differing.near * differing.around,
        differing.near_back,
        differing.around_back,
        differing.near_back * differing.near,
        match.near if match else 0.0,
        match.around if match else 0.0,
        match.near_back if match else 0.0,
        float(reckons),
        float(reckons_here),
        float(derived),
        float(derived and mine.low >= 20 * mine.step),
        float(anchored),
        float(counts and not counted),
        float(not counts and counted),
        float(same_unit),
        differing.around if rivals == 1 else 0.0,
        is_date,
        is_date * differing.near,
        float(mine.kind == "time"),
        float(mine.kind == "money"),
        float(mine.kind == "percent"),
        float(mine.kind in ("ordinal", "weekday")),
        float(mine.in_words),
        float(mine.bound == "about"),
        float(mine.bound in ("over", "under", "at least", "at most")),
        float(mine.bound == "exactly"),
        float(item.event == differing.placed.event != ""),
        min(ratio, 4.0),
        float(mine.low == 1),
        float(bool(hedges(claim_sentence))),
        math.log(1 + len(known.placed)),
    )


def _reckons(text: str) -> bool:
    return RECKONING.search(text) is not None


def _finding(index: int, said: Prepared, known: Prepared, agreeing: list[_Counterpart | None]) -> QuantityFinding:
    item = said.placed[index]
    mine = item.quantity
    here = Span(mine.start, mine.end)
    match = agreeing[index]
    differing = _best(item, said, known, "no", _taken(index, agreeing))
    strength = 0.0
    if differing is not None:
        values = features(index, said, known, agreeing, differing)
        strength = _chance(_BIAS + sum(weight * value for weight, value in zip(_WEIGHTS, values, strict=True)))
        if match is None and not _reckons(said.text) and same_label(item, differing.placed, known):
            strength = max(strength, _LABELLED)
        if strength >= _CLEAR and not _one_denies(item, differing.placed, said, known):
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


def _one_denies(item: Placed, other: Placed, said: Prepared, known: Prepared) -> bool:
    """Where only one side says "not", both numbers may be right: three found none, two found some."""
    mine = negations(said.spans[item.sentence].of(said.text))
    theirs = negations(known.spans[other.sentence].of(known.text))
    return (len(mine) + len(theirs)) % 2 == 1


def _chance(score: float) -> float:
    return 1.0 / (1.0 + math.exp(-score))


def _shown(quantity: Quantity) -> str:
    """The quantity in words, with the word that bounds it: "at most 15 minutes"."""
    text = " ".join(quantity.text.split()).rstrip(".,")
    return text if quantity.bound == "plain" else f"{quantity.bound} {text}"
