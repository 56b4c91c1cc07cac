"""The share of context passages that the output contradicts (DeepEval's Hallucination)."""

from __future__ import annotations

from typing import ClassVar

from msgspec import structs

from ..case import Case
from ..metric import Metric, PromptSpec
from ..plumbing.public import public
from ..questions import FACTUAL, HALLUCINATED, ComparePassages, Passage, PassageVerdict
from ..questions.flow import Finding, Flow, ask_all, nothing_to_judge, without_score
from ..result import Direction, Failure, Outcome
from ..verdict import Claim, Evidence, Support, Verdict
from .claimwise import EXPLAIN, reason_for

PASSAGES_AT_ONCE = 20


@public
class Contradiction(Metric, frozen=True, kw_only=True):
    """The output is compared with each passage: it agrees or it contradicts. What a passage omits is no matter."""

    name: ClassVar[str] = "contradiction"
    summary: ClassVar[str] = "the share of context passages that the output contradicts"
    formula: ClassVar[str] = "contradicted passages / passages; 0 is best"
    direction: ClassVar[Direction] = "lower"
    uses: ClassVar[tuple[PromptSpec, ...]] = (PromptSpec("compare", ("output", "context")), EXPLAIN)

    def flow(self, case: Case) -> Flow[Finding]:
        nothing = nothing_to_judge(case)
        if nothing:
            return nothing
        passages = tuple(Passage(index, text) for index, text in case.passages)
        if not passages:
            return Finding(outcome=Outcome.NO_CONTEXT, reason="No score: the context holds no passage to compare with.")
        found, failure = yield from self._compared(case, passages)
        verdicts = tuple(_verdict(case, found[p.index]) for p in passages if p.index in found)
        if len(found) < len(passages):
            return _unfinished(verdicts, len(passages), failure, case)
        against = [v for v in verdicts if not v.support.holds]
        score = len(against) / len(passages)
        summary = _summary(against, len(passages), score)
        reason, notes = (yield from reason_for(self, score, verdicts, summary)) if self.include_reason else (None, ())
        return Finding(
            outcome=Outcome.SCORED,
            score=score,
            label=FACTUAL if self.passes(score, verdicts) else HALLUCINATED,
            verdicts=verdicts,
            reason=reason,
            notes=notes,
        )

    def _compared(
        self, case: Case, passages: tuple[Passage, ...]
    ) -> Flow[tuple[dict[int, PassageVerdict], Failure | None]]:
        """One verdict per passage: those left out are asked for again together, then one by one."""
        found: dict[int, PassageVerdict] = {}
        failure: Failure | None = None
        pending = list(passages)
        for at_once in (PASSAGES_AT_ONCE, PASSAGES_AT_ONCE, 1):
            question = ComparePassages(
                template=self.prompt("compare"),
                examples=self.shots(),
                output=case.output,
                passages=(),
                input=case.input,
            )
            batches = [tuple(pending[i : i + at_once]) for i in range(0, len(pending), at_once)]
            answers = yield from ask_all([structs.replace(question, passages=batch) for batch in batches])
            failures = [answer for answer in answers if isinstance(answer, Failure)]
            failure = failures[0] if failures else None
            for answer in answers:
                if not isinstance(answer, Failure):
                    found.update((verdict.passage, verdict) for verdict in answer)
            pending = [passage for passage in passages if passage.index not in found]
            if not pending or len(failures) == len(answers):
                break
        return found, failure


def _verdict(case: Case, found: PassageVerdict) -> Verdict:
    assert case.context is not None
    text = case.context[found.passage]
    whole = Evidence(found.passage, 0, len(text), text, "for" if found.agrees else "against")
    return Verdict(
        Claim(f"p{found.passage + 1}", case.output, 0, len(case.output)),
        Support.SUPPORTED if found.agrees else Support.CONTRADICTED,
        reason=found.reason,
        confidence=found.confidence,
        evidence=found.evidence or (whole,),
        word="yes" if found.agrees else "no",
        passage=found.passage,
        notes=found.notes,
        judge=found.judge,
        votes=found.votes,
    )


def _summary(against: list[Verdict], total: int, score: float) -> str:
    if not against:
        none = "does not contradict the only passage" if total == 1 else f"contradicts none of the {total} passages"
        return f"The score is 0 because the output {none}."
    said = "; ".join(
        f"passage {(v.passage or 0) + 1}: {(v.reason or 'it says otherwise').rstrip('.')}" for v in against
    )
    some = "the only passage" if total == 1 else f"{len(against)} of {total} passages"
    return f"The score is {round(score, 2):g} because the output contradicts {some}: {said}."


def _unfinished(verdicts: tuple[Verdict, ...], total: int, failure: Failure | None, case: Case) -> Finding:
    if not verdicts and failure is not None:
        return without_score(failure, case)
    why = f" ({failure.message})" if failure else ""
    return Finding(
        outcome=Outcome.INCOMPLETE,
        verdicts=verdicts,
        failure=failure,
        reason=f"No score: {total - len(verdicts)} of {total} passages got no verdict from the judge{why}.",
    )
