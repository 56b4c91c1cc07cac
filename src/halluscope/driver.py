"""The only code that advances a flow: it asks, reads, repairs, retries, caches and counts."""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from .case import Case
from .errors import (
    CannotJudge,
    DeadlineExceeded,
    JudgeError,
    JudgeThrottled,
    JudgeUnavailable,
    NothingToJudge,
    QuestionTooLong,
    ReplyError,
    ReplyTruncated,
)
from .flow import AnswerMissing
from .judge import Answer, Call, Judge
from .metric import Finding, Metric, no_claims
from .questions import Question
from .reading import read_reply
from .result import Exchange, Failure, Outcome, Result, Usage

T = TypeVar("T")

_SMALLEST_PART = 200
"""A question is not split below this many characters: a window that small cannot be worked with."""


class Patience(Struct, frozen=True):
    """How long and how often a question is tried.

    `deadline` bounds everything done for one question, waiting included. `repairs` is how often an
    unusable reply is asked for again, `retries` how often a failed call is made again.
    """

    deadline: float = 300.0
    timeout: float = 120.0
    retries: int = 12
    repairs: int = 5
    first_wait: float = 0.5
    longest_wait: float = 30.0

    def wait(self, attempt: int, asked_for: float | None) -> float:
        """Seconds before the next try: what the server asked for, else doubling, with jitter."""
        backoff = min(self.longest_wait, self.first_wait * 2.0**attempt) * random.uniform(0.5, 1.0)
        return backoff if asked_for is None else asked_for + backoff * 0.1


