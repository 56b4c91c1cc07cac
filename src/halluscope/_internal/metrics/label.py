"""The whole output is factual or hallucinated (Opik's Hallucination, Phoenix's HallucinationEvaluator)."""

from __future__ import annotations

from typing import ClassVar

from ..case import Case
from ..errors import InputError
from ..metric import Metric, PromptSpec
from ..plumbing.public import public
from ..questions import FACTUAL, HALLUCINATED, LabelAnswer, distinct
from ..questions.flow import Finding, Flow, ask, nothing_to_judge
from ..result import Direction, Outcome
from ..verdict import Claim, Support, Verdict

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

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.threshold < 1:
            raise InputError(f"a label is worth 0 or 1: with the threshold {self.threshold:g} it would say nothing.")

    def passes(self, score: float, verdicts: tuple[Verdict, ...]) -> bool:
        """The judge's word for the whole decides, whatever it says of the parts."""
        return score <= self.threshold

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
        failing = [verdict for verdict in answer.verdicts if not verdict.support.holds]
        wrong = answer.label == HALLUCINATED or bool(self.strict and failing)
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
            label=HALLUCINATED if wrong else FACTUAL,
            probability=answer.probability,
            verdicts=answer.verdicts or (whole,),
            reason=self.worded(answer.reasons, answer.listed) if self.include_reason else None,
        )

    def worded(self, reasons: tuple[str, ...], listed: bool) -> str | None:
        """The reasons as one text; `listed`: the judge gave them as a list."""
        return " ".join(reasons) or None
