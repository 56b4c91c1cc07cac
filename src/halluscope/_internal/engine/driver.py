"""The only code that advances a flow: it asks, reads, repairs, caches and counts."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar, Union
from weakref import WeakKeyDictionary

import msgspec
from msgspec import structs

from ..case import Case
from ..errors import JudgeError, JudgeRefused, QuestionTooLong, ReplyError, ReplyTruncated
from ..judge import Answer, Call, Judge
from ..plumbing.loggers import logger
from ..plumbing.threads import Work, counted_elsewhere
from ..questions import Question
from ..questions.flow import AnswerMissing, Finding, Flow, without_score
from ..result import Direction, Exchange, Failure, Outcome, Result, Usage
from ..verdict import Verdict
from .reply_turns import ReplyCache, Turns
from .retrying import Asking, Caller, Clock, Patience, Throttle, errors_of

__all__ = ["Driver", "HasFlow", "Heard", "Patience", "ReplyCache", "Throttle", "Trail"]

T = TypeVar("T")

_log = logger("judge")

_SMALLEST_PART = 200
"""A question is not split below this many characters: a window that small cannot be worked with."""

_MOST_PARTS = 1000
"""A question is not split into more parts than this: it would cost more than anyone expects."""

_FORM = 3
"""How answers lie in the cache. A judge's reply lies there as it came, and is read by the code of today."""

_AS_ASKED = "\0"
"""Stands for the question's own prompt at the start of one in the cache; the texts in prompts hold no such sign."""

_CALLS_AT_ONCE = 16
"""Calls for one case. A runner bounds those of all its cases with a `Throttle`."""


_NEVER_USABLE = 5
"""Questions without a usable reply after which a judge that never gave one is not asked again for the others."""


