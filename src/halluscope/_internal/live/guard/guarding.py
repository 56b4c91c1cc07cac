"""The guard independent of the kind of stream: takes chunks and returns checked sentences."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from msgspec import Struct, structs

from ...core.case import Case
from ...core.counting import count_of
from ...core.errors import InputError
from ...core.plumbing import sync
from ...core.result import Outcome, Result
from ...core.verdict import Claim, Verdict
from ...engine.driver import Driver
from ...engine.judge import JudgeSpec, is_embedded, resolve
from ...engine.many import scored
from ...engine.metrics import Hallucination
from ...engine.questions.flow import Flow
from ...repair.repairing import repaired
from ...text.growing import GrowingText, Sentence
from .guarded_sentence import GuardedSentence, PolicyFunction, Rules, passed_on

C = TypeVar("C")

_AROUND = 1_500
"""Characters read before and after a sentence, for example to resolve pronouns."""

_JUDGED = (Outcome.SCORED, Outcome.NO_CLAIMS, Outcome.EMPTY_OUTPUT)


class SentenceMetric(Hallucination, frozen=True, kw_only=True):
    """Judges the claims that start between `start` and `end` of the output."""

    include_reason: bool = False
    start: int = 0
    end: int = 0

    def claims(self, case: Case) -> Flow[tuple[Claim, ...]]:
        # Extract claims from the whole text, so that pronouns, list items and headings have their context.
        found = yield from super().claims(case)
        return tuple(claim for claim in found if self._is_mine(claim))

    def _is_mine(self, claim: Claim) -> bool:
        # A claim without an offset only counts if the text has no other sentence.
        return self.start <= claim.start < self.end if claim.start is not None else not self.start


class WholeSentence(Struct, frozen=True):
    """A complete sentence, with the text after it and the time when it was complete."""

    sentence: Sentence
    after: str
    since: float


class Guarding(Generic[C]):
    """Guards one answer. Keeps the original text."""

    def __init__(
        self,
        stream: Any,
        text: Callable[[Any], str],
        context: object,
        input: object,
        judge: JudgeSpec,
        rules: Rules,
        options: dict[str, Any],
    ) -> None:
        """`text` returns the text of a chunk."""
        case = Case.of("", context, input)
        if case.context is None:
            raise InputError("the guard needs a context: pass the passages the answer should be grounded in.")
        self._stream = stream
        self._text = text
        self._case = case
        self._driver = Driver(resolve(judge, **options))
        self._rules = rules
        rules.decided(GuardedSentence(text="", start=0, end=0))  # reject an unknown name before the stream starts
        self._growing = GrowingText()
        self._pieces: list[str] = []
        self._length = 0
        self._shown: list[str] = []
        self._lead = ""
        self._ready: Future[Result] | None = None
        self._sentences: list[GuardedSentence] = []
        self._stopped = False
        self._checked = self._check()

    def _check(self) -> C:
        raise NotImplementedError

    def checked(self) -> C:
        """Yield the sentences when they are checked. The last one may be empty, with only white space before it."""
        return self._checked

    @property
    def original(self) -> str:
        """All text of the model so far, including replaced and held back sentences."""
        return "".join(self._pieces)

    @property
    def shown(self) -> str:
        """All text shown so far."""
        return "".join(self._shown)

    @property
    def sentences(self) -> tuple[GuardedSentence, ...]:
        """The sentences checked so far."""
        return tuple(sentence for sentence in self._sentences if sentence.text)

    @property
    def stopped(self) -> bool:
        """Whether the policy ended the stream."""
        return self._stopped

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {count_of(len(self.sentences), 'sentence')} checked>"

    def _prepare(self) -> None:
        """Let the embedded judge load its model and read the context before the first sentence is complete."""
        if self._ready is None and is_embedded(self._driver.judge) and self._case.passages:
            asked = structs.replace(self._case, output="This is so.")
            self._ready = sync.start(scored(self._driver, SentenceMetric(end=1), asked))

    def _add(self, chunk: Any) -> list[WholeSentence]:
        """Add a chunk. Returns the sentences that are now complete."""
        piece = self._text(chunk)
        self._pieces.append(piece)
        self._length += len(piece)
        return self._held(self._growing.add(piece))

    def _end(self) -> list[WholeSentence]:
        """End the text. Returns the remaining sentences. The last one may be empty, with only white space before it."""
        left, rest = self._growing.end()
        return self._held([*left, Sentence(rest, "", self._length)] if rest else left)

    def _held(self, sentences: list[Sentence]) -> list[WholeSentence]:
        now, after = time.perf_counter(), self._growing.waiting
        held: list[WholeSentence] = []
        for sentence in reversed(sentences):
            held.append(WholeSentence(sentence, after[:_AROUND], now))
            after = sentence.before + sentence.text + after
        return held[::-1]

    async def _judge(self, held: WholeSentence) -> GuardedSentence:
        if self._ready is not None:
            await asyncio.wait([asyncio.wrap_future(self._ready)])
            self._ready = None
        sentence = held.sentence
        checked = await self._judged(sentence, held.after)
        if self._rules.policy == "repair" and checked.unchecked is None and self._rules.is_flagged(checked):
            checked = await self._repaired(checked)
        self._lead = (self._lead + sentence.before + sentence.text)[-_AROUND:]
        return checked

    def _function_for(self, sentence: GuardedSentence) -> PolicyFunction | None:
        """The policy function that is to be called for a sentence."""
        policy = self._rules.policy
        return policy if callable(policy) and self._rules.is_flagged(sentence) else None

    def _finish(self, held: WholeSentence, sentence: GuardedSentence, returned: object = None) -> GuardedSentence:
        """Record what is shown in place of the sentence. `returned` is what the policy function returned for it."""
        flagged = self._rules.is_flagged(sentence)
        shown, action = self._rules.decided(sentence, returned) if flagged else (sentence.text, sentence.action)
        self._stopped = shown is None
        delay = round((time.perf_counter() - held.since) * 1000, 3)
        sentence = structs.replace(sentence, action=action, shown=shown or "", delay_ms=delay)
        self._sentences.append(sentence)
        if shown is not None:
            self._shown.append(passed_on(sentence))
        return sentence

    async def _repaired(self, sentence: GuardedSentence) -> GuardedSentence:
        """Repair the sentence. It has no edits if that is not possible."""
        read = self._lead + sentence.before
        metric = SentenceMetric(start=len(read), end=sys.maxsize)
        case = Case.of(read + sentence.text, self._case.context, self._case.input)
        made = await repaired(self._driver, metric, case, abstention="")
        if made.unresolved or made.passed is False:
            return sentence
        moved = sentence.start - len(read)
        edits = (structs.replace(edit, start=edit.start + moved, end=edit.end + moved) for edit in made.edits)
        return structs.replace(sentence, shown=made.text[len(read) :], edits=tuple(edits))

    async def _judged(self, sentence: Sentence, after: str) -> GuardedSentence:
        end = sentence.start + len(sentence.text)
        plain = GuardedSentence(text=sentence.text, start=sentence.start, end=end, before=sentence.before)
        if not sentence.text:
            return plain
        read = self._lead + sentence.before
        metric = SentenceMetric(start=len(read), end=len(read) + len(sentence.text))
        case = Case.of(read + sentence.text + after, self._case.context, self._case.input)
        result = await scored(self._driver, metric, case)
        moved = sentence.start - len(read)
        return structs.replace(
            plain,
            verdicts=tuple(_moved(verdict, moved) for verdict in result.verdicts),
            unchecked=None if result.outcome in _JUDGED else result.reason or str(result.outcome),
        )


def _moved(verdict: Verdict, by: int) -> Verdict:
    """Shift the offsets of a verdict to the whole text."""
    claim = verdict.claim
    if claim.start is not None and claim.end is not None:
        claim = structs.replace(claim, start=claim.start + by, end=claim.end + by)
    return structs.replace(verdict, claim=claim, marks=tuple((start + by, end + by) for start, end in verdict.marks))
