"""What a judge thinks of each thing a question is about: the common ground of judges that ask other judges.

Three questions are decided thing by thing: each claim of `VerifyClaims`, each passage of
`ComparePassages`, the one answer of `LabelAnswer`. All others (taking texts apart, giving reasons)
have one answer that cannot be mixed from several.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar, Union, cast

from msgspec import Struct, structs

from ...questions import (
    HALLUCINATED,
    ComparePassages,
    LabelAnswer,
    Labelled,
    PassageVerdict,
    Question,
    Verification,
    VerifyClaims,
)
from ...text.counting import count_of
from ...verdict import Support, Verdict, Vote

T = TypeVar("T")

Key = Union[str, int]
Judgement = Union[Verdict, PassageVerdict, Labelled]

_WHOLE = "answer"


class Opinion(Struct, frozen=True):
    """One judge's view of one thing. `source` is its answer as it gave it, with reason and evidence."""

    judge: str
    support: Support
    confidence: float | None
    source: Judgement

    @property
    def wrong(self) -> float | None:
        """The probability that something is wrong with the thing, None where the judge gives none."""
        if self.confidence is None:
            return None
        return 1.0 - self.confidence if self.support.holds else self.confidence

    def vote(self, weight: float = 1.0, sample: int | None = None) -> Vote:
        """The view as it is recorded in a result."""
        return Vote(self.judge, self.support, self.confidence, weight, sample)


def things(question: Question[Any]) -> tuple[Key, ...]:
    """Names what the question asks about; nothing for a question that is not decided thing by thing."""
    if isinstance(question, VerifyClaims):
        return tuple(claim.id for claim in question.claims)
    if isinstance(question, ComparePassages):
        return tuple(dict.fromkeys(passage.index for passage in question.passages))
    return (_WHOLE,) if isinstance(question, LabelAnswer) else ()


def noun(question: Question[Any], count: int) -> str:
    """The things in words: "1 claim", "3 passages"."""
    if isinstance(question, LabelAnswer):
        return "the answer"
    word = "claim" if isinstance(question, VerifyClaims) else "passage"
    return count_of(count, word)


def narrowed(question: Question[T], keys: Collection[Key]) -> Question[T]:
    """The same question about these things only."""
    if isinstance(question, VerifyClaims):
        claims = tuple(claim for claim in question.claims if claim.id in keys)
        return cast("Question[T]", structs.replace(question, claims=claims))
    if isinstance(question, ComparePassages):
        passages = tuple(passage for passage in question.passages if passage.index in keys)
        return cast("Question[T]", structs.replace(question, passages=passages))
    return question


def opinions(question: Question[Any], value: Any, judge: str) -> dict[Key, Opinion]:
    """The judge's view of each thing; things it left out are left out here."""
    asked = set(things(question))
    if isinstance(question, VerifyClaims):
        return {
            v.claim.id: Opinion(v.judge or judge, v.support, v.confidence, v)
            for v in value.verdicts
            if v.claim.id in asked
        }
    if isinstance(question, ComparePassages):
        return {
            v.passage: Opinion(
                v.judge or judge, Support.SUPPORTED if v.agrees else Support.CONTRADICTED, v.confidence, v
            )
            for v in value
            if v.passage in asked
        }
    assert isinstance(value, Labelled)
    wrong = value.label == HALLUCINATED
    confidence = value.probability if wrong or value.probability is None else 1.0 - value.probability
    return {
        _WHOLE: Opinion(value.judge or judge, Support.UNSUPPORTED if wrong else Support.SUPPORTED, confidence, value)
    }


def decided(
    opinion: Opinion, *, votes: Sequence[Vote] = (), notes: Sequence[str] = (), confidence: float | None = None
) -> Opinion:
    """The view with who decided, all votes, and what there is to say about it, written into its source.

    `confidence` replaces the judge's own where several judges make a better one.
    """
    source = opinion.source
    said = tuple(notes) + source.notes
    given = opinion.confidence if confidence is None else confidence
    marks: dict[str, Any] = {"judge": opinion.judge, "votes": tuple(votes) or source.votes, "notes": said}
    if isinstance(source, Labelled):
        wrong = source.label == HALLUCINATED
        marks["probability"] = given if given is None or wrong else 1.0 - given
        # Verdicts on single claims are one judge's; beside the votes of several they would hide them.
        marks["verdicts"] = () if votes else tuple(_signed(v, opinion.judge) for v in source.verdicts)
    else:
        marks["confidence"] = given
    return structs.replace(opinion, confidence=given, source=structs.replace(source, **marks))


def joined_opinions(question: Question[T], found: Mapping[Key, Opinion], refused: Sequence[str] = ()) -> T:
    """The question's answer from the views of its things, in the question's order."""
    sources = [found[key].source for key in things(question) if key in found]
    if isinstance(question, VerifyClaims):
        verdicts = tuple(source for source in sources if isinstance(source, Verdict))
        return cast("T", Verification(verdicts, tuple(refused)))
    if isinstance(question, ComparePassages):
        return cast("T", tuple(sources))
    return cast("T", sources[0])


def refusals(value: Any) -> tuple[str, ...]:
    """What was refused of a judge's verdicts, where the answer says so."""
    return value.refused if isinstance(value, Verification) else ()


def _signed(verdict: Verdict, judge: str) -> Verdict:
    return verdict if verdict.judge else structs.replace(verdict, judge=judge)
