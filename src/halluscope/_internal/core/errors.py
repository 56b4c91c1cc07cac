"""The errors of halluscope.

An error of the judge is not raised by `score`: it becomes the `failure` of the result, with the `kind` of its class.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from .redaction import redacted


class HalluscopeError(Exception):
    """Base class of all errors of this package. API keys are removed from the message."""

    def __init__(self, message: str = "") -> None:
        super().__init__(redacted(message))


class InputError(HalluscopeError, ValueError):
    """An argument is wrong."""


class CaseError(InputError):
    """An output, input or context that cannot be read as text."""


class DataError(InputError):
    """A data file that cannot be opened, or has no column to judge."""


class MissingParameters(InputError):
    """Required fields were left out: `names`."""

    def __init__(self, names: Iterable[str], where: str) -> None:
        self.names = tuple(names)
        fields = ", ".join(f"`{name}`" for name in self.names)
        super().__init__(f"{where} needs {fields}: pass a value for each.")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The known name that is closest to a misspelt one, as the end of a sentence; nothing if none is close."""
    close = get_close_matches(name, tuple(known), n=1, cutoff=0.75)
    return f"; did you mean {close[0]!r}?" if close else ""


class UnknownName(InputError):
    """There is no metric, judge or prompt of that `name`; `known` are those there are."""

    def __init__(self, what: str, name: str, known: Iterable[str], hint: str = "", meant: str = "") -> None:
        self.name = name
        self.known = tuple(known)
        said = f"; did you mean {meant!r}?" if meant else did_you_mean(name, self.known)
        choice = hint or f"choose one of: {', '.join(self.known)}"
        choice = f" {choice[0].upper()}{choice[1:]}." if said else f"; {choice}."
        super().__init__(f"there is no {what} {name!r}{said}{choice}")


class UnknownRun(UnknownName):
    """There is no run of that name in the store."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__("run called", name, tuple(known) or ("(none yet)",))


class PromptError(InputError):
    """A replacement prompt that cannot be used."""


class MissingExtra(HalluscopeError, ImportError):
    """An optional dependency is not installed; `extra` is the one that brings it."""

    def __init__(self, extra: str, why: str) -> None:
        self.extra = extra
        super().__init__(f"{why} needs an optional package: pip install 'halluscope[{extra}]'.")


class WriteError(HalluscopeError):
    """A file could not be written, for example because the disk is full."""


class StoreError(HalluscopeError):
    """The file that keeps replies and runs cannot be used."""


class StoreDamaged(StoreError):
    """The store of runs and replies is damaged."""


class SendError(HalluscopeError):
    """Scores could not be sent to a sink. `status` is that of the response, None if there was none."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        self.status = status
        super().__init__(message)


class RunFailed(HalluscopeError):
    """A run cannot go on. Finished results are kept."""


class ModelFileError(HalluscopeError):
    """A file of the embedded model is missing or damaged."""


class FetchError(HalluscopeError):
    """A file of a public dataset could not be downloaded, or has the wrong hash."""


class JudgeError(HalluscopeError):
    """The judge did not answer. `status` and `body` are those of the response, None if there was none."""

    kind = "judge"

    def __init_subclass__(cls, kind: str | None = None, **options: object) -> None:
        super().__init_subclass__(**options)
        cls.kind = kind or cls.kind

    def __init__(self, message: str, *, status: int | None = None, body: str | None = None) -> None:
        self.status = status
        self.body = None if body is None else redacted(body)
        super().__init__(message)


class JudgeUnavailable(JudgeError, kind="unavailable"):
    """The judge could not be reached or failed. A second try may succeed."""


class JudgeUnreachable(JudgeUnavailable, kind="unreachable"):
    """The judge's server was never reached. It is tried only a few times."""


class JudgeThrottled(JudgeUnavailable, kind="throttled"):
    """The judge's server reported a rate limit. `retry_after` is in seconds, None if it did not say."""

    def __init__(
        self, message: str, *, status: int | None = 429, body: str | None = None, retry_after: float | None = None
    ) -> None:
        self.retry_after = retry_after
        super().__init__(message, status=status, body=body)


class JudgeRejected(JudgeError, kind="rejected"):
    """The judge's server refused the request. A second try would be refused too."""


class QuestionTooLong(JudgeRejected, kind="too_long"):
    """The question does not fit the model's context window."""


class JudgeRefused(JudgeError, kind="refused"):
    """The model declined to judge this text."""


class CannotJudge(JudgeError, kind="unjudgeable"):
    """The judge cannot read this kind of text."""


class NothingToJudge(CannotJudge, kind="no_claims"):
    """The judge finds no claim in the output."""


class ContextFailed(JudgeError, kind="context"):
    """The caller's function for the context failed."""


class DeadlineExceeded(JudgeError, kind="deadline"):
    """The time limit of a question ran out."""


class ReplyError(JudgeError, kind="reply"):
    """The `reply` of the judge cannot be used."""

    def __init__(self, message: str, *, reply: str | None = None) -> None:
        super().__init__(message, body=reply)
        self.reply = self.body


class ReplyTruncated(ReplyError, kind="truncated"):
    """The reply is incomplete."""


for _error in [*globals().values()]:
    if isinstance(_error, type) and issubclass(_error, HalluscopeError):
        _error.__module__ = "halluscope.errors"  # shown in tracebacks
