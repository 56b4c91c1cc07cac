"""A bounded queue of work, done in the background by halluscope's own event loop.

`put` only appends to the queue and, if necessary, starts the worker, which polls. Waking it up would be a system call,
in which another thread could take the interpreter lock for milliseconds.
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

from ..core.plumbing import sync
from ..core.plumbing.loggers import logger
from ..core.plumbing.per_process import PerProcess
from ..core.plumbing.user_functions import outcome_of
from ..engine import many

T = TypeVar("T")

_log = logger("live")

_POLL_INTERVAL = 0.02
"""Seconds between two looks at an empty queue."""
_IDLE_TIME = 1.0
"""Seconds without work after which the worker ends."""
_SAVE_INTERVAL = 0.1
"""Seconds between two calls of `save`."""
_CANCEL_TIMEOUT = 5.0
"""Seconds that cancelled work has at exit to record that it was cancelled."""


class _Worker:
    """One worker, from its start until the queue has been empty for a while."""

    def __init__(self) -> None:
        self.closing = False
        self.future: Future[None] | None = None
        self.started: dict[int, Any] = {}
        """Items taken from the queue that are not done."""


class Background(Generic[T]):
    """Does work for the items in a queue, of which at most `most` wait.

    `save` is called regularly, and with True when all is done. At the end of the program the queue has `exit_wait`
    seconds; `give_up` gets each item that was not done by then.
    """

    def __init__(
        self,
        work: Callable[[T], Coroutine[Any, Any, object]],
        *,
        most: int,
        at_once: int,
        exit_wait: float,
        save: Callable[[bool], Coroutine[Any, Any, None]] | None = None,
        give_up: Callable[[T], None] = lambda item: None,
    ) -> None:
        self._work = work
        self._most = most
        self._at_once = at_once
        self._exit_wait = exit_wait
        self._save = save or _nothing
        self._give_up = give_up
        self.process = os.getpid()
        # Re-entrant: the garbage collector may close a watched stream inside any method, which calls `put`.
        self._lock = threading.RLock()
        self._queue: deque[T] = deque()
        self._worker: _Worker | None = None
        self._workers: set[_Worker] = set()
        self._stuck = False
        _all.add(self)

    def put(self, item: T) -> bool:
        """Add an item. Returns False if the queue is full or the program is ending."""
        with self._lock:
            if len(self._queue) >= self._most or self._stuck:
                return False
            self._queue.append(item)
            if self._worker is not None:
                return True
            try:
                self._start()
            except RuntimeError:  # the interpreter is ending: no thread can be started
                self._queue.remove(item)
                return False
            return True

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all items are done. Returns False on timeout."""
        return not wait(self._finishing(), timeout).not_done

    async def aflush(self) -> None:
        # Shielded: cancelling the wait does not cancel the work.
        await asyncio.gather(*(asyncio.shield(asyncio.wrap_future(future)) for future in self._finishing()))

    def _finishing(self) -> list[Future[None]]:
        with self._lock:
            workers = list(self._workers)
        for worker in workers:
            worker.closing = True
        return [worker.future for worker in workers if worker.future is not None]

    def _start(self) -> None:
        worker = self._worker = _Worker()
        try:
            _keeper().start()
            worker.future = sync.start(self._run(worker))
        except RuntimeError:
            self._worker = None
            raise
        self._workers.add(worker)

    async def _run(self, worker: _Worker) -> None:
        try:
            await many.each(
                self._items(worker), partial(self._do, worker), at_once=self._at_once, beside=self._save_regularly
            )
        finally:
            with self._lock:
                left = list(worker.started.values())
                if self._worker is worker:  # it was cancelled
                    self._worker = None
                    left += self._queue
                    self._queue.clear()
            for item in left:
                self._give_up(item)
            try:
                await self._save(True)
            except Exception:
                _log.exception("live scoring could not save its last results")
            with self._lock:
                self._workers.discard(worker)

    async def _items(self, worker: _Worker) -> AsyncGenerator[T, None]:
        last = time.monotonic()
        while True:
            while self._queue:
                item = self._queue.popleft()
                worker.started[id(item)] = item
                yield item
                last = time.monotonic()
            if worker.closing or time.monotonic() - last > _IDLE_TIME:
                with self._lock:
                    if not self._queue:
                        self._worker = None
                        return
            else:
                await asyncio.sleep(_POLL_INTERVAL)

    async def _do(self, worker: _Worker, item: T) -> None:
        _, error = await outcome_of(self._work(item))
        if error is not None:
            _log.error("unexpected error in live scoring", exc_info=error)
            self._give_up(item)
        del worker.started[id(item)]  # a cancelled item stays, and is given up with the others

    async def _save_regularly(self) -> None:
        while True:
            await asyncio.sleep(_SAVE_INTERVAL)
            try:
                await self._save(False)
            except Exception:
                _log.exception("unexpected error in live scoring")

    @property
    def busy(self) -> bool:
        return bool(self._workers) and not self._stuck

    def finish(self) -> None:
        """At the end of the program, wait for the work, cancel what takes too long, and leave what does not end."""
        if self.flush(self._exit_wait):
            return
        seconds = self._exit_wait
        _log.warning("live scoring did not finish within %g s after the end of the program", seconds)
        cancelled = set(self._workers)
        for future in self._finishing():
            future.cancel()
        end = time.monotonic() + _CANCEL_TIMEOUT
        while cancelled & self._workers and not self._stuck:
            time.sleep(_POLL_INTERVAL)
            if time.monotonic() > end:
                _log.error("live scoring was stuck at the end of the program: its last results are not stored")
                self._stuck = True


async def _nothing(last: bool) -> None:
    return


_all: WeakSet[Background[Any]] = WeakSet()


def _of_this_process() -> list[Background[Any]]:
    return [background for background in list(_all) if background.process == os.getpid()]


class _Keeper:
    """A thread that keeps the interpreter from ending before all work is done.

    The interpreter waits for threads that are no daemons. `atexit` would be too late: no thread can be started then.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="halluscope-live", daemon=False)
                self._thread.start()

    def _run(self) -> None:
        threading.main_thread().join()
        while True:
            for background in _of_this_process():
                background.finish()
            with self._lock:
                if not any(background.busy for background in _of_this_process()):
                    self._thread = None
                    return


_keeper = PerProcess(_Keeper)


@atexit.register
def _at_exit() -> None:
    """Flush if the interpreter is embedded in another program, which does not wait for threads."""
    for background in _of_this_process():
        if background.busy:
            background.flush(_CANCEL_TIMEOUT)
