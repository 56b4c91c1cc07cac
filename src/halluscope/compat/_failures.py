"""From a result that says the judge failed back to the error, for tools whose calls raise."""

from __future__ import annotations

from .._internal.errors import JudgeError, JudgeThrottled, ReplyError
from .._internal.result import Failure, Outcome, Result

_UNUSABLE = (Outcome.FAILED, Outcome.INCOMPLETE)


def raise_if_failed(result: Result) -> None:
    """Raise the judge's error, with status and body, where it left the case without a score."""
    if result.outcome in _UNUSABLE:
        raise error_from(result.failure, result.reason or "the judge gave no usable answer")


def error_from(failure: Failure | None, message: str) -> JudgeError:
    """The error that left this failure behind."""
    if failure is None:
        return ReplyError(message)
    kind = _KINDS.get(failure.kind, JudgeError)
    if issubclass(kind, ReplyError):
        return kind(failure.message, reply=failure.body)
    return kind(failure.message, status=failure.status, body=failure.body)


def _family(kind: type[JudgeError]) -> list[type[JudgeError]]:
    return [kind, *(member for child in kind.__subclasses__() for member in _family(child))]


_KINDS = {kind.kind: kind for kind in _family(JudgeError) if kind.__module__ == JudgeThrottled.__module__}
