"""Many cases through one driver: so many at once, results written as they come, and a clean end in every case."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from ..case import Case
from ..datasets import AnyRow, Unread
from ..engine.driver import Driver
from ..errors import InputError, JudgeRejected, MissingExtra, ModelFileError, RunFailed, StoreError
from ..metric import Metric
from ..plumbing.threads import farthest, in_thread
from ..redaction import redacted
from ..result import Failure, Outcome, Result
from ..store import Book, Job
from ..store.run_writer import CHUNK
from .cost_limit import CostLimit
from .progress import Display, Progress
from .throttle import AdaptiveThrottle

_TICK = 0.1
"""Seconds after which results that wait are written, at the latest."""
_LONGEST_READ = 0.05
"""Seconds of reading after which the rows that came are passed on: an iterator may be slow."""
_CANCELLED_AGAIN = 1.0
"""Seconds after which a task that was cancelled, and goes on, is cancelled again."""
_REJECTED = 10
"""When the judge refuses this many cases and scores none, it will not score the others."""

_TOLD = 20
"""Bad rows that are told one by one; all are kept with the run."""

_FATAL = (StoreError, InputError, MissingExtra, ModelFileError)
"""Errors that say something about the set-up, not about the case at hand."""


class Pipeline:
    """One pass over the data."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        driver: Driver,
        book: Book,
        *,
        at_once: int,
        budget: CostLimit,
        display: Display,
        throttle: AdaptiveThrottle | None = None,
        strict: bool = False,
        adjust: Callable[[Result], Result] | None = None,
        estimate: Callable[[int], int | None] = lambda read: None,
        told: Callable[[str], None] = lambda message: None,
    ) -> None:
        """`estimate` gives the number of rows in the data from how many were read; `told` takes warnings."""
        self._metrics = metrics
        self._driver = driver
        self._book = book
        self._at_once = at_once
        self._budget = budget
        self._display = display
        self._throttle = throttle
        self._strict = strict
        self._adjust = adjust
        self._estimate = estimate
        self._told = told
        self._tasks: set[asyncio.Task[None]] = set()
        self._freed = asyncio.Event()
        self._fault: Exception | None = None
        self._open: dict[int, int] = {}
        self._rejected = 0
        self._scored = 0
        self._warned = False
        self.progress = Progress()
        self.read = 0

    async def run(self, rows: Iterable[AnyRow]) -> bool:
        """Score every row. True if all of them were, False if a limit stopped it."""
        ticking = asyncio.create_task(self._tick())
        self._display.start()
        try:
            whole = await self._feed(iter(rows))
            await self._finish()
            if self.progress.bad_rows > _TOLD:
                self._told(f"{self.progress.bad_rows - _TOLD} more rows were left out")
            return whole
        except Exception:
            # Trouble with the data is no trouble with the cases that are under way.
            if self._fault is None:
                await self._finish()
            raise
        finally:
            try:
                await _stopped({ticking, *self._tasks})
            finally:
                self._display.show(self._now())
                self._display.stop()
                self._book.flush()

    async def _feed(self, rows: Iterator[AnyRow]) -> bool:
        while True:
            chunk, more, trouble = await in_thread(lambda: _take(rows))
            chunk, unread = self._before_the_first_bad(chunk)
            for job in self._admit(chunk):
                if not await self._room():
                    return False
                task = asyncio.create_task(self._do(job))
                self._tasks.add(task)
                task.add_done_callback(self._done)
            if self._fault is not None:
                raise self._fault
            if unread is not None:
                self._bad([(self.read, unread.place, unread.reason)])
                raise RunFailed(f"{unread.place} cannot be read: {unread.reason}. (Strict reading stops here.)")
            if trouble is not None:
                raise trouble
            if not more:
                return True

    def _before_the_first_bad(self, chunk: list[AnyRow]) -> tuple[list[AnyRow], Unread | None]:
        """All rows, or with strict reading those before the first that cannot be read, and that one."""
        for place, row in enumerate(chunk if self._strict else ()):
            if isinstance(row, Unread):
                return chunk[:place], row
        return chunk, None

    def _admit(self, chunk: Sequence[AnyRow]) -> list[Job]:
        """Enter the rows into the run; what comes back has no result yet."""
        good: list[tuple[int, Case]] = []
        bad: list[tuple[int, str, str]] = []
        for row in chunk:
            if isinstance(row, Unread):
                bad.append((self.read, row.place, row.reason))
            else:
                good.append((self.read, row.case))
            self.read += 1
        if bad:
            self._bad(bad)
        jobs, reused = self._book.admit(good)
        self.progress.reused += reused
        for job in jobs:
            self._open[job.position] = self._open.get(job.position, 0) + 1
        self.progress.cases += len(good) - len({job.position for job in jobs})
        return jobs

    def _bad(self, rows: Sequence[tuple[int, str, str]]) -> None:
        self._book.bad_rows(rows)
        for _, place, reason in rows:
            self.progress.bad_rows += 1
            if self.progress.bad_rows <= _TOLD:
                self._told(f"{place} was left out: {reason}")

    async def _room(self) -> bool:
        """Wait until another job may start; False where the budget does not allow one."""
        while self._fault is None:
            busy = len(self._tasks)
            if busy < self._at_once and self._budget.allows(busy):
                return True
            if not busy:
                return False
            self._freed.clear()
            await self._freed.wait()
        raise self._fault

    async def _finish(self) -> None:
        while self._tasks and self._fault is None:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        if self._fault is not None:
            raise self._fault

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._freed.set()
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self._fault = self._fault or error

    async def _do(self, job: Job) -> None:
        metric = self._metrics[job.scorer]
        try:
            result = await self._driver.score(metric, job.case)
            if self._adjust is not None:
                result = self._adjust(result)
        except _FATAL:
            raise
        except Exception as error:
            result = self._broken(metric, job.case, error)
        self._book.keep(job, result)
        self._budget.spent(result.usage)
        self.progress.results += 1
        left = self._open[job.position] - 1
        if left:
            self._open[job.position] = left
        else:
            del self._open[job.position]
            self.progress.cases += 1
        if result.outcome in (Outcome.FAILED, Outcome.INCOMPLETE):
            self.progress.failed += 1
            self._hopeless(result)
        else:
            self._scored += 1

    def _hopeless(self, result: Result) -> None:
        """Stop where the judge refuses everything: a wrong key or model name will not mend itself."""
        failure = result.failure
        if failure is None or failure.kind != JudgeRejected.kind:
            return
        self._rejected += 1
        if self._rejected >= _REJECTED and not self._scored:
            raise RunFailed(f"the judge refused the first {self._rejected} questions: {failure.message}")

    def _broken(self, metric: Metric, case: Case, error: Exception) -> Result:
        """The result of a metric or judge that raised what it should not: the other cases go on."""
        message = redacted(f"{type(error).__name__}: {error}")
        return Result(
            metric=metric.name,
            metric_version=metric.version,
            judge=self._driver.judge.name,
            case_id=case.id,
            outcome=Outcome.FAILED,
            score=None,
            direction=metric.direction,
            threshold=float(metric.threshold),
            passed=None,
            reason=f"No score: an unexpected error ended the scoring ({message}).",
            failure=Failure("error", message),
        )

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK)
            try:
                self._book.flush()
            except StoreError as error:
                self._fault = self._fault or error
                self._freed.set()
            self._display.show(self._now())

    def _now(self) -> Progress:
        now = self.progress
        now.total = self._estimate(self.read)
        now.cost = self._budget.cost
        now.at_once = len(self._tasks)
        now.steps = farthest()
        error = self._throttle.last_error if self._throttle is not None else None
        now.trouble = None if error is None else str(error)
        if error is not None and not self._warned:
            self._warned = True
            self._told(f"{error}; trying again")
        return now


async def _stopped(tasks: set[asyncio.Task[None]]) -> None:
    """Cancel the tasks until all have ended: one that waits in other people's code may not heed it the first time."""
    while tasks:
        for task in tasks:
            task.cancel()
        ended, tasks = await asyncio.wait(tasks, timeout=_CANCELLED_AGAIN)
        for task in ended:
            if not task.cancelled():
                task.exception()  # looked at, so that nobody complains of it later


def _take(rows: Iterator[AnyRow]) -> tuple[list[AnyRow], bool, Exception | None]:
    """The next rows, whether there may be more, and what went wrong after them."""
    end = time.monotonic() + _LONGEST_READ
    taken: list[AnyRow] = []
    try:
        for row in islice(rows, CHUNK):
            taken.append(row)
            if time.monotonic() > end:
                return taken, True, None
    except Exception as error:
        return taken, False, error
    return taken, len(taken) == CHUNK, None
