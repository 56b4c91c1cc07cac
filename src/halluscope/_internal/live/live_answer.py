"""One answer of an application, from the question to the last word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..plumbing.public import public_in
from .sampling import new_trace_id
from .telemetry import current_span


@public_in("halluscope.live")
class LiveAnswer:
    """An answer that is being given. Set `output`, or call `said` with each piece of it; add what was retrieved.

    `trace_id` tells which answers are scored: by default that of the OpenTelemetry span in which the answer began, else
    a new one. `context` None means that there is none but what the conversation in `input` and `output` holds.
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
        """The answer that this one, of a client or framework under watch, is a part of: that one alone is scored."""
        self.inner: list[LiveAnswer] = []
        self.span = current_span()
        self.input = input
        self.output = output
        self.context: list[Any] | None = None
        self.context_given = context is not None
        self.metadata = dict(metadata or {})
        self.response_id: str | None = None
        self.trace_id = str(trace_id) if trace_id else (self.span and self.span.trace) or new_trace_id()
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
        """Add passages that the answer was given: texts, or documents as retrievers return them."""
        if passages:
            self.context = [*(self.context or ()), *passages]

    def said(self, piece: str) -> None:
        """Add a piece of the output, where it comes in pieces."""
        self._pieces.append(piece)
        self.output = None

    @property
    def text(self) -> object:
        """The output: as it was set, or its pieces."""
        return "".join(self._pieces) if self.output is None and self._pieces else self.output

    def later(self, work: Callable[[], None]) -> None:
        """Leave work to the background that the application need not wait for."""
        self._later.append(work)

    def heard(self, messages: list[Any], *, first: bool = False) -> None:
        """Add messages of the conversation; `first`: those with which it began, in place of any that were known."""
        if first:
            self._first = messages
        else:
            self._heard += messages

    def complete(self) -> None:
        """In the background: do what was left for later."""
        work, self._later = self._later, []
        for step in work:
            step()
        if self._first or self._heard:
            self.input = [*self._first, *self._heard]
            self._first, self._heard = [], []

    def freeze(self) -> None:
        """Keep the lists as they are now: the application may go on with them."""
        self.input, self.output = _as_it_is(self.input), _as_it_is(self.text)

    @contextmanager
    def current(self) -> Iterator[None]:
        """While this lasts, what is retrieved belongs to this answer."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)


_current: ContextVar[LiveAnswer | None] = ContextVar("halluscope_live_answer", default=None)
_retrieved: ContextVar[tuple[Any, ...]] = ContextVar("halluscope_live_retrieved", default=())
"""What was retrieved before the answer began that it is for."""


def current_answer() -> LiveAnswer | None:
    """The answer that is being given here, where one is."""
    return _current.get()


def add_retrieved(passages: object) -> None:
    """Passages for the answer that is being given, or for the next one in this task or thread."""
    answer, found = _current.get(), as_passages(passages)
    if answer is not None:
        answer.add_context(*found)
    else:
        _retrieved.set((*_retrieved.get(), *found))


def as_passages(given: object) -> list[Any]:
    """What a retriever returned, passage by passage."""
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple, set, frozenset, Iterator)) else [given]


def _as_it_is(value: object) -> object:
    if isinstance(value, list):
        return list(value)
    return dict(value) if type(value) is dict else value
