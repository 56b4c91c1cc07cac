"""Asking several judges, or one judge several times, and counting the votes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from msgspec import Struct, structs

from ...core.errors import JudgeError
from ...core.result import Usage
from ...core.verdict import Support, Vote
from ...engine.judge import Answer, Ask, Judge
from ...engine.questions import Question
from .opinions import Judgement, Opinion, decided, joined_opinions, opinions

T = TypeVar("T")

_WORST_FIRST = (Support.CONTRADICTED, Support.UNSUPPORTED, Support.SUPPORTED, Support.NOT_A_CLAIM)


class Voter(Struct, frozen=True):
    """One request of a poll: the judge to ask, and how its votes are recorded.

    `draw` is the sample to request from the judge, `sample` its number among the votes.
    """

    judge: Judge
    name: str
    weight: float = 1.0
    draw: int | None = None
    sample: int | None = None

    @property
    def label(self) -> str:
        """What notes call the voter."""
        return self.name if self.sample is None else f"sample {self.sample}"


class Poll(Struct):
    """The opinions that voters gave on each item of a question, and the errors of those that failed."""

    opinions: dict[str, list[Opinion]]
    failures: dict[str, JudgeError]
    """By the label of the voter."""
    notes: list[str] = []
    refused: list[str] = []
    usage: Usage = Usage()

    def answer(
        self, judge: Judge, question: Question[T], quorum: int, voters: str, decide: Callable[[list[Opinion]], Opinion]
    ) -> Answer[T]:
        """The answer of `judge`: `decide` settles each item on which at least `quorum` voters voted."""
        found = {item: decide(given) for item, given in self.opinions.items() if len(given) >= quorum}
        if not found:
            raise next(
                iter(self.failures.values()),
                JudgeError(f"fewer than {quorum} {voters} gave a verdict that can be used"),
            )
        missed = len(self.opinions) - len(found)
        if missed:
            self.notes.append(f"fewer than {quorum} {voters} voted on {question.items_in_words(missed)}")
        value = joined_opinions(question, found, self.refused)
        return Answer(judge=judge.name, value=value, usage=self.usage, notes=tuple(self.notes))


async def poll(ask: Ask, question: Question[Any], voters: Sequence[Voter]) -> Poll:
    """Ask all voters at once. One that fails has no vote and stops no other."""
    replies = await asyncio.gather(*(_attempt(ask, voter, question) for voter in voters))
    polled = Poll({item: [] for item in question.items()}, {})
    for voter, reply in zip(voters, replies, strict=True):
        if isinstance(reply, JudgeError):
            polled.failures[voter.label] = reply
            continue
        polled.usage += reply.usage
        polled.notes += reply.notes
        polled.refused += [f"{text} (by {voter.label})" for text in question.refused(reply.value)]
        for item, opinion in opinions(question, reply.value, voter.name).items():
            vote = structs.replace(opinion.vote, judge=voter.name, weight=voter.weight, sample=voter.sample)
            polled.opinions[item].append(Opinion(vote, opinion.judgement))
    return polled


async def _attempt(ask: Ask, voter: Voter, question: Question[Any]) -> Answer[Any] | JudgeError:
    try:
        return await ask(voter.judge, question, sample=voter.draw)
    except JudgeError as error:
        return error


def prevailing(votes: Sequence[Vote]) -> Support:
    """The support that wins the vote; a tie goes to the worse one.

    The votes are first counted as for or against the item, because that decides the score: judges that agree it is
    wrong but differ in how must not lose to a minority. Then the support with most votes on the winning side is taken.
    """
    against = sum(vote.weight for vote in votes if not vote.support.holds)
    holds = sum(vote.weight for vote in votes if vote.support.holds) > against
    side = [vote for vote in votes if vote.support.holds is holds]
    weights = {support: sum(v.weight for v in side if v.support is support) for support in _WORST_FIRST}
    heaviest = max(weights.values())
    present = {vote.support for vote in side}
    return next(support for support in _WORST_FIRST if support in present and weights[support] == heaviest)


def minority(votes: Sequence[Vote]) -> float:
    """The share of the weight that voted against the winning side: 0 if all agree, at most 0.5."""
    total = sum(vote.weight for vote in votes)
    if not total:
        return 0.0
    holds = prevailing(votes).holds
    return sum(vote.weight for vote in votes if vote.support.holds is not holds) / total


def majority(given: Sequence[Opinion], judge: str, notes: Sequence[str] = ()) -> Opinion:
    """The winning opinion, in the words of the most confident voter on its side, with all votes.

    Its confidence is the share of the weight on its side.
    """
    votes = [opinion.vote for opinion in given]
    support = prevailing(votes)
    siding = [opinion for opinion in given if opinion.vote.support is support]
    speaker = max(siding, key=lambda opinion: (opinion.vote.confidence or 0.0, opinion.vote.weight))
    opinion = decided(speaker, votes=votes, notes=notes, confidence=1.0 - minority(votes))
    judgement: Judgement = structs.replace(opinion.judgement, judge=judge)
    return Opinion(structs.replace(opinion.vote, judge=judge), judgement)
