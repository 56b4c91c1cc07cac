"""What one request may take, and what is said to those who want more."""

from __future__ import annotations

from msgspec import Struct

from ..errors import HalluscopeError


class Limits(Struct, frozen=True, kw_only=True):
    """The bounds of one request, and of all together."""

    body: int = 2 * 1024 * 1024
    """Bytes of a request."""
    sending: float = 15.0
    """Seconds in which a request has to be sent."""
    claims: int = 200
    """Claims of one output."""
    cases: int = 1000
    """Cases of one batch."""
    seconds: float = 60.0
    """From a request's beginning to its answer; in a batch, for each case."""
    waiting: int = 256
    """Requests under way at once: one more is told to come back."""


class Refused(HalluscopeError):
    """A request that is right in itself, and not served. `kind` names the reason for programs."""

    kind = "refused"


class Busy(Refused):
    """There are as many requests under way as this process takes on."""

    kind = "busy"

    def __init__(self, seconds: int, why: str = "as many requests are under way as this server takes on") -> None:
        self.retry_after = seconds
        super().__init__(f"{why}: come back in {seconds} s.")


class TooMany(Refused):
    """The request holds more than is judged at once."""

    kind = "too_many"


class TookTooLong(Refused):
    """The time for the request ran out."""

    kind = "too_long"
