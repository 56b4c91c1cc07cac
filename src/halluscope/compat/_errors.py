"""The tools' names for our errors, and the error that a failed result stands for."""

from __future__ import annotations

from .._internal.core.errors import (
    HalluscopeError,
    InputError,
    JudgeError,
    JudgeThrottled,
    MissingParameters,
    PromptError,
    QuestionTooLong,
    ReplyError,
)
from .._internal.core.result import Failure, Outcome, Result

DeepEvalError = MastraError = OpikException = PhoenixException = HalluscopeError
ApiError = BaseLLMError = MetricComputationError = ScorerRunError = JudgeError
JSONParsingError = ReplyError
RateLimitError = JudgeThrottled
PhoenixContextLimitExceeded = QuestionTooLong
PhoenixInvalidPromptTemplateError = PromptError
MismatchedTestCaseInputsError = InputError
MissingTestCaseParamsError = PhoenixTemplateMappingError = ScoreMethodMissingArguments = MissingParameters


def raise_if_failed(result: Result) -> None:
    """Raise the judge's error, with status and body, if it left the case without a score."""
    if result.outcome in (Outcome.FAILED, Outcome.INCOMPLETE):
        raise _error_from(result.failure, result.reason or "the judge gave no usable answer")


def _error_from(failure: Failure | None, message: str) -> JudgeError:
    if failure is None:
        return ReplyError(message)
    kind = _KINDS.get(failure.kind, JudgeError)
    if issubclass(kind, ReplyError):
        return kind(failure.message, reply=failure.body)
    return kind(failure.message, status=failure.status, body=failure.body)


def _family(kind: type[JudgeError]) -> list[type[JudgeError]]:
    return [kind, *(member for child in kind.__subclasses__() for member in _family(child))]


_KINDS = {kind.kind: kind for kind in _family(JudgeError) if kind.__module__ == JudgeThrottled.__module__}
