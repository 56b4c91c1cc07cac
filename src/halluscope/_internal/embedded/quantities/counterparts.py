"""For each number of a claim, the number of the evidence that agrees with it and the one that differs."""

from __future__ import annotations

from dataclasses import dataclass

from .alignment import Placed, Prepared, near_share, sentence_shares
from .tolerance import Agreement, Relation, relate
from .written.quantity import Quantity

__all__ = ["Counterpart", "Pairing", "pairings"]

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
