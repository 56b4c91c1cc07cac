"""Counting votes: which view of a thing prevails, and how far the voters were apart."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, structs

from ...verdict import Support, Vote
from .opinions import Opinion, decided

_WORST_FIRST = (Support.CONTRADICTED, Support.UNSUPPORTED, Support.SUPPORTED, Support.NOT_A_CLAIM)


class Ballot(Struct, frozen=True):
    """A view together with the weight of its vote."""

    opinion: Opinion
    weight: float = 1.0
    sample: int | None = None


def prevailing(votes: Sequence[Vote]) -> Support:
    """The support that the votes come to; ties go to the worse.

    First it is counted whether the thing holds, which is what scores are made of, so that the
    votes against it are not lost where they differ in what is wrong; then, on the side that
    prevails, which support has most votes.
    """
    against = sum(vote.weight for vote in votes if not vote.support.holds)
    holds = sum(vote.weight for vote in votes if vote.support.holds) > against
    side = [vote for vote in votes if vote.support.holds is holds]
    weights = {support: sum(v.weight for v in side if v.support is support) for support in _WORST_FIRST}
    heaviest = max(weights.values())
    present = {vote.support for vote in side}
    return next(support for support in _WORST_FIRST if support in present and weights[support] == heaviest)


def minority(votes: Sequence[Vote]) -> float:
    """The share of the votes' weight that says otherwise than the prevailing side: 0 for one voice, at most 0.5."""
    total = sum(vote.weight for vote in votes)
    if not total:
        return 0.0
    holds = prevailing(votes).holds
    return sum(vote.weight for vote in votes if vote.support.holds is not holds) / total


def majority(ballots: Sequence[Ballot], by: str, notes: Sequence[str] = ()) -> Opinion:
    """The view that prevails, in the words of its surest voter, with all votes.

    Its confidence is the share of the weight on its side.
    """
    votes = [ballot.opinion.vote(ballot.weight, ballot.sample) for ballot in ballots]
    support = prevailing(votes)
    siding = [ballot for ballot in ballots if ballot.opinion.support is support]
    speaker = max(siding, key=lambda ballot: (ballot.opinion.confidence or 0.0, ballot.weight))
    opinion = decided(speaker.opinion, votes=votes, notes=notes, confidence=1.0 - minority(votes))
    source = structs.replace(opinion.source, judge=by)
    return structs.replace(opinion, judge=by, source=source)
