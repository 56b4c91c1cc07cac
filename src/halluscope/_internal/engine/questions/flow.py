"""Flows: the generators in which metrics ask questions. A flow does no I/O.

A flow yields a tuple of questions, which are asked at the same time, and is sent a tuple of answers in the same order.
At the end it returns a finding. `ask` and `ask_all` wrap this with exact types:

    claims = yield from ask(ExtractClaims(...))

A flow depends on nothing but the answers, so replaying the answers resumes a run.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, TypeVar, Union

from msgspec import Struct, structs

from ...core.case import Case
from ...core.counting import count_of
from ...core.errors import CannotJudge, ContextFailed, DeadlineExceeded, JudgeError, NothingToJudge
from ...core.plumbing.public import public_in
from ...core.result import Failure, Outcome
from ...core.verdict import Verdict
from .question import Question
from .verify import VerdictQuestion

T = TypeVar("T")
R = TypeVar("R")

Answers = tuple[Any, ...]
Flow = Generator[tuple[Question[Any], ...], Answers, R]

ITEMS_AT_ONCE = 20
"""Items in one question. Models begin to skip some if there are more."""


@public_in("halluscope.metrics")
class AnswerMissing(JudgeError):
    """Raised by `ask` inside a flow if the judge failed.

    Attributes:
        failure: The kind of failure, its message, and the response if there was one.
    """

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        self.kind = failure.kind
        super().__init__(failure.message, status=failure.status, body=failure.body)


@public_in("halluscope.metrics")
def ask(question: Question[T]) -> Flow[T]:
    """Ask one question.

    Args:
        question: The question.

    Returns:
        The answer, to a flow that uses `yield from`.

    Raises:
        AnswerMissing: If the judge fails.

    Example:
        >>> from halluscope.metrics import Case, ExtractClaims, Flow, Finding, Outcome
        >>> def flow(case: Case) -> Flow[Finding]:
        ...     claims = yield from ask(ExtractClaims(output=case.output))
        ...     return Finding(outcome=Outcome.SCORED, score=float(len(claims)))
    """
    (answer,) = yield (question,)
    if isinstance(answer, Failure):
        raise AnswerMissing(answer)
    return answer  # type: ignore[no-any-return]


@public_in("halluscope.metrics")
def ask_all(questions: Sequence[Question[T]]) -> Flow[list[Union[T, Failure]]]:
    """Ask several questions at the same time.

    Args:
        questions: The questions.

    Returns:
        The answers, in the order of the questions. A question on which the judge failed has a `Failure`.

    Example:
        >>> def flow(case: Case) -> Flow[Finding]:
        ...     answers = yield from ask_all([LabelAnswer(output=text) for text in case.output.split("\\n")])
        ...     return Finding(outcome=Outcome.SCORED, score=float(len(answers)))
    """
    if not questions:
        return []
    answers = yield tuple(questions)
    return list(answers)


@public_in("halluscope.metrics")
class Verified(Struct, frozen=True):
    """The verdicts on the claims of an output, or on the passages of a context.

    Attributes:
        verdicts: The verdicts.
        missing: The ids of the claims or passages without a verdict.
        failure: The failure of the judge, if that is why verdicts are missing.
        notes: Notes for the result.
    """

    verdicts: tuple[Verdict, ...]
    missing: tuple[str, ...] = ()
    failure: Failure | None = None
    notes: tuple[str, ...] = ()


def ask_each(question: VerdictQuestion) -> Flow[Verified]:
    """Ask about every item of a question, in batches. Items without an answer are asked again, then one by one.

    Not where the judge ran out of time: it would again.
    """
    items = question.items()
    found: dict[str, Verdict] = {}
    notes: list[str] = []
    failure: Failure | None = None
    pending = items
    for size in (ITEMS_AT_ONCE, ITEMS_AT_ONCE, 1):
        batches = [pending[i : i + size] for i in range(0, len(pending), size)]
        answers = yield from ask_all([question.narrowed(batch) for batch in batches])
        failures = [answer for answer in answers if isinstance(answer, Failure)]
        failure = failures[0] if failures else None
        for answer in answers:
            if not isinstance(answer, Failure):
                found.update(question.judgements(answer))
                notes += [f"refused from the judge: {text}" for text in question.refused(answer)]
        pending = tuple(item for item in items if item not in found)
        late = any(failure.kind == DeadlineExceeded.kind for failure in failures)
        if not pending or late or len(failures) == len(answers):
            break
    return Verified(tuple(found[item] for item in items if item in found), pending, failure, tuple(notes))


@public_in("halluscope.metrics")
class Finding(Struct, frozen=True, kw_only=True):
    """What a flow returns. The driver completes it to a `Result`.

    Attributes:
        outcome: Whether there is a score, or why not.
        score: The score.
        label: "factual" or "hallucinated".
        probability: Probability that the output is hallucinated.
        reason: The reason for the score, or why there is none.
        verdicts: The verdicts that led to the score.
        truths: Facts drawn from the context.
        figures: Further numbers, such as precision and recall.
        failure: The failure of the judge.
        notes: Notes for the result.
    """

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
    """The finding for a case that needs no judge: an empty output, or no context."""
    if not case.output.strip():
        return Finding(outcome=Outcome.EMPTY_OUTPUT, reason="No score: the output is empty.")
    if context_needed and case.context is None:
        return Finding(outcome=Outcome.NO_CONTEXT, reason="No score: there is no context to check the output against.")
    return None


def no_claims(case: Case) -> Finding:
    from ...text.kinds import is_refusal  # its patterns are slow to compile, and rarely needed

    if is_refusal(case.output):
        return Finding(
            outcome=Outcome.REFUSAL, reason="No score: the output declines to answer, so there is nothing to check."
        )
    return Finding(outcome=Outcome.NO_CLAIMS, reason="No score: the output makes no claim that can be checked.")


def without_score(failure: Failure, case: Case) -> Finding:
    """The finding for a case that the judge did not answer."""
    if failure.kind == NothingToJudge.kind:
        return no_claims(case)
    if failure.kind in (CannotJudge.kind, ContextFailed.kind):
        outcome = Outcome.UNJUDGEABLE if failure.kind == CannotJudge.kind else Outcome.FAILED
        return Finding(outcome=outcome, failure=failure, reason=f"No score: {failure.message}")
    return Finding(outcome=Outcome.FAILED, failure=failure, reason=f"No score: the judge failed: {failure.message}")


def incomplete(case: Case, verified: Verified, thing: str) -> Finding:
    """The finding for a case in which some claims or passages have no verdict. They never count as supported."""
    failure, missing = verified.failure, len(verified.missing)
    if not verified.verdicts and failure is not None:
        return structs.replace(without_score(failure, case), notes=verified.notes)
    asked = count_of(len(verified.verdicts) + missing, thing)
    why = f": {failure.message}" if failure else "."
    return Finding(
        outcome=Outcome.INCOMPLETE,
        verdicts=verified.verdicts,
        failure=failure,
        reason=f"No score: the judge gave no verdict on {missing} of {asked}{why}",
        notes=verified.notes,
    )
