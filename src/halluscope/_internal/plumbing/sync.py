"""Calling asynchronous code from synchronous code, inside a running loop or not.

One loop runs in a background thread for as long as the process lives. So connections stay open
between calls, and a notebook, whose own loop is busy, is served like any other caller.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
Self = TypeVar("Self")

_LISTENING = 0.5
"""Seconds between two looks up from waiting: some systems tell of an interrupt only then."""

_WINDING_UP = 30.0
"""Seconds that an interrupt waits for what it cancelled: a run writes down what it has. A second one does not wait."""

_CLOSING = 5.0
"""Seconds that the end of the process waits for what is still running."""


class _Background:
    """The loop and the thread that runs it."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="halluscope", daemon=True)
        self.thread.start()

    def close(self) -> None:
        """Cancel what runs, close what is open, stop the loop."""
        with suppress(Exception):
            asyncio.run_coroutine_threadsafe(_wound_up(), self.loop).result(_CLOSING)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(_CLOSING)
        if not self.thread.is_alive():
            self.loop.close()


class _Call(Generic[T]):
    """A coroutine that the loop runs and another thread waits for.

    It waits for a bare lock. The events and futures of the standard library have a condition inside, and an interrupt
    that comes just as one is entered leaves it taken for good: then the loop waits to tell the end, and the caller to
    hear it.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self._coroutine = coroutine
        self._task: asyncio.Task[T] | None = None
        self._running = threading.Lock()
        self._running.acquire()

    def begin(self) -> None:
        """In the loop: run it."""
        self._task = asyncio.ensure_future(self._coroutine)
        self._task.add_done_callback(self._end)

    def give_up(self) -> None:
        """In the loop: cancel it, or leave it unbegun where the interrupt was faster."""
        if self._task is not None:
            self._task.cancel()
        else:
            self._coroutine.close()
            self._running.release()

    def over(self, seconds: float) -> bool:
        """Whether it has come to its end, which is waited for so long at most."""
        return (self._task is not None and self._task.done()) or self._running.acquire(timeout=seconds)

    def result(self) -> T:
        """What it gave, once it is over."""
        assert self._task is not None
        return self._task.result()

    def _end(self, task: asyncio.Task[T]) -> None:
        if not task.cancelled():
            task.exception()  # whoever was interrupted does not ask for it any more
        self._running.release()


_lock = threading.Lock()
_current: _Background | None = None
_left_by_fork: list[_Background] = []
"""A forked child has the parent's loop without its thread, and must not touch the parent's connections."""


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result. An interrupt cancels it, and gives it the moment it needs to end well."""
    background = _running()
    if threading.current_thread() is background.thread:
        coroutine.close()
        raise RuntimeError("a synchronous call was made from inside halluscope's own loop: await the asynchronous one.")
    call = _Call(coroutine)
    try:
        background.loop.call_soon_threadsafe(call.begin)
        while not call.over(_LISTENING):
            pass
        return call.result()
    except BaseException:
        background.loop.call_soon_threadsafe(call.give_up)
        call.over(_WINDING_UP)
        raise


def blocking(function: Callable[P, Coroutine[Any, Any, T]], name: str) -> Callable[P, T]:
    """The synchronous twin of an asynchronous function, under its own name.

    It has the parameters, types and docstring of the other, which are so written once.
    """

    @wraps(function)
    def twin(*args: P.args, **kwargs: P.kwargs) -> T:
        return run(function(*args, **kwargs))

    return _renamed(twin, name)


def blocking_method(
    method: Callable[Concatenate[Self, P], Coroutine[Any, Any, T]], name: str
) -> Callable[Concatenate[Self, P], T]:
    """Like `blocking`, for a method: where a subclass has its own, that one is called."""

    @wraps(method)
    def twin(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> T:
        own: Callable[P, Coroutine[Any, Any, T]] = getattr(self, method.__name__)
        return run(own(*args, **kwargs))

    return _renamed(twin, name)


def _renamed(function: Callable[P, T], name: str) -> Callable[P, T]:
    function.__qualname__ = f"{function.__qualname__.rpartition('.')[0]}.{name}".removeprefix(".")
    function.__name__ = name
    return function


def start(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Let the coroutine run in the background, whatever becomes of the caller's own loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, _running().loop)


def have_loop() -> None:
    """Have the loop running, so that the first to use it need not wait for that."""
    _running()


def _running() -> _Background:
    global _current
    with _lock:
        if _current is not None and _current.process != os.getpid():
            _left_by_fork.append(_current)
            _current = None
        if _current is None:
            _current = _Background()
        return _current


def _forget() -> None:
    """In a forked child: the lock may be held by a thread that did not come along."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


async def _wound_up() -> None:
    running = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()


@atexit.register
def _at_exit() -> None:
    if _current is not None and _current.process == os.getpid():
        _current.close()
