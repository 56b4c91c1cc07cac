"""Error responses: a status, a code and a message."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

import msgspec
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ....core.errors import HalluscopeError, InputError, StoreError, UnknownRun
from ....core.redaction import redacted
from ...service.limits import Refused
from .logs import LOG

_ANSWERS: dict[type[Exception], tuple[int, str]] = {
    UnknownRun: (404, "not_found"),
    InputError: (422, "invalid"),
    StoreError: (503, "store"),
    HalluscopeError: (502, "judge"),
}
"""Status and code for each kind of error; the first that fits counts."""


class RefusalBody(Struct, frozen=True):
    """`code` is stable; `message` says what is wrong and what to do."""

    code: str
    message: str


class ErrorAnswer(Struct, frozen=True):
    """The body of every error response."""

    error: RefusalBody


class Refusal(Exception):
    """Raised to answer a request with an error."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.problem = RefusalBody(code, redacted(message))
        self.headers = headers or {}
        super().__init__(message)

    def response(self) -> Response:
        return json_response(ErrorAnswer(self.problem), self.status, self.headers)


def json_response(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")


def refusal_of(error: Exception) -> Refusal | None:
    """Return the refusal for an error of this package, None for other errors."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, HTTPException):
        return _no_route(error)
    if isinstance(error, Refused):
        return Refusal(error.status, error.kind, str(error), error.headers)
    found = next((answer for kind, answer in _ANSWERS.items() if isinstance(error, kind)), None)
    return Refusal(*found, str(error)) if found else None


def unexpected(error: Exception) -> Refusal:
    """Log an unexpected error under an id, and return a refusal with that id."""
    error_id = uuid.uuid4().hex[:12]
    LOG.error("unexpected error %s", error_id, exc_info=error)
    return Refusal(500, "unexpected", f"unexpected error, logged by the server as {error_id}.")


def _no_route(error: HTTPException) -> Refusal:
    if error.status_code == 405:
        allowed = {name.lower(): value for name, value in (error.headers or {}).items()}
        message = f"this method is not allowed here; allowed: {allowed.get('allow', 'none')}."
        return Refusal(405, "method", message, allowed)
    return Refusal(error.status_code, "not_found", "not found.")
