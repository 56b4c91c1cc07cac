"""Watching a stream of another library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class StreamProxy:
    """Behaves like the stream, and has its type. `ended` is called once, at its end or when closed, not on an error."""

    def __init__(self, stream: Any, see: Callable[[Any], None], ended: Callable[[], None]) -> None:
        self._halluscope_stream = stream
        self._halluscope_see = see
        self._halluscope_ended: Callable[[], None] | None = ended

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._halluscope_stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._halluscope_stream, name)

    def _halluscope_end(self) -> None:
        ended, self._halluscope_ended = self._halluscope_ended, None
        if ended is not None:
            ended()

    def _halluscope_fail(self, error: BaseException) -> None:
        if isinstance(error, (StopIteration, StopAsyncIteration)):
            self._halluscope_end()
        self._halluscope_ended = None

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        try:
            piece = next(self._halluscope_stream)
        except BaseException as error:
            self._halluscope_fail(error)
            raise
        self._halluscope_see(piece)
        return piece

    def __enter__(self) -> Any:
        self._halluscope_stream.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        self._halluscope_end()
        return self._halluscope_stream.__exit__(*error)

    def close(self) -> Any:
        self._halluscope_end()
        return self._halluscope_stream.close()

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> Any:
        try:
            piece = await self._halluscope_stream.__anext__()
        except BaseException as error:
            self._halluscope_fail(error)
            raise
        self._halluscope_see(piece)
        return piece

    async def __aenter__(self) -> Any:
        await self._halluscope_stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        self._halluscope_end()
        return await self._halluscope_stream.__aexit__(*error)
