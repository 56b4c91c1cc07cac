"""A stream of somebody else's, with an eye on what comes out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class StreamProxy:
    """Behaves as the stream does, and passes for one of its kind; every piece is shown to `see`, the end to `ended`.

    `ended` is called once: when the stream is at its end, or is closed before it. A stream that breaks has no end.
    """

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

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        try:
            piece = next(self._halluscope_stream)
        except StopIteration:
            self._halluscope_end()
            raise
        except BaseException:
            self._halluscope_ended = None
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
        except StopAsyncIteration:
            self._halluscope_end()
            raise
        except BaseException:
            self._halluscope_ended = None
            raise
        self._halluscope_see(piece)
        return piece

    async def __aenter__(self) -> Any:
        await self._halluscope_stream.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        self._halluscope_end()
        return await self._halluscope_stream.__aexit__(*error)
