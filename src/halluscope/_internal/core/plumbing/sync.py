"""Calling asynchronous code from synchronous code, inside a running loop or not.

One event loop runs in a background thread until the process ends. Connections stay open between calls, and calls work
inside a notebook, whose own loop is busy.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from .per_process import PerProcess

T = TypeVar("T")
P = ParamSpec("P")
Self = TypeVar("Self")

_INTERRUPT_INTERVAL = 0.5
"""Seconds between pauses of a wait. Some systems deliver an interrupt only then."""

_CANCEL_TIMEOUT = 30.0
"""Seconds to wait after an interrupt for the cancelled work, which may save results. The second one does not wait."""

_CLOSE_TIMEOUT = 5.0
"""Seconds that the end of the process waits for running work."""


class _Background:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, name="halluscope", daemon=True)
        self._closing = False
        self.thread.start()

    def _run(self) -> None:
        """Run the loop until it is closed. A task that raises SystemExit, which ends `run_forever`, stops no other."""
        while not self._closing:
            with suppress(SystemExit, KeyboardInterrupt):
                self.loop.run_forever()

    def close(self) -> None:
        """Cancel all tasks, close all generators and stop the loop."""
        end = time.monotonic() + _CLOSE_TIMEOUT
        with suppress(Exception):
            asyncio.run_coroutine_threadsafe(_cancel_all(), self.loop).result(_CLOSE_TIMEOUT)
        self._closing = True
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(max(0.1, end - time.monotonic()))
        if not self.thread.is_alive():
            self.loop.close()


class _Call(Generic[T]):
    """A coroutine that runs in the loop while another thread waits for it, with a bare lock.

    Conditions, which events and futures use, stay locked if an interrupt arrives at the moment they are entered.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self._coroutine = coroutine
        self._task: asyncio.Task[T] | None = None
        self._running = threading.Lock()
        self._running.acquire()

    def start(self) -> None:
        """Start the coroutine. Called in the loop."""
        self._task = asyncio.ensure_future(self._coroutine)
        self._task.add_done_callback(self._end)

    def cancel(self) -> None:
        """Cancel the coroutine, or do not start it if the interrupt was faster. Called in the loop."""
        if self._task is not None:
            self._task.cancel()
        else:
            self._coroutine.close()
            self._running.release()

    def ended(self, seconds: float) -> bool:
        """Wait for the end, up to this many seconds. Returns whether it has ended."""
        return (self._task is not None and self._task.done()) or self._running.acquire(timeout=seconds)

    def result(self) -> T:
        assert self._task is not None
        return self._task.result()

    def _end(self, task: asyncio.Task[T]) -> None:
        if not task.cancelled():
            task.exception()  # mark as retrieved: an interrupted caller does not ask for it
        self._running.release()


_lock = PerProcess(threading.RLock)
"""Re-entrant, because the garbage collector may call `start` inside `_running`."""
_background = PerProcess(lambda: _Background())


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine and return its result. An interrupt cancels it and waits for it to end."""
    background = _running()
    if threading.current_thread() is background.thread:
        coroutine.close()
        raise RuntimeError("a synchronous call was made from inside halluscope's own loop: await the asynchronous one.")
    call = _Call(coroutine)
    try:
        background.loop.call_soon_threadsafe(call.start)
        while not call.ended(_INTERRUPT_INTERVAL):
            pass
        return call.result()
    except BaseException:
        background.loop.call_soon_threadsafe(call.cancel)
        call.ended(_CANCEL_TIMEOUT)
        raise


def blocking(function: Callable[P, Coroutine[Any, Any, T]], name: str) -> Callable[P, T]:
    """Return the synchronous version of an asynchronous function, with the same parameters and docstring."""

    @wraps(function)
    def twin(*args: P.args, **kwargs: P.kwargs) -> T:
        return run(function(*args, **kwargs))

    return _renamed(twin, name)


def blocking_method(
    method: Callable[Concatenate[Self, P], Coroutine[Any, Any, T]], name: str
) -> Callable[Concatenate[Self, P], T]:
    """Like `blocking`, for a method. Overrides in subclasses are respected."""

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
    """Run a coroutine in the background, independently of the caller's event loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, _running().loop)


def have_loop() -> None:
    """Start the loop, so that its first use is fast."""
    _running()


def _running() -> _Background:
    with _lock():
        return _background()


async def _cancel_all() -> None:
    running = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()


@atexit.register
def _at_exit() -> None:
    background = _background.existing()
    if background is not None:
        background.close()
