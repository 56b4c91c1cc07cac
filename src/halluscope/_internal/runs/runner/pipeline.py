"""Scores the rows of a dataset: rows become jobs, results are stored as they arrive, and progress is shown."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Protocol

from msgspec import Struct

from ...core.case import Case
from ...core.counting import count_of
from ...core.errors import JudgeRejected, RunFailed
from ...core.plumbing.threads import farthest, in_thread
from ...core.result import Outcome, Result
from ...engine import many
from ...engine.driver import Driver
from ...engine.metric import Metric
from ...repair.repairing import with_repair
from ..datasets import AnyRow, BadRow
from ..store.run_writer import CHUNK, Job
from .cost_limit import CostLimit
from .progress import Display, Progress
from .throttle import AdaptiveThrottle

_SAVE_INTERVAL = 0.05
"""Seconds between saving results and showing progress."""
_MAX_READ_TIME = 0.05
"""Seconds after which the rows read so far are passed on, because an iterator may be slow."""
_MAX_REJECTED = 10
"""If the judge refuses this many cases and scores none, the run stops."""

_MAX_DELAY = 900.0
"""Maximum delay in seconds that the judge's server may ask for. Beyond it, the case fails."""
_MAX_DELAYS = 2

_MAX_BAD_ROWS = 20
"""Bad rows that are reported one by one."""


class Pass(Struct, frozen=True, kw_only=True):
    """How a run goes over its data.

    `adjust` is applied to each result. `estimate` gives the number of rows in the data from how many were read.
    `on_message` is called with warnings. `pending` says what the run waits for.
    """

    at_once: int
    budget: CostLimit
    display: Display
    throttle: AdaptiveThrottle | None = None
    stop_at_bad_row: bool = False
    adjust: Callable[[Result], Result] | None = None
    repair: bool = False
    estimate: Callable[[int], int | None] = lambda read: None
    pending: Callable[[], str | None] = lambda: None
    on_message: Callable[[str], None] = lambda message: None


class Register(Protocol):
    """Where results are stored. Knows which cases still need a result."""

    def admit(self, rows: Sequence[tuple[int, Case]]) -> tuple[list[Job], int]: ...

    def bad_rows(self, rows: Sequence[tuple[int, str, str]]) -> None: ...

    def keep(self, job: Job, result: Result) -> None: ...

    def flush(self) -> None: ...


