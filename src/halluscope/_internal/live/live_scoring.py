"""The worker's side of live scoring: from an answer to results, and from there to everywhere they go."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, structs

from ..case import Case
from ..engine.driver import Driver, Patience
from ..engine.many import failed, scored
from ..errors import HalluscopeError, JudgeError, StoreError
from ..judge import Judge, is_embedded
from ..metric import Metric
from ..plumbing.loggers import logger
from ..plumbing.threads import in_thread
from ..result import Outcome, Result
from ..runner.identity import scorer_of
from ..runner.throttle import AdaptiveThrottle
from ..store import Book, MemoryReplies, Replies, Store
from ..store.run_writer import CHUNK
from . import telemetry
from .counts import Counter
from .daily_budget import DailyBudget
from .live_answer import LiveAnswer

_log = logger("live")

_TRIES = 5
"""How often writing is tried; a store that is out of order for longer loses the results of that time."""

_WITHOUT_SCORE = (Outcome.FAILED, Outcome.INCOMPLETE)

Told = Callable[[Result, Case], object]


class Plan(Struct, frozen=True, kw_only=True):
    """What is scored how, and where the scores go."""

    metrics: tuple[Metric, ...]
    judge: Judge
    run: str
    concurrency: int
    context_from: tuple[str, ...]
    store: Store | None = None
    patience: Patience | None = None
    get_context: Callable[[LiveAnswer], object] | None = None
    filter: Callable[[Case], object] | None = None
    on_result: Told | None = None
    telemetry: bool | None = None


class Drawn(Struct, frozen=True):
    """An answer that was drawn, and the places of the metrics that it was drawn for."""

    answer: LiveAnswer
    metrics: tuple[int, ...]


class _Finished(Struct):
    case: Case
    results: list[tuple[int, Result]]
    failed: bool
    tries: int = 0


class LiveScoring:
    """Scores answers and keeps the results. Used from one loop; all that can go wrong is counted and logged."""

    def __init__(self, plan: Plan, counter: Counter, budget: DailyBudget) -> None:
        self._plan = plan
        self._counter = counter
        self._budget = budget
        self._embedded = is_embedded(plan.judge)
        self._finished: list[_Finished] = []
        self._under_way = 0
        self._store: Store | None = plan.store
        self._book: Book | None = None
        self._driver: Driver | None = None
        self._opening = asyncio.Lock()
        self._writing = asyncio.Lock()
        self._told_of: set[str] = set()

    async def score(self, drawn: Drawn) -> None:
        """Score one answer by all metrics that it was drawn for."""
        answer, plan = drawn.answer, self._plan
        try:
            case = await self._read(answer)
            if plan.filter is not None and not await called_back(plan.filter, case):
                self._counter.add(waiting=-1, sampled=-1, filtered=1)
                return
            driver = await self._ready()
        except Exception as error:
            self._trouble(f"an answer could not be scored ({type(error).__name__}: {error})", error)
            self._counter.add(waiting=-1, failed=1)
            return
        if not self._budget.allows(self._under_way):
            self._counter.add(waiting=-1, dropped=1, over_budget=1)
            return
        self._under_way += 1
        results: list[tuple[int, Result]] = []
        try:
            for place in drawn.metrics:
                result = await self._result(driver, plan.metrics[place], case)
                self._budget.spent(result.usage)
                results.append((place, result))
                await self._tell(result, case, answer)
        finally:
            self._under_way -= 1
        unscored = any(result.outcome in _WITHOUT_SCORE for _, result in results)
        self._finished.append(_Finished(case, results, unscored))

    def give_up(self, drawn: Drawn) -> None:
        """The program ends before this answer was scored: that is what is kept of it."""
        answer = drawn.answer
        why = JudgeError("the program ended before the answer was scored.")
        try:
            case = self._case(answer)
            driver = self._driver or Driver(self._plan.judge)
            results = [(place, failed(driver, self._plan.metrics[place], case, why)) for place in drawn.metrics]
            self._finished.append(_Finished(case, results, failed=True))
        except HalluscopeError:
            self._counter.add(waiting=-1, failed=1)

    async def write(self, last: bool) -> None:
        """Write what is finished; the `last` time also that this is all."""
        # Shielded: what is being written is counted, also where the worker ends meanwhile.
        await asyncio.shield(asyncio.ensure_future(self._write(last)))

    async def _write(self, last: bool) -> None:
        async with self._writing:
            while self._finished:
                batch, self._finished = self._finished[:CHUNK], self._finished[CHUNK:]
                try:
                    await self._ready()
                    await in_thread(lambda batch=batch: self._append(batch))  # type: ignore[misc]
                except Exception as error:
                    self._trouble(f"results could not be stored: {error}", error)
                    self._not_written(batch, last)
                    if not last:
                        return
                else:
                    unscored = sum(one.failed for one in batch)
                    self._counter.add(waiting=-len(batch), failed=unscored, stored=len(batch) - unscored)
            if last and self._book is not None:
                book = self._book
                try:
                    await in_thread(lambda: book.close("finished"))
                except StoreError as error:
                    self._trouble(f"the end of the run could not be stored: {error}", error)

    def _not_written(self, batch: Sequence[_Finished], last: bool) -> None:
        kept = []
        for one in batch:
            one.tries += 1
            if one.tries < _TRIES:
                kept.append(one)
            else:
                self._counter.add(waiting=-1, failed=1)
        self._finished = [*kept, *self._finished]

    def _append(self, batch: Sequence[_Finished]) -> None:
        assert self._book is not None and self._store is not None
        self._book.append([(one.case, one.results) for one in batch])
        self._budget.settle(self._store)

    async def _ready(self) -> Driver:
        """The driver, with store and run open."""
        async with self._opening:
            if self._driver is None:
                self._driver = await in_thread(self._open)
            return self._driver

    def _open(self) -> Driver:
        plan = self._plan
        self._store = store = self._store or Store()
        scorers = [scorer_of(metric, plan.judge) for metric in plan.metrics]
        self._book = Book(store, plan.run, "live", scorers, joins=True)
        self._budget.settle(store)
        cache = MemoryReplies() if self._embedded else Replies(store)
        throttle = None if self._embedded else AdaptiveThrottle(plan.concurrency)
        return Driver(plan.judge, cache=cache, throttle=throttle, patience=plan.patience)

    async def _read(self, answer: LiveAnswer) -> Case:
        await in_thread(lambda: _complete(answer))
        if self._plan.get_context is None:
            return self._case(answer)
        return self._of(answer, await called_back(self._plan.get_context, answer))

    def _case(self, answer: LiveAnswer) -> Case:
        """The answer as a case: against what it was given, else what was retrieved and what its conversation holds."""
        case = self._of(answer, answer.context)
        held = [] if answer.context is None or answer.context_given else [self._of(answer, None)]
        held += [self._case(part) for part in answer.inner if not answer.context_given]
        if not held:
            return case
        more = tuple(passage for one in held for passage in one.context or ())
        asked = case.input if case.input is not None else next((one.input for one in held if one.input), None)
        if not more and case.context is None:
            return structs.replace(case, input=asked)
        return structs.replace(case, input=asked, context=(*(case.context or ()), *more))

    def _of(self, answer: LiveAnswer, context: object) -> Case:
        # What was said inside another answer is no matter, and may be nothing at all.
        output = answer.output if answer.outer is None else ""
        return Case.of(
            output,
            context,
            answer.input,
            id=answer.trace_id,
            metadata=answer.metadata,
            context_from=self._plan.context_from,
        )

    async def _result(self, driver: Driver, metric: Metric, case: Case) -> Result:
        try:
            return await scored(driver, metric, case)
        except HalluscopeError as error:  # something about the set-up
            self._trouble(f"{metric.name} could not be scored: {error}", error)
            return failed(driver, metric, case, error)

    async def _tell(self, result: Result, case: Case, answer: LiveAnswer) -> None:
        plan = self._plan
        if plan.telemetry or (plan.telemetry is None and telemetry.in_use()):
            try:
                telemetry.send(result, answer.span, answer.response_id)
            except Exception as error:
                self._trouble(f"OpenTelemetry took no event ({type(error).__name__}: {error})", error)
        if plan.on_result is not None:
            try:
                await called_back(plan.on_result, result, case)
            except Exception as error:
                self._trouble(f"on_result raised {type(error).__name__}: {error}", error)

    def _trouble(self, what: str, error: Exception) -> None:
        """Say each kind of trouble once: a thousand answers would say it a thousand times."""
        kind = f"{type(error).__name__} {what[:40]}"
        level = logging.DEBUG if kind in self._told_of else logging.WARNING
        self._told_of.add(kind)
        _log.log(level, "live scoring: %s", what, exc_info=None if isinstance(error, HalluscopeError) else error)


async def called_back(function: Callable[..., Any], *args: Any) -> Any:
    """What the application's own function returns; one that is not asynchronous has a thread to itself."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
        return await function(*args)
    found = await in_thread(lambda: function(*args))
    return await found if inspect.isawaitable(found) else found


def _complete(answer: LiveAnswer) -> None:
    answer.complete()
    for part in answer.inner:
        _complete(part)