class HasFlow(Protocol):
    """What the driver needs of a metric."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def direction(self) -> Direction: ...

    @property
    def threshold(self) -> float: ...

    def flow(self, case: Case) -> Flow[Finding]: ...

    def passes(self, score: float, verdicts: tuple[Verdict, ...]) -> bool: ...


Heard = Callable[[Question[Any], Any], None]
"""Told of every question that was answered, while the case is still being scored."""


class Trail:
    """What happened on the way to one result."""

    def __init__(self, case: Case, work: Work | None = None, heard: Heard | None = None) -> None:
        self.work = work or Work()
        self.heard = heard
        self.exchanges: list[Exchange] = []
        self.notes: list[str] = list(case.notes)
        self.usage = Usage()
        self.started = time.perf_counter()
        self.turns = asyncio.Semaphore(_CALLS_AT_ONCE)

    def add(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)
        self.usage = self.usage + exchange.usage

    def note(self, *notes: str) -> None:
        self.notes += [note for note in dict.fromkeys(notes) if note not in self.notes]


class _Asking(Asking, frozen=True):
    """The same, and the result it is for."""

    trail: Trail


_Landed = Union[Answer[Any], JudgeError, None]
"""How a question that others wait for ended; None where it was given up and the next has to ask."""


class Driver:
    """Scores cases with one judge. Safe to share between tasks, and between threads with a loop each."""

    def __init__(
        self,
        judge: Judge,
        *,
        cache: ReplyCache | None = None,
        throttle: Throttle | None = None,
        apart: Mapping[str, Throttle] | None = None,
        patience: Patience | None = None,
    ) -> None:
        """`apart`: the throttles of judges, by name, that do not share the one of the others."""
        self.judge = judge
        self._turns = None if cache is None else Turns(cache)
        self.patience = patience or Patience.of_environment()
        self._caller = Caller(self.patience, throttle, apart)
        self._usable, self._unusable = False, 0
        self._in_flight: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Future[_Landed]]]
        self._in_flight = WeakKeyDictionary()

    async def score(self, metric: HasFlow, case: Case, heard: Heard | None = None) -> Result:
        """The result of `metric` on `case`. A judge that fails is a result too."""
        with counted_elsewhere() as work:
            trail = Trail(case, work, heard)
            return self._result(metric, case, await self._found(metric, case, trail), trail)

    async def _found(self, metric: HasFlow, case: Case, trail: Trail) -> Finding:
        flow = metric.flow(case)
        answers: tuple[Any, ...] | None = None
        try:
            while True:
                questions = flow.send(answers) if answers is not None else next(flow)
                trail.work.total += len(questions)
                answers = await _all([self._value(question, trail) for question in questions])
        except StopIteration as end:
            found: Finding = end.value
            return found
        except AnswerMissing as missing:
            return without_score(missing.failure, case)

    async def _value(self, question: Question[T], trail: Trail) -> T | Failure:
        try:
            answer = await self.ask(self.judge, question, trail)
        except JudgeError as error:
            return Failure.of(error)
        finally:
            trail.work.done += 1
        trail.note(*answer.notes)
        if answer.value is None:
            return Failure.of(JudgeError(f"the judge {answer.judge} gave no answer to the {question.kind} question"))
        if trail.heard is not None:
            trail.heard(question, answer.value)
        return answer.value

    async def ask(self, judge: Judge, question: Question[T], trail: Trail, sample: int = 0) -> Answer[T]:
        """The judge's answer, from the cache, in parts if it is too long, after repairs if need be."""
        clock = Clock(self.patience.deadline)
        return await self._ask(judge, question, _Asking(sample, clock, trail.turns, trail))

    async def _ask(self, judge: Judge, question: Question[T], asking: _Asking) -> Answer[T]:
        if judge.asks:
            with errors_of(judge):
                return await judge.answer(question, Call(ask=_Others(self, asking), sample=asking.sample))
        if judge.window is not None and question.size > judge.window:
            parts = question.split(judge.window)
            if len(parts) > 1 or parts[0] != question:
                return await self._in_parts(judge, question, parts, asking, "to fit the judge's window")
        if self._turns is None:
            return (await self._fresh(judge, question, asking))[0]
        return await self._kept(self._turns, judge, question, asking)

    async def _kept(self, turns: Turns, judge: Judge, question: Question[T], asking: _Asking) -> Answer[T]:
        """The answer from the cache. The same question asked twice at once is asked once."""
        drawn = f" sample {asking.sample}" if asking.sample else ""
        asked = f"{_FORM} {question.fingerprint()} {judge.fingerprint()}{drawn}"
        key = hashlib.sha256(asked.encode()).hexdigest()
        loop = asyncio.get_running_loop()
        flights = self._in_flight.setdefault(loop, {})
        while key in flights:
            landed = await asyncio.shield(flights[key])
            if isinstance(landed, JudgeError):
                raise landed
            if landed is not None:
                asking.trail.add(_exchange(question, landed, cached=True))
                return landed
        flight = flights[key] = loop.create_future()
        outcome: _Landed = None
        try:
            async with turns.turn(key) as kept_bytes:
                kept = _decoded(kept_bytes, question)
                if kept is not None:
                    outcome = kept
                    asking.trail.add(_exchange(question, kept, cached=True))
                    return kept
                answer, as_told = await self._fresh(judge, question, asking)
                outcome = answer
                await turns.keep(key, _encoded(as_told, question))
                return answer
        except JudgeError as error:
            outcome = error
            raise
        finally:
            del flights[key]
            flight.set_result(outcome)

    async def _in_parts(
        self, judge: Judge, question: Question[T], parts: Sequence[Question[T]], asking: _Asking, why: str
    ) -> Answer[T]:
        if len(parts) > _MOST_PARTS:
            raise QuestionTooLong(
                f"the {question.kind} question would have to be asked in {len(parts)} parts {why}; "
                f"at most {_MOST_PARTS} are: give less text, or a judge with a larger window"
            )
        if len(parts) > 1:
            note = f"the {question.kind} question was asked in {len(parts)} parts {why}"
        else:
            note = f"only the nearest parts of the context were shown {why}"
        answers = await _all([self._ask(judge, part, asking) for part in parts])
        values = [answer.value for answer in answers if answer.value is not None]
        return Answer(
            judge=judge.name,
            value=question.merge(parts, values),
            usage=sum((answer.usage for answer in answers), Usage()),
            notes=(note, *(note for answer in answers for note in answer.notes)),
        )

    async def _fresh(self, judge: Judge, question: Question[T], asking: _Asking) -> tuple[Answer[T], Answer[T]]:
        """An answer that was read and found usable, and the same as the judge gave it. Others are asked for again."""
        trail = asking.trail
        remark: str | None = None
        repairs = self.patience.repairs if question.repairs is None else question.repairs
        for repair in range(repairs + 1):
            try:
                answer = await self._caller.answer(judge, question, remark, repair, asking)
            except QuestionTooLong as error:
                parts = _smaller(question, judge.window)
                if not parts:
                    trail.add(_failed(question, judge, error))
                    raise
                whole = await self._in_parts(judge, question, parts, asking, "to fit the judge's window")
                return whole, whole
            except JudgeError as error:
                trail.add(_failed(question, judge, error))
                raise
            _log.debug("%s answered the %s question, in %d calls so far", judge.name, question.kind, repair + 1)
            if answer.value is not None:
                trail.add(_exchange(question, answer))
                return answer, answer
            try:
                value = _read(question, answer)
            except JudgeError as error:
                trail.add(_exchange(question, answer, error=str(error)))
                if not isinstance(error, ReplyError):
                    raise
                if isinstance(error, ReplyTruncated) and (answer.truncated or repair):
                    parts = _smaller(question, None)
                    if parts:
                        why = "because the reply to all of it was cut off"
                        whole = await self._in_parts(judge, question, parts, asking, why)
                        return whole, whole
                if repair == repairs or (not self._usable and self._unusable >= _NEVER_USABLE):
                    self._unusable += 1
                    raise
                remark = str(error)
                _log.info("%s: the reply to the %s question cannot be used (%s)", judge.name, question.kind, remark)
            else:
                trail.add(_exchange(question, answer))
                self._usable = True
                return structs.replace(answer, value=value), answer
        raise AssertionError("the last repair returns or raises")

    def _result(self, metric: HasFlow, case: Case, finding: Finding, trail: Trail) -> Result:
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
            figures=finding.figures,
            metadata=case.metadata,
        )


