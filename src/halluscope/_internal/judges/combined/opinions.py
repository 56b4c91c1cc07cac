"""What a judge says about each item of a question, for judges that ask other judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, Union

from msgspec import Struct, structs

from ...core.errors import InputError
from ...core.verdict import Verdict, Vote
from ...engine.judge import Ask, Call, Judge
from ...engine.questions import HALLUCINATED, Labelled, Question

T = TypeVar("T")

Judgement = Union[Verdict, Labelled]


class Opinion(Struct, frozen=True):
    """A judge's vote on one item, and the judgement behind it, with its reason and evidence."""

    vote: Vote
    judgement: Judgement

    @property
    def wrong(self) -> float | None:
        """The probability that the item is wrong, None if the judge gives no confidence."""
        confidence = self.vote.confidence
        if confidence is None:
            return None
        return 1.0 - confidence if self.vote.support.holds else confidence


def opinions(question: Question[Any], value: Any, judge: str) -> dict[str, Opinion]:
    """The judge's opinion on each item that the answer `value` covers."""
    return {
        item: Opinion(Vote(found.judge or judge, found.support, found.confidence), found)
        for item, found in question.judgements(value).items()
    }


def decided(
    opinion: Opinion, *, votes: Sequence[Vote] = (), notes: Sequence[str] = (), confidence: float | None = None
) -> Opinion:
    """The opinion with the deciding judge, all votes and additional notes recorded in its judgement.

    `confidence` replaces the judge's own, for example by the share of the votes.
    """
    vote, judgement = opinion.vote, opinion.judgement
    given = vote.confidence if confidence is None else confidence
    record: dict[str, Any] = {
        "judge": vote.judge,
        "votes": tuple(votes) or judgement.votes,
        "notes": (*notes, *judgement.notes),
    }
    if isinstance(judgement, Labelled):
        wrong = judgement.label == HALLUCINATED
        record["probability"] = given if given is None or wrong else 1.0 - given
        # Verdicts on single claims come from one judge: beside the votes of several they would hide those.
        record["verdicts"] = () if votes else tuple(_signed(v, vote.judge) for v in judgement.verdicts)
    else:
        record["confidence"] = given
    return Opinion(structs.replace(vote, confidence=given), structs.replace(judgement, **record))


def joined_opinions(question: Question[T], found: Mapping[str, Opinion], refused: Sequence[str] = ()) -> T:
    """The answer to the question that consists of these opinions, in the question's order."""
    return question.joined([found[item].judgement for item in question.items() if item in found], refused)


def asker(judge: Judge, call: Call) -> Ask:
    """The function with which `judge` asks other judges."""
    if call.ask is None:
        raise InputError(
            f"the judge {judge.name} asks other judges and cannot be called alone: score with it, "
            "or pass a Call with `ask`."
        )
    return call.ask


def _signed(verdict: Verdict, judge: str) -> Verdict:
    return verdict if verdict.judge else structs.replace(verdict, judge=judge)
