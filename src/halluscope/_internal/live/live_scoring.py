"""Scores the answers of an application and stores the results."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from msgspec import Struct, structs

from ..core.case import Case, Turn
from ..core.errors import HalluscopeError, JudgeError, StoreError
from ..core.plumbing import user_functions
from ..core.plumbing.loggers import logger
from ..core.plumbing.threads import in_thread
from ..core.plumbing.user_functions import outcome_of
from ..core.result import Outcome, Result
from ..engine.driver import Driver, RetryPolicy
from ..engine.judge import Judge, is_embedded
from ..engine.many import failed, scored
from ..engine.metric import Metric
from ..repair.repairing import with_repair
from ..runs.alerts import AlertRule
from ..runs.datasets.columns import Turns
from ..runs.runner.identity import scorer_of
from ..runs.runner.throttle import AdaptiveThrottle
from ..runs.store import MemoryReplies, Replies, RunWriter, Store
from ..runs.store.run_writer import CHUNK
from ..sinks.score import AT, SPAN_COLUMNS, moment
from ..sinks.sink import Sink
from .background import Background
from .counts import Counter
from .daily_budget import DailyBudget
from .live_answer import LiveAnswer
from .outbox import Alerting, Outbox
from .tracing import ANY, opentelemetry_in_use, send_event

_log = logger("live")

_WRITE_TRIES = 5
"""How often to try to store a result before it is lost."""

_WITHOUT_SCORE = (Outcome.FAILED, Outcome.INCOMPLETE)


class Plan(Struct, frozen=True, kw_only=True):
    """How answers are scored and where the results go."""

    metrics: tuple[Metric, ...]
    judge: Judge
    run: str
    concurrency: int
    queue: int
    exit_wait: float
    context_from: tuple[str, ...]
    turns: Turns = "last"
    store: Store | None = None
    retry_policy: RetryPolicy | None = None
    get_context: Callable[[LiveAnswer], object] | None = None
    filter: Callable[[Case], object] | None = None
    on_result: Callable[[Result, Case], object] | None = None
    telemetry: bool | None = None
    sinks: tuple[Sink, ...] = ()
    repair: bool = False
    daily_budget: float | None = None
    alerts: tuple[AlertRule, ...] = ()
    webhook: str | None = None


class SampledAnswer(Struct, frozen=True):
    """An answer to score, and the indexes of the metrics to score it with."""

    answer: LiveAnswer
    metrics: tuple[int, ...]


class _Finished(Struct):
    case: Case
    results: list[tuple[int, Result]]
    failed: bool
    tries: int = 0


class LiveScoring:
    """Scores the answers of one process in its `background` and stores the results. Problems are counted and logged."""

    def __init__(self, plan: Plan) -> None:
        self.counter = Counter()
        self.background: Background[SampledAnswer] = Background(
            self.score,
            most=plan.queue,
            at_once=plan.concurrency,
            exit_wait=plan.exit_wait,
            save=self.write,
            give_up=self.give_up,
        )
        self._plan = plan
        self._budget = DailyBudget(plan.daily_budget, plan.run, plan.judge.name)
        self._embedded = is_embedded(plan.judge)
        self._finished: list[_Finished] = []
        self._under_way = 0
        self._store: Store | None = plan.store
        self._writer: RunWriter | None = None
        self._driver: Driver | None = None
        self._opening = asyncio.Lock()
        self._writing = asyncio.Lock()
        self._alerting = Alerting(plan.alerts, plan.webhook, self.report)
        self._outboxes = [Outbox(sink, self.counter, self.report) for sink in plan.sinks]
        self.reported: set[str] = set()

    async def score(self, sampled: SampledAnswer) -> None:
        answer, plan = sampled.answer, self._plan
        cases, error = await outcome_of(self._filtered_cases(answer))
        driver = None
        if error is None:
            driver, error = await outcome_of(self._ready())
        if error is not None:
            self.report(f"an answer could not be scored ({type(error).__name__}: {error})", error)
            self.counter.add(waiting=-1, failed=1)
            return
        if not cases or driver is None:
            self.counter.add(waiting=-1, sampled=-1, filtered=1)
            return
        if not self._budget.allows(self._under_way):
            self.counter.add(waiting=-1, dropped=1, over_budget=1)
            return
        self._under_way += 1
        tool_calls = len(cases) - 1
        self.counter.add(seen=tool_calls, sampled=tool_calls, waiting=tool_calls)
        try:
            for case in cases:
                results: list[tuple[int, Result]] = []
                for index in sampled.metrics:
                    result = await self._result(driver, plan.metrics[index], case)
                    self._budget.spent(result.usage)
                    results.append((index, result))
                    await self._send(result, case, answer)
                unscored = any(result.outcome in _WITHOUT_SCORE for _, result in results)
                self._finished.append(_Finished(case, results, unscored))
        finally:
            self._under_way -= 1

    def give_up(self, sampled: SampledAnswer) -> None:
        """Store that the program ended before this answer was scored."""
        answer = sampled.answer
        why = JudgeError("the program ended before the answer was scored.")
        try:
            case = self._case(answer)
            driver = self._driver or Driver(self._plan.judge)
            results = [(index, failed(driver, self._plan.metrics[index], case, why)) for index in sampled.metrics]
            self._finished.append(_Finished(case, results, failed=True))
        except HalluscopeError:
            self.counter.add(waiting=-1, failed=1)

    async def write(self, last: bool) -> None:
        """Store finished results. The `last` time, also mark the run as finished."""
        # Shielded, so that results are counted even if the worker ends meanwhile.
        await asyncio.shield(asyncio.ensure_future(self._write(last)))
        alerting = self._alerting.look(self._writer.name if self._writer else self._plan.run, last)
        await asyncio.gather(alerting, *(outbox.send(last) for outbox in self._outboxes))

    async def _write(self, last: bool) -> None:
        async with self._writing:
            while self._finished:
                batch, self._finished = self._finished[:CHUNK], self._finished[CHUNK:]
                try:
                    await self._ready()
                    await in_thread(lambda batch=batch: self._append(batch))  # type: ignore[misc]
                except Exception as error:
                    self.report(f"results could not be stored: {error}", error)
                    self._not_written(batch, last)
                    if not last:
                        return
                else:
                    unscored = sum(one.failed for one in batch)
                    self.counter.add(waiting=-len(batch), failed=unscored, stored=len(batch) - unscored)
            if last and self._writer is not None:
                writer = self._writer
                try:
                    await in_thread(lambda: writer.close("finished"))
                except StoreError as error:
                    self.report(f"the end of the run could not be stored: {error}", error)

    def _not_written(self, batch: Sequence[_Finished], last: bool) -> None:
        kept = []
        for one in batch:
            one.tries += 1
            if one.tries < _WRITE_TRIES:
                kept.append(one)
            else:
                self.counter.add(waiting=-1, failed=1)
        self._finished = [*kept, *self._finished]

    def _append(self, batch: Sequence[_Finished]) -> None:
        assert self._writer is not None and self._store is not None
        self._writer.append([(one.case, one.results) for one in batch])
        self._budget.settle(self._store)

    async def _ready(self) -> Driver:
        """Open the store and the run, once. Returns the driver."""
        async with self._opening:
            if self._driver is None:
                self._driver = await in_thread(self._open)
            return self._driver

    def _open(self) -> Driver:
        plan = self._plan
        self._store = store = self._store or Store()
        scorers = [scorer_of(metric, plan.judge, repair=plan.repair) for metric in plan.metrics]
        self._writer = RunWriter(store, plan.run, "live", scorers, joins=True)
        self._budget.settle(store)
        cache = MemoryReplies() if self._embedded else Replies(store)
        throttle = None if self._embedded else AdaptiveThrottle(plan.concurrency)
        return Driver(plan.judge, cache=cache, throttle=throttle, retry_policy=plan.retry_policy)

    async def _filtered_cases(self, answer: LiveAnswer) -> list[Case]:
        """Turn an answer, and the tool calls before it, into cases, without those that the filter skips."""
        plan = self._plan
        await in_thread(answer.complete)
        if plan.get_context is None:
            case = self._case(answer)
        else:
            case = self._of(answer, await user_functions.call(plan.get_context, answer))
        cases = [case] if plan.turns == "last" else self._turns(answer, case)
        if plan.filter is None:
            return cases
        return [case for case in cases if await user_functions.call(plan.filter, case)]

    def _turns(self, answer: LiveAnswer, case: Case) -> list[Case]:
        """The tool calls since the user's last message, and the answer."""
        calls: dict[str, Case] = {}
        for part in (answer, *answer.inner):
            turns = Case.of_turns(
                part.output, None, part.input, id=answer.trace_id, metadata=case.metadata, since_user=True
            )
            calls |= {turn.output: turn for turn in turns if turn.is_tool_call}
        number = len(calls) + 1
        place: dict[str, Any] = {"conversation": answer.trace_id, "of": number}
        made = [
            structs.replace(call, turn=structs.replace(call.turn, number=i, **place), id=f"{answer.trace_id}/{i}")
            for i, call in enumerate(calls.values(), start=1)
            if call.turn is not None
        ]
        turn = Turn(number=number, message=-1, **place)
        return [*made, structs.replace(case, turn=turn, id=f"{answer.trace_id}/{number}")] if made else [case]

    def _case(self, answer: LiveAnswer) -> Case:
        """Turn an answer into a case. Its context is what was given, else what was retrieved and found in messages."""
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
        # The output of a call inside another answer is not judged, and may be missing.
        output, ids = answer.output if answer.outer is None else "", answer.traces.get(ANY)
        # When it was given, and its span: an export of the run, and its alerts, need them.
        about = {AT: moment(answer.at), **({SPAN_COLUMNS[0]: ids.span} if ids and ids.span else {})}
        return Case.of(
            output,
            context,
            answer.input,
            id=answer.trace_id,
            metadata={**about, **answer.metadata},
            context_from=self._plan.context_from,
        )

    async def _result(self, driver: Driver, metric: Metric, case: Case) -> Result:
        result, error = await outcome_of(scored(driver, metric, case))
        if result is not None and self._plan.repair:
            result, error = await outcome_of(with_repair(driver, metric, case, result))
        if result is not None:
            return result
        assert error is not None
        result = failed(driver, metric, case, error)
        assert result.failure is not None
        self.report(f"{metric.name} could not be scored: {result.failure.message}", error)
        return result

    async def _send(self, result: Result, case: Case, answer: LiveAnswer) -> None:
        plan = self._plan
        if plan.telemetry or (plan.telemetry is None and opentelemetry_in_use()):
            send = partial(send_event, result, answer.span, answer.response_id)
            _, error = await outcome_of(in_thread(send))
            if error is not None:
                self.report(f"OpenTelemetry accepted no event ({type(error).__name__}: {error})", error)
        self._alerting.see(result, answer.at)
        for outbox in self._outboxes:
            assert self._writer is not None
            outbox.put(self._writer.name, result, answer)
        if plan.on_result is not None:
            _, error = await outcome_of(user_functions.call(plan.on_result, result, case))
            if error is not None:
                self.report(f"on_result raised {type(error).__name__}: {error}", error)

    def report(self, problem: str, error: BaseException) -> None:
        """Log a problem as a warning the first time, then at level debug."""
        kind = f"{type(error).__name__} {problem[:40]}"
        level = logging.DEBUG if kind in self.reported else logging.WARNING
        self.reported.add(kind)
        _log.log(level, "live scoring: %s", problem, exc_info=None if isinstance(error, HalluscopeError) else error)