class _Others:
    """How a judge asks another one while a case is scored: for the same sample, unless it draws its own."""

    def __init__(self, driver: Driver, asking: _Asking) -> None:
        self._driver = driver
        self._asking = asking

    async def __call__(self, judge: Judge, question: Question[T], /, sample: int | None = None) -> Answer[T]:
        drawn = self._asking.sample if sample is None else sample
        return await self._driver.ask(judge, question, self._asking.trail, drawn)


async def _all(coroutines: Sequence[Coroutine[Any, Any, T]]) -> tuple[T, ...]:
    """What all of them return; where one raises, the others are stopped before the error goes on."""
    if len(coroutines) == 1:
        return (await coroutines[0],)
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        return tuple(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def _read(question: Question[T], answer: Answer[T]) -> T:
    if answer.refused:
        raise JudgeRefused("the judge declined to answer", body=answer.reply)
    return question.read_reply(answer.reply or "", answer.truncated)


def _smaller(question: Question[T], window: int | None) -> Sequence[Question[T]]:
    """The question in smaller parts, none where it cannot be made smaller."""
    if question.size <= _SMALLEST_PART:
        return ()
    half = question.size // 2 + 1
    parts = question.split(max(_SMALLEST_PART, half if window is None else min(half, window)))
    return () if any(part.size >= question.size for part in parts) else parts


def _encoded(answer: Answer[T], question: Question[T]) -> bytes:
    """What the cache keeps. A reply is read anew, and its prompt is made anew from the question, but for its end."""
    if answer.value is None and answer.prompt is not None:
        asked = str(question.prompt)
        end = answer.prompt[len(asked) :] if answer.prompt.startswith(asked) else None
        answer = structs.replace(answer, prompt=answer.prompt if end is None else _AS_ASKED + end)
    return msgspec.msgpack.encode(answer)


def _decoded(kept: bytes | None, question: Question[T]) -> Answer[T] | None:
    """An answer out of the cache, None where there is none, or one of another time that cannot be read."""
    if kept is None:
        return None
    try:
        answer: Answer[T] = msgspec.msgpack.decode(kept, type=Answer[question.answer_type])  # type: ignore[name-defined]
        if answer.value is not None:
            return answer
        prompt = _AS_ASKED if answer.prompt is None else answer.prompt
        if prompt.startswith(_AS_ASKED):
            prompt = str(question.prompt) + prompt.removeprefix(_AS_ASKED)
        return structs.replace(answer, value=_read(question, answer), prompt=prompt)
    except (msgspec.MsgspecError, JudgeError):
        return None


def _failed(question: Question[Any], judge: Judge, error: JudgeError) -> Exchange:
    return Exchange(question=question.kind, judge=judge.name, error=str(error))


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
