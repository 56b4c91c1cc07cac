"""What is said to a request that is not served: a status, a word for programs, a sentence for people."""

from __future__ import annotations

import math
import uuid

import msgspec
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ...errors import HalluscopeError, InputError, StoreError, UnknownName
from ...redaction import redacted
from ...service.limits import Busy, TookTooLong, TooMany
from .logs import LOG


class RefusalBody(Struct, frozen=True):
    """`code` is one word that stays the same; `message` says what is wrong and what to do."""

    code: str
    message: str


class ErrorAnswer(Struct, frozen=True):
    """The body of every answer that is no success."""

    error: RefusalBody


class Refusal(Exception):
    """Raised wherever a request turns out not to be served."""

    def __init__(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        self.status = status
        self.problem = RefusalBody(code, redacted(message))
        self.headers = headers or {}
        super().__init__(message)

    def response(self) -> Response:
        """The answer."""
        return json_response(ErrorAnswer(self.problem), self.status, self.headers)


def json_response(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Any value of ours as JSON."""
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")


def refusal_of(error: Exception) -> Refusal | None:
    """How an error of ours is told, None for one that nobody foresaw."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, HTTPException):
        return _no_route(error)
    if isinstance(error, Busy):
        return Refusal(429, error.kind, str(error), {"retry-after": str(math.ceil(error.retry_after))})
    if isinstance(error, TooMany):
        return Refusal(422, error.kind, str(error))
    if isinstance(error, TookTooLong):
        return Refusal(504, error.kind, str(error))
    if isinstance(error, UnknownName) and str(error).startswith("there is no run called"):
        return Refusal(404, "not_found", str(error))
    if isinstance(error, InputError):
        return Refusal(422, "invalid", str(error))
    if isinstance(error, StoreError):
        return Refusal(503, "store", str(error))
    if isinstance(error, HalluscopeError):
        return Refusal(502, "judge", str(error))
    return None


def unforeseen(error: Exception) -> Refusal:
    """What went wrong stands in the log, under a number that the client gets."""
    number = uuid.uuid4().hex[:12]
    LOG.error("unforeseen error %s", number, exc_info=error)
    return Refusal(500, "unforeseen", f"an error that was not foreseen; the server's log has it as {number}.")


def _no_route(error: HTTPException) -> Refusal:
    """Paths and methods that there are not."""
    if error.status_code == 405:
        allowed = dict(error.headers or {})
        message = f"this method is not taken here; taken is: {allowed.get('Allow', 'nothing')}."
        return Refusal(405, "method", message, allowed)
    return Refusal(error.status_code, "not_found", "there is nothing at this address.")
