"""Checks for whoever asks: one process's judges, with the limits that hold for every request."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, TypeVar

from ..case import Case
from ..engine.driver import Driver, Heard, Patience
from ..engine.many import each, failed, scored
from ..errors import UnknownName
from ..guard.guard import guard
from ..guard.guarded_sentence import GuardedSentence
from ..guard.guarded_streams import AsyncGuarded
from ..judge import DEFAULT, Judge, resolve
from ..metric import Metric
from ..metrics import resolve as resolve_metric
from ..plumbing.time_limit import time_limit
from ..questions import ExtractClaims, Question
from ..result import Result
from .limits import Busy, Limits, Refused, TookTooLong
from .pace import Pace
from .shared_judge import SharedJudge, new_request, too_many_claims

T = TypeVar("T")

_CASES_AT_ONCE = 8
"""Cases of one batch under way at once: a batch leaves room for others."""

_IN_TIME = 0.8
"""Of the time that a request has: who would be answered later than that is told at once to come back."""

_LONGEST_WAIT = 60


class Service:
    """Answers checks with the judges it was given. Belongs to one event loop."""

    def __init__(
        self,
        judges: Sequence[str] = (),
        limits: Limits | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        on_batch: Callable[[int], None] = lambda size: None,
    ) -> None:
        """`judges` by name, the first of them the default; the embedded judge is always there. `options` are those of
        the judges that are reached over the network, such as `base_url`."""
        self.limits = limits or Limits()
        self.local = SharedJudge(self.limits.claims, on_batch)
        patience = Patience(deadline=self.limits.seconds, timeout=self.limits.seconds)
        named: dict[str, Judge] = {name: resolve(name, **(options or {})) for name in judges if name != DEFAULT}
        self.judges: dict[str, Judge] = {name: named.get(name, self.local) for name in (*judges, DEFAULT)}
        self._drivers = {name: Driver(judge, patience=patience) for name, judge in self.judges.items()}
        self.under_way = 0
        self._pace = Pace()

    async def check(self, metric: Metric, case: Case, judge: str | None = None, heard: Heard | None = None) -> Result:
        """The result of one case. `heard` is told of each question as it is answered."""
        driver = self._driver(judge)
        if self._pace.expected > _IN_TIME * self.limits.seconds:
            raise Busy(self.retry_after())
        queued = self._pace.crowded
        async with self._turn():
            new_request()
            with self._pace.check():
                return await self._bounded(driver.score(metric, case, self._counting(heard)), queued)

    async def batch(
        self, metric: Metric, cases: Sequence[Case], judge: str | None = None
    ) -> AsyncIterator[tuple[int, Result]]:
        """The results of many cases, each with its place, in the order in which they are ready."""
        driver = self._driver(judge)
        ready: asyncio.Queue[tuple[int, Result] | None] = asyncio.Queue()

        async def one(place: int) -> None:
            try:
                result = await self._bounded(scored(driver, metric, cases[place], self._counting(None)))
            except Refused as refused:
                result = failed(driver, metric, cases[place], refused)
            ready.put_nowait((place, result))

        async def all_of_them() -> None:
            new_request()
            try:
                await each(range(len(cases)), one, at_once=_CASES_AT_ONCE)
            finally:
                ready.put_nowait(None)

        async with self._turn():
            running = asyncio.ensure_future(all_of_them())
            try:
                while (found := await ready.get()) is not None:
                    yield found
                await running
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)

    async def guard(
        self,
        stream: AsyncIterator[str],
        context: object,
        input: object = None,
        *,
        judge: str | None = None,
        **rules: Any,
    ) -> AsyncIterator[tuple[GuardedSentence, AsyncGuarded]]:
        """Each sentence of a stream as it is checked, and the guarded stream as it is by then.

        The time limit is that of one sentence, from the one before it; the claims of all together are bounded.
        """
        guarded = guard(stream, context, input, judge=self._driver(judge).judge, **rules)
        claims = 0
        async with self._turn(), aclosing(guarded):
            new_request()
            sentences = guarded.checked()
            while (sentence := await self._bounded(_next(sentences))) is not None:
                claims += len(sentence.verdicts)
                if claims > self.limits.claims:
                    raise too_many_claims(claims, self.limits.claims)
                yield sentence, guarded

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
        """A place among the requests under way, or a clear no."""
        if self.under_way >= self.limits.waiting:
            raise Busy(self.retry_after())
        self.local.bind()
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1

    async def _bounded(self, work: Coroutine[Any, Any, T], queued: bool = False) -> T:
        """What the work gives in time. Where others were in its way, it is they who took the time, not the text."""
        try:
            async with time_limit(self.limits.seconds):
                return await work
        except (asyncio.TimeoutError, TimeoutError):
            if queued or self._pace.crowded:
                raise Busy(self.retry_after(), "the judge had no time for this request") from None
            raise TookTooLong(
                f"judging took longer than the {self.limits.seconds:g} s that a request has: send a shorter text."
            ) from None

    def _counting(self, heard: Heard | None) -> Heard:
        """Ends a case with too many claims as soon as they are known."""

        def listen(question: Question[Any], value: Any) -> None:
            if isinstance(question, ExtractClaims) and len(value) > self.limits.claims:
                raise too_many_claims(len(value), self.limits.claims)
            if heard is not None:
                heard(question, value)

        return listen

    def retry_after(self) -> int:
        """Seconds in which, at the pace of the last requests, half of those under way will be done."""
        return max(1, min(_LONGEST_WAIT, math.ceil(self._pace.expected / 2)))

    async def close(self) -> None:
        """Give up what is still being judged, and wait until that is noticed."""
        await self.local.close()


async def _next(values: AsyncIterator[T]) -> T | None:
    return await anext(values, None)
