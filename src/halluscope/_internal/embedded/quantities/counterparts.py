"""For each number of a claim, the number of the evidence that agrees with it and the one that differs."""

from __future__ import annotations

from dataclasses import dataclass

from .alignment import Placed, Prepared, Shares, field_fit, near_share, sentence_shares
from .tolerance import Relation, relate, same_value

__all__ = ["Counterpart", "Pairing", "pairings"]

_MOST = 60
_NAMED = 0.6
_NAMED_IN_FULL = 0.85
_ANOTHER_RECORD = 0.15
_LOOSE = 0.7
"""What a number counts that does not say what it measures, beside one that does."""


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A number of the evidence, and how well its surroundings fit those of a number of the claim."""

    placed: Placed
    relation: Relation
    near: float
    around: float
    near_back: float
    around_back: float
    field: float
    of_its_kind: bool
    """Whether the field is called what fields of the claim's measure are, or stands right beside the number."""

    @property
    def fit(self) -> float:
        """One figure for it."""
        return (self.near + self.around + self.field) * (_LOOSE if self.relation.loose else 1.0)


@dataclass(frozen=True, slots=True)
class Pairing:
    """A number of the claim with its counterparts, where there are any."""

    item: Placed
    agreeing: Counterpart | None
    differing: Counterpart | None
    best_sentence: float
    """The largest part of the claim's words that one sentence of the evidence has."""
    rivals_beside: int
    """How many numbers in the sentence of the differing one could be meant and are not taken by others of the claim."""
    part_known: float
    """How well a number fits that leaves open whether it agrees, such as a date without its year."""
    known_bare: bool
    """Whether such a number is the same but for the word that bounds it: "more than 10" for 10."""
    labelled: bool
    """Whether the differing one is the value of the field or specification that the claim names."""
    anchored: bool
    """Whether another number of the claim agrees with one in the sentence of the differing one."""


def pairings(said: Prepared, known: Prepared, most: int = _MOST) -> list[Pairing]:
    """One pairing for each of the first `most` numbers of the claim, in their order.

    The limit keeps the time in proportion to the text: each number is held against all of the evidence.
    """
    items = said.placed[:most]
    shares = [sentence_shares(item, said, known) for item in items]
    found = [_candidates(item, said, known, shares[item.index]) for item in items]
    agreeing = [_best([one for one in candidates if one.relation.agreement == "yes"]) for candidates in found]
    return [_pairing(index, item, found[index], agreeing, shares[index].best) for index, item in enumerate(items)]


def _candidates(item: Placed, said: Prepared, known: Prepared, shares: Shares) -> list[Counterpart]:
    out = []
    mine = sum(known.weight(word) * closeness for word, closeness in item.near.items())
    for other in known.placed:
        relation = relate(item.quantity, other.quantity)
        if relation is None:
            continue
        near, near_back = near_share(item, mine, other, known)
        around, around_back = shares.forth[other.sentence], shares.back[other.sentence]
        fit, kind = field_fit(item, other, said)
        out.append(Counterpart(other, relation, near, around, near_back, around_back, fit, kind))
    return out


def _best(candidates: list[Counterpart], taken: frozenset[int] = frozenset()) -> Counterpart | None:
    """The one that fits best; one that another number of the claim agrees with fits half as well."""
    return max(
        candidates, key=lambda one: one.fit / 2 if one.placed.index in taken else one.fit, default=None
    )  # fmt: skip


def _labelled(item: Placed, differing: Counterpart, match: Counterpart | None, free: list[Counterpart]) -> bool:
    """Whether the claim names the field of the differing number, and no other number could be meant as well.

    A number that agrees may stand in the same field of another record, of which the claim says nothing.
    """
    mine = item.quantity
    if mine.slight or mine.kind == "ordinal" or not differing.placed.label:
        return False
    if differing.field < (_NAMED if mine.dimension else _NAMED_IN_FULL):
        return False
    if differing.relation.loose and (not mine.dimension or not differing.of_its_kind):
        return False
    if match and (match.placed.label != differing.placed.label or match.around > differing.around - _ANOTHER_RECORD):
        return False
    rivals = [one for one in free if one is not differing and one.field >= differing.field]
    return all(one.around < differing.around for one in rivals)


def _pairing(
    index: int, item: Placed, candidates: list[Counterpart], agreeing: list[Counterpart | None], best_sentence: float
) -> Pairing:
    others = [one for place, one in enumerate(agreeing) if one is not None and place != index]
    taken = frozenset(one.placed.index for one in others)
    differing = _best([one for one in candidates if one.relation.agreement == "no"], taken)
    free = [one for one in candidates if one.placed.index not in taken]
    vague = _best([one for one in candidates if one.relation.agreement == "open"], taken)
    beside = differing.placed.sentence if differing else -1
    return Pairing(
        item,
        agreeing[index],
        differing,
        best_sentence,
        sum(one.placed.sentence == beside for one in free),
        vague.near + vague.around if vague else 0.0,
        any(one.relation.agreement == "open" and same_value(item.quantity, one.placed.quantity) for one in candidates),
        differing is not None and vague is None and _labelled(item, differing, agreeing[index], free),
        any(one.placed.sentence == beside for one in others),
    )
