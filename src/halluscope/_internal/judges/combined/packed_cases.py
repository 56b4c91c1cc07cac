"""Ask about the claims of several short cases in one call, so that the instructions are sent once."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar, TypeVar, cast

from msgspec import structs

from ...core.errors import InputError, JudgeError, JudgeRefused, QuestionTooLong, ReplyError
from ...core.plumbing.public import public_in
from ...core.plumbing.time_limit import time_limit
from ...core.prompt import Material, Prompt, code_for
from ...core.result import Usage
from ...engine.judge import Answer, Call, Judge, JudgeSpec, resolve
from ...engine.questions import Question, Verification, VerifyClaims
from ...engine.questions.question import listed, text_in

T = TypeVar("T")

CASES = 5
_SHORT = 4_000
"""Most characters of a question that is packed with others."""
_WAIT = 0.05
"""Seconds to wait for more questions."""

_NOTE = (
    "The material is of {count} cases. Check each statement against the context of its own case alone: the code before "
    "the hyphen of its id names the case. Repeat the whole id in its verdict."
)


class PackedClaims(Question[dict[str, Verification]], frozen=True, kw_only=True):
    """Questions about the claims of several cases as one. They differ in claims and context alone.

    Each case has a code, which is part of the ids of its claims.
    """

    kind: ClassVar[str] = VerifyClaims.kind
    counts_in_part: ClassVar[bool] = True
    answer_type: ClassVar[Any] = dict[str, Verification]

    cases: dict[str, VerifyClaims]

    def slots(self) -> Mapping[str, str | Material]:
        first = next(iter(self.cases.values()))
        context: list[dict[str, Any]] = []
        claims: list[dict[str, str]] = []
        for code, case in self.cases.items():
            own = case.slots()
            context.append({"case": code, "context": cast("Material", own["context"]).value})
            listed_here = cast("Material", own["claims"]).value
            claims += [{**claim, "id": f"{code}-{claim['id']}"} for claim in listed_here]
        return {**first.slots(), "context": Material(context), "claims": Material(claims)}

    def render(self) -> Prompt:
        prompt = Question.render(self)
        return structs.replace(prompt, user=f"{prompt.user}\n\n{_NOTE.format(count=len(self.cases))}")

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return next(iter(self.cases.values())).vocabulary

    def schema(self) -> dict[str, Any]:
        schema = next(iter(self.cases.values())).schema()
        ids = [f"{code}-{claim.id}" for code, case in self.cases.items() for claim in case.claims]
        schema["properties"]["verdicts"]["items"]["properties"]["id"]["enum"] = ids
        return schema

    def read(self, data: Any) -> dict[str, Verification]:
        """Read the verdicts of each case by itself. A verdict without the code of a case counts for none."""
        items = [item for item in listed(data, "verdicts", "results") if isinstance(item, dict)]
        found: dict[str, Verification] = {}
        for code, case in self.cases.items():
            start = f"{code}-"
            named = [(text_in(item.get("id")), item) for item in items]
            own = [{**item, "id": id.removeprefix(start)} for id, item in named if id.startswith(start)]
            try:
                found[code] = case.read({"verdicts": own})
            except ReplyError:
                found[code] = Verification(())
        return found

    @property
    def size(self) -> int:
        return sum(case.size for case in self.cases.values())


@public_in("halluscope.judges")
class Packed:
    """Asks about the claims of several short cases in one call.

    A packed question tells the judge the code of each case, and every verdict must carry it. A claim without a verdict,
    or with two that differ, is asked about alone. All other questions are asked as usual.

    Args:
        judge: Name or instance of a chat judge.
        n: Most cases in a call, at least 2.

    Raises:
        InputError: If an option is unusable, or the judge asks other judges.

    Example:
        >>> Packed("openai/gpt-4o", n=5).name
        'packed(openai/gpt-4o, n=5)'
    """

    asks = False

    def __init__(self, judge: JudgeSpec, n: int = CASES) -> None:
        if isinstance(n, bool) or not isinstance(n, int) or n < 2:
            raise InputError(f"packing needs n of at least 2 cases, not {n!r}.")
        self.judge: Judge = resolve(judge)
        if self.judge.asks:
            raise InputError(f"{self.judge.name} asks other judges: pack the judges in it.")
        self.n = n
        self._open: dict[str, _Group] = {}
        self._tasks: set[asyncio.Task[list[Answer[Any]]]] = set()

    @property
    def name(self) -> str:
        """The name that creates this judge."""
        return f"packed({self.judge.name}, n={self.n})"

    @property
    def window(self) -> int | None:
        return self.judge.window

    def fingerprint(self) -> str:
        return hashlib.sha256(f"packed {self.n} {self.judge.fingerprint()}".encode()).hexdigest()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        room = min(_SHORT, (self.judge.window or _SHORT * self.n) // self.n)
        if not isinstance(question, VerifyClaims) or call.remark or call.sample or question.size > room:
            return await self.judge.answer(question, call)
        loop = asyncio.get_running_loop()
        alike = repr((id(loop), question.template, question.examples, question.words, question.truths is None))
        group = self._open.get(alike)
        if group is None:
            group = self._open[alike] = _Group(call)
            group.task = loop.create_task(self._ask(alike, group))
            self._tasks.add(group.task)
            group.task.add_done_callback(self._ended)
        place = len(group.questions)
        group.questions.append(question)
        if place + 1 == self.n:
            del self._open[alike]
            group.full.set()
        packed = await asyncio.shield(group.task)
        return await self._completed(question, call, packed[place])

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # mark as retrieved: all callers may have been cancelled

    async def _ask(self, alike: str, group: _Group) -> list[Answer[Any]]:
        """The part of each case in the answer of one call: no value and no usage where nothing was asked."""
        with suppress(asyncio.TimeoutError):
            async with time_limit(_WAIT):
                await group.full.wait()
        if self._open.get(alike) is group:
            del self._open[alike]
        nothing: list[Answer[Any]] = [Answer(judge=self.name) for _ in group.questions]
        if len(nothing) == 1:
            return nothing
        first = group.questions[0]
        cases = {f"{i}{code_for(str(case.prompt))[:4]}": case for i, case in enumerate(group.questions, start=1)}
        question = PackedClaims(template=first.template, examples=first.examples, cases=cases)
        try:
            answer = await self.judge.answer(question, group.call)
        except (QuestionTooLong, JudgeRefused):
            return nothing
        found = _read(question, answer)
        return [
            Answer(judge=self.name, value=found.get(code), prompt=answer.prompt, reply=answer.reply, usage=share)
            for code, share in zip(cases, _shares(answer.usage, len(cases)), strict=True)
        ]

    async def _completed(self, question: VerifyClaims, call: Call, packed: Answer[Any]) -> Answer[Any]:
        """The answer for one case. What the packed reply leaves out is asked alone."""
        value: Any = packed.value or Verification(())
        given = question.judgements(value)
        missing = [item for item in question.items() if item not in given]
        if not missing:
            return packed
        rest = question.narrowed(missing) if given else question
        alone = await self.judge.answer(rest, call)
        usage = packed.usage + alone.usage
        if not given:
            return structs.replace(alone, judge=self.name, usage=usage)
        found = {**given, **question.judgements(_read(rest, alone) or Verification(()))}
        verdicts = [found[item] for item in question.items() if item in found]
        return structs.replace(packed, value=question.joined(verdicts, value.refused), usage=usage)


class _Group:
    """Cases that are asked about in one call."""

    task: asyncio.Task[list[Answer[Any]]]

    def __init__(self, call: Call) -> None:
        self.call = call
        self.questions: list[VerifyClaims] = []
        self.full = asyncio.Event()


def _read(question: Question[Any], answer: Answer[Any]) -> Any:
    """The value of an answer, empty if it cannot be read."""
    if answer.value is not None:
        return answer.value
    try:
        return question.read_reply(answer.reply or "", answer.truncated, answer.probabilities)
    except JudgeError:
        return {}


def _shares(usage: Usage, count: int) -> list[Usage]:
    """The usage of a call, shared by the cases in it. The first one has the call and what cannot be divided."""
    read, written = usage.input_tokens // count, usage.output_tokens // count
    cost = None if usage.cost is None else usage.cost / count
    first = Usage(
        usage.calls, usage.input_tokens - read * (count - 1), usage.output_tokens - written * (count - 1), cost
    )
    return [first, *[Usage(0, read, written, cost)] * (count - 1)]
