"""One pass of a run over its data: rows become jobs, results are written as they come, and nobody waits in the dark."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

from msgspec import Struct

from ..case import Case
from ..datasets import AnyRow, Unread
from ..engine import many
from ..engine.driver import Driver
from ..errors import JudgeError, JudgeRejected, RunFailed
from ..metric import Metric
from ..plumbing.threads import farthest, in_thread
from ..result import Outcome, Result
from ..store.run_writer import CHUNK, Job
from ..text.counting import count_of
from .cost_limit import CostLimit
from .progress import Display, Progress

_TICK = 0.05
"""Seconds after which results that wait are written, at the latest."""
_LONGEST_READ = 0.05
"""Seconds of reading after which the rows that came are passed on: an iterator may be slow."""
_REJECTED = 10
"""When the judge refuses this many cases and scores none, it will not score the others."""

_LONGEST_PUT_OFF = 900.0
"""Seconds that a case is put off where the judge's server asks for it; beyond that it has failed for this time."""
_MOST_RETURNS = 2

_TOLD = 20
"""Bad rows that are told one by one; all are kept with the run."""


class HasTrouble(Protocol):
    """Knows why the latest call of a judge did not come through; None if it did."""

    last_error: JudgeError | None


class Pass(Struct, frozen=True, kw_only=True):
    """How a run goes over its data.

    `adjust` is applied to each result. `estimate` gives the number of rows in the data from how many were read.
    `told` takes warnings.
    """

    at_once: int
    budget: CostLimit
    display: Display
    throttle: HasTrouble | None = None
    stop_at_bad_row: bool = False
    adjust: Callable[[Result], Result] | None = None
    estimate: Callable[[int], int | None] = lambda read: None
    told: Callable[[str], None] = lambda message: None


class Register(Protocol):
    """Where a run is written down: which cases it has, which of them need a result, and each result as it comes."""

    def admit(self, rows: Sequence[tuple[int, Case]]) -> tuple[list[Job], int]: ...

    def bad_rows(self, rows: Sequence[tuple[int, str, str]]) -> None: ...

    def keep(self, job: Job, result: Result) -> None: ...

    def flush(self) -> None: ...


class Pipeline:
    """One pass over the data."""

    def __init__(self, metrics: Sequence[Metric], driver: Driver, book: Register, how: Pass) -> None:
        self._metrics = metrics
        self._driver = driver
        self._book = book
        self._how = how
        self._failed = False
        self._later: list[tuple[float, Job]] = []
        self._returned: Counter[tuple[int, int]] = Counter()
        self._under_way = 0
        self._one_ended = asyncio.Event()
        self._open: dict[int, int] = {}
        self._rejected = 0
        self._scored = 0
        self._warned = False
        self.progress = Progress()
        self.read = 0

    async def run(self, rows: Iterable[AnyRow]) -> bool:
        """Score every row. True if all of them were, False if a limit stopped it."""
        how = self._how
        how.display.start()
        try:
            whole = await many.each(
                self._jobs(iter(rows)), self._do, at_once=how.at_once, may_start=how.budget.allows, beside=self._tick
            )
            if self.progress.bad_rows > _TOLD:
                how.told(f"{count_of(self.progress.bad_rows - _TOLD, 'more row was', 'more rows were')} left out")
            return whole
        finally:
            how.display.show(self._now())
            how.display.stop()
            self._book.flush()

    async def _jobs(self, rows: Iterator[AnyRow]) -> AsyncGenerator[Job, None]:
        """The work that the rows are, chunk by chunk, and at the end whatever went wrong with reading them."""
        more = True
        while more:
            chunk, more, trouble = await in_thread(lambda: _take(rows))
            chunk, unread = self._before_the_first_bad(chunk)
            for job in self._admit(chunk):
                yield job
            if unread is not None:
                self._bad([(self.read, unread.place, unread.reason)])
                raise RunFailed(f"{unread.place} cannot be read: {unread.reason}. (Strict reading stops here.)")
            if trouble is not None:
                raise trouble
        while self._open and not self._failed:  # cases under way may yet have to come back
            if not self._later:
                self._one_ended.clear()
                await self._one_ended.wait()
                continue
            when, job = self._later.pop(0)
            await asyncio.sleep(max(0.0, when - time.monotonic()))
            yield job

    def _before_the_first_bad(self, chunk: list[AnyRow]) -> tuple[list[AnyRow], Unread | None]:
        """All rows, or where it stops at bad ones those before the first that cannot be read, and that one."""
        for place, row in enumerate(chunk if self._how.stop_at_bad_row else ()):
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
                self._how.told(f"{place} was left out: {reason}")

    async def _do(self, job: Job) -> None:
        self._under_way += 1
        try:
            result = await many.scored(self._driver, self._metrics[job.scorer], job.case)
            if not self._put_off(job, result):
                self._keep(job, result if self._how.adjust is None else self._how.adjust(result))
        except BaseException:
            self._failed = True
            raise
        finally:
            self._under_way -= 1
            self._one_ended.set()

    def _put_off(self, job: Job, result: Result) -> bool:
        """Whether the case is tried again after the others: the judge's server has said when it wants to be asked."""
        wait = None if result.failure is None else result.failure.retry_after
        place = (job.position, job.scorer)
        if wait is None or wait > _LONGEST_PUT_OFF or self._returned[place] >= _MOST_RETURNS:
            return False
        if not self._returned:
            self._how.told(f"the judge's server wants to be asked again in {wait:.0f} s: the other cases come first")
        self._returned[place] += 1
        self._later.append((time.monotonic() + wait, job))
        return True

    def _keep(self, job: Job, result: Result) -> None:
        self._book.keep(job, result)
        self._how.budget.spent(result.usage)
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

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK)
            self._book.flush()
            self._how.display.show(self._now())

    def _now(self) -> Progress:
        now, throttle = self.progress, self._how.throttle
        now.total = self._how.estimate(self.read)
        now.cost = self._how.budget.cost
        now.at_once = self._under_way
        now.steps = farthest()
        error = throttle.last_error if throttle is not None else None
        now.trouble = None if error is None else str(error)
        if error is not None and not self._warned:
            self._warned = True
            self._how.told(f"{error}; trying again")
        return now


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
