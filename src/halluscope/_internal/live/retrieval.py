"""Retrieval: what was found for an answer is its context."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from ..plumbing.public import public_in
from .live_answer import add_retrieved

F = TypeVar("F", bound=Callable[..., Any])


@public_in("halluscope.live")
def retrieved(passages: object) -> None:
    """Say what was retrieved: for the answer that is being given here, or for the next one in this task or thread."""
    add_retrieved(passages)


@public_in("halluscope.live")
def retriever(function: F) -> F:
    """A decorator for functions that retrieve: what they return is context of the answer it is retrieved for."""
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            found = await function(*args, **kwargs)
            add_retrieved(found)
            return found

        return cast("F", awaited)

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        add_retrieved(found)
        return found

    return cast("F", called)
