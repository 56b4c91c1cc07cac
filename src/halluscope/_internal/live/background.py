"""A bounded queue with a worker behind it: whoever puts something there is not held up, and nothing is left at the end.

The worker runs in halluscope's own loop for as long as there is something to do. Putting wakes nobody and writes to no
pipe unless it has to start the worker: every system call is a moment in which another thread may take Python's lock and
keep it for milliseconds.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from ..engine import many
from ..plumbing import sync
from ..plumbing.loggers import logger

T = TypeVar("T")

_log = logger("live")

_LOOK = 0.02
"""Seconds between two looks at the queue while it is empty."""
_IDLE = 1.0
"""Seconds without anything to do after which the worker ends; the next thing that comes starts another."""
_TICK = 0.1
"""Seconds between two calls of `beside`."""
_LAST_MOMENT = 5.0
"""Seconds that work which is given up at exit has to write down that it was."""


class _Run:
    """One worker, from the first thing in the queue until it has been empty for a while."""

    def __init__(self) -> None:
        self.closing = False
        self.future: Future[None] | None = None
        self.begun: dict[int, Any] = {}
        """What was taken from the queue and is not done."""


class Background(Generic[T]):
    """Does `work` for what is put there, `at_once` at a time, at most `most` waiting.

    `beside` is called all along, and at the end, when all is done: to write down what the work left to be written.
    What is still waiting `exit_wait` seconds after the program has ended is passed to `given_up`. `forked` is called in
    a forked child.
    """

    def __init__(
        self,
        work: Callable[[T], Coroutine[Any, Any, object]],
        *,
        most: int,
        at_once: int,
        exit_wait: float,
        beside: Callable[[bool], Coroutine[Any, Any, None]] | None = None,
        given_up: Callable[[T], None] = lambda item: None,
        forked: Callable[[], None] = lambda: None,
    ) -> None:
        self._work = work
        self._most = most
        self._at_once = at_once
        self._exit_wait = exit_wait
        self._beside = beside or _nothing
        self._given_up = given_up
        self._forked = forked
        self._empty()
        _all.add(self)

    def after_fork(self) -> None:
        """In a forked child: what waits is the parent's to do, and the worker did not come along."""
        self._empty()
        self._forked()

    def _empty(self) -> None:
        self._lock = threading.Lock()
        self._queue: deque[T] = deque()
        self._run: _Run | None = None
        self._runs: set[_Run] = set()

    @property
    def waiting(self) -> int:
        """How many wait to be begun."""
        return len(self._queue)

    def put(self, item: T) -> bool:
        """Have the work done for this, some time; False where too many wait, or the program is over."""
        with self._lock:
            if len(self._queue) >= self._most:
                return False
            self._queue.append(item)
            if self._run is not None:
                return True
            try:
                self._start()
            except RuntimeError:  # no thread can be started any more
                self._queue.pop()
                return False
            return True

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all that was put is done; False where time ran out."""
        return not wait(self._finishing(), timeout).not_done

    async def aflush(self) -> None:
        """Like `flush`, to be awaited."""
        # Shielded: who gives up waiting does not give up the work.
        await asyncio.gather(*(asyncio.shield(asyncio.wrap_future(future)) for future in self._finishing()))

    def _finishing(self) -> list[Future[None]]:
        with self._lock:
            for run in self._runs:
                run.closing = True
            return [run.future for run in self._runs if run.future is not None]

    def _start(self) -> None:
        _have_keeper()
        run = _Run()
        run.future = sync.start(self._go(run))
        self._run = run
        self._runs.add(run)

    async def _go(self, run: _Run) -> None:
        try:
            await many.each(self._jobs(run), partial(self._do, run), at_once=self._at_once, beside=self._ticking)
        finally:
            with self._lock:
                left = list(run.begun.values())
                if self._run is run:  # it was given up
                    left += self._queue
                    self._queue.clear()
                    self._run = None
            for item in left:
                self._given_up(item)
            try:
                await self._beside(True)
            except Exception:
                _log.exception("live scoring could not be brought to its end")
            with self._lock:
                self._runs.discard(run)

    async def _jobs(self, run: _Run) -> AsyncGenerator[T, None]:
        busy = time.monotonic()
        while True:
            while self._queue:
                item = self._queue.popleft()
                run.begun[id(item)] = item
                yield item
                busy = time.monotonic()
            if run.closing or time.monotonic() - busy > _IDLE:
                with self._lock:
                    if not self._queue:
                        self._run = None
                        return
            else:
                await asyncio.sleep(_LOOK)

    async def _do(self, run: _Run, item: T) -> None:
        try:
            await self._work(item)
        except Exception:
            _log.exception("live scoring met an unexpected error")
            self._given_up(item)
        del run.begun[id(item)]  # not where it is cancelled: it is given up with the others then

    async def _ticking(self) -> None:
        while True:
            await asyncio.sleep(_TICK)
            try:
                await self._beside(False)
            except Exception:
                _log.exception("live scoring met an unexpected error")

    @property
    def busy(self) -> bool:
        """Whether there is, or was a moment ago, something to do."""
        return bool(self._runs)

    def finish(self) -> None:
        """At the end of the program: wait for what there is to do, and give up what takes too long."""
        if not self.flush(self._exit_wait):
            wait_s = self._exit_wait
            _log.warning("live scoring was not done %g s after the end of the program: the rest is given up", wait_s)
            for future in self._finishing():
                future.cancel()
        end = time.monotonic() + _LAST_MOMENT
        while self.busy and time.monotonic() < end:
            time.sleep(_LOOK)


async def _nothing(last: bool) -> None:
    return


_all: WeakSet[Background[Any]] = WeakSet()
_lock = threading.Lock()
_keeper: threading.Thread | None = None


def _have_keeper() -> None:
    """Keep the interpreter from ending before all is done: it waits for threads that are no daemons, and for no others.

    `atexit` comes after the moment from which on no thread can be started.
    """
    global _keeper
    with _lock:
        if _keeper is None:
            _keeper = threading.Thread(target=_keep, name="halluscope-live", daemon=False)
            _keeper.start()


def _keep() -> None:
    global _keeper
    threading.main_thread().join()
    while True:
        for background in list(_all):
            background.finish()
        with _lock:
            if not any(background.busy for background in list(_all)):
                _keeper = None
                return


def _after_fork() -> None:
    global _lock, _keeper
    _lock, _keeper = threading.Lock(), None
    for background in list(_all):
        background.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@atexit.register
def _at_exit() -> None:
    """Where the interpreter is not the program's own, nobody waits for threads."""
    for background in list(_all):
        background.flush(_LAST_MOMENT)
