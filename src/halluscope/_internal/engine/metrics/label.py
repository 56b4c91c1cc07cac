"""The whole output is factual or hallucinated (Opik's Hallucination, Phoenix's HallucinationEvaluator)."""

from __future__ import annotations

from typing import ClassVar

from msgspec import structs

from ...core.case import Case
from ...core.errors import InputError
from ...core.plumbing.public import public
from ...core.result import Direction, Outcome
from ...core.verdict import Claim, Support, Verdict
from ..metric import Metric, PromptSpec
from ..questions import FACTUAL, HALLUCINATED, LabelAnswer, distinct
from ..questions.flow import Finding, Flow, ask, nothing_to_judge
from .hallucination import Hallucination

_NEEDS = ("context", "output")


@public
class Label(Metric, frozen=True, kw_only=True):
    """One label for the whole output: 1 if it is hallucinated, 0 if it is factual.

    Without a context, the judge uses what it knows. Takes the options of `Metric`.

    Attributes:
        answers_query: Judge the output as an answer to the input. Otherwise the input is shown but not judged.

    Example:
        >>> Label().score(output="It closed in 1969.", context=["It closed in 1921."]).label
        'hallucinated'
    """

    name: ClassVar[str] = "label"
    summary: ClassVar[str] = "whether the output as a whole is factual or hallucinated"
    formula: ClassVar[str] = "1 if hallucinated, 0 if factual; 0 is best"
    direction: ClassVar[Direction] = "lower"
    uses: ClassVar[tuple[PromptSpec, ...]] = (PromptSpec("label", _NEEDS), PromptSpec("label_query", _NEEDS))

    judges_calls: ClassVar[bool] = True

    answers_query: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.threshold < 1:
            raise InputError(
                f"the score of a label is 0 or 1: the threshold must be at least 0 and below 1, not {self.threshold:g}."
            )

    def passes(self, score: float, verdicts: tuple[Verdict, ...]) -> bool:
        """Whether the output passes. The judge's label decides, whatever its verdicts on single claims."""
        return score <= self.threshold

    def flow(self, case: Case) -> Flow[Finding]:
        nothing = nothing_to_judge(case, context_needed=False)
        if nothing:
            return nothing
        if case.is_tool_call:
            found = yield from Hallucination(include_reason=self.include_reason).flow(case)
            wrong = any(not verdict.support.holds for verdict in found.verdicts)
            return found if found.score is None else structs.replace(found, score=float(wrong))
        answer = yield from ask(self.question(case))
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

    def question(self, case: Case) -> LabelAnswer:
        """The question for the label of the case's output."""
        return LabelAnswer(
            template=self.prompt("label_query" if self.answers_query else "label"),
            examples=self.shots(),
            output=case.output,
            passages=None if case.context is None else distinct(case.passages),
            input=case.input,
        )

    def worded(self, reasons: tuple[str, ...], listed: bool) -> str | None:
        """The reasons as one text. `listed` says that the judge gave them as a list."""
        return " ".join(reasons) or None
