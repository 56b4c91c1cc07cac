"""Turns requests into answers and events, for HTTP and MCP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, TypeVar, cast

from msgspec import structs

from ...core.case import Case
from ...core.conversation import CONTEXT_FROM
from ...core.errors import InputError
from ...core.result import Result
from ...core.result.turns import of_conversation
from ...engine.driver import Heard
from ...engine.metric import Metric
from ...engine.questions import Question
from ...repair.repairing import Repair
from ..service.limits import TooMany
from ..service.places import Utf16, repair_places
from ..service.service import Service, produced
from ..service.systems import systems_of
from . import wire_messages as wire
from .transport.bodies import ClientGone
from .transport.refusals import refusal_of

E = TypeVar("E", bound=Callable[..., AsyncIterator[Any]])


def ending_with_failure(events: E) -> E:
    """Make an error after the first event the last event. An earlier one becomes an HTTP status."""

    async def ended(*given: Any) -> AsyncIterator[Any]:
        begun = False
        try:
            async with aclosing(events(*given)) as found:  # type: ignore[type-var]
                async for event in found:
                    begun = True
                    yield event
        except Exception as error:
            refusal = refusal_of(error)
            if not begun or refusal is None or isinstance(error, ClientGone):
                raise
            yield wire.Failed(error=refusal.problem)

    return cast("E", ended)


class Checking:
    """Answers requests with a service. `on_result` is called with every result."""

    def __init__(self, service: Service, on_result: Callable[[Result], None] = lambda result: None) -> None:
        self._service = service
        self._on_result = on_result

    async def check(self, wanted: wire.CheckRequest, heard: Heard | None = None) -> wire.CheckAnswer:
        """Score one output, or the turns of a conversation."""
        if wanted.turns == "all":
            return await self._conversation(wanted)
        case = _case(wanted)
        result = await self._service.check(self._metric(wanted), case, wanted.judge, heard)
        systems = systems_of(case, result) if wanted.systems else ()
        return structs.replace(self._answer(result, case, wanted), systems=systems)

    async def repair(self, wanted: wire.RepairRequest) -> Repair:
        case = _case(wanted)
        made = await self._service.repair(self._metric(wanted), case, wanted.judge, wanted.abstention)
        self._on_result(made.before)
        if not wanted.exchanges:
            before, after = (structs.replace(result, exchanges=()) for result in (made.before, made.after))
            made = structs.replace(made, before=before, after=after)
        return repair_places(case, made) if wanted.places == "utf16" else made

    async def _conversation(self, wanted: wire.CheckRequest) -> wire.CheckAnswer:
        cases = Case.of_turns(
            wanted.output,
            wanted.context,
            wanted.input,
            id=wanted.id,
            context_from=wanted.context_from,
            most=self._service.limits.cases,
        )
        if not cases:
            raise InputError("judging all turns needs a conversation with an answer: pass its messages as `output`.")
        judged = self._service.batch(self._metric(wanted), cases, wanted.judge)
        results = {place: result async for place, result in judged}
        shown = [self._shown(results[place], case, wanted) for place, case in enumerate(cases)]
        return wire.CheckAnswer(**structs.asdict(of_conversation(cases, shown)))

    @ending_with_failure
    def events(self, wanted: wire.CheckRequest) -> AsyncIterator[wire.CheckEvent]:
        """Score one output and yield its claims, verdicts and result as they become available."""
        places = Utf16(_case(wanted)) if wanted.places == "utf16" and wanted.turns == "last" else None

        async def work(put: Callable[[wire.CheckEvent], None]) -> None:
            def heard(question: Question[Any], value: Any) -> None:
                claims, verdicts = question.claims_in(value), question.verdicts_in(value)
                if claims is not None:
                    put(wire.Claimed(claims=tuple(map(places.claim, claims)) if places else claims))
                if verdicts is not None:
                    put(wire.ClaimsJudged(verdicts=tuple(map(places.verdict, verdicts)) if places else verdicts))

            put(wire.Finished(result=await self.check(wanted, heard)))

        return produced(work)

    @ending_with_failure
    async def batch(self, wanted: wire.BatchRequest) -> AsyncIterator[wire.BatchEvent]:
        """Score many outputs and yield the results in order of completion."""
        most = self._service.limits.cases
        if len(wanted.cases) > most:
            raise TooMany(f"the batch has {len(wanted.cases):,} cases, and the limit is {most:,}: send it in parts.")
        cases = [_case(case) for case in wanted.cases]
        scored = 0
        async for place, result in self._service.batch(self._metric(wanted), cases, wanted.judge):
            scored += result.score is not None
            yield wire.Finished(result=self._answer(result, cases[place], wanted), place=place)
        yield wire.Ended(cases=len(cases), scored=scored)

    @ending_with_failure
    async def guard(self, wanted: wire.GuardSettings, stream: AsyncIterator[str]) -> AsyncIterator[wire.GuardEvent]:
        """Guard a stream and yield its sentences as they are checked."""
        end = wire.GuardEnded(original="", shown="", stopped=False, sentences=0, flagged=0)
        rules = {name: getattr(wanted, name) for name in wire.GuardSettings.__struct_fields__}
        async for sentence, guarded in self._service.guard(stream, **rules):
            yield wire.SentenceChecked(**structs.asdict(sentence))
            flagged = sentence.support is not None and sentence.support.value in wanted.flags
            end = wire.GuardEnded(
                original=guarded.original,
                shown=guarded.shown,
                stopped=guarded.stopped,
                sentences=len(guarded.sentences),
                flagged=end.flagged + flagged,
            )
        yield end

    def guard_given(self, wanted: wire.GuardRequest) -> AsyncIterator[wire.GuardEvent]:
        """Guard a complete text, whole or in pieces."""

        async def pieces() -> AsyncIterator[str]:
            for piece in [wanted.output] if isinstance(wanted.output, str) else wanted.output:
                yield piece

        return self.guard(wanted, pieces())

    def _metric(self, wanted: wire.CheckRequest | wire.RepairRequest | wire.BatchRequest) -> Metric:
        return self._service.metric(
            wanted.metric, threshold=wanted.threshold, strict=wanted.strict, include_reason=wanted.reason
        )

    def _answer(self, result: Result, case: Case, wanted: wire.CheckRequest | wire.BatchRequest) -> wire.CheckAnswer:
        return wire.CheckAnswer(**structs.asdict(self._shown(result, case, wanted)))

    def _shown(self, result: Result, case: Case, wanted: wire.CheckRequest | wire.BatchRequest) -> Result:
        """The result without prompts and replies, unless they are wanted, and with places in the wanted units."""
        self._on_result(result)
        return structs.replace(
            result,
            exchanges=result.exchanges if wanted.exchanges else (),
            verdicts=tuple(map(Utf16(case).verdict, result.verdicts)) if wanted.places == "utf16" else result.verdicts,
        )


def _case(wanted: wire.CaseRequest | wire.CheckRequest | wire.RepairRequest) -> Case:
    sources = wanted.context_from if isinstance(wanted, wire.CheckRequest) else CONTEXT_FROM
    return Case.of(wanted.output, wanted.context, wanted.input, id=wanted.id, context_from=sources)
