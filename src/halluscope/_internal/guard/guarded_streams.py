"""The guard around a stream, for both kinds of iterator."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Generator, Iterable, Iterator
from typing import Any, Union

from ..plumbing import sync
from ..plumbing.public import public
from ..text.counting import count_of
from .guarded_sentence import GuardedSentence
from .guarding import Guarding, WholeSentence

Extract = Callable[[Any], str]
"""From a piece of somebody's stream to the text in it."""


class _Watched:
    """What can be asked of a guarded stream at any time."""

    def __init__(self, stream: Any, guarding: Guarding, text: Extract) -> None:
        self._stream = stream
        self._guarding = guarding
        self._text = text
        self._checked = self._check()

    def _check(self) -> Any:
        raise NotImplementedError

    @property
    def original(self) -> str:
        """All text that came from the model so far, as it came; also of sentences that were replaced or held back."""
        return self._guarding.original

    @property
    def shown(self) -> str:
        """All text that was passed on so far."""
        return self._guarding.shown

    @property
    def sentences(self) -> tuple[GuardedSentence, ...]:
        """The sentences that were checked so far."""
        return tuple(sentence for sentence in self._guarding.sentences if sentence.text)

    @property
    def stopped(self) -> bool:
        """Whether the policy ended the stream."""
        return self._guarding.stopped

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {count_of(len(self.sentences), 'sentence')} checked>"


@public
class Guarded(_Watched, Iterator[str]):
    """A stream under guard: iterate over the text to show, or over `checked()` for sentences with their verdicts."""

    def checked(self) -> Iterator[GuardedSentence]:
        """The sentences as they are checked. The last may have no text, only white space before it."""
        checked: Iterator[GuardedSentence] = self._checked
        return checked

    def __next__(self) -> str:
        return next(text for text in map(_passed_on, self._checked) if text)

    def close(self) -> None:
        """Stop reading; what came so far stays."""
        self._checked.close()

    def _check(self) -> Generator[GuardedSentence, None, None]:
        self._guarding.prepare()
        try:
            for held in self._held():
                yield sync.run(self._guarding.check(held))
                if self.stopped:
                    return
        finally:
            if callable(close := getattr(self._stream, "close", None)):
                close()

    def _held(self) -> Iterator[WholeSentence]:
        try:
            for piece in self._stream:
                yield from self._guarding.add(self._text(piece))
        except Exception:
            yield from self._guarding.end()  # what came before the trouble is not lost
            raise
        yield from self._guarding.end()


@public
class AsyncGuarded(_Watched, AsyncIterator[str]):
    """An asynchronous stream under guard; otherwise as `Guarded`."""

    def checked(self) -> AsyncIterator[GuardedSentence]:
        """The sentences as they are checked. The last may have no text, only white space before it."""
        checked: AsyncIterator[GuardedSentence] = self._checked
        return checked

    async def __anext__(self) -> str:
        async for sentence in self._checked:
            if text := _passed_on(sentence):
                return text
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Stop reading; what came so far stays."""
        await self._checked.aclose()

    async def _check(self) -> AsyncGenerator[GuardedSentence, None]:
        self._guarding.prepare()
        try:
            async for held in self._held():
                yield await self._guarding.check(held)
                if self.stopped:
                    return
        finally:
            close = getattr(self._stream, "aclose", None) or getattr(self._stream, "close", None)
            if callable(close):
                await close()

    async def _held(self) -> AsyncIterator[WholeSentence]:
        try:
            async for piece in self._stream:
                for held in self._guarding.add(self._text(piece)):
                    yield held
        except Exception:
            for held in self._guarding.end():  # what came before the trouble is not lost
                yield held
            raise
        for held in self._guarding.end():
            yield held


def _passed_on(sentence: GuardedSentence) -> str:
    return "" if sentence.action == "stopped" else sentence.before + sentence.shown


def guarded(stream: object, guarding: Guarding, text: Extract) -> Union[Guarded, AsyncGuarded, None]:
    """The stream under guard; None where it is no stream."""
    if isinstance(stream, str):
        stream = [stream]
    if isinstance(stream, AsyncIterable):
        return AsyncGuarded(stream, guarding, text)
    return Guarded(stream, guarding, text) if isinstance(stream, Iterable) else None
