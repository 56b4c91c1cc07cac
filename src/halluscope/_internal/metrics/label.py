"""The whole output is factual or hallucinated (Opik's Hallucination, Phoenix's HallucinationEvaluator)."""

from __future__ import annotations

from typing import ClassVar

from ..case import Case
from ..metric import Metric, PromptSpec
from ..plumbing.public import public
from ..questions import HALLUCINATED, LabelAnswer
from ..questions.finding import Finding
from ..questions.flow import Flow, ask
from ..result import Direction, Outcome
from ..verdict import Claim, Support, Verdict
from .claimwise import distinct, nothing_to_judge

_NEEDS = ("context", "output")


@public
class Label(Metric, frozen=True, kw_only=True):
    """One word for the whole output, with reasons. Context is optional: without it, what the judge knows counts.

    With `answers_query` the output is judged as an answer to the input, and one that misses the
    question by false information is hallucinated; otherwise the input is shown and ignored.
    """

    name: ClassVar[str] = "label"
    summary: ClassVar[str] = "whether the output as a whole is factual or hallucinated"
    formula: ClassVar[str] = "1 if hallucinated, 0 if factual; 0 is best"
    direction: ClassVar[Direction] = "lower"
    uses: ClassVar[tuple[PromptSpec, ...]] = (PromptSpec("label", _NEEDS), PromptSpec("label_query", _NEEDS))

    answers_query: bool = False

    def flow(self, case: Case) -> Flow[Finding]:
        nothing = nothing_to_judge(case, context_needed=False)
        if nothing:
            return nothing
        answer = yield from ask(
            LabelAnswer(
                template=self.prompt("label_query" if self.answers_query else "label"),
                examples=self.shots(),
                output=case.output,
                passages=None if case.context is None else distinct(case.passages),
                input=case.input,
            )
        )
        wrong = answer.label == HALLUCINATED
        reason = " ".join(answer.reasons) or None
        confidence = answer.probability if wrong or answer.probability is None else 1 - answer.probability
        whole = Verdict(
            Claim("c1", case.output, 0, len(case.output)),
            Support.UNSUPPORTED if wrong else Support.SUPPORTED,
            reason=reason,
            confidence=confidence,
            word=answer.label,
            notes=answer.notes,
            judge=answer.judge,
            votes=answer.votes,
        )
        return Finding(
            outcome=Outcome.SCORED,
            score=float(wrong),
            label=answer.label,
            probability=answer.probability,
            verdicts=answer.verdicts or (whole,),
            reason=reason if self.include_reason else None,
        )
