"""How a metric asks: it yields questions and receives answers, and does no I/O itself.

A metric's flow is a generator. It yields a tuple of questions, to be asked at once, and is sent
a tuple of answers in the same order. `ask` and `ask_all` wrap this so that the types stay exact:

    claims = yield from ask(ExtractClaims(...))

Whoever drives the flow decides how the questions reach a judge. Given the same answers a flow
takes the same way, so replaying the answers is resuming the run.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, TypeVar, Union

from ..errors import JudgeError
from ..plumbing.public import public_in
from ..result import Failure
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
