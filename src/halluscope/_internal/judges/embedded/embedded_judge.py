"""The judge in the package: it answers every question with its own model, without a key or a network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from msgspec import structs

from ...core.counting import share_of_claims
from ...core.errors import CannotJudge, NothingToJudge
from ...core.plumbing.public import public_in
from ...core.plumbing.threads import cores, in_thread
from ...core.verdict import Claim, Support, Verdict
from ...engine.judge import Answer, Call
from ...engine.questions import (
    FACTUAL,
    HALLUCINATED,
    ComparePassages,
    Explain,
    ExtractClaims,
    ExtractTruths,
    LabelAnswer,
    Labelled,
    Passage,
    ProposedEdit,
    ProposeEdits,
    Question,
    Verification,
    VerifyClaims,
    numbered,
)
from ...text.sentences import sentences
from .claims.extracting import extract, unread
from .deciding.verdicts import fingerprint, hallucination_probability, verdicts_on
from .reading.evidence import ReadContext
from .reading.judged_text import literal_words
from .reading.language import unjudgeable

T = TypeVar("T")

_CLEARLY, _SURELY = 0.6, 0.98
"""A passage alone often says too little: from this confidence on, a claim contradicts it. The second is for a claim
that the passages together support: beside the others a passage may mean something else than it seems to alone."""

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


@public_in("halluscope.judges")
class EmbeddedJudge:
    """Named `local`. Answers in threads, the same way each time; an answer nobody waits for is given up."""

    name = "local"
    window = None
    asks = False

    def fingerprint(self) -> str:
        return fingerprint()

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        if not question.reads_text:
            return answer_now(question)
        turns = _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(cores()))
        async with turns:
            call.begun()
            return await in_thread(partial(answer_now, question))


def answer_now(question: Question[T]) -> Answer[T]:
    """The embedded judge's answer, in the thread that asks for it."""
    return Answer(judge=EmbeddedJudge.name, value=_answered(question), notes=_left_out(question))


def _readable(what: str, text: str) -> None:
    why = unjudgeable(text)
    if why:
        raise CannotJudge(f"the embedded judge cannot read the {what}: {why.rstrip('.')}. Use a chat judge for it.")


def _left_out(question: Question[Any]) -> tuple[str, ...]:
    """A note for each passage that was not read, since a claim that rests on it will seem unsupported, and for code."""
    passages: tuple[Passage, ...] = getattr(question, "passages", None) or ()
    whys = ((passage, unjudgeable(passage.text)) for passage in passages)
    notes = [f"passage {passage.index + 1} was not read: {why}" for passage, why in whys if why]
    output: str = getattr(question, "output", "") if question.reads_output else ""
    if blocks := unread(output):
        some = "A block of program code was" if len(blocks) == 1 else f"{len(blocks)} blocks of program code were"
        notes.append(f"{some} not judged: the embedded judge reads prose.")
    return tuple(notes)


@lru_cache(maxsize=4)
def _context(passages: tuple[Passage, ...]) -> ReadContext:
    """The readable passages, indexed once for all questions about them."""
    readable = [passage for passage in passages if not unjudgeable(passage.text)]
    if not readable:
        _readable("context", passages[0].text)
    return ReadContext(readable)


def _claims(question: ExtractClaims) -> tuple[Claim, ...]:
    _readable("output", question.output)
    found = extract(question.output, question.input)
    if not question.offset:
        return numbered(found)
    moved = [
        Claim(c.id, c.text, c.start + question.offset, c.end + question.offset)
        for c in found
        if c.start is not None and c.end is not None
    ]
    return numbered(moved)


def _stated(output: str, asked: str | None) -> tuple[Claim, ...]:
    """The claims of an output that must have some to be judged as a whole."""
    claims = numbered(extract(output, asked))
    if not claims:
        raise NothingToJudge("the output makes no claim that could be checked")
    return claims


def _verdicts(
    claims: tuple[Claim, ...],
    passages: tuple[Passage, ...],
    asked: str | None,
    output: str | None,
    words: dict[str, Support] | None = None,
) -> list[Verdict]:
    found = verdicts_on(claims, _context(passages), _literal_words(passages), asked, output)
    return [structs.replace(verdict, word=word_for(verdict.support, words)) for verdict in found] if words else found


