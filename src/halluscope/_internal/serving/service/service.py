"""The service: runs checks with the judges of one process, within the limits."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeVar

from ...core.case import Case
from ...core.errors import UnknownName
from ...core.plumbing.time_limit import time_limit
from ...core.result import Result
from ...engine.driver import Driver, Heard, RetryPolicy
from ...engine.judge import DEFAULT, Judge, resolve
from ...engine.many import each, failed, scored
from ...engine.metric import Metric
from ...engine.metrics import resolve as resolve_metric
from ...engine.questions import Question
from ...live.guard.guard import AsyncGuarded, guard
from ...live.guard.guarded_sentence import GuardedSentence
from ...repair.repairing import Repair, check_repairable, repaired
from ...runs.store import Store
from .kept_runs import KeptRuns
from .limits import Busy, Limits, Refused, TookTooLong
from .pace import Pace
from .shared_judge import SharedJudge, new_request, too_many_claims

T = TypeVar("T")

_CASES_AT_ONCE = 8
"""Cases of one batch judged at the same time. The rest of the capacity is for other requests."""

_BUSY_SHARE = 0.8
"""Share of the time limit. If a check is expected to take longer, it is refused at once."""

_MAX_RETRY_AFTER = 60

_READERS = 4
"""Maximum number of threads that read the store."""


class Service:
    """Runs checks with the named judges. The first is the default; `local` is always available. `kept` reads runs.

    `options` are for judges reached over the network. An instance belongs to one event loop.
    """

    def __init__(
        self,
        judges: Sequence[str] = (),
        limits: Limits | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        store: Store | None = None,
        on_batch: Callable[[int], None] = lambda size: None,
    ) -> None:
        self.limits = limits or Limits()
        self.local = SharedJudge(self.limits.claims, on_batch)
        retry_policy = RetryPolicy(deadline=self.limits.seconds, timeout=self.limits.seconds)
        named: dict[str, Judge] = {name: resolve(name, **(options or {})) for name in judges if name != DEFAULT}
        self.judges: dict[str, Judge] = {name: named.get(name, self.local) for name in (*judges, DEFAULT)}
        self._drivers = {name: Driver(judge, retry_policy=retry_policy) for name, judge in self.judges.items()}
        self.under_way = 0
        self._pace = Pace()
        self._reading = asyncio.Semaphore(_READERS)
        self.kept = KeptRuns(store, self.reading)

    async def check(self, metric: Metric, case: Case, judge: str | None = None, heard: Heard | None = None) -> Result:
        """Score one case. `heard` is called with each question and its answer."""
        driver = self._driver(judge)
        return await self._paced(lambda: driver.score(metric, case, self._counting(heard)))

    async def repair(self, metric: Metric, case: Case, judge: str | None, abstention: str) -> Repair:
        driver = self._driver(judge)
        check_repairable(metric)

        async def work() -> Repair:
            before = await driver.score(metric, case, self._counting(None))
            return await repaired(driver, metric, case, before, abstention=abstention)

        return await self._paced(work)

    async def _paced(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a check within the limits, or raise `Busy` if it is expected to take too long."""
        if self._pace.expected > _BUSY_SHARE * self.limits.seconds:
            raise Busy(self.retry_after())
        queued = self._pace.crowded
        async with self._turn():
            new_request()
            with self._pace.check():
                return await self._bounded(work(), queued)

    async def batch(
        self, metric: Metric, cases: Sequence[Case], judge: str | None = None
    ) -> AsyncIterator[tuple[int, Result]]:
        """Score many cases. Yields each result with the index of its case, in order of completion."""
        driver = self._driver(judge)

        async def work(put: Callable[[tuple[int, Result]], None]) -> None:
            async def one(place: int) -> None:
                try:
                    result = await self._bounded(scored(driver, metric, cases[place], self._counting(None)))
                except Refused as refused:
                    result = failed(driver, metric, cases[place], refused)
                put((place, result))

            new_request()
            await each(range(len(cases)), one, at_once=_CASES_AT_ONCE)

        async with self._turn(), aclosing(produced(work)) as results:
            async for found in results:
                yield found

    async def guard(
        self,
        stream: AsyncIterator[str],
        context: object,
        input: object = None,
        *,
        judge: str | None = None,
        **rules: Any,
    ) -> AsyncIterator[tuple[GuardedSentence, AsyncGuarded]]:
        """Guard a stream. Yields each checked sentence with the guarded stream.

        The time limit applies to each sentence, the limit of claims to the whole text.
        """
        guarded = guard(stream, context, input, judge=self._driver(judge).judge, **rules)
        claims = 0
        async with self._turn(), aclosing(guarded):
            new_request()
            sentences = guarded.checked()
            while (sentence := await self._bounded(anext(sentences, None))) is not None:
                claims += len(sentence.verdicts)
                if claims > self.limits.claims:
                    raise too_many_claims(claims, self.limits.claims)
                yield sentence, guarded

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """Enter to read the store, within the same limits as a check."""
        queued = self._reading.locked()
        async with self._turn():
            try:
                async with time_limit(self.limits.seconds), self._reading:
                    yield
            except (asyncio.TimeoutError, TimeoutError):
                if queued:
                    raise Busy(self.retry_after(), "other readings left no time for this one") from None
                raise TookTooLong(
                    f"reading took longer than the {self.limits.seconds:g} s that a request has: ask for less, "
                    "or start the server with a longer --timeout."
                ) from None

    def metric(self, name: str, **options: Any) -> Metric:
        """A metric by name; options that are None are left as they are."""
        return resolve_metric(name, **{key: value for key, value in options.items() if value is not None})

    def _driver(self, judge: str | None) -> Driver:
        name = next(iter(self.judges)) if judge is None else judge
        if name not in self._drivers:
            raise UnknownName("judge here called", name, self.judges)
        return self._drivers[name]

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Count a request as open, or raise `Busy` if there are too many."""
        if self.under_way >= self.limits.waiting:
            raise Busy(self.retry_after())
        self.local.bind()
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1

    async def _bounded(self, work: Awaitable[T], queued: bool = False) -> T:
        """Await the work within the time limit. Raises `Busy` if a queue used up the time, else `TookTooLong`."""
        try:
            async with time_limit(self.limits.seconds):
                return await work
        except (asyncio.TimeoutError, TimeoutError):
            if queued or self._pace.crowded:
                raise Busy(self.retry_after(), "the judge is busy with other requests") from None
            raise TookTooLong(
                f"judging took longer than the limit of {self.limits.seconds:g} s: send a shorter text."
            ) from None

    def _counting(self, heard: Heard | None) -> Heard:
        """Wrap a callback so that a case with too many claims ends as soon as they are counted."""

        def listen(question: Question[Any], value: Any) -> None:
            claims = question.claims_in(value)
            if claims is not None and len(claims) > self.limits.claims:
                raise too_many_claims(len(claims), self.limits.claims)
            if heard is not None:
                heard(question, value)

        return listen

    def retry_after(self) -> int:
        """Estimated seconds until half of the open requests are done."""
        return max(1, min(_MAX_RETRY_AFTER, math.ceil(self._pace.expected / 2)))

    async def close(self) -> None:
        """Cancel all work and wait for it to end."""
        await self.local.close()
        self.kept.close()


async def produced(work: Callable[[Callable[[T], None]], Coroutine[Any, Any, None]]) -> AsyncGenerator[T, None]:
    """Run work in a task, and yield what it puts out. It is cancelled when the reader stops."""
    ready: asyncio.Queue[T | None] = asyncio.Queue()
    working = asyncio.ensure_future(work(ready.put_nowait))
    working.add_done_callback(lambda _: ready.put_nowait(None))
    try:
        while (found := await ready.get()) is not None:
            yield found
        await working
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
