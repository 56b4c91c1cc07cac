"""Answers that are written while the work goes on, and work that ends when nobody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .bodies import LINES, ClientGone

T = TypeVar("T")


async def while_connected(
    receive: Receive, work: Coroutine[Any, Any, T], leaving: Coroutine[Any, Any, None] | None = None
) -> T:
    """What the work gives; where the client goes away first, the work is ended and `ClientGone` raised.

    `leaving` ends when the client goes, where somebody else is reading what it sends.
    """
    doing = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_left(receive) if leaving is None else leaving)
    try:
        await asyncio.wait({doing, gone}, return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            return doing.result()
        raise ClientGone
    finally:
        for task in (doing, gone):
            task.cancel()
        await asyncio.gather(doing, gone, return_exceptions=True)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Lines(Response):
    """One JSON value a line, each sent as soon as it is there."""

    def __init__(self, values: AsyncIterator[object], leaving: Coroutine[Any, Any, None] | None = None) -> None:
        """`leaving`: see `while_connected`."""
        super().__init__(None, media_type=LINES)
        del self.headers["content-length"]
        self.headers["x-accel-buffering"] = "no"  # a proxy is to pass each line on at once
        self._values = values
        self._leaving = leaving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await while_connected(receive, self._send(send), self._leaving)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async with aclosing(self._values) as values:  # type: ignore[type-var]
            async for value in values:
                line = msgspec.json.encode(value) + b"\n"
                await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def begun(values: AsyncIterator[T]) -> AsyncIterator[T]:
    """The same values, once the first of them is there: an error before that is still an answer with a status."""
    first = await anext(values, None)

    async def all_of_them() -> AsyncIterator[T]:
        async with aclosing(values) as rest:  # type: ignore[type-var]
            if first is not None:
                yield first
            async for value in rest:
                yield value

    return all_of_them()