@lru_cache(maxsize=4)
def _literal_words(passages: tuple[Passage, ...]) -> frozenset[str]:
    return frozenset(word for passage in passages for word in literal_words(passage.text))


def word_for(support: Support, words: dict[str, Support]) -> str | None:
    """The metric's word for a support; where it has one word for both ways to be wrong, that one."""
    exact = next((word for word, meant in words.items() if meant is support), None)
    if exact is not None or support.holds:
        return exact
    return next((word for word, meant in words.items() if not meant.holds), None)


def _label(question: LabelAnswer) -> Labelled:
    if question.passages is None:
        raise CannotJudge(
            "the embedded judge needs a context: it knows nothing of the world. Pass one, or use a chat judge."
        )
    _readable("output", question.output)
    claims = _stated(question.output, question.input)
    if not question.passages:
        return Labelled(HALLUCINATED, ("The context is empty.",), 1.0)
    verdicts = _verdicts(claims, question.passages, question.input, question.output)
    probability = hallucination_probability(verdicts)
    wrong = [verdict for verdict in verdicts if not verdict.support.holds]
    if not wrong:
        reason = f"{share_of_claims(len(claims), len(claims))} supported by the context."
        return Labelled(FACTUAL, (reason,), probability, tuple(verdicts))
    reasons = tuple(f'"{v.claim.text.strip()}" is {v.support.value}: {v.reason}' for v in wrong)
    return Labelled(HALLUCINATED, reasons, probability, tuple(verdicts))


def _comparison(question: ComparePassages) -> Verification:
    _readable("output", question.output)
    claims = _stated(question.output, question.input)
    against = [_against(_verdicts(claims, (p,), question.input, question.output)) for p in question.passages]
    doubtful = len(against) > 1 and any(_confidence(verdict) < _SURELY for found in against for verdict in found)
    whole = _verdicts(claims, question.passages, question.input, question.output) if doubtful else []
    supported = {verdict.claim.id for verdict in whole if verdict.support.holds}
    verdicts = [
        _compared(question, passage, [v for v in found if v.claim.id not in supported or _confidence(v) >= _SURELY])
        for passage, found in zip(question.passages, against, strict=True)
    ]
    return Verification(tuple(verdicts))


def _against(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The claims that go against a passage; those it does not speak of do not."""
    return [v for v in verdicts if v.support is Support.CONTRADICTED and _confidence(v) >= _CLEARLY]


def _confidence(verdict: Verdict) -> float:
    return verdict.confidence or 0.0


def _compared(question: ComparePassages, passage: Passage, against: Sequence[Verdict]) -> Verdict:
    """A passage is contradicted if any claim contradicts it."""
    if not against:
        return question.verdict(passage, True, reason="Nothing in the output goes against this passage.")
    worst = max(against, key=_confidence)
    reason = f'"{worst.claim.text.strip()}": {worst.reason}'
    return question.verdict(passage, False, reason=reason, confidence=worst.confidence, evidence=worst.evidence)


def _truths(question: ExtractTruths) -> tuple[str, ...]:
    truths: list[str] = []
    for passage in question.passages:
        _readable("context", passage.text)
        for span in sentences(passage.text):
            truths.append(passage.text[span.start : span.end])
            if len(truths) == question.limit:
                return tuple(truths)
    return tuple(truths)


def _answered(question: Question[Any]) -> Any:
    answer = _ANSWERS.get(type(question))
    if answer is None:
        raise CannotJudge(f"the embedded judge has no answer to a {question.kind!r} question")
    return answer(question)


def _verified(question: VerifyClaims) -> Verification:
    verdicts = _verdicts(question.claims, question.passages, question.input, question.output, question.words)
    return Verification(tuple(verdicts))


def _edits(question: ProposeEdits) -> tuple[ProposedEdit, ...]:
    from .repairing.proposing import proposed

    def judge(claims: Sequence[Claim], output: str) -> list[Verdict]:
        return _verdicts(tuple(claims), question.passages, question.input, output)

    return proposed(question, _context(question.passages), judge)


_ANSWERS: dict[type[Question[Any]], Callable[[Any], Any]] = {
    ComparePassages: _comparison,
    Explain: lambda question: question.summary,
    ExtractClaims: _claims,
    ExtractTruths: _truths,
    LabelAnswer: _label,
    ProposeEdits: _edits,
    VerifyClaims: _verified,
}
