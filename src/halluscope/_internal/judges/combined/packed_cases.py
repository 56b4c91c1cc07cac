"""Ask about the claims of several short cases in one call, so that the instructions are sent once."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

from msgspec import structs

from ...core.errors import InputError, JudgeError, JudgeRefused, QuestionTooLong, ReplyError
from ...core.plumbing.public import public_in
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
        self._waiting: dict[str, list[_Waiting]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

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
        group = self._waiting.setdefault(alike, [])
        group.append(_Waiting(question, call, loop.create_future()))
        if len(group) == 1:
            loop.call_later(_WAIT, self._start, alike, group)
        if len(group) == self.n:
            self._start(alike, group)
        return await group[-1].answer

    def _start(self, alike: str, group: list[_Waiting]) -> None:
        """Ask a group, unless that was done when it was full."""
        if self._waiting.get(alike) is group:
            del self._waiting[alike]
            task = asyncio.ensure_future(self._ask(group))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _ask(self, group: list[_Waiting]) -> None:
        cases = {f"{place}{code_for(str(each.question.prompt))[:4]}": each for place, each in enumerate(group, start=1)}
        first = group[0]
        question = PackedClaims(
            template=first.question.template,
            examples=first.question.examples,
            cases={code: each.question for code, each in cases.items()},
        )
        try:
            answer = await self.judge.answer(question, first.call) if len(group) > 1 else None
        except (QuestionTooLong, JudgeRefused):
            answer = None
        except Exception as error:
            for each in group:
                if not each.answer.done():
                    each.answer.set_exception(error)
            return
        found = {} if answer is None else _read(question, answer)
        shares = [Usage()] * len(group) if answer is None else _shares(answer.usage, len(group))
        asked = [
            self._completed(each, found.get(code), answer, share)
            for (code, each), share in zip(cases.items(), shares, strict=True)
        ]
        await asyncio.gather(*asked)

    async def _completed(
        self, waiting: _Waiting, found: Verification | None, packed: Answer[Any] | None, share: Usage
    ) -> None:
        """The answer for one case. What the packed reply leaves out is asked alone."""
        question = waiting.question
        given = {} if found is None else question.judgements(found)
        missing = [item for item in question.items() if item not in given]
        try:
            if found is None or packed is None or not given:
                alone = await self.judge.answer(question, waiting.call)
                made = structs.replace(alone, judge=self.name, usage=alone.usage + share)
            else:
                made = Answer(judge=self.name, value=found, prompt=packed.prompt, reply=packed.reply, usage=share)
                if missing:
                    alone = await self.judge.answer(question.narrowed(missing), waiting.call)
                    rest = _read(question.narrowed(missing), alone)
                    more = question.judgements(rest) if isinstance(rest, Verification) else {}
                    verdicts = [(given | more)[item] for item in question.items() if item in given | more]
                    value = question.joined(verdicts, found.refused)
                    made = structs.replace(made, value=value, usage=share + alone.usage)
        except Exception as error:
            if not waiting.answer.done():
                waiting.answer.set_exception(error)
            return
        if not waiting.answer.done():
            waiting.answer.set_result(made)


class _Waiting(NamedTuple):
    question: VerifyClaims
    call: Call
    answer: asyncio.Future[Answer[Any]]


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
