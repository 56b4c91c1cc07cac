"""The share of an output's claims that the context supports: Mastra's scorer, and DeepEval's by truths."""

from __future__ import annotations

from typing import ClassVar

from ..case import Case
from ..flow import Flow, ask
from ..metric import Finding, PromptSpec, no_claims
from ..questions import FACTUAL, HALLUCINATED, ExtractTruths
from ..result import Direction, Outcome
from ..verdict import Support, Verdict
from .claimwise import (
    EXPLAIN,
    EXTRACT,
    VERIFY,
    ClaimMetric,
    Verified,
    incomplete,
    listed,
    nothing_to_judge,
)

WORDS = {"yes": Support.SUPPORTED, "no": Support.CONTRADICTED, "unsure": Support.UNSUPPORTED}
TRUTH_WORDS = {"yes": Support.SUPPORTED, "no": Support.CONTRADICTED, "idk": Support.UNSUPPORTED}


class Faithfulness(ClaimMetric, frozen=True, kw_only=True):
    """Each claim is supported, contradicted or cannot be told; only supported ones count."""

    name: ClassVar[str] = "faithfulness"
    summary: ClassVar[str] = "the share of claims that the context supports"
    formula: ClassVar[str] = "supported claims / claims × scale; the scale's top is best"
    direction: ClassVar[Direction] = "higher"
    uses: ClassVar[tuple[PromptSpec, ...]] = (EXTRACT, VERIFY, EXPLAIN)

    def flow(self, case: Case) -> Flow[Finding]:
        nothing = nothing_to_judge(case, context_needed=not self.resolve_context)
        if nothing:
            return nothing
        claims = yield from self.claims(case)
        if not claims:
            return no_claims(case)
        passages = yield from self.passages(case, claims)
        verified = yield from self.verify(claims, passages, WORDS)
        return (yield from self.concluded(case, verified))

    def concluded(self, case: Case, verified: Verified, truths: tuple[str, ...] = ()) -> Flow[Finding]:
        """The finding from the verdicts."""
        if verified.missing:
            return incomplete(verified, case)
        counted = [v for v in verified.verdicts if v.support is not Support.NOT_A_CLAIM]
        if not counted:
            return no_claims(case)
        good = [v for v in counted if self.counts(v)]
        wrong = [v for v in counted if not v.support.holds]
        score = len(good) / len(counted) * self.scale
        summary = self.tally(len(good), len(counted))
        summary += f"; {listed(wrong)}." if wrong else "."
        reason, notes = yield from self.explained(score, verified.verdicts, summary)
        return Finding(
            outcome=Outcome.SCORED,
            score=score,
            label=HALLUCINATED if wrong else FACTUAL,
            verdicts=verified.verdicts,
            truths=truths,
            reason=reason,
            notes=verified.notes + notes,
        )

    def tally(self, good: int, claims: int) -> str:
        """The score in words."""
        return f"{good} of {claims} claims {'is' if good == 1 else 'are'} supported by the context"

    def counts(self, verdict: Verdict) -> bool:
        """Whether the claim counts in the output's favour."""
        return verdict.support is Support.SUPPORTED


class TruthFaithfulness(Faithfulness, frozen=True, kw_only=True):
    """Claims are compared with truths drawn from the context; what cannot be told is not held against them."""

    name: ClassVar[str] = "truth_faithfulness"
    summary: ClassVar[str] = "the share of claims that no truth drawn from the context contradicts"
    formula: ClassVar[str] = "(claims − contradicted claims) / claims; 1 is best"
    uses: ClassVar[tuple[PromptSpec, ...]] = (PromptSpec("truths", ("context",)), EXTRACT, VERIFY, EXPLAIN)

    truths_limit: int | None = None

    def flow(self, case: Case) -> Flow[Finding]:
        nothing = nothing_to_judge(case, context_needed=not self.resolve_context)
        if nothing:
            return nothing
        passages = yield from self.passages(case, ())
        truths: tuple[str, ...] = ()
        if passages:
            question = ExtractTruths(template=self.prompt("truths"), passages=passages, limit=self.truths_limit)
            truths = yield from ask(question)
        claims = yield from self.claims(case)
        if not claims:
            return no_claims(case)
        if not truths:
            # Nothing could contradict the claims, so every output would come out perfect.
            return Finding(outcome=Outcome.NO_CONTEXT, reason="No score: the context states no fact to compare with.")
        verified = yield from self.verify(claims, passages, TRUTH_WORDS, truths)
        return (yield from self.concluded(case, verified, truths))

    def tally(self, good: int, claims: int) -> str:
        wrong = claims - good
        return f"{wrong or 'None'} of {claims} claims {'are' if wrong > 1 else 'is'} contradicted by the context"

    def counts(self, verdict: Verdict) -> bool:
        return verdict.support is not Support.CONTRADICTED
