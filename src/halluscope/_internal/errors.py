"""Every error halluscope raises on purpose.

HalluscopeError
├── InputError                 what the caller handed in is wrong; the message says what to do
│   ├── CaseError              an output, input or context of a type that cannot be read
│   ├── DataError              a data file that cannot be opened or has no column to judge
│   ├── MissingParameters      required fields left out (`names`)
│   ├── UnknownName            no such metric, judge or prompt (`name`, `known`)
│   └── PromptError            a replacement prompt that lacks a slot it needs
├── MissingExtra               an optional dependency is not installed (`extra`)
├── WriteError                 a file could not be written: the disk is full, or fails
├── StoreError                 the file that keeps replies and runs cannot be used
│   └── StoreDamaged           it does not hold what was written into it
├── RunFailed                  a run that cannot go on; what it finished is kept
├── ModelFileError             the embedded model's file is missing or not the recorded one
├── FetchError                 a public set could not be fetched, or is not the recorded one
└── JudgeError                 the judge did not answer (`status`, `body` where there was a response)
    ├── JudgeUnavailable       could not be reached, timed out, or a 5xx: worth another try
    │   ├── JudgeUnreachable   the server was never reached: is it running, is the address right?
    │   └── JudgeThrottled     a 429; `retry_after` in seconds where the server said it
    ├── JudgeRejected          a 4xx that no second try will change
    │   └── QuestionTooLong    the question does not fit the model's window
    ├── JudgeRefused           the model declined to judge
    ├── CannotJudge            the judge says that this text is not one it can read
    │   └── NothingToJudge     the judge finds no claim in the output
    ├── ContextFailed          the function that should give the context raised, or gave nothing to use
    ├── DeadlineExceeded       the time allowed for the question ran out
    └── ReplyError             an answer came, and cannot be used (`reply`)
        └── ReplyTruncated     it stops before its end

A judge that fails while a case is scored does not raise out of `score`: it becomes the result's `failure`.
"""

from __future__ import annotations

from collections.abc import Iterable

from .redaction import redacted


class HalluscopeError(Exception):
    """Base of all errors of this package. None of them holds a secret that a judge was given."""

    def __init__(self, message: str = "") -> None:
        super().__init__(redacted(message))


class InputError(HalluscopeError, ValueError):
    """What the caller handed in is wrong."""


class CaseError(InputError):
    """An output, input or context that cannot be read as text."""


class DataError(InputError):
    """A data file that cannot be opened, or has no column to judge."""


class MissingParameters(InputError):
    """Required fields were left out."""

    def __init__(self, names: Iterable[str], where: str) -> None:
        self.names = tuple(names)
        fields = ", ".join(f"`{name}`" for name in self.names)
        super().__init__(f"{where} needs {fields}: pass a value for each.")


class UnknownName(InputError):
    """No metric, judge or prompt of that name."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"there is no {what} {name!r}; choose one of: {', '.join(self.known)}.")


class PromptError(InputError):
    """A replacement prompt that cannot be used."""


class MissingExtra(HalluscopeError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, extra: str, why: str) -> None:
        self.extra = extra
        super().__init__(f"{why} needs an optional package: pip install 'halluscope[{extra}]'.")


class WriteError(HalluscopeError):
    """A file could not be written, though its place is one that can be: the disk is full, or fails."""


class StoreError(HalluscopeError):
    """The file that keeps replies and runs cannot be used."""


class StoreDamaged(StoreError):
    """The file that keeps replies and runs does not hold what was written into it."""


class RunFailed(HalluscopeError):
    """A run that cannot go on. What it finished is kept."""


class ModelFileError(HalluscopeError):
    """The embedded model's file is missing, damaged or not the one its hash was recorded for."""


class FetchError(HalluscopeError):
    """A file of a public set could not be fetched, or is not the one it should be."""


class JudgeError(HalluscopeError):
    """The judge did not answer."""

    kind = "judge"

    def __init__(self, message: str, *, status: int | None = None, body: str | None = None) -> None:
        self.status = status
        self.body = None if body is None else redacted(body)
        super().__init__(message)


class JudgeUnavailable(JudgeError):
    """The judge could not be reached, or failed on its side: worth another try."""

    kind = "unavailable"


class JudgeUnreachable(JudgeUnavailable):
    """The judge's server could not be reached, not once: worth few tries."""

    kind = "unreachable"


class JudgeThrottled(JudgeUnavailable):
    """The judge asked for fewer requests."""

    kind = "throttled"

    def __init__(
        self,
        message: str,
        *,
        status: int | None = 429,
        body: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        self.retry_after = retry_after
        super().__init__(message, status=status, body=body)


class JudgeRejected(JudgeError):
    """The judge's server refused the request, and would refuse it again."""

    kind = "rejected"


class QuestionTooLong(JudgeRejected):
    """The question does not fit the model's window."""

    kind = "too_long"


class JudgeRefused(JudgeError):
    """The model declined to judge this text."""

    kind = "refused"


class CannotJudge(JudgeError):
    """The judge says that this text is not one it can read, rather than guess."""

    kind = "unjudgeable"


class NothingToJudge(CannotJudge):
    """The judge finds no claim in the output."""

    kind = "no_claims"


class ContextFailed(JudgeError):
    """The caller's own function for the context failed: not the judge, and no second try will change it."""

    kind = "context"


class DeadlineExceeded(JudgeError):
    """The time allowed for a question ran out."""

    kind = "deadline"


class ReplyError(JudgeError):
    """The judge answered, and the answer cannot be used."""

    kind = "reply"

    def __init__(self, message: str, *, reply: str | None = None) -> None:
        super().__init__(message, body=reply)
        self.reply = self.body


class ReplyTruncated(ReplyError):
    """The answer stops before its end."""

    kind = "truncated"


for _error in [*globals().values()]:
    if isinstance(_error, type) and issubclass(_error, HalluscopeError):
        _error.__module__ = "halluscope"  # where they are imported from, and what a traceback says
