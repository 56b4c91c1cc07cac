"""Guarded streams, synchronous and asynchronous."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Generator, Iterable, Iterator
from typing import Any

from ...core.plumbing import sync
from ...core.plumbing.public import public_in
from ...core.plumbing.user_functions import call
from .guarded_sentence import GuardedSentence, decided_by_function, passed_on
from .guarding import Guarding, WholeSentence


@public_in("halluscope.live")
class Guarded(Guarding, Iterator[str]):
    """A guarded stream. Iterate over it for the text to show, or over `checked()` for sentences with verdicts.

    Example:
        >>> for sentence in guard(stream, passages).checked():
        ...     print(sentence.support, sentence.text)
    """

    def __init__(self, stream: Iterable[Any], *given: Any) -> None:
        super().__init__(*given)
        self._stream = stream
        self._checked = self._check()

    def checked(self) -> Iterator[GuardedSentence]:
        """Yield the sentences when they are checked. The last one may be empty, with only white space before it."""
        return self._checked

    def __next__(self) -> str:
        return next(text for text in map(passed_on, self._checked) if text)

    def close(self) -> None:
        """Close the stream."""
        self._checked.close()

    def _check(self) -> Generator[GuardedSentence, None, None]:
        self._prepare()
        try:
            for held in self._read():
                yield self._checked_sentence(held)
                if self.stopped:
                    return
        finally:
            if callable(close := getattr(self._stream, "close", None)):
                close()

    def _checked_sentence(self, held: WholeSentence) -> GuardedSentence:
        sentence = sync.run(self._judge(held))
        if (function := self._function_for(sentence)) is None:
            return self._finish(held, sentence)
        return self._finish(held, sentence, decided_by_function(function(sentence), sentence))

    def _read(self) -> Iterator[WholeSentence]:
        try:
            for piece in self._stream:
                yield from self._add(piece)
        except Exception:
            yield from self._end()  # the text before the error is not lost
            raise
        yield from self._end()


@public_in("halluscope.live")
class AsyncGuarded(Guarding, AsyncIterator[str]):
    """An asynchronous guarded stream, see `Guarded`."""

    def __init__(self, stream: AsyncIterable[Any], *given: Any) -> None:
        super().__init__(*given)
        self._stream = stream
        self._checked = self._check()

    def checked(self) -> AsyncIterator[GuardedSentence]:
        """Yield the sentences when they are checked. The last one may be empty, with only white space before it."""
        return self._checked

    async def __anext__(self) -> str:
        async for sentence in self._checked:
            if text := passed_on(sentence):
                return text
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Close the stream."""
        await self._checked.aclose()

    async def _check(self) -> AsyncGenerator[GuardedSentence, None]:
        self._prepare()
        try:
            async for held in self._read():
                yield await self._checked_sentence(held)
                if self.stopped:
                    return
        finally:
            close = getattr(self._stream, "aclose", None) or getattr(self._stream, "close", None)
            if callable(close) and inspect.isawaitable(closing := close()):
                await closing

    async def _checked_sentence(self, held: WholeSentence) -> GuardedSentence:
        sentence = await self._judge(held)
        if (function := self._function_for(sentence)) is None:
            return self._finish(held, sentence)
        return self._finish(held, sentence, decided_by_function(await call(function, sentence), sentence))

    async def _read(self) -> AsyncIterator[WholeSentence]:
        try:
            async for piece in self._stream:
                for held in self._add(piece):
                    yield held
        except Exception:
            for held in self._end():  # the text before the error is not lost
                yield held
            raise
        for held in self._end():
            yield held
