"""`guard` checks a stream sentence by sentence: the streams that it returns, synchronous and asynchronous."""

from __future__ import annotations

import inspect
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from typing import Any, Concatenate, ParamSpec, Protocol, Union, cast, overload

from ...core.conversation import text_of_piece
from ...core.errors import InputError, UnknownName
from ...core.plumbing import sync
from ...core.plumbing.public import public, public_in
from ...core.plumbing.user_functions import call
from ...core.verdict import Support
from ...engine.judge import JudgeSpec
from ...engine.metric import is_number
from .guarded_sentence import REMOVED, GuardedSentence, Policy, Rules, passed_on
from .guarding import Guarding, WholeSentence

P = ParamSpec("P")

_WRONG = (Support.CONTRADICTED, Support.UNSUPPORTED)


@public_in("halluscope.live")
class Guarded(Guarding[Generator[GuardedSentence, None, None]], Iterator[str]):
    """A guarded stream. Iterate over it for the text to show, or over `checked()` for sentences with verdicts.

    Example:
        >>> for sentence in guard(stream, passages).checked():
        ...     print(sentence.support, sentence.text)
    """

    def __next__(self) -> str:
        return next(text for text in map(passed_on, self._checked) if text)

    def close(self) -> None:
        """Close the stream."""
        self._checked.close()

    def _check(self) -> Generator[GuardedSentence, None, None]:
        self._prepare()
        try:
            for held in self._read():
                sentence = sync.run(self._judge(held))
                function = self._function_for(sentence)
                yield self._finish(held, sentence, None if function is None else function(sentence))
                if self.stopped:
                    return
        finally:
            if callable(close := getattr(self._stream, "close", None)):
                close()

    def _read(self) -> Iterator[WholeSentence]:
        try:
            for piece in self._stream:
                yield from self._add(piece)
        except Exception:
            yield from self._end()  # the text before the error is not lost
            raise
        yield from self._end()


@public_in("halluscope.live")
class AsyncGuarded(Guarding[AsyncGenerator[GuardedSentence, None]], AsyncIterator[str]):
    """An asynchronous guarded stream, see `Guarded`."""

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
                sentence = await self._judge(held)
                function = self._function_for(sentence)
                yield self._finish(held, sentence, None if function is None else await call(function, sentence))
                if self.stopped:
                    return
        finally:
            close = getattr(self._stream, "aclose", None) or getattr(self._stream, "close", None)
            if callable(close) and inspect.isawaitable(closing := close()):
                await closing

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


class _OfEither(Protocol[P]):
    """A function of a stream: what it returns is asynchronous if the stream is."""

    @overload
    def __call__(self, stream: AsyncIterable[Any], *args: P.args, **options: P.kwargs) -> AsyncGuarded: ...

    @overload
    def __call__(self, stream: Iterable[Any], *args: P.args, **options: P.kwargs) -> Guarded: ...


def _of_either(function: Callable[Concatenate[Any, P], Any]) -> _OfEither[P]:
    return cast("_OfEither[P]", function)


@public
@_of_either  # type: ignore[arg-type]  # `stream` may be named too
def guard(
    stream: Union[Iterable[Any], AsyncIterable[Any]],
    context: object,
    input: object = None,
    *,
    policy: Policy = "mark",
    on_fail: Policy | None = None,
    replacement: str = REMOVED,
    flags: Sequence[str] = _WRONG,
    min_confidence: float = 0.0,
    flag_unchecked: bool = False,
    text: Callable[[Any], str] | None = None,
    judge: JudgeSpec = "local",
    **options: Any,
) -> Union[Guarded, AsyncGuarded]:
    """Check each sentence of a streamed answer before it is shown.

    Args:
        stream: An iterator, which may be asynchronous, of texts or of chunks from the clients of OpenAI, Anthropic,
            LangChain or Mastra.
        context: The passages the answer should be grounded in.
        input: The question.
        policy: How to handle flagged sentences: "pass", "mark", "replace", "stop" the stream, or "repair" (see
            `repair`; a sentence that cannot be repaired is replaced). A function gets the `GuardedSentence` and
            returns the text to show, or None to stop.
        on_fail: Another name for `policy`.
        replacement: The text shown for a replaced sentence.
        flags: Which verdicts flag a sentence.
        min_confidence: Flag only with at least this confidence, if the judge gives one.
        flag_unchecked: Also flag sentences that could not be judged.
        text: Returns the text of a chunk, for other kinds of chunks.
        judge: Name or instance of the judge.
        options: Options of a judge given by name.

    Returns:
        An iterator over the text to show, of the same kind as the stream. `checked()` iterates over sentences with
        their verdicts.

    Raises:
        InputError: An argument is invalid.

    Example:
        >>> for text in guard(stream, passages, policy="replace"):
        ...     print(text, end="")
    """
    if not is_number(min_confidence):
        raise InputError(f"`min_confidence` must be a number from 0 to 1, not {min_confidence!r}.")
    rules = Rules(
        policy=policy if on_fail is None else on_fail,
        replacement=replacement,
        flags=frozenset(_support(flag) for flag in ([flags] if isinstance(flags, str) else flags)),
        min_confidence=min_confidence,
        flag_unchecked=flag_unchecked,
    )
    given = (text or _text, context, input, judge, rules, options)
    if isinstance(stream, str):
        return Guarded([stream], *given)
    if isinstance(stream, AsyncIterable):
        return AsyncGuarded(stream, *given)
    if isinstance(stream, Iterable):
        return Guarded(stream, *given)
    raise InputError(
        f"a {type(stream).__name__} is not a stream: pass an iterator of texts, which may be asynchronous."
    )


def _support(flag: str) -> Support:
    try:
        return Support(flag)
    except ValueError:
        raise UnknownName("support", str(flag), [str(support) for support in _WRONG]) from None


def _text(piece: Any) -> str:
    found = text_of_piece(piece)
    if found is not None:
        return found
    raise InputError(
        f"a chunk of the stream is a {type(piece).__name__}: pass `text`, a function that returns its text."
    )
