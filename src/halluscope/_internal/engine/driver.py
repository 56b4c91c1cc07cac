"""The driver runs a flow: it asks its questions and reads, repairs, caches and counts the replies."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import structs

from ..core.case import Case
from ..core.errors import JudgeError, JudgeRefused, QuestionTooLong, ReplyError, ReplyTruncated
from ..core.plumbing.in_flight import InFlight
from ..core.plumbing.loggers import logger
from ..core.plumbing.threads import counted_elsewhere
from ..core.result import Direction, Exchange, Failure, Outcome, Result, Usage
from ..core.verdict import Verdict
from .judge import Answer, Call, Judge
from .questions import Question
from .questions.flow import AnswerMissing, Finding, Flow, without_score
from .reply_turns import ReplyCache, Turns
from .retrying import Asking, Caller, Clock, RetryPolicy, Throttle, errors_of
from .trail import Heard, Trail

T = TypeVar("T")
R = TypeVar("R")

_log = logger("judge")

_SMALLEST_PART = 200
"""Fewest characters of a part of a question."""

_MOST_PARTS = 1000
"""Most parts of a question. More would cost more than anyone expects."""

_FORM = 4
"""Version of the cache format. Replies are cached as they came and read again by the current code."""

_AS_ASKED = "\0"
"""Replaces the question's own prompt at the start of a cached prompt. Prompts never contain this character."""

_NEVER_USABLE = 5
"""After this many questions without a usable reply, a judge that never gave one is not asked for repairs."""


class HasFlow(Protocol):
    """The part of a metric that the driver uses."""

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


