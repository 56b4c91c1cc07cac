"""Work in threads that can be cancelled, reports its progress, and does not keep the process from ending.

The interpreter joins the threads of the standard library's pools when it ends, so that long work blocks Ctrl-C. Here
each piece of work has a daemon thread of its own. The process only waits for threads inside compiled code.
"""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from .per_process import PerProcess

T = TypeVar("T")
R = TypeVar("R")

_LAST_MOMENT = 0.25
"""Seconds that the end of the process waits for cancelled work."""

_LONGEST_COMPUTATION = 60.0
"""Seconds that the end of the process waits for threads inside compiled code."""


class GivenUp(Exception):
    """Raised inside cancelled work."""


class Work:
    """One piece of work, with its progress in steps."""

    def __init__(self) -> None:
        self.given_up = False
        self.done = 0
        self.total = 0


_current: contextvars.ContextVar[Work | None] = contextvars.ContextVar("halluscope_work", default=None)


class _Running:
    """What this process is doing: work in threads, work counted elsewhere, and threads inside compiled code."""

    def __init__(self) -> None:
        self.threads: dict[Work, threading.Thread] = {}
        self.counted: set[Work] = set()
        self.compiled: set[int] = set()
        self.ending = False


_running = PerProcess(_Running)
_loads: PerProcess[dict[Callable[[], Any], Future[Any]]] = PerProcess(dict)


def checkpoint(done: int | None = None, total: int | None = None) -> None:
    """Report progress between two steps of long work. Raises `GivenUp` if the work was cancelled."""
    work = _current.get()
    if work is None:
        return
    if work.given_up:
        raise GivenUp
    if done is not None and total is not None:
        work.done, work.total = done, total


def farthest() -> tuple[int, int] | None:
    """Return steps done and total steps of the longest running work, or None if no work reports its progress."""
    running = _running()
    found = max([*running.threads, *running.counted], key=lambda work: work.total, default=None)
    return (found.done, found.total) if found is not None and found.total else None


@contextmanager
def counted_elsewhere() -> Iterator[Work]:
    work = Work()
    counted = _running().counted
    counted.add(work)
    try:
        yield work
    finally:
        counted.discard(work)


@contextmanager
def doing(work: Work) -> Iterator[None]:
    """Run the block as part of this work: its checkpoints raise `GivenUp` once the work is cancelled."""
    token = _current.set(work)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def compiled_code() -> Iterator[None]:
    """Wrap calls of C++ or Rust. The process ends after they return: a thread killed inside them raises SIGABRT."""
    thread, running = threading.get_ident(), _running()
    running.compiled.add(thread)
    try:
        if running.ending:
            raise GivenUp
        yield
    finally:
        running.compiled.discard(thread)


async def in_thread(function: Callable[[], T]) -> T:
    """Call a function in a new thread and return its result. If the caller is cancelled, so is the work."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()
    work, running = Work(), _running()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)  # type: ignore[arg-type]
        else:
            done.set_exception(error)

    def called() -> T:
        _current.set(work)
        return function()

    def run() -> None:
        result: T | None = None
        failed: BaseException | None = None
        try:
            result = context.run(called)
        except (StopIteration, asyncio.CancelledError) as error:  # a future cannot hold these
            failed = RuntimeError(f"{type(error).__name__}: {error}")
        except BaseException as error:
            failed = error
        finally:
            running.threads.pop(work, None)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, result, failed)

    thread = threading.Thread(target=run, name="halluscope-work", daemon=True)
    running.threads[work] = thread
    thread.start()
    try:
        return await done
    except BaseException:
        work.given_up = True
        raise


_core_limit: int | None = None


def use_cores(count: int) -> None:
    global _core_limit
    _core_limit = max(1, count)


def cores() -> int:
    """Return how many processors this process may use."""
    if _core_limit is not None:
        return _core_limit
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def spread(function: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """Apply a function to all items in several threads, including this one. Yields the results in order.

    If the function fails for an item, or the caller stops, all threads stop.
    """
    todo = list(items)
    if threads <= 1 or len(todo) <= 1:
        yield from map(function, todo)
        return
    results: dict[int, R] = {}
    failures: list[BaseException] = []
    places = itertools.count()  # thread-safe
    ready = threading.Condition()
    stopped = False

    def step() -> bool:
        place = next(places)
        if place >= len(todo) or stopped:
            return False
        try:
            made = function(todo[place])
            with ready:
                results[place] = made
                ready.notify_all()
        except BaseException as error:
            with ready:
                failures.append(error)
                ready.notify_all()
        return not failures

    def help_out() -> None:
        while step():
            pass

    try:
        for _ in range(min(threads, len(todo)) - 1):
            threading.Thread(target=help_out, name="halluscope-helper", daemon=True).start()
    except RuntimeError:  # during the end of the interpreter: this thread does all the work
        pass
    try:
        for place in range(len(todo)):
            while place not in results and step():
                pass
            with ready:
                while place not in results and not failures:
                    ready.wait(1.0)
            if failures:
                raise failures[0]
            yield results.pop(place)
    finally:
        stopped = True


@atexit.register
def _at_exit() -> None:
    """Cancel all work, and wait for compiled code to return."""
    running = _running()
    running.ending = True
    begun = time.monotonic()
    waited = list(running.threads.items())
    for work, _ in waited:
        work.given_up = True
    for _, thread in waited:
        thread.join(max(0.0, begun + _LAST_MOMENT - time.monotonic()))
    while running.compiled - {threading.get_ident()} and time.monotonic() < begun + _LONGEST_COMPUTATION:
        time.sleep(0.001)


async def loaded(load: Callable[[], T]) -> T:
    """Return what `load` returns. It is called once, in a thread, however many callers wait for it."""
    loads = _loads()
    found: Future[T] | None = loads.get(load)
    if found is None:
        found = loads[load] = Future()
        threading.Thread(target=_load, args=(load, found), name="halluscope-load", daemon=True).start()
    return found.result() if found.done() else await asyncio.shield(asyncio.wrap_future(found))


def _load(load: Callable[[], T], result: Future[T]) -> None:
    try:
        with compiled_code():  # imported packages may be compiled
            result.set_result(load())
    except BaseException as error:
        result.set_exception(error)
