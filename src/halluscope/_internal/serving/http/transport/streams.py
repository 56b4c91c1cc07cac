"""Streaming responses, and cancelling work when the client disconnects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import aclosing
from typing import IO, Any, TypeVar

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .bodies import LINES, ClientGone

T = TypeVar("T")

_PIECE = 64 * 1024
"""Bytes of a file to send at a time."""


async def while_connected(
    receive: Receive, work: Coroutine[Any, Any, T], leaving: Coroutine[Any, Any, None] | None = None
) -> T:
    """Await the work, and cancel it and raise `ClientGone` if the client disconnects.

    `leaving` returns when it does: needed if other code is reading from `receive`.
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


class Streamed(Response):
    """A response that is sent in pieces as they become available. For `leaving`, see `while_connected`."""

    def __init__(
        self,
        values: AsyncIterator[Any],
        media_type: str,
        leaving: Coroutine[Any, Any, None] | None = None,
        encode: Callable[[Any], bytes] = bytes,
    ) -> None:
        super().__init__(None, media_type=media_type)
        del self.headers["content-length"]
        self.headers["x-accel-buffering"] = "no"  # tell proxies not to buffer
        self._values = values
        self._leaving = leaving
        self._encode = encode

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await while_connected(receive, self._send(send), self._leaving)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async with aclosing(self._values) as values:  # type: ignore[type-var]
            async for value in values:
                await send({"type": "http.response.body", "body": self._encode(value), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def lines(values: AsyncIterator[object], leaving: Coroutine[Any, Any, None] | None = None) -> Streamed:
    """Return a response of JSON values, one per line."""
    return Streamed(values, LINES, leaving, encode=lambda value: msgspec.json.encode(value) + b"\n")


async def read_out(file: IO[bytes]) -> AsyncIterator[bytes]:
    """Yield a file in pieces and close it."""
    with file:
        while piece := file.read(_PIECE):
            yield piece


async def begun(values: AsyncIterator[T]) -> AsyncIterator[T]:
    """Await the first value, so that an error before it can become an HTTP status. Returns all values."""
    first = await anext(values, None)

    async def all_values() -> AsyncIterator[T]:
        async with aclosing(values) as rest:  # type: ignore[type-var]
            if first is not None:
                yield first
            async for value in rest:
                yield value

    return all_values()