class Pipeline:
    """Scores all rows of a dataset."""

    def __init__(self, metrics: Sequence[Metric], driver: Driver, writer: Register, how: Pass) -> None:
        self._metrics = metrics
        self._driver = driver
        self._writer = writer
        self._how = how
        self._failed = False
        self._delayed: list[tuple[float, Job]] = []
        self._delays: Counter[tuple[int, int]] = Counter()
        self._one_ended = asyncio.Event()
        self._open: Counter[int] = Counter()
        """Results that are missing, by position."""
        self._rejected = 0
        self._scored = 0
        self._warned = False
        self._messages: deque[str] = deque()
        self._passing: asyncio.Future[BaseException | None] | None = None
        self.progress = Progress()
        self.read = 0

    def notify(self, message: str) -> None:
        """Pass a message on to the user."""
        self._messages.append(message)

    async def run(self, rows: Iterable[AnyRow]) -> bool:
        """Score every row. Returns False if a limit stopped the run."""
        how = self._how
        how.display.start()
        try:
            whole = await many.each(
                self._jobs(iter(rows)), self._do, at_once=how.at_once, may_start=how.budget.allows, beside=self._tick
            )
            if self.progress.bad_rows > _MAX_BAD_ROWS:
                self._messages.append(
                    f"{count_of(self.progress.bad_rows - _MAX_BAD_ROWS, 'more row was', 'more rows were')} left out"
                )
            return whole
        finally:
            how.display.show(self._now())
            how.display.stop()
            self._writer.flush()
            await self._pass_on()

    async def _jobs(self, rows: Iterator[AnyRow]) -> AsyncGenerator[Job, None]:
        """Yield a job for each row and metric. Raises an error of reading after the rows before it."""
        more = True
        while more:
            chunk, more, trouble = await in_thread(lambda: _take(rows, self._how.stop_at_bad_row))
            for job in self._admit(chunk):
                yield job
            if trouble is not None:
                raise trouble
        while self._open and not self._failed:  # running cases may be delayed
            if not self._delayed:
                self._one_ended.clear()
                await self._one_ended.wait()
                continue
            when, job = self._delayed.pop(0)
            await asyncio.sleep(max(0.0, when - time.monotonic()))
            yield job

    def _admit(self, chunk: Sequence[AnyRow]) -> list[Job]:
        """Add the rows to the run. Returns the jobs that have no result yet."""
        good: list[tuple[int, Case]] = []
        bad: list[tuple[int, str, str]] = []
        for row in chunk:
            if isinstance(row, BadRow):
                bad.append((self.read, row.place, row.reason))
            else:
                good.append((self.read, row.case))
            self.read += 1
        if bad:
            self._report_bad(bad)
        jobs, _ = self._writer.admit(good)
        self._open.update(job.position for job in jobs)
        skipped = len(good) - len({job.position for job in jobs})
        self.progress.cases += skipped
        self.progress.skipped += skipped
        return jobs

    def _report_bad(self, rows: Sequence[tuple[int, str, str]]) -> None:
        self._writer.bad_rows(rows)
        for _, place, reason in rows:
            self.progress.bad_rows += 1
            if self.progress.bad_rows <= _MAX_BAD_ROWS:
                self._messages.append(f"{place} was left out: {reason}")

    async def _do(self, job: Job) -> None:
        try:
            result = await many.scored(self._driver, self._metrics[job.scorer], job.case)
            if not self._delay(job, result):
                result = result if self._how.adjust is None else self._how.adjust(result)
                if self._how.repair:
                    result = await with_repair(self._driver, self._metrics[job.scorer], job.case, result)
                self._keep(job, result)
        except BaseException:
            self._failed = True
            raise
        finally:
            self._one_ended.set()

    def _delay(self, job: Job, result: Result) -> bool:
        """Delay a case if the judge's server said when to call again. Returns whether it was delayed."""
        wait = None if result.failure is None else result.failure.retry_after
        place = (job.position, job.scorer)
        if wait is None or wait > _MAX_DELAY or self._delays[place] >= _MAX_DELAYS:
            return False
        if not self._delays:
            self._messages.append(
                f"the judge's server asks to be called again in {wait:.0f} s; other cases are scored first"
            )
        self._delays[place] += 1
        self._delayed.append((time.monotonic() + wait, job))
        return True

    def _keep(self, job: Job, result: Result) -> None:
        self._writer.keep(job, result)
        self._how.budget.spent(result.usage)
        self._open[job.position] -= 1
        if not self._open[job.position]:
            del self._open[job.position]
            self.progress.cases += 1
        if result.outcome in (Outcome.FAILED, Outcome.INCOMPLETE):
            self.progress.failed += 1
            self._check_rejections(result)
        else:
            self._scored += 1

    def _check_rejections(self, result: Result) -> None:
        """Stop if the judge refuses everything, for example because of a wrong key or model name."""
        failure = result.failure
        if failure is None or failure.kind != JudgeRejected.kind:
            return
        self._rejected += 1
        if self._rejected >= _MAX_REJECTED and not self._scored:
            raise RunFailed(f"the judge refused the first {self._rejected} questions: {failure.message}")

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_SAVE_INTERVAL)
            self._writer.flush()
            self._how.display.show(self._now())
            await self._pass_on()

    async def _pass_on(self) -> None:
        """Pass messages to the user's function, in a thread because it may block or call this package.

        A message that is being passed on when the run ends is not given up.
        """
        while self._messages or self._passing is not None:
            if self._passing is None:
                self._passing = asyncio.ensure_future(in_thread(partial(self._tell, self._messages.popleft())))
            passing = self._passing
            await asyncio.wait([passing])
            if self._passing is passing:
                self._passing = None
                if (error := passing.result()) is not None:
                    raise error

    def _tell(self, message: str) -> BaseException | None:
        # Returned, since a task that raises SystemExit would end the loop.
        try:
            self._how.on_message(message)
        except BaseException as error:
            return error
        return None

    def _now(self) -> Progress:
        now, throttle = self.progress, self._how.throttle
        now.total = self._how.estimate(self.read)
        now.cost = self._how.budget.cost
        now.steps = farthest()
        error = throttle.last_error if throttle is not None else None
        now.trouble = self._how.pending() or (None if error is None else str(error))
        if error is not None and not self._warned:
            self._warned = True
            self._messages.append(f"{error}; trying again")
        return now


def _take(rows: Iterator[AnyRow], stop_at_bad_row: bool) -> tuple[list[AnyRow], bool, Exception | None]:
    """Read the next rows. Returns them, whether there may be more, and an error after them."""
    end = time.monotonic() + _MAX_READ_TIME
    taken: list[AnyRow] = []
    try:
        for row in islice(rows, CHUNK):
            taken.append(row)
            if stop_at_bad_row and isinstance(row, BadRow):
                if isinstance(rows, Generator):
                    rows.close()  # closes the file
                return taken, False, RunFailed(f"{row.place} cannot be read: {row.reason}. The run stops here.")
            if time.monotonic() > end:
                return taken, True, None
    except Exception as error:
        return taken, False, error
    return taken, len(taken) == CHUNK, None
