"""Answers to requests, whoever carries them: HTTP, or the protocol of agents."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from msgspec import structs

from ..case import Case
from ..engine.driver import Heard
from ..metric import Metric
from ..questions import ExtractClaims, Question, VerifyClaims
from ..result import Result
from ..service.limits import TooMany
from ..service.places import Utf16
from ..service.service import Service
from ..service.systems import systems_of
from .http.bodies import ClientGone
from .http.refusals import Refusal, RefusalBody, refusal_of
from .wire_messages import (
    BatchEvent,
    BatchRequest,
    CaseRequest,
    CheckAnswer,
    CheckEvent,
    CheckRequest,
    Claimed,
    ClaimsJudged,
    Ended,
    Failed,
    Finished,
    GuardEnded,
    GuardEvent,
    GuardRequest,
    GuardSettings,
    SentenceChecked,
)


class Checking:
    """Answers with one service; `on_result` hears of every result."""

    def __init__(self, service: Service, on_result: Callable[[Result], None] = lambda result: None) -> None:
        self._service = service
        self._on_result = on_result

    async def check(self, wanted: CheckRequest, heard: Heard | None = None) -> CheckAnswer:
        """The answer to a check."""
        case = _case(wanted)
        result = await self._service.check(self._metric(wanted), case, wanted.judge, heard)
        systems = await systems_of(case, result) if wanted.systems else ()
        return structs.replace(self._told(result, case, wanted), systems=systems)

    async def events(self, wanted: CheckRequest) -> AsyncIterator[CheckEvent]:
        """What becomes known of the case, as it becomes known."""
        events: asyncio.Queue[CheckEvent | None] = asyncio.Queue()
        places = Utf16(_case(wanted)) if wanted.places == "utf16" else None

        def heard(question: Question[Any], value: Any) -> None:
            if isinstance(question, ExtractClaims):
                events.put_nowait(Claimed(claims=tuple(map(places.claim, value)) if places else value))
            elif isinstance(question, VerifyClaims):
                verdicts = tuple(map(places.verdict, value.verdicts)) if places else value.verdicts
                events.put_nowait(ClaimsJudged(verdicts=verdicts))

        working = asyncio.ensure_future(self.check(wanted, heard))
        working.add_done_callback(lambda _: events.put_nowait(None))
        try:
            begun = False
            while (event := await events.get()) is not None:
                begun = True
                yield event
            try:
                last: CheckEvent = Finished(result=await working)
            except Exception as error:
                if not begun:  # nothing was said yet: it can still be said with a status
                    raise
                last = Failed(error=_problem(error))
            yield last
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    async def batch(self, wanted: BatchRequest) -> AsyncIterator[BatchEvent]:
        """The results of many cases, as they are ready."""
        most = self._service.limits.cases
        if len(wanted.cases) > most:
            raise TooMany(
                f"the batch has {len(wanted.cases):,} cases, and at most {most:,} are taken: send it in parts."
            )
        cases = [_case(case) for case in wanted.cases]
        scored = 0
        async for place, result in self._service.batch(self._metric(wanted), cases, wanted.judge):
            scored += result.score is not None
            yield Finished(result=self._told(result, cases[place], wanted), place=place)
        yield Ended(cases=len(cases), scored=scored)

    async def guard(self, wanted: GuardSettings, stream: AsyncIterator[str]) -> AsyncIterator[GuardEvent]:
        """The sentences of a text as they are checked."""
        begun = False
        end = GuardEnded(original="", shown="", stopped=False, sentences=0, flagged=0)
        try:
            async for sentence, guarded in self._service.guard(
                stream,
                wanted.context,
                wanted.input,
                judge=wanted.judge,
                policy=wanted.policy,
                replacement=wanted.replacement,
                flags=wanted.flags,
                min_confidence=wanted.min_confidence,
                flag_unchecked=wanted.flag_unchecked,
            ):
                begun = True
                yield SentenceChecked(**structs.asdict(sentence))
                held_up = sentence.support is None or sentence.support.value not in wanted.flags
                end = GuardEnded(
                    original=guarded.original,
                    shown=guarded.shown,
                    stopped=guarded.stopped,
                    sentences=len(guarded.sentences),
                    flagged=end.flagged + (not held_up),
                )
        except Exception as error:
            if not begun or isinstance(error, ClientGone):
                raise
            yield Failed(error=_problem(error))
            return
        yield end

    def guard_given(self, wanted: GuardRequest) -> AsyncIterator[GuardEvent]:
        """The same for a text that is there already, whole or in pieces."""
        return self.guard(wanted, _each([wanted.output] if isinstance(wanted.output, str) else wanted.output))

    def _metric(self, wanted: CheckRequest | BatchRequest) -> Metric:
        return self._service.metric(
            wanted.metric, threshold=wanted.threshold, strict=wanted.strict, include_reason=wanted.reason
        )

    def _told(self, result: Result, case: Case, wanted: CheckRequest | BatchRequest) -> CheckAnswer:
        self._on_result(result)
        fields = structs.asdict(result)
        if not wanted.exchanges:
            fields["exchanges"] = ()
        if wanted.places == "utf16":
            fields["verdicts"] = tuple(map(Utf16(case).verdict, result.verdicts))
        return CheckAnswer(**fields)


async def _each(pieces: list[str]) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


def _problem(error: Exception) -> RefusalBody:
    told = refusal_of(error)
    if told is None:
        raise error
    return told.problem


def _case(wanted: CaseRequest | CheckRequest) -> Case:
    try:
        return Case.of(wanted.output, wanted.context, wanted.input, id=wanted.id)
    except RecursionError:
        raise Refusal(422, "invalid", "the output or the context is nested too deeply to be read.") from None
