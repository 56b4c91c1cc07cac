"""Reading what a client sends: so much, in so much time, and of the right form."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.types import Receive

from ...plumbing.time_limit import time_limit
from ...service.limits import Limits
from .refusals import Refusal

T = TypeVar("T")

JSON, LINES = "application/json", "application/x-ndjson"

_DRAINED = 16 * 1024 * 1024
_DRAINING = 2.0
"""Bytes and seconds of a refused body that are read and thrown away: a client that is still sending would otherwise
see its connection break, and never the answer."""


class ClientGone(Exception):
    """Nobody waits for the answer any longer."""


async def read_json(request: Request, type: type[T], limits: Limits) -> T:
    """The request's body as a value of this type."""
    if media_type(request) != JSON:
        raise Refusal(415, "media_type", f"the request must be sent as content-type {JSON}.")
    return decoded(await read_body(request, limits), type)


def media_type(request: Request) -> str:
    """What the client says it sends; compressed bodies are not taken."""
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise Refusal(415, "media_type", "compressed requests are not taken: send the body as it is.")
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def decoded(body: bytes, type: type[T]) -> T:
    """JSON as a value of this type."""
    try:
        return msgspec.json.decode(body, type=type)
    except msgspec.ValidationError as error:
        raise Refusal(422, "invalid", f"the request does not have the form that is wanted: {error}.") from None
    except (msgspec.MsgspecError, ValueError) as error:
        raise Refusal(400, "not_json", f"the body is not JSON in UTF-8: {error}.") from None
    except RecursionError:
        raise Refusal(400, "not_json", "the body is nested too deeply to be read.") from None


async def read_body(request: Request, limits: Limits) -> bytes:
    """All of the body, within the limits of size and time."""
    body = bytearray()
    try:
        async with time_limit(limits.sending):
            async for piece in pieces(request, limits):
                body += piece
    except (asyncio.TimeoutError, TimeoutError):
        raise _slow(limits) from None
    except _TooLarge as error:
        if error.more:
            await drain(request.receive)
        raise
    return bytes(body)


async def pieces(request: Request, limits: Limits) -> AsyncIterator[bytes]:
    """The body as it comes, up to the limit."""
    told = request.headers.get("content-length", "")
    taken = 0
    too_large = told.isdigit() and int(told) > limits.body
    more = True
    while more and not too_large:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        piece, more = message.get("body", b""), message.get("more_body", False)
        taken += len(piece)
        too_large = taken > limits.body
        if piece and not too_large:
            yield piece
    if too_large:
        raise _TooLarge(limits, more)


class _TooLarge(Refusal):
    """`more` says that the client is still sending."""

    def __init__(self, limits: Limits, more: bool) -> None:
        self.more = more
        super().__init__(413, "too_large", f"the request is larger than the {limits.body:,} bytes that are taken.")


def _slow(limits: Limits) -> Refusal:
    return Refusal(408, "slow", f"the request was not sent within {limits.sending:g} s.", {"connection": "close"})


async def drain(receive: Receive) -> None:
    """Read what is still being sent, within bounds."""
    seen = 0
    try:
        async with time_limit(_DRAINING):
            while seen < _DRAINED:
                message = await receive()
                seen += len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
    except (asyncio.TimeoutError, TimeoutError):
        return
