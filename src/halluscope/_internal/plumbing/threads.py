"""Work in threads: it can be given up, says how far it is, and never keeps the process from ending.

The pools of the standard library are joined when the interpreter ends, so that one long piece of work holds up
Ctrl-C, and they do not survive a fork. Here every piece of work has a thread of its own, which nobody waits for.
"""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import importlib
import itertools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_LAST_MOMENT = 0.25
"""Seconds that the end of the process waits for work to notice that it was given up."""


_LONGEST_IMPORT = 10.0
"""Seconds that a fork waits for imports under way."""


class GivenUp(Exception):
    """Raised inside work that nobody waits for any longer."""


class Work:
    """One piece of work. `done` of `total` steps are behind it, where it says so."""

    def __init__(self) -> None:
        self.given_up = False
        self.done = 0
        self.total = 0


_current: contextvars.ContextVar[Work | None] = contextvars.ContextVar("halluscope_work", default=None)
_under_way: dict[Work, threading.Thread] = {}
_counted: set[Work] = set()


def checkpoint(done: int | None = None, total: int | None = None) -> None:
    """Called by long work between two steps: ends it where nobody waits any longer, and notes how far it is."""
    work = _current.get()
    if work is None:
        return
    if work.given_up:
        raise GivenUp
    if done is not None and total is not None:
        work.done, work.total = done, total


def farthest() -> tuple[int, int] | None:
    """Steps done and in all of the longest piece of work under way, None where none has said."""
    found = max([*_under_way, *_counted], key=lambda work: work.total, default=None)
    return (found.done, found.total) if found is not None and found.total else None


@contextmanager
def counted_elsewhere() -> Iterator[Work]:
    """Work that is done elsewhere, and counted here."""
    work = Work()
    _counted.add(work)
    try:
        yield work
    finally:
        _counted.discard(work)


@contextmanager
def doing(work: Work) -> Iterator[None]:
    """What is called inside is this piece of work: its checkpoints end it once nobody waits for it."""
    token = _current.set(work)
    try:
        yield
    finally:
        _current.reset(token)


async def in_thread(function: Callable[[], T]) -> T:
    """What the function returns, called in a thread of its own. Given up when the waiting is cancelled."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()
    work = Work()

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
        except StopIteration as error:  # a future takes no such exception
            failed = RuntimeError(f"StopIteration: {error}")
        except BaseException as error:
            failed = error
        finally:
            _under_way.pop(work, None)
        with suppress(RuntimeError):  # the loop is closed: whoever asked has gone
            loop.call_soon_threadsafe(settle, result, failed)

    thread = threading.Thread(target=run, name="halluscope-work", daemon=True)
    _under_way[work] = thread
    thread.start()
    try:
        return await done
    except BaseException:
        work.given_up = True
        raise


_given: int | None = None


def use_cores(count: int) -> None:
    """Whoever started this process beside others gave it so many processors."""
    global _given
    _given = max(1, count)


def cores() -> int:
    """How many processors this process may use."""
    if _given is not None:
        return _given
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def spread(function: Callable[[T], R], items: Iterable[T], threads: int) -> Iterator[R]:
    """The function's results in order, computed by this thread and helpers that end with it.

    Helpers take items as they come to them; where one of them fails, or the work is given up, all stop.
    """
    todo = list(items)
    if threads <= 1 or len(todo) <= 1:
        yield from map(function, todo)
        return
    results: dict[int, R] = {}
    failures: list[BaseException] = []
    places = itertools.count()  # whose next() no two threads get the same value from
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
    except RuntimeError:  # while the interpreter ends no helper can be had: this thread does it all
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


def _forget() -> None:
    _under_way.clear()
    _counted.clear()
    _begin_imports_anew()


def _begin_imports_anew() -> None:
    """In a forked child: what a thread that did not come along was importing is imported again by whoever needs it.

    This is for the import that began after `_await_imports` had looked. It cannot take its place: a compiled module
    that is half imported can often not be imported again. There is no public way to it; where Python has changed
    it, nothing is done.
    """
    locks = getattr(importlib._bootstrap, "_module_locks", {})
    for name, reference in list(locks.items()):
        owner = getattr(reference(), "owner", None)
        if owner is not None and owner != threading.get_ident():
            del locks[name]
            sys.modules.pop(name, None)


def _await_imports() -> None:
    """Before a fork: let the threads of this package end the imports that they are in the middle of.

    The lock of a module that is being imported comes along to the child without the thread that would release it, and
    whoever imports that module there waits for good.
    """
    until = time.monotonic() + _LONGEST_IMPORT
    mine = threading.get_ident()
    while time.monotonic() < until:
        frames = sys._current_frames()
        ours = [one.ident for one in threading.enumerate() if one.name.startswith("halluscope") and one.ident != mine]
        if not any(_imports(frames.get(ident or 0)) for ident in ours):
            return
        del frames
        time.sleep(0.001)


def _imports(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_await_imports, after_in_child=_forget)  # threads do not come along


@atexit.register
def _at_exit() -> None:
    """Give up what is under way, with a moment to notice: the end is then not in the middle of a computation."""
    end = time.monotonic() + _LAST_MOMENT
    waited = list(_under_way.items())
    for work, _ in waited:
        work.given_up = True
    for _, thread in waited:
        thread.join(max(0.0, end - time.monotonic()))
