"""The tools' names for our errors, and the error that a failed result stands for."""

from __future__ import annotations

from .._internal.core import errors
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

_KINDS = {kind.kind: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, JudgeError)}


def raise_if_failed(result: Result) -> None:
    """Raise the judge's error, with status and body, if it left the case without a score."""
    if result.outcome not in (Outcome.FAILED, Outcome.INCOMPLETE):
        return
    failure = result.failure or Failure(ReplyError.kind, result.reason or "the judge gave no usable answer")
    kind = _KINDS.get(failure.kind, JudgeError)
    if issubclass(kind, ReplyError):
        raise kind(failure.message, reply=failure.body)
    raise kind(failure.message, status=failure.status, body=failure.body)