class ReplyCache(Protocol):
    """Keeps answers by content."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, entry: bytes) -> None: ...


class Gate(Protocol):
    """Lets a bounded number of calls through, fewer when the judge throttles."""

    async def enter(self) -> None: ...

    def leave(self, error: JudgeError | None) -> None: ...


class Trail:
    """What happened on the way to one result."""

    def __init__(self, case: Case) -> None:
        self.exchanges: list[Exchange] = []
        self.notes: list[str] = list(case.notes)
        self.usage = Usage()
        self.started = time.perf_counter()

    def add(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)
        self.usage = self.usage + exchange.usage

    def note(self, *notes: str) -> None:
        self.notes += [note for note in notes if note not in self.notes]


class Driver:
    """Scores cases with one judge. Safe to share between many cases at once."""

    def __init__(
        self,
        judge: Judge,
        *,
        cache: ReplyCache | None = None,
        gate: Gate | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.judge = judge
        self.cache = cache
        self.gate = gate
        self.patience = patience or Patience()
        self._in_flight: dict[str, asyncio.Future[None]] = {}

    async def score(self, metric: Metric, case: Case) -> Result:
        """The result of `metric` on `case`. A judge that fails is a result too."""
        trail = Trail(case)
        flow = metric.flow(case)
        answers: tuple[Any, ...] | None = None
        try:
            while True:
                questions = flow.send(answers) if answers is not None else next(flow)
                answers = await self._ask_all(questions, trail)
        except StopIteration as end:
            finding: Finding = end.value
        except AnswerMissing as missing:
            finding = _without_score(missing.failure, case)
        return self._result(metric, case, finding, trail)

    async def _ask_all(self, questions: Sequence[Question[Any]], trail: Trail) -> tuple[Any, ...]:
        if len(questions) == 1:
            return (await self._value(questions[0], trail),)
        return tuple(await asyncio.gather(*(self._value(question, trail) for question in questions)))

    async def _value(self, question: Question[T], trail: Trail) -> T | Failure:
        try:
            answer = await self.ask(self.judge, question, trail)
        except JudgeError as error:
            return Failure.of(error)
        trail.note(*answer.notes)
        assert answer.value is not None
        return answer.value

    async def ask(self, judge: Judge, question: Question[T], trail: Trail, sample: int = 0) -> Answer[T]:
        """The judge's answer, from the cache, in parts if it is too long, after repairs if need be."""
        if judge.asks:
            return await judge.answer(question, Call(ask=_Asking(self, trail, sample), sample=sample))
        if judge.window is not None and question.size > judge.window:
            parts = question.split(judge.window)
            if len(parts) > 1 or parts[0] != question:
                return await self._in_parts(judge, question, parts, trail, sample)
        if self.cache is None:
            return await self._fresh(judge, question, trail, sample)
        drawn = f" sample {sample}" if sample else ""
        key = hashlib.sha256(f"{question.fingerprint()} {judge.fingerprint()}{drawn}".encode()).hexdigest()
        while key in self._in_flight:
            await self._in_flight[key]
        kept = self.cache.get(key)
        if kept is not None:
            answer = msgspec.msgpack.decode(kept, type=Answer[question.answer_type])  # type: ignore[name-defined]
            trail.add(_exchange(question, answer, cached=True))
            return answer
        self._in_flight[key] = asyncio.get_running_loop().create_future()
        try:
            answer = await self._fresh(judge, question, trail, sample)
            self.cache.put(key, msgspec.msgpack.encode(answer))
            return answer
        finally:
            self._in_flight.pop(key).set_result(None)

    async def _in_parts(
        self, judge: Judge, question: Question[T], parts: Sequence[Question[T]], trail: Trail, sample: int
    ) -> Answer[T]:
        if len(parts) > 1:
            trail.note(f"the {question.kind} question was asked in {len(parts)} parts to fit the judge's window")
        else:
            trail.note("only the nearest parts of the context were shown to fit the judge's window")
        answers = await asyncio.gather(*(self.ask(judge, part, trail, sample) for part in parts))
        values = [answer.value for answer in answers if answer.value is not None]
        return Answer(
            judge=judge.name,
            value=question.merge(values),
            usage=sum((answer.usage for answer in answers), Usage()),
            notes=tuple(note for answer in answers for note in answer.notes),
        )

    async def _fresh(self, judge: Judge, question: Question[T], trail: Trail, sample: int) -> Answer[T]:
        """An answer that was read and found usable; unusable replies are asked for again, with a remark."""
        end = time.monotonic() + self.patience.deadline
        remark: str | None = None
        repairs = self.patience.repairs if question.repairs is None else question.repairs
        for repair in range(repairs + 1):
            try:
                answer = await self._call(judge, question, remark, end, sample)
            except QuestionTooLong:
                return await self._halved(judge, question, trail, sample)
            if answer.value is not None:
                trail.add(_exchange(question, answer))
                return answer
            try:
                value = read_reply(question, answer.reply or "", answer.truncated)
            except ReplyError as error:
                trail.add(_exchange(question, answer, error=str(error)))
                if isinstance(error, ReplyTruncated) and question.size > 2 * _SMALLEST_PART:
                    return await self._halved(judge, question, trail, sample)
                if repair == repairs:
                    raise
                remark = str(error)
            except JudgeError as error:
                trail.add(_exchange(question, answer, error=str(error)))
                raise
            else:
                trail.add(_exchange(question, answer))
                return msgspec.structs.replace(answer, value=value)
        raise AssertionError("the last repair returns or raises")

    async def _halved(self, judge: Judge, question: Question[T], trail: Trail, sample: int) -> Answer[T]:
        limit = max(_SMALLEST_PART, question.size // 2 + 1)
        parts = question.split(limit)
        if question.size <= _SMALLEST_PART or all(part.size >= question.size for part in parts):
            raise QuestionTooLong(f"the {question.kind} question does not fit the judge's window, even in parts")
        return await self._in_parts(judge, question, parts, trail, sample)

    async def _call(
        self, judge: Judge, question: Question[T], remark: str | None, end: float, sample: int
    ) -> Answer[T]:
        """One call that came through; failed ones are made again until patience ends."""
        attempt = 0
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise DeadlineExceeded(f"no answer within {self.patience.deadline:g} s")
            if self.gate is not None:
                await self.gate.enter()
                left = max(0.001, end - time.monotonic())
            error: JudgeError | None = None
            try:
                return await judge.answer(question, Call(remark, min(left, self.patience.timeout), sample=sample))
            except JudgeUnavailable as caught:
                error = caught
            finally:
                if self.gate is not None:
                    self.gate.leave(error)
            asked_for = error.retry_after if isinstance(error, JudgeThrottled) else None
            wait = self.patience.wait(attempt, asked_for)
            attempt += 1
            if attempt > self.patience.retries:
                raise error
            if time.monotonic() + wait > end:
                raise DeadlineExceeded(
                    f"no answer within {self.patience.deadline:g} s; the last error was: {error}",
                    status=error.status,
                    body=error.body,
                )
            await asyncio.sleep(wait)

    def _result(self, metric: Metric, case: Case, finding: Finding, trail: Trail) -> Result:
        trail.note(*finding.notes)
        score = finding.score if finding.outcome is Outcome.SCORED else None
        return Result(
            metric=metric.name,
            metric_version=metric.version,
            judge=self.judge.name,
            case_id=case.id,
            outcome=finding.outcome,
            score=score,
            direction=metric.direction,
            threshold=float(metric.threshold),
            passed=None if score is None else metric.passes(score, finding.verdicts),
            label=finding.label,
            probability=finding.probability,
            reason=finding.reason,
            verdicts=finding.verdicts,
            failure=finding.failure,
            exchanges=tuple(trail.exchanges),
            usage=trail.usage,
            latency_ms=round((time.perf_counter() - trail.started) * 1000, 3),
            notes=tuple(trail.notes),
            truths=finding.truths,
            metadata=case.metadata,
        )


class _Asking:
    """How a judge asks another one while a case is scored: for the same sample, unless it draws its own."""

    def __init__(self, driver: Driver, trail: Trail, sample: int) -> None:
        self._driver = driver
        self._trail = trail
        self._sample = sample

    async def __call__(self, judge: Judge, question: Question[T], /, sample: int | None = None) -> Answer[T]:
        drawn = self._sample if sample is None else sample
        return await self._driver.ask(judge, question, self._trail, drawn)


def _without_score(failure: Failure, case: Case) -> Finding:
    if failure.kind == NothingToJudge.kind:
        return no_claims(case)
    if failure.kind == CannotJudge.kind:
        return Finding(outcome=Outcome.UNJUDGEABLE, failure=failure, reason=f"No score: {failure.message}")
    reason = f"No score: the judge failed ({failure.message})."
    return Finding(outcome=Outcome.FAILED, failure=failure, reason=reason)


def _exchange(
    question: Question[Any], answer: Answer[Any], *, cached: bool = False, error: str | None = None
) -> Exchange:
    return Exchange(
        question=question.kind,
        judge=answer.judge,
        prompt=answer.prompt,
        reply=answer.reply,
        usage=Usage() if cached else answer.usage,
        cached=cached,
        error=error,
    )
