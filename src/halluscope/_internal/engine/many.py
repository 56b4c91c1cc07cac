"""The one loop over many cases: so many at once, failures as values, and a clean end whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import aclosing
from typing import Any, TypeVar, Union

from ..case import Case
from ..errors import HalluscopeError, InputError, MissingExtra, ModelFileError, StoreError
from ..redaction import redacted
from ..result import Failure, Outcome, Result
from .driver import Driver, HasFlow, Heard

J = TypeVar("J")
R = TypeVar("R")

_CANCELLED_AGAIN = 1.0
"""Seconds after which a task that was cancelled, and goes on, is cancelled again."""

_FATAL = (StoreError, InputError, MissingExtra, ModelFileError)
"""Errors that say something about the set-up, not about the case at hand."""


async def each(
    jobs: Union[Iterable[J], AsyncGenerator[J, None]],
    work: Callable[[J], Coroutine[Any, Any, object]],
    *,
    at_once: int,
    may_start: Callable[[int], bool] = lambda under_way: True,
    beside: Callable[[], Coroutine[Any, Any, None]] | None = None,
) -> bool:
    """Do the work for every job, `at_once` at a time. True if all were done, False if `may_start` let no more begin.

    `may_start` is asked with the number of jobs under way. What `beside` gives runs along, to the end. An error in
    the work, or beside it, ends everything and is raised. One of the jobs' own source is raised once the jobs that
    it gave are done. Whoever cancels this finds nothing still running.
    """
    pool = _Pool()
    if beside is not None:
        pool.start(beside(), counted=False)
    try:
        try:
            async with aclosing(jobs if isinstance(jobs, AsyncGenerator) else _one_by_one(jobs)) as given:
                async for job in given:
                    if not await pool.room(at_once, may_start):
                        await pool.finish()
                        return False
                    pool.start(work(job))
        except Exception:
            if pool.fault is None:
                await pool.finish()
            raise
        await pool.finish()
        return True
    finally:
        await pool.stop()


async def collected(
    jobs: Sequence[J],
    work: Callable[[J], Awaitable[R]],
    *,
    at_once: int,
    progress: Callable[[int], None] | None = None,
) -> list[R]:
    """What the work gives for each job, in the order of the jobs; `progress` is called with how many are done."""
    found: dict[int, R] = {}

    async def keep(place: int) -> None:
        found[place] = await work(jobs[place])
        if progress is not None:
            progress(len(found))

    await each(range(len(jobs)), keep, at_once=at_once)
    return [found[place] for place in range(len(jobs))]


async def scored(driver: Driver, metric: HasFlow, case: Case, heard: Heard | None = None) -> Result:
    """The result of one case among many: a metric or judge that raises what it should not ends this case alone."""
    try:
        return await driver.score(metric, case, heard)
    except _FATAL:
        raise
    except Exception as error:
        return failed(driver, metric, case, error)


def failed(driver: Driver, metric: HasFlow, case: Case, error: Exception) -> Result:
    """The result of a case whose scoring an error has ended."""
    foreseen = isinstance(error, HalluscopeError)
    message = str(error) if foreseen else redacted(f"{type(error).__name__}: {error}")
    return Result(
        metric=metric.name,
        metric_version=metric.version,
        judge=driver.judge.name,
        case_id=case.id,
        outcome=Outcome.FAILED,
        score=None,
        direction=metric.direction,
        threshold=float(metric.threshold),
        passed=None,
        reason=f"No score: {message}" if foreseen else f"No score: an unexpected error ended the scoring ({message}).",
        failure=Failure(getattr(error, "kind", "error") if foreseen else "error", message),
    )


async def score_all(
    driver: Driver,
    metric: HasFlow,
    cases: Sequence[Case],
    *,
    at_once: int,
    progress: Callable[[int], None] | None = None,
) -> list[Result]:
    """The results of all cases, in their order."""
    if at_once < 1:
        raise InputError(f"the concurrency must be at least 1, not {at_once}.")
    return await collected(cases, lambda case: scored(driver, metric, case), at_once=at_once, progress=progress)


class _Pool:
    """The tasks under way, and the first error among them."""

    def __init__(self) -> None:
        self.fault: Exception | None = None
        self._busy: set[asyncio.Task[object]] = set()
        self._beside: set[asyncio.Task[object]] = set()
        self._freed = asyncio.Event()

    def start(self, work: Coroutine[Any, Any, object], *, counted: bool = True) -> None:
        task = asyncio.ensure_future(work)
        (self._busy if counted else self._beside).add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._busy.discard(task)
        self._freed.set()
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self.fault = self.fault or error

    async def room(self, at_once: int, may_start: Callable[[int], bool]) -> bool:
        """Wait until another job may start; False where none may, though nothing is under way."""
        while self.fault is None:
            busy = len(self._busy)
            if busy < at_once and may_start(busy):
                return True
            if not busy:
                return False
            self._freed.clear()
            await self._freed.wait()
        raise self.fault

    async def finish(self) -> None:
        while self._busy and self.fault is None:
            self._freed.clear()
            await self._freed.wait()
        if self.fault is not None:
            raise self.fault

    async def stop(self) -> None:
        """Cancel until all have ended: a task that waits in other people's code may not heed it the first time."""
        left = self._busy | self._beside
        while left:
            for task in left:
                task.cancel()
            _, left = await asyncio.wait(left, timeout=_CANCELLED_AGAIN)


async def _one_by_one(jobs: Iterable[J]) -> AsyncGenerator[J, None]:
    for job in jobs:
        yield job
