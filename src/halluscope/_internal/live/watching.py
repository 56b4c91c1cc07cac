"""Watching functions that return answers."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping
from functools import wraps
from typing import Any, Union

from msgspec import Struct

from ..core.conversation.messages import text_of_piece
from ..core.errors import InputError
from .live_answer import LiveAnswer
from .stream_proxy import StreamProxy

Finder = Union[str, Callable[..., Any], None]
"""Name of a parameter, or a function of the arguments."""

_ASKED = ("input", "question", "query", "prompt", "messages", "message", "user_input")
_GIVEN = ("context", "contexts", "documents", "docs", "passages", "sources", "chunks")


class Arguments:
    """Finds arguments by name. `Signature.bind` is several times slower."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = getattr(function, "__name__", "the function")
        parameters = inspect.signature(function).parameters
        self._defaults = {name: parameter.default for name, parameter in parameters.items()}
        by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        places = [name for name, parameter in parameters.items() if parameter.kind in by_place]
        self._places = {name: place for place, name in enumerate(places)}

    def must_have(self, name: str) -> None:
        """Raise `InputError` if there is no such parameter."""
        if name not in self._defaults:
            known = ", ".join(self._defaults) or "none"
            raise InputError(f"{self._function} has no parameter {name!r}: it has {known}.")

    def first(self, names: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the argument of the first of these names that is a parameter, or None."""
        for name in names:
            if name in kwargs:
                return kwargs[name]
            if name in self._defaults:
                place = self._places.get(name, len(args))
                found = args[place] if place < len(args) else self._defaults[name]
                return None if found is inspect.Parameter.empty else found
        return None


class Watch(Struct, frozen=True, kw_only=True):
    """How to find the question, context, answer and trace of a function."""

    input: Finder = None
    context: Finder = None
    output: Callable[[Any], Any] | None = None
    trace_id: Finder = None
    metadata: Callable[..., Mapping[str, Any]] | Mapping[str, Any] | None = None
    done: Callable[[LiveAnswer], None]
    quietly: Callable[[Callable[[], Any]], Any]

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        named = Arguments(function)
        for name in (self.input, self.context, self.trace_id):
            if isinstance(name, str):
                named.must_have(name)

        def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> LiveAnswer:
            made: LiveAnswer | None = self.quietly(lambda: self._begun(named, args, kwargs))
            return made or LiveAnswer()

        if inspect.isasyncgenfunction(function):

            @wraps(function)
            async def async_pieces(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
                # Must be an asynchronous generator function, for callers that inspect it.
                stream = self._async_stream(begin(args, kwargs), function(*args, **kwargs))
                sent: Any = None
                try:
                    while True:
                        sent = yield await stream.asend(sent)
                except StopAsyncIteration:
                    return
                finally:
                    await stream.aclose()

            return async_pieces

        if inspect.isgeneratorfunction(function):

            @wraps(function)
            def pieces(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
                return (yield from self._stream(begin(args, kwargs), function(*args, **kwargs)))

            return pieces

        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def awaited(*args: Any, **kwargs: Any) -> Any:
                answer = begin(args, kwargs)
                with answer.current():
                    returned = await function(*args, **kwargs)
                return self._returned(answer, returned)

            return awaited

        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            answer = begin(args, kwargs)
            with answer.current():
                returned = function(*args, **kwargs)
            return self._returned(answer, returned)

        return called

    def _begun(self, named: Arguments, args: tuple[Any, ...], kwargs: dict[str, Any]) -> LiveAnswer:
        def find(finder: Finder, usual: tuple[str, ...]) -> Any:
            if callable(finder):
                return finder(*args, **kwargs)
            return named.first((finder,) if finder else usual, args, kwargs)

        return LiveAnswer(
            input=find(self.input, _ASKED),
            context=find(self.context, _GIVEN),
            trace_id=find(self.trace_id, ("trace_id",)),
            metadata=self.metadata(*args, **kwargs) if callable(self.metadata) else self.metadata,
        )

    def _returned(self, answer: LiveAnswer, returned: Any) -> Any:
        """Handle the result of the function, which may be a stream."""
        if inspect.isgenerator(returned):
            return self._stream(answer, returned)
        if inspect.isasyncgen(returned):
            return self._async_stream(answer, returned)
        if isinstance(returned, (Iterator, AsyncIterator)):
            return StreamProxy(returned, lambda piece: self._said(answer, piece), lambda: self._done(answer))

        def finish() -> None:
            answer.output = returned if self.output is None else self.output(returned)
            self.done(answer)

        self.quietly(finish)
        return returned

    def _stream(self, answer: LiveAnswer, inner: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Yield the same chunks. The answer ends with the stream, or when the reader stops."""
        resume: Callable[[Any], Any] = inner.send
        value: Any = None
        try:
            while True:
                with answer.current():
                    piece = resume(value)
                self._said(answer, piece)
                try:
                    value = yield piece
                    resume = inner.send
                except GeneratorExit:
                    inner.close()
                    raise
                except BaseException as error:
                    resume, value = inner.throw, error
        except StopIteration as end:
            self._done(answer)
            return end.value
        except GeneratorExit:
            self._done(answer)
            raise

    async def _async_stream(self, answer: LiveAnswer, inner: AsyncGenerator[Any, Any]) -> AsyncGenerator[Any, Any]:
        resume: Callable[[Any], Any] = inner.asend
        value: Any = None
        try:
            while True:
                with answer.current():
                    piece = await resume(value)
                self._said(answer, piece)
                try:
                    value = yield piece
                    resume = inner.asend
                except GeneratorExit:
                    await inner.aclose()
                    raise
                except BaseException as error:
                    resume, value = inner.athrow, error
        except StopAsyncIteration:
            self._done(answer)
        except GeneratorExit:
            self._done(answer)
            raise

    def _said(self, answer: LiveAnswer, piece: Any) -> None:
        def note() -> None:
            if said := text_of_piece(piece) if self.output is None else self.output(piece):
                answer.said(said)

        self.quietly(note)

    def _done(self, answer: LiveAnswer) -> None:
        self.quietly(lambda: self.done(answer))
