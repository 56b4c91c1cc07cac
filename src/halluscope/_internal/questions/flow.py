"""A metric's flow: it yields questions, receives answers, and ends in a finding. It does no I/O itself.

A metric's flow is a generator. It yields a tuple of questions, to be asked at once, and is sent
a tuple of answers in the same order. `ask` and `ask_all` wrap this so that the types stay exact:

    claims = yield from ask(ExtractClaims(...))

Whoever drives the flow decides how the questions reach a judge. Given the same answers a flow
takes the same way, so replaying the answers is resuming the run.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, TypeVar, Union

from msgspec import Struct

from ..case import Case
from ..errors import CannotJudge, ContextFailed, JudgeError, NothingToJudge
from ..plumbing.public import public_in
from ..result import Failure, Outcome
from ..verdict import Verdict
from . import Question

T = TypeVar("T")
R = TypeVar("R")

Answers = tuple[Any, ...]
Flow = Generator[tuple[Question[Any], ...], Answers, R]


@public_in("halluscope.metrics")
class AnswerMissing(JudgeError):
    """Raised inside a flow by `ask` when the judge failed; `failure` says how."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        self.kind = failure.kind
        super().__init__(failure.message, status=failure.status, body=failure.body)


@public_in("halluscope.metrics")
def ask(question: Question[T]) -> Flow[T]:
    """Ask one question; raise `AnswerMissing` if the judge fails."""
    (answer,) = yield (question,)
    if isinstance(answer, Failure):
        raise AnswerMissing(answer)
    return answer  # type: ignore[no-any-return]


@public_in("halluscope.metrics")
def ask_all(questions: Sequence[Question[T]]) -> Flow[list[Union[T, Failure]]]:
    """Ask several questions at once; an answer that is missing is a `Failure` in its place."""
    if not questions:
        return []
    answers = yield tuple(questions)
    return list(answers)


@public_in("halluscope.metrics")
class Finding(Struct, frozen=True, kw_only=True):
    """What a metric's flow returns; with what the driver saw on the way it becomes a Result."""

    outcome: Outcome
    score: float | None = None
    label: str | None = None
    probability: float | None = None
    reason: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    truths: tuple[str, ...] = ()
    figures: dict[str, float] = {}
    failure: Failure | None = None
    notes: tuple[str, ...] = ()


def nothing_to_judge(case: Case, *, context_needed: bool = True) -> Finding | None:
    """The finding for a case that needs no judge."""
    if not case.output.strip():
        return Finding(outcome=Outcome.EMPTY_OUTPUT, reason="No score: the output is empty.")
    if context_needed and case.context is None:
        return Finding(outcome=Outcome.NO_CONTEXT, reason="No score: there is no context to hold the output against.")
    return None


def no_claims(case: Case) -> Finding:
    """The finding for an output that states nothing."""
    from ..text.kinds import is_refusal  # its patterns take time to make, and most outputs state something

    if is_refusal(case.output):
        return Finding(
            outcome=Outcome.REFUSAL, reason="No score: the output declines to answer, so there is nothing to check."
        )
    return Finding(outcome=Outcome.NO_CLAIMS, reason="No score: the output makes no claim that could be checked.")


def without_score(failure: Failure, case: Case) -> Finding:
    """The finding where the judge gave no answer: it failed, or said that there is nothing it can judge."""
    if failure.kind == NothingToJudge.kind:
        return no_claims(case)
    if failure.kind == CannotJudge.kind:
        return Finding(outcome=Outcome.UNJUDGEABLE, failure=failure, reason=f"No score: {failure.message}")
    if failure.kind == ContextFailed.kind:
        return Finding(outcome=Outcome.FAILED, failure=failure, reason=f"No score: {failure.message}")
    reason = f"No score: the judge failed ({failure.message})."
    return Finding(outcome=Outcome.FAILED, failure=failure, reason=reason)
