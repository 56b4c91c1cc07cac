"""One answer of an application, and the passages that were retrieved for it."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

from ..core.plumbing.public import public_in
from .tracing import current_span, new_trace_id, trace_ids

F = TypeVar("F", bound=Callable[..., Any])


@public_in("halluscope.live")
class LiveAnswer:
    """An answer that is being given. Set `output`, or call `said` with each chunk of it.

    Args:
        input: The question, or the messages before the answer.
        context: The passages. By default those in the conversation.
        output: The answer.
        trace_id: Decides whether the answer is sampled. By default that of the OpenTelemetry span, or a new one.
        metadata: Stored with the result.
        hooked: Whether a hook created it. It is then a part of an answer that is being given, if there is one.

    Example:
        >>> with live.answer("When did it close?") as answer:
        ...     answer.add_context("The mill closed in 1921.")
        ...     answer.output = "It closed in 1921."
    """

    def __init__(
        self,
        *,
        input: object = None,
        context: object = None,
        output: object = None,
        trace_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        hooked: bool = False,
    ) -> None:
        self.outer = _current.get() if hooked else None
        """The answer that this one is a part of. Only that one is scored."""
        self.inner: list[LiveAnswer] = []
        self.span = current_span()
        self.input = input
        self.output = output
        self.context: list[Any] | None = None
        self.context_given = context is not None
        self.metadata = dict(metadata or {})
        self.at = time.time()
        self.response_id: str | None = None
        self.trace_id = str(trace_id) if trace_id else (self.span and self.span.trace) or new_trace_id()
        self.traces = trace_ids(self.span, str(trace_id) if trace_id else None)
        self._pieces: list[str] = []
        self._later: list[Callable[[], None]] = []
        self._first: list[Any] = []
        self._heard: list[Any] = []
        if self.outer is None:
            self.add_context(*_retrieved.get())
            _retrieved.set(())
        if context is not None:
            self.add_context(*as_passages(context))
            self.context = self.context or []

    def add_context(self, *passages: Any) -> None:
        """Add passages of context: texts, or documents of a retriever."""
        if passages:
            self.context = [*(self.context or ()), *passages]

    def said(self, piece: str) -> None:
        """Add a chunk of the output."""
        self._pieces.append(piece)
        self.output = None

    @property
    def text(self) -> object:
        """The output, as it was set or from its chunks."""
        return "".join(self._pieces) if self.output is None and self._pieces else self.output

    def later(self, work: Callable[[], None]) -> None:
        """Do work in the background, so that the application does not wait for it."""
        self._later.append(work)

    def heard(self, messages: list[Any], *, first: bool = False) -> None:
        """Add messages. With `first`, they replace the messages at the beginning of the conversation."""
        if first:
            self._first = messages
        else:
            self._heard += messages

    def complete(self) -> None:
        """Do the work for the background, also that of the answers inside this one."""
        work, self._later = self._later, []
        for step in work:
            step()
        if self._first or self._heard:
            self.input = [*self._first, *self._heard]
            self._first, self._heard = [], []
        for part in self.inner:
            part.complete()

    def freeze(self) -> None:
        """Copy lists and dictionaries, because the application may change them."""
        self.input, self.output = _as_it_is(self.input), _as_it_is(self.text)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make this the current answer, to which retrieved passages are added."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)


_current: ContextVar[LiveAnswer | None] = ContextVar("halluscope_live_answer", default=None)
_retrieved: ContextVar[tuple[Any, ...]] = ContextVar("halluscope_live_retrieved", default=())
"""Passages retrieved before their answer started."""


@public_in("halluscope.live")
def retrieved(passages: object) -> None:
    """Add retrieved passages to the current answer, or to the next one in this task or thread.

    Args:
        passages: Texts or documents.

    Example:
        >>> retrieved(index.search(question))
    """
    answer, found = _current.get(), as_passages(passages)
    if answer is not None:
        answer.add_context(*found)
    else:
        _retrieved.set((*_retrieved.get(), *found))


@public_in("halluscope.live")
def retriever(function: F) -> F:
    """Decorate a function that retrieves passages. Its results are added to the current answer.

    Args:
        function: The function, which may be asynchronous.

    Returns:
        The decorated function, which behaves as before.

    Example:
        >>> @retriever
        ... def search(question): ...
    """
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            found = await function(*args, **kwargs)
            retrieved(found)
            return found

        return cast("F", awaited)

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        retrieved(found)
        return found

    return cast("F", called)


def as_passages(given: object) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple, set, frozenset, Iterator)) else [given]


def _as_it_is(value: object) -> object:
    if isinstance(value, list):
        return list(value)
    return dict(value) if type(value) is dict else value
