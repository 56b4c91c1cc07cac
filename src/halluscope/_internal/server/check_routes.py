"""`/v1/check`, `/v1/batch` and `/v1/guard`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..service.limits import Limits
from .checking import Checking
from .http.bodies import LINES, media_type, read_json
from .http.feeds import Feed
from .http.refusals import json_response
from .http.streams import Lines, begun, while_connected
from .routes import Operation
from .wire_messages import (
    BatchEvent,
    BatchRequest,
    CheckAnswer,
    CheckEvent,
    CheckRequest,
    GuardEvent,
    GuardPiece,
    GuardRequest,
    GuardSettings,
)

_REFUSALS = (429, 502, 504)


class CheckRoutes:
    """Judges what it is sent."""

    def __init__(self, checking: Checking, limits: Limits) -> None:
        self._checking = checking
        self._limits = limits

    def operations(self) -> tuple[Operation, ...]:
        return (
            Operation(
                method="POST",
                path="/v1/check",
                name="check",
                about="Judge one output; as lines, where the request accepts those, while it is being judged.",
                handler=self.check,
                takes=CheckRequest,
                gives=CheckAnswer,
                streams=CheckEvent,
                refusals=_REFUSALS,
            ),
            Operation(
                method="POST",
                path="/v1/batch",
                name="batch",
                about="Judge many outputs: a line for each as soon as it is ready, and one at the end.",
                handler=self.batch,
                takes=BatchRequest,
                gives=BatchEvent,
                media_type=LINES,
                refusals=_REFUSALS,
            ),
            Operation(
                method="POST",
                path="/v1/guard",
                name="guard",
                about="Check a text sentence by sentence: a line for each, and one at the end. Sent as lines, the "
                "settings first and then the pieces, it is checked while it is being sent.",
                handler=self.guard,
                takes=GuardRequest,
                gives=GuardEvent,
                media_type=LINES,
                refusals=_REFUSALS,
            ),
        )

    async def check(self, request: Request) -> Response:
        wanted = await read_json(request, CheckRequest, self._limits)
        if LINES in request.headers.get("accept", ""):
            return await _lines(request, self._checking.events(wanted))
        return json_response(await while_connected(request.receive, self._checking.check(wanted)))

    async def batch(self, request: Request) -> Response:
        wanted = await read_json(request, BatchRequest, self._limits)
        return await _lines(request, self._checking.batch(wanted))

    async def guard(self, request: Request) -> Response:
        if media_type(request) == LINES:
            feed = Feed(request, self._limits)
            settings = await feed.first(GuardSettings)
            events = self._checking.guard(settings, _texts(feed))
            first = await while_connected(request.receive, begun(events), feed.left())
            return Lines(first, feed.left())
        wanted = await read_json(request, GuardRequest, self._limits)
        return await _lines(request, self._checking.guard_given(wanted))


async def _lines(request: Request, events: AsyncIterator[Any]) -> Lines:
    """An answer in lines, once there is one; where the client goes away before that, the work ends."""
    return Lines(await while_connected(request.receive, begun(events)))


async def _texts(feed: Feed) -> AsyncIterator[str]:
    async for piece in feed.rest(GuardPiece):
        yield piece.text
