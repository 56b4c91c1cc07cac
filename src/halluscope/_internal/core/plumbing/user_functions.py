"""Calling functions of the user, whatever they return or raise."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar, Union

from .threads import in_thread

T = TypeVar("T")


def is_asynchronous(function: Callable[..., Any]) -> bool:
    """Whether the function, or the object's `__call__`, is declared with `async def`."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - an object with an asynchronous __call__
    )


async def call(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a function and return its result. A synchronous function runs in a thread, so it may block."""
    if is_asynchronous(function):
        return await function(*args, **named)
    made = await in_thread(partial(function, *args, **named))
    return await made if inspect.isawaitable(made) else made


async def outcome_of(work: Coroutine[Any, Any, T]) -> Union[tuple[T, None], tuple[None, BaseException]]:
    """Await work and return its result and the error it raised, including SystemExit and CancelledError."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait([task])
    except BaseException:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise
    if task.cancelled():
        return None, asyncio.CancelledError()
    error = task.exception()
    return (task.result(), None) if error is None else (None, error)
