"""Judges that know one question: do these passages support this text?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

from ...core.errors import CannotJudge, JudgeError, NothingToJudge
from ...core.plumbing.threads import in_thread
from ...core.result import Usage
from ...core.verdict import Claim, Support, Verdict
from ...engine.judge import Answer, Call
from ...engine.questions import (
    FACTUAL,
    HALLUCINATED,
    ComparePassages,
    ExtractClaims,
    LabelAnswer,
    Labelled,
    Question,
    Verification,
    VerifyClaims,
)
from ..embedded.embedded_judge import answer_now, word_for
from .formats import Pair, PairOpinion

T = TypeVar("T")

CHARACTERS_PER_TOKEN = 3
"""A safe estimate for English."""


class PairJudge:
    """Answers all questions by asking about pairs of a text and its passages. Claims come from the embedded judge."""

    asks = False
    name: str
    window: int | None = None
    whole = False

    def fingerprint(self) -> str:
        raise NotImplementedError

    async def _opinion(self, pair: Pair, timeout: float) -> PairOpinion:
        """Ask the model about a pair, or raise `JudgeError`."""
        raise NotImplementedError

    async def answer(self, question: Question[T], call: Call) -> Answer[T]:
        if isinstance(question, VerifyClaims):
            return await self._verified(question, call)  # type: ignore[return-value]
        if isinstance(question, LabelAnswer):
            return await self._labelled(question, call)  # type: ignore[return-value]
        if isinstance(question, ComparePassages):
            raise CannotJudge(
                f"{self.name} tells whether a claim is supported, not whether it is contradicted: use another judge "
                "for this metric."
            )
        answer = await in_thread(partial(answer_now, question))
        return Answer(judge=self.name, value=answer.value, notes=answer.notes)

    async def _opinions(self, pairs: Sequence[Pair], call: Call) -> list[PairOpinion | JudgeError]:
        call.begun()
        asked = (self._opinion(pair, call.timeout) for pair in pairs)
        found = await asyncio.gather(*asked, return_exceptions=True)
        for one in found:
            if isinstance(one, BaseException) and not isinstance(one, JudgeError):
                raise one
        errors = [one for one in found if isinstance(one, JudgeError)]
        if errors and len(errors) == len(found):
            raise errors[0]
        return found  # type: ignore[return-value]

    async def _verified(self, question: VerifyClaims, call: Call) -> Answer[Verification]:
        passages = question.truths if question.truths is not None else tuple(p.text for p in question.passages)
        found = await self._opinions([Pair(claim.text, passages, question.input) for claim in question.claims], call)
        verdicts = tuple(
            self._verdict(claim, one, question.words)
            for claim, one in zip(question.claims, found, strict=True)
            if isinstance(one, PairOpinion)
        )
        return self._answered(Verification(verdicts), found)

    def _verdict(self, claim: Claim, said: PairOpinion, words: dict[str, Support]) -> Verdict:
        """A verdict in the words of a metric."""
        support = Support.SUPPORTED if said.supported else Support.UNSUPPORTED
        sure = said.probability if said.supported or said.probability is None else 1.0 - said.probability
        reason = said.reason or f"{self.name}: the context {'supports' if said.supported else 'does not support'} it."
        return Verdict(claim, support, reason=reason, confidence=sure, word=word_for(support, words))

    async def _labelled(self, question: LabelAnswer, call: Call) -> Answer[Labelled]:
        if question.passages is None:
            raise CannotJudge(f"{self.name} needs a context: pass one, or use a general chat model.")
        texts = [question.output] if self.whole else await self._claims(question)
        passages = tuple(passage.text for passage in question.passages)
        found = await self._opinions([Pair(text, passages, question.input) for text in texts], call)
        errors = [one for one in found if isinstance(one, JudgeError)]
        if errors:
            raise errors[0]
        said = [one for one in found if isinstance(one, PairOpinion)]
        wrong = [(text, one) for text, one in zip(texts, said, strict=True) if not one.supported]
        known = [1.0 - one.probability for one in said if one.probability is not None]
        reasons = tuple(one.reason or f"not supported by the context: {text}" for text, one in wrong)
        label = HALLUCINATED if wrong else FACTUAL
        return self._answered(Labelled(label, reasons, max(known) if len(known) == len(said) else None), found)

    async def _claims(self, question: LabelAnswer) -> list[str]:
        extract = ExtractClaims(output=question.output, input=question.input)
        claims = (await in_thread(partial(answer_now, extract))).value or ()
        if not claims:
            raise NothingToJudge("the output makes no claim that could be checked")
        return [claim.text for claim in claims]

    def _answered(self, value: Any, found: Sequence[PairOpinion | JudgeError]) -> Answer[Any]:
        said = [one for one in found if isinstance(one, PairOpinion)]
        usage = sum((one.usage for one in said), Usage())
        prompts = [one.prompt for one in said if one.prompt]
        replies = [one.reply for one in said if one.reply]
        return Answer(
            judge=self.name,
            value=value,
            prompt="\n\n".join(prompts) or None,
            reply="\n\n".join(replies) or None,
            usage=usage,
        )
