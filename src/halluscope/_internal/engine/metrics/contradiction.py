"""The share of context passages that the output contradicts (DeepEval's Hallucination)."""

from __future__ import annotations

from typing import ClassVar

from msgspec import structs

from ...core.case import Case
from ...core.plumbing.public import public
from ...core.result import Direction, Outcome
from ...core.verdict import Claim, Evidence, Verdict
from ..metric import Metric, PromptSpec
from ..questions import ComparePassages, Passage
from ..questions.flow import Finding, Flow, ask_each, incomplete, nothing_to_judge
from .claimwise import EXPLAIN, reason_for


@public
class Contradiction(Metric, frozen=True, kw_only=True):
    """The share of context passages that the output contradicts; 0 is best.

    The output is compared with each passage. It agrees with a passage that says nothing about it. Takes the options of
    `Metric`.

    Example:
        >>> metric = Contradiction()
        >>> metric.score(output="It closed in 1969.", context=["It closed in 1921."]).score
        1.0
    """

    name: ClassVar[str] = "contradiction"
    summary: ClassVar[str] = "the share of context passages that the output contradicts"
    formula: ClassVar[str] = "contradicted passages / passages; 0 is best"
    direction: ClassVar[Direction] = "lower"
    uses: ClassVar[tuple[PromptSpec, ...]] = (PromptSpec("compare", ("output", "context")), EXPLAIN)

    @property
    def _top(self) -> float:
        return 1.0

    def flow(self, case: Case) -> Flow[Finding]:
        nothing = nothing_to_judge(case)
        if nothing:
            return nothing
        passages = tuple(Passage(index, text) for index, text in case.passages)
        if not passages:
            return Finding(
                outcome=Outcome.NO_CONTEXT, reason="No score: the context contains no passage to compare with."
            )
        question = ComparePassages(
            template=self.prompt("compare"),
            examples=self.shots(),
            output=case.output,
            passages=passages,
            input=case.input,
        )
        verified = yield from ask_each(question)
        verdicts = tuple(_with_evidence(verdict, case) for verdict in verified.verdicts)
        if verified.missing:
            return incomplete(case, structs.replace(verified, verdicts=verdicts), "passage")
        against = [v for v in verdicts if not v.support.holds]
        score = len(against) / len(passages)
        summary = _summary(against, len(passages), score)
        reason, notes = yield from reason_for(self, score, verdicts, summary)
        return self.scored(score, verdicts, reason=reason, notes=verified.notes + notes)


def _with_evidence(verdict: Verdict, case: Case) -> Verdict:
    """The verdict on a passage, as one on the whole output, with the whole passage as evidence if none is quoted."""
    assert case.context is not None and verdict.passage is not None
    agrees, text = verdict.support.holds, case.context[verdict.passage]
    whole = Evidence(verdict.passage, 0, len(text), text, "for" if agrees else "against")
    return structs.replace(
        verdict,
        claim=Claim(verdict.claim.id, case.output, 0, len(case.output)),
        evidence=verdict.evidence or (whole,),
        word="yes" if agrees else "no",
    )


def _summary(against: list[Verdict], total: int, score: float) -> str:
    if not against:
        none = "does not contradict the only passage" if total == 1 else f"contradicts none of the {total} passages"
        return f"The score is 0 because the output {none}."
    reasons = "; ".join(
        f"passage {(v.passage or 0) + 1}: {(v.reason or 'it says otherwise').rstrip('.')}" for v in against
    )
    some = "the only passage" if total == 1 else f"{len(against)} of {total} passages"
    return f"The score is {round(score, 2):g} because the output contradicts {some}: {reasons}."
