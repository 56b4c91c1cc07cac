"""LettuceDetect, which marks the characters of an answer that its context does not support, in this process."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

from msgspec import structs

from ...core.errors import JudgeError, MissingExtra
from ...core.plumbing.public import public_in
from ...core.plumbing.threads import in_thread
from ...core.verdict import Claim, Verdict
from ...engine.judge import Answer, Call
from ...engine.questions import Verification, VerifyClaims
from .formats import Pair, PairOpinion
from .pair_judge import CHARACTERS_PER_TOKEN, PairJudge

MODEL = "KRLabsOrg/lettucedect-base-modernbert-en-v1"
_WINDOW = 4096

Span = dict[str, Any]


@public_in("halluscope.judges")
class LettuceDetectJudge(PairJudge):
    """Named `lettucedetect`. Needs the extra `lettucedetect`, and fetches its model from Hugging Face once.

    A claim that overlaps a marked span is unsupported, and the verdict's `marks` are the marked characters.

    Args:
        model: A model on Hugging Face, or a folder. The default one reads English and has the MIT licence.

    Raises:
        MissingExtra: If lettucedetect is not installed.
    """

    window = _WINDOW * CHARACTERS_PER_TOKEN
    whole = True

    def __init__(self, model: str = MODEL) -> None:
        try:
            import lettucedetect  # noqa: F401
        except ImportError as error:
            raise MissingExtra("lettucedetect", "the judge lettucedetect") from error
        self.model = model
        self._lock = threading.Lock()

    @property
    def name(self) -> str:  # type: ignore[override]
        return "lettucedetect" if self.model == MODEL else f"lettucedetect/{self.model}"

    def fingerprint(self) -> str:
        return hashlib.sha256(f"lettucedetect {self.model}".encode()).hexdigest()

    async def _opinion(self, pair: Pair, timeout: float) -> PairOpinion:
        return _judged(pair.text, await in_thread(partial(self._spans, pair)))

    async def _verified(self, question: VerifyClaims, call: Call) -> Answer[Verification]:
        """Mark the whole output at once, which the model was trained for, and see which claims the marks are in."""
        placed = question.output is not None and all(claim.start is not None for claim in question.claims)
        if not placed or question.truths is not None:
            return await super()._verified(question, call)
        call.begun()
        assert question.output is not None
        pair = Pair(question.output, tuple(p.text for p in question.passages), question.input)
        spans = await in_thread(partial(self._spans, pair))
        verdicts = [self._verdict_from(claim, spans, question) for claim in question.claims]
        return Answer(judge=self.name, value=Verification(tuple(verdicts)))

    def _verdict_from(self, claim: Claim, spans: Sequence[Span], question: VerifyClaims) -> Verdict:
        assert claim.start is not None and claim.end is not None and question.output is not None
        inside = [
            {**span, "start": max(span["start"], claim.start), "end": min(span["end"], claim.end)}
            for span in spans
            if span["start"] < claim.end and span["end"] > claim.start
        ]
        verdict = self._verdict(claim, _judged(question.output, inside), question.words)
        return structs.replace(verdict, marks=tuple((span["start"], span["end"]) for span in inside))

    def _spans(self, pair: Pair) -> list[Span]:
        with self._lock:
            try:
                found = self._detector.predict(
                    context=list(pair.passages), question=pair.question, answer=pair.text, output_format="spans"
                )
            except ValueError as error:
                raise JudgeError(f"lettucedetect could not read this: {error}") from error
        return list(found)

    @cached_property
    def _detector(self) -> Any:
        from lettucedetect.models.inference import HallucinationDetector

        return HallucinationDetector(method="transformer", model_path=self.model)


def _judged(text: str, spans: Sequence[Span]) -> PairOpinion:
    """The opinion on a text with these unsupported spans."""
    if not spans:
        return PairOpinion(True)
    quoted = "; ".join(f"“{text[span['start'] : span['end']].strip()}”" for span in spans)
    sure = max(float(span["confidence"]) for span in spans)
    return PairOpinion(False, 1.0 - sure, f"The context does not support {quoted}.")
