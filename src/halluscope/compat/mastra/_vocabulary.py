"""Mastra's two scorers in its own words, over our kinds of support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from ..._internal.verdict import Claim, Support, Verdict


class Vocabulary(Struct, frozen=True):
    """How one scorer names itself and shows its steps.

    `named_claims`: claims come in an object and verdicts repeat their statement; otherwise claims
    are a list and verdicts stand in its order. `empty_output` is the score the documents give to an
    output that says nothing, None where they give none.
    """

    metric: str
    id: str
    name: str
    description: str
    words: dict[Support, str]
    named_claims: bool
    tools_are_context: bool
    empty_output: float | None

    def claims(self, claims: Sequence[Claim]) -> Any:
        """The result of the preprocess step."""
        texts = [claim.text for claim in claims]
        return {"claims": texts} if self.named_claims else texts

    def verdicts(self, verdicts: Sequence[Verdict]) -> dict[str, Any]:
        """The result of the analyze step: what counts in the score, and nothing else."""
        return {"verdicts": [self._verdict(v) for v in counted(verdicts)]}

    def _verdict(self, verdict: Verdict) -> dict[str, str]:
        statement = {"statement": verdict.claim.text} if self.named_claims else {}
        return {**statement, "verdict": self.words[verdict.support], "reason": verdict.reason or ""}


def counted(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts on claims, without those on what turned out to be none."""
    return [v for v in verdicts if v.support is not Support.NOT_A_CLAIM]


HALLUCINATION = Vocabulary(
    metric="hallucination",
    id="hallucination-scorer",
    name="Hallucination Scorer",
    description="The share of the output's claims that the context contradicts or does not support; 0 is best.",
    words={Support.SUPPORTED: "no", Support.CONTRADICTED: "yes", Support.UNSUPPORTED: "yes"},
    named_claims=True,
    tools_are_context=False,
    empty_output=0.0,
)

FAITHFULNESS = Vocabulary(
    metric="faithfulness",
    id="faithfulness-scorer",
    name="Faithfulness Scorer",
    description="The share of the output's claims that the context supports; the top of the scale is best.",
    words={Support.SUPPORTED: "yes", Support.CONTRADICTED: "no", Support.UNSUPPORTED: "unsure"},
    named_claims=False,
    tools_are_context=True,
    empty_output=None,
)