class Driver:
    """Scores cases with one judge, in tasks and threads. `apart` are throttles of judges with one of their own."""

    def __init__(
        self,
        judge: Judge,
        *,
        cache: ReplyCache | None = None,
        throttle: Throttle | None = None,
        apart: Mapping[str, Throttle] | None = None,
        retry_policy: RetryPolicy | None = None,
    ) -> None:
        self.judge = judge
        self._turns = None if cache is None else Turns(cache)
        self.retry_policy = retry_policy or RetryPolicy.of_environment()
        self._caller = Caller(self.retry_policy, throttle, apart)
        self._usable, self._unusable = False, 0
        self._in_flight: InFlight[Answer[Any]] = InFlight()

    async def score(self, metric: HasFlow, case: Case, heard: Heard | None = None) -> Result:
        """Score a case. If the judge fails, the result says so."""
        with counted_elsewhere() as work:
            trail = Trail(case, work, heard)
            return self.result(metric, case, await self._found(metric, case, trail), trail)

    async def _found(self, metric: HasFlow, case: Case, trail: Trail) -> Finding:
        if case.is_tool_call and not getattr(metric, "judges_calls", False):
            reason = f"No score: {metric.name} judges answers, and this is a tool call."
            return Finding(outcome=Outcome.NO_CLAIMS, reason=reason)
        flow = metric.flow(case)
        answers: tuple[Any, ...] | None = None
        try:
            while True:
                with trail.spent.span():
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
            return Failure.of(JudgeError(f"the judge {answer.judge} gave no answer to a {question.kind!r} question"))
        if trail.heard is not None:
            trail.heard(question, answer.value)
        return answer.value

    async def ask(self, judge: Judge, question: Question[T], trail: Trail, sample: int = 0) -> Answer[T]:
        """Ask the judge, or take its answer from the cache. Long questions are split, unusable replies repaired."""
        return await self._ask(judge, question, Asking(sample, Clock(self.retry_policy.deadline), trail))

    async def _ask(self, judge: Judge, question: Question[T], asking: Asking) -> Answer[T]:
        async def ask_other(judge: Judge, question: Question[R], /, sample: int | None = None) -> Answer[R]:
            # For the same sample, unless the judge draws its own.
            return await self.ask(judge, question, asking.trail, asking.sample if sample is None else sample)

        if judge.asks:
            with errors_of(judge):
                return await judge.answer(question, Call(ask=ask_other, sample=asking.sample))
        if judge.window is not None and question.size > judge.window:
            parts = question.split(judge.window)
            if len(parts) > 1 or parts[0] != question:
                return await self._in_parts(judge, question, parts, asking, "to fit the judge's window")
        if self._turns is None:
            return (await self._fresh(judge, question, asking))[0]
        return await self._kept(self._turns, judge, question, asking)

    async def _kept(self, turns: Turns, judge: Judge, question: Question[T], asking: Asking) -> Answer[T]:
        """The answer from the cache, or a new one. Equal questions at the same time are asked once."""
        sample = f" sample {asking.sample}" if asking.sample else ""
        asked = f"{_FORM} {question.fingerprint()} {judge.fingerprint()}{sample}"
        key = hashlib.sha256(asked.encode()).hexdigest()

        async def work() -> Answer[T]:
            async with turns.turn(key) as kept_bytes:
                kept = _decoded(kept_bytes, question)
                if kept is not None:
                    asking.trail.add(_exchange(question, kept, cached=True))
                    return kept
                answer, as_given = await self._fresh(judge, question, asking)
                await turns.keep(key, _encoded(as_given, question))
                return answer

        answer, shared = await self._in_flight.once(key, work)
        if shared:
            asking.trail.add(_exchange(question, answer, cached=True))
        return answer

    async def _in_parts(
        self, judge: Judge, question: Question[T], parts: Sequence[Question[T]], asking: Asking, why: str
    ) -> Answer[T]:
        if len(parts) > _MOST_PARTS:
            raise QuestionTooLong(
                f"the {question.kind} question would need {len(parts)} parts {why}, more than {_MOST_PARTS}: "
                "pass less text, or a judge with a larger window"
            )
        if len(parts) > 1:
            note = f"the {question.kind} question was asked in {len(parts)} parts {why}"
        else:
            note = f"only the most relevant parts of the context were shown {why}"
        answers = await _all([self._ask(judge, part, asking) for part in parts])
        values = [answer.value for answer in answers if answer.value is not None]
        return Answer(
            judge=judge.name,
            value=question.merge(parts, values),
            usage=sum((answer.usage for answer in answers), Usage()),
            notes=(note, *(note for answer in answers for note in answer.notes)),
        )

    async def _fresh(self, judge: Judge, question: Question[T], asking: Asking) -> tuple[Answer[T], Answer[T]]:
        """A usable answer, and the same answer as the judge gave it. Unusable replies are asked for again."""
        trail = asking.trail
        remark: str | None = None
        repairs = self.retry_policy.repairs if question.repairs is None else question.repairs
        for repair in range(repairs + 1):
            try:
                answer = await self._caller.answer(judge, question, remark, repair, asking)
            except JudgeError as error:
                parts = _smaller(question, judge.window) if isinstance(error, QuestionTooLong) else ()
                if not parts:
                    trail.add(_exchange(question, Answer(judge=judge.name), error=str(error)))
                    raise
                whole = await self._in_parts(judge, question, parts, asking, "to fit the judge's window")
                return whole, whole
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

    def result(self, metric: HasFlow, case: Case, finding: Finding, trail: Trail) -> Result:
        """Complete a finding to a result."""
        trail.note(*finding.notes)
        score = finding.score if finding.outcome is Outcome.SCORED else None
        found = structs.asdict(structs.replace(finding, score=score, notes=tuple(trail.notes)))
        return Result(
            metric=metric.name,
            metric_version=metric.version,
            judge=self.judge.name,
            case_id=case.id,
            direction=metric.direction,
            threshold=float(metric.threshold),
            passed=None if score is None else metric.passes(score, finding.verdicts),
            exchanges=tuple(trail.exchanges),
            usage=trail.usage,
            latency_ms=round(trail.spent.seconds * 1000, 3),
            metadata=case.metadata,
            **found,
        )


async def _all(coroutines: Sequence[Coroutine[Any, Any, T]]) -> tuple[T, ...]:
    """Run coroutines concurrently. If one raises, the others are cancelled before the error is raised."""
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
    return question.read_reply(answer.reply or "", answer.truncated, answer.probabilities)


def _smaller(question: Question[T], window: int | None) -> Sequence[Question[T]]:
    """The question in smaller parts, or nothing if it cannot be split further."""
    if question.size <= _SMALLEST_PART:
        return ()
    half = question.size // 2 + 1
    parts = question.split(max(_SMALLEST_PART, half if window is None else min(half, window)))
    return () if any(part.size >= question.size for part in parts) else parts


def _encoded(answer: Answer[T], question: Question[T]) -> bytes:
    """Encode an answer for the cache. The part of its prompt that is rendered from the question is left out."""
    if answer.value is None and answer.prompt is not None and answer.prompt.startswith(asked := str(question.prompt)):
        answer = structs.replace(answer, prompt=_AS_ASKED + answer.prompt.removeprefix(asked))
    return msgspec.msgpack.encode(answer)


def _decoded(kept: bytes | None, question: Question[T]) -> Answer[T] | None:
    """Decode an answer from the cache, None if there is none or it cannot be read."""
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
