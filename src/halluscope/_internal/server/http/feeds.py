"""A body of lines that is read while it is still being sent, and answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

from starlette.requests import Request

from ...plumbing.time_limit import time_limit
from ...service.limits import Limits
from .bodies import ClientGone, decoded, pieces
from .refusals import Refusal

T = TypeVar("T")


class Feed:
    """The lines of a request. The next of them has to come within the time that a request has."""

    def __init__(self, request: Request, limits: Limits) -> None:
        self._request = request
        self._limits = limits
        self._lines: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
        self._reading = asyncio.ensure_future(self._read())  # ends with the body, or with the answer

    async def left(self) -> None:
        """Returns when the client has gone."""
        await asyncio.shield(self._reading)
        while (await self._request.receive())["type"] != "http.disconnect":
            pass

    async def first(self, type: type[T]) -> T:
        """The first line."""
        line = await self._next()
        if line is None:
            raise Refusal(400, "not_json", "the request has no lines: send the settings as the first.")
        return decoded(line, type)

    async def rest(self, type: type[T]) -> AsyncIterator[T]:
        """The other lines, as they come."""
        while (line := await self._next()) is not None:
            yield decoded(line, type)

    async def _next(self) -> bytes | None:
        try:
            async with time_limit(self._limits.seconds):
                line = await self._lines.get()
        except (asyncio.TimeoutError, TimeoutError):
            raise Refusal(408, "slow", f"the next line was not sent within {self._limits.seconds:g} s.") from None
        if isinstance(line, Exception):
            raise line
        return line

    async def _read(self) -> None:
        waiting = b""
        try:
            async for piece in pieces(self._request, self._limits):
                *whole, waiting = (waiting + piece).split(b"\n")
                for line in filter(bytes.strip, whole):
                    self._lines.put_nowait(line)
            if waiting.strip():
                self._lines.put_nowait(waiting)
            self._lines.put_nowait(None)
        except (Refusal, ClientGone) as error:
            self._lines.put_nowait(error)
