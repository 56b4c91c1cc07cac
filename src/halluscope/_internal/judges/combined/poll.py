"""What judges say about each item of a question, and the majority of several."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, Union

from msgspec import Struct, structs

from ...core.errors import InputError, JudgeError
from ...core.result import Usage
from ...core.verdict import Support, Verdict, Vote
from ...engine.judge import Answer, Ask, Call, Judge
from ...engine.questions import HALLUCINATED, Labelled, Question

T = TypeVar("T")

Opinion = Union[Verdict, Labelled]
"""What a judge says about one item of a question: a claim, a passage, or the whole output."""

_WORST_FIRST = (Support.CONTRADICTED, Support.UNSUPPORTED, Support.SUPPORTED, Support.NOT_A_CLAIM)


def asker(judge: Judge, call: Call) -> Ask:
    """The function with which `judge` asks other judges."""
    if call.ask is None:
        raise InputError(
            f"the judge {judge.name} asks other judges and cannot be called alone: score with it, "
            "or pass a Call with `ask`."
        )
    return call.ask


def opinions(question: Question[Any], value: Any, judge: str) -> dict[str, Opinion]:
    """The opinion on each item that the answer `value` of a judge covers."""
    return {item: decided(found, found.judge or judge) for item, found in question.judgements(value).items()}


def joined_opinions(question: Question[T], found: Mapping[str, Opinion], refused: Sequence[str] = ()) -> T:
    """The answer to the question that consists of these opinions, in the question's order."""
    return question.joined([found[item] for item in question.items() if item in found], refused)


def wrong(opinion: Opinion) -> float | None:
    """The probability that the item is wrong, None if the judge gives no confidence."""
    confidence = opinion.confidence
    return 1.0 - confidence if confidence is not None and opinion.support.holds else confidence


def vote_of(opinion: Opinion, weight: float = 1.0, sample: int | None = None) -> Vote:
    return Vote(opinion.judge or "", opinion.support, opinion.confidence, weight, sample)


def decided(
    opinion: Opinion, judge: str | None, *, votes: Sequence[Vote] = (), confidence: float | None = None
) -> Opinion:
    """The opinion with the judge that decided and all votes. `confidence` replaces that of the opinion."""
    record: dict[str, Any] = {"judge": judge, "votes": tuple(votes) or opinion.votes}
    if isinstance(opinion, Labelled):
        if confidence is not None:
            record["probability"] = confidence if opinion.label == HALLUCINATED else 1.0 - confidence
        # Verdicts on single claims come from one judge: beside the votes of several they would hide those.
        signed = (v if v.judge else structs.replace(v, judge=judge) for v in opinion.verdicts)
        record["verdicts"] = () if votes else tuple(signed)
    elif confidence is not None:
        record["confidence"] = confidence
    return structs.replace(opinion, **record)


def noted(opinion: Opinion, note: str) -> Opinion:
    return structs.replace(opinion, notes=(note, *opinion.notes))


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
    """The opinions that voters gave on each item of a question, each with its vote, and the errors by voter."""

    opinions: dict[str, list[Opinion]]
    failures: dict[str, JudgeError] = {}
    notes: list[str] = []
    refused: list[str] = []
    usage: Usage = Usage()

    def answer(
        self, judge: Judge, question: Question[T], quorum: int, voters: str, decide: Callable[[list[Opinion]], Opinion]
    ) -> Answer[T]:
        """The answer of `judge`: `decide` settles each item on which at least `quorum` voters voted."""
        found = {item: decide(given) for item, given in self.opinions.items() if len(given) >= quorum}
        if not found:
            nothing = JudgeError(f"fewer than {quorum} {voters} gave a verdict that can be used")
            raise next(iter(self.failures.values()), nothing)
        missed = len(self.opinions) - len(found)
        if missed:
            self.notes.append(f"fewer than {quorum} {voters} voted on {question.items_in_words(missed)}")
        value = joined_opinions(question, found, self.refused)
        return Answer(judge=judge.name, value=value, usage=self.usage, notes=tuple(self.notes))


async def poll(ask: Ask, question: Question[Any], voters: Sequence[Voter]) -> Poll:
    """Ask all voters at once. One that fails has no vote and stops no other."""

    async def attempt(voter: Voter) -> Answer[Any] | JudgeError:
        try:
            return await ask(voter.judge, question, sample=voter.draw)
        except JudgeError as error:
            return error

    replies = await asyncio.gather(*map(attempt, voters))
    polled = Poll({item: [] for item in question.items()})
    for voter, reply in zip(voters, replies, strict=True):
        if isinstance(reply, JudgeError):
            polled.failures[voter.label] = reply
            continue
        polled.usage += reply.usage
        polled.notes += reply.notes
        polled.refused += [f"{text} (by {voter.label})" for text in question.refused(reply.value)]
        for item, opinion in opinions(question, reply.value, voter.name).items():
            own = structs.replace(opinion, judge=voter.name)
            voted = structs.replace(own, votes=(vote_of(own, voter.weight, voter.sample),))
            polled.opinions[item].append(voted)
    return polled


def prevailing(votes: Sequence[Vote]) -> Support:
    """The support that wins the vote; a tie goes to the worse one.

    The votes are first counted as for or against the item, because that decides the score: judges that agree it is
    wrong but differ in how must not lose to a minority. Then the support with most votes on the winning side is taken.
    """
    against = sum(vote.weight for vote in votes if not vote.support.holds)
    holds = sum(vote.weight for vote in votes if vote.support.holds) > against
    weights = dict.fromkeys(_WORST_FIRST, 0.0)
    for vote in votes:
        weights[vote.support] += vote.weight if vote.support.holds is holds else 0.0
    return max(_WORST_FIRST, key=weights.__getitem__)  # the first of several


def minority(votes: Sequence[Vote]) -> float:
    """The share of the weight that voted against the winning side: 0 if all agree, at most 0.5."""
    total = sum(vote.weight for vote in votes)
    if not total:
        return 0.0
    holds = prevailing(votes).holds
    return sum(vote.weight for vote in votes if vote.support.holds is not holds) / total


def majority(given: Sequence[Opinion], judge: str) -> Opinion:
    """The winning opinion, in the words of the most confident voter on its side, with all votes.

    Its confidence is the share of the weight on its side.
    """
    votes = [vote for opinion in given for vote in opinion.votes]
    support = prevailing(votes)
    siding = [opinion for opinion in given if opinion.support is support]
    speaker = max(siding, key=lambda opinion: (opinion.confidence or 0.0, opinion.votes[0].weight))
    return decided(speaker, judge, votes=votes, confidence=1.0 - minority(votes))
