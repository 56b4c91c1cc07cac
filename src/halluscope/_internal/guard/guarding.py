"""The guard without its stream: text goes in as it comes, sentences come out that were checked."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from typing import Any

from msgspec import Struct, structs

from ..case import Case
from ..engine.driver import Driver
from ..engine.many import scored
from ..errors import InputError
from ..judge import JudgeSpec, is_embedded, resolve
from ..plumbing import sync
from ..result import Outcome, Result
from ..text.growing import GrowingText, Sentence
from ..verdict import Support, Verdict
from .guarded_sentence import GuardedSentence, Policy, shown_by
from .sentence_metric import SentenceMetric

_AROUND = 1_500
"""Characters before and after a sentence that are read with it: who "she" is stands in one of the last sentences."""

_JUDGED = (Outcome.SCORED, Outcome.NO_CLAIMS, Outcome.EMPTY_OUTPUT)


class Rules(Struct, frozen=True, kw_only=True):
    """What counts as wrong, and what becomes of it."""

    policy: Policy
    replacement: str
    flags: frozenset[Support]
    min_confidence: float
    flag_unchecked: bool

    def flagged(self, sentence: GuardedSentence) -> bool:
        """Whether the sentence does not hold up."""
        if sentence.unchecked is not None and self.flag_unchecked:
            return True
        return any(
            verdict.support in self.flags and (verdict.confidence is None or verdict.confidence >= self.min_confidence)
            for verdict in sentence.verdicts
        )


class WholeSentence(Struct, frozen=True):
    """A sentence that is whole since a moment, with the text after it that is there already."""

    sentence: Sentence
    after: str
    since: float


class Guarding:
    """One answer under guard. Holds all that has come, so that the original can always be had back."""

    def __init__(self, context: object, input: object, judge: JudgeSpec, rules: Rules, options: dict[str, Any]) -> None:
        case = Case.of("", context, input)
        if case.context is None:
            raise InputError("the guard needs a context: pass the passages that the answer has to keep to.")
        self._case = case
        self._driver = Driver(resolve(judge, **options))
        self._rules = rules
        self._shown_for = shown_by(rules.policy, rules.replacement)
        self._growing = GrowingText()
        self._pieces: list[str] = []
        self._length = 0
        self._shown: list[str] = []
        self._lead = ""
        self._ready: Future[Result] | None = None
        self.sentences: list[GuardedSentence] = []
        self.stopped = False

    @property
    def original(self) -> str:
        """All text that has come, as it came."""
        return "".join(self._pieces)

    @property
    def shown(self) -> str:
        """All text that was passed on."""
        return "".join(self._shown)

    def prepare(self) -> None:
        """Let the embedded judge load its model and read the context while the first words are being written."""
        if self._ready is None and is_embedded(self._driver.judge) and self._case.passages:
            asked = structs.replace(self._case, output="This is so.")
            self._ready = sync.start(scored(self._driver, SentenceMetric(end=1), asked))

    def add(self, piece: str) -> list[WholeSentence]:
        """Take the next piece; the sentences that are whole now."""
        self._pieces.append(piece)
        self._length += len(piece)
        return self._held(self._growing.add(piece))

    def end(self) -> list[WholeSentence]:
        """No more text comes: the sentences that are left. The last may have no text, only white space before it."""
        left, rest = self._growing.end()
        return self._held([*left, Sentence(rest, "", self._length)] if rest else left)

    def _held(self, sentences: list[Sentence]) -> list[WholeSentence]:
        now, after = time.perf_counter(), self._growing.waiting
        held: list[WholeSentence] = []
        for sentence in reversed(sentences):
            held.append(WholeSentence(sentence, after[:_AROUND], now))
            after = sentence.before + sentence.text + after
        return held[::-1]

    async def check(self, held: WholeSentence) -> GuardedSentence:
        """Have a sentence judged and do as the policy says."""
        if self._ready is not None:
            await asyncio.wait([asyncio.wrap_future(self._ready)])
            self._ready = None
        sentence = held.sentence
        checked = await self._judged(sentence, held.after)
        self._lead = (self._lead + sentence.before + sentence.text)[-_AROUND:]
        shown: str | None = sentence.text
        if self._rules.flagged(checked):
            shown, action = self._shown_for(checked)
            checked = structs.replace(checked, action=action)
        self.stopped = shown is None
        delay = round((time.perf_counter() - held.since) * 1000, 3)
        checked = structs.replace(checked, shown=shown or "", delay_ms=delay)
        self.sentences.append(checked)
        if shown is not None:
            self._shown.append(checked.before + shown)
        return checked

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
    """The verdict with places in the whole text."""
    claim = verdict.claim
    if claim.start is not None and claim.end is not None:
        claim = structs.replace(claim, start=claim.start + by, end=claim.end + by)
    return structs.replace(verdict, claim=claim, marks=tuple((start + by, end + by) for start, end in verdict.marks))
