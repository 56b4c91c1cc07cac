"""Run a bounded number of jobs at the same time, and score many cases."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, TypeVar, Union

from ..core.case import Case
from ..core.errors import HalluscopeError, InputError, MissingExtra, ModelFileError, StoreError
from ..core.plumbing.threads import in_thread
from ..core.redaction import redacted
from ..core.result import Failure, Outcome, Result
from .driver import Driver, HasFlow, Heard
from .questions.flow import Finding
from .trail import Trail

J = TypeVar("J")
R = TypeVar("R")

_CANCELLED_AGAIN = 1.0
"""Seconds after which a task that ignored its cancellation is cancelled again."""

_FATAL = (StoreError, InputError, MissingExtra, ModelFileError)
"""Errors that concern the set-up rather than the case."""


async def each(
    jobs: Union[Iterable[J], AsyncGenerator[J, None]],
    work: Callable[[J], Coroutine[Any, Any, object]],
    *,
    at_once: int,
    may_start: Callable[[int], bool] = lambda under_way: True,
    beside: Callable[[], Coroutine[Any, Any, None]] | None = None,
) -> bool:
    """Do the work for every job, at most `at_once` at the same time. No task is left running when this returns.

    An error of the work or of `beside`, which runs until the end, ends all jobs; one while jobs are produced is raised
    when those under way are done. Returns False if `may_start`, given the number under way, stopped the jobs.
    """
    busy: set[asyncio.Task[object]] = set()
    others: set[asyncio.Task[object]] = set()
    faults: list[BaseException] = []
    one_ended = asyncio.Event()

    def start(coroutine: Coroutine[Any, Any, object], tasks: set[asyncio.Task[object]]) -> None:
        task = asyncio.ensure_future(coroutine)
        tasks.add(task)
        task.add_done_callback(end)

    def end(task: asyncio.Task[object]) -> None:
        busy.discard(task)
        one_ended.set()
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None:
            faults.append(error)

    async def until(ready: Callable[[], bool]) -> bool:
        """Wait until this is true, or nothing is under way. Returns whether it is true, or raises the first error."""
        while not faults:
            if ready():
                return True
            if not busy:
                return False
            one_ended.clear()
            await one_ended.wait()
        raise faults[0]

    if beside is not None:
        start(beside(), others)
    try:
        try:
            async with aclosing(jobs if isinstance(jobs, AsyncGenerator) else _one_by_one(jobs)) as given:
                async for job in given:
                    if not await until(lambda: len(busy) < at_once and may_start(len(busy))):
                        return False
                    start(work(job), busy)
        except Exception:
            if not faults:
                await until(lambda: False)
            raise
        await until(lambda: False)
        return True
    finally:
        left = busy | others
        while left:  # third-party code may swallow a cancellation
            for task in left:
                task.cancel()
            _, left = await asyncio.wait(left, timeout=_CANCELLED_AGAIN)


async def collected(
    jobs: Sequence[J], work: Callable[[J], Awaitable[R]], *, at_once: int, progress: Callable[[int], None] | None = None
) -> list[R]:
    """Return the results in order. `progress` gets the number of jobs done, in a thread, because it may block."""
    found: dict[int, R] = {}
    turn, counter = asyncio.Lock(), itertools.count(1)

    async def keep(place: int) -> None:
        found[place] = await work(jobs[place])
        if progress is not None:
            async with turn:
                told = next(counter)
                await in_thread(partial(progress, told))

    await each(range(len(jobs)), keep, at_once=at_once)
    return [found[place] for place in range(len(jobs))]


async def scored(driver: Driver, metric: HasFlow, case: Case, heard: Heard | None = None) -> Result:
    """Score one of many cases. An unexpected error of a metric or judge fails only this case."""
    try:
        return await driver.score(metric, case, heard)
    except _FATAL:
        raise
    except Exception as error:
        return failed(driver, metric, case, error)


def failed(driver: Driver, metric: HasFlow, case: Case, error: BaseException) -> Result:
    """The result of a case whose scoring raised an error."""
    foreseen = isinstance(error, HalluscopeError)
    message = str(error) if foreseen else redacted(f"{type(error).__name__}: {error}")
    reason = f"No score: {'' if foreseen else 'an unexpected error: '}{message}"
    failure = Failure(getattr(error, "kind", "error") if foreseen else "error", message)
    return driver.result(metric, case, Finding(outcome=Outcome.FAILED, reason=reason, failure=failure), Trail(case))


async def score_all(
    driver: Driver,
    metric: HasFlow,
    cases: Sequence[Case],
    *,
    at_once: int,
    progress: Callable[[int], None] | None = None,
) -> list[Result]:
    if at_once < 1:
        raise InputError(f"the concurrency must be at least 1, not {at_once}.")
    return await collected(cases, lambda case: scored(driver, metric, case), at_once=at_once, progress=progress)


async def _one_by_one(jobs: Iterable[J]) -> AsyncGenerator[J, None]:
    for job in jobs:
        yield job
