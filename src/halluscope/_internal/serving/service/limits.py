"""Limits of the service, and the errors for requests beyond them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ...core.errors import HalluscopeError


class Limits(Struct, frozen=True, kw_only=True):
    """Limits of one request and of the whole service."""

    body: int = 2 * 1024 * 1024
    """Maximum size of a request in bytes."""
    sending: float = 15.0
    """Seconds in which a client must send a request."""
    claims: int = 200
    """Maximum number of claims per output."""
    cases: int = 1000
    """Maximum number of cases per batch."""
    writing: float = 600.0
    """Seconds in which a client must finish a text that is guarded while it is sent."""
    seconds: float = 60.0
    """Maximum duration of a request in seconds; in a batch, of each case."""
    waiting: int = 256
    """Maximum number of open requests."""


class Refused(HalluscopeError):
    """A valid request that is not served. `kind` is the error code for clients, `status` that of HTTP."""

    kind = "refused"
    status = 422
    headers: Mapping[str, str] = {}


class Busy(Refused):
    """The service is at its limit of open requests, or too slow for another one."""

    kind = "busy"
    status = 429

    def __init__(self, seconds: int, why: str = "the server is busy") -> None:
        self.headers = {"retry-after": str(seconds)}
        super().__init__(f"{why}: try again in {seconds} s.")


class TooMany(Refused):
    """The request has too many claims or cases."""

    kind = "too_many"


class TookTooLong(Refused):
    """The request took longer than its limit."""

    kind = "too_long"
    status = 504
