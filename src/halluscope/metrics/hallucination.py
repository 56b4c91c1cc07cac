"""The share of an output's claims that the context does not bear out (Mastra's hallucination scorer)."""

from __future__ import annotations

from typing import ClassVar

from ..case import Case
from ..flow import Flow
from ..metric import Finding, PromptSpec, no_claims
from ..questions import FACTUAL, HALLUCINATED
from ..result import Direction, Outcome
from ..verdict import Support
from .claimwise import (
    EXPLAIN,
    EXTRACT,
    VERIFY,
    ClaimMetric,
    incomplete,
    listed,
    nothing_to_judge,
)

WORDS = {"yes": Support.UNSUPPORTED, "no": Support.SUPPORTED}


class Hallucination(ClaimMetric, frozen=True, kw_only=True):
    """Each claim is hallucinated (contradicted or unsupported) or not; an empty context supports none."""

    name: ClassVar[str] = "hallucination"
    summary: ClassVar[str] = "the share of claims that the context contradicts or does not support"
    formula: ClassVar[str] = "(contradicted + unsupported claims) / claims × scale; 0 is best"
    direction: ClassVar[Direction] = "lower"
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
        if verified.missing:
            return incomplete(verified, case)
        counted = [v for v in verified.verdicts if v.support is not Support.NOT_A_CLAIM]
        if not counted:
            return no_claims(case)
        wrong = [v for v in counted if not v.support.holds]
        score = len(wrong) / len(counted) * self.scale
        if wrong:
            some = f"{len(wrong)} of {len(counted)} claims {'is' if len(wrong) == 1 else 'are'}"
            summary = f"{some} not borne out by the context: {listed(wrong)}."
        else:
            some = "The only claim is" if len(counted) == 1 else f"All {len(counted)} claims are"
            summary = f"{some} borne out by the context."
        reason, notes = yield from self.explained(score, verified.verdicts, summary)
        return Finding(
            outcome=Outcome.SCORED,
            score=score,
            label=HALLUCINATED if wrong else FACTUAL,
            verdicts=verified.verdicts,
            reason=reason,
            notes=verified.notes + notes,
        )
