"""Mastra's two scorers in its own words, over our kinds of support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from ..._internal.verdict import Claim, Support, Verdict


class ScoreBand(Struct, frozen=True):
    """Scores, as shares of the scale, that mean about the same."""

    lowest: float
    highest: float
    meaning: str

    def distance(self, share: float) -> float:
        """How far a score is from this band. A band of one score is that score alone."""
        if self.lowest == self.highest and share != self.lowest:
            return 2.0
        return max(self.lowest - share, share - self.highest, 0.0)


class Vocabulary(Struct, frozen=True):
    """How one scorer names itself and shows its steps.

    `named_claims`: claims come in an object and verdicts repeat their statement; otherwise claims
    are a list and verdicts stand in its order. `empty_output` is the score of an output that says
    nothing. `bands` are the documents' words for scores, from the best to the worst.
    """

    metric: str
    id: str
    name: str
    description: str
    words: dict[Support, str]
    named_claims: bool
    tools_are_context: bool
    empty_output: float
    bands: tuple[ScoreBand, ...]

    def claims(self, claims: Sequence[Claim]) -> Any:
        """The result of the preprocess step."""
        texts = [claim.text for claim in claims]
        return {"claims": texts} if self.named_claims else texts

    def verdicts(self, verdicts: Sequence[Verdict]) -> dict[str, Any]:
        """The result of the analyze step: what counts in the score, and nothing else."""
        return {"verdicts": [self._verdict(v) for v in counted(verdicts)]}

    def interpretation(self, score: float | None, scale: float) -> str | None:
        """What the documents call such a score; between two bands the nearer one, or else the worse."""
        if score is None:
            return None
        share = round(score / scale, 6)
        return min(enumerate(self.bands), key=lambda told: (round(told[1].distance(share), 6), -told[0]))[1].meaning

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
    bands=(
        ScoreBand(0.0, 0.0, "no hallucination: every claim is in the context"),
        ScoreBand(0.3, 0.4, "low hallucination: a few claims do not hold up"),
        ScoreBand(0.5, 0.6, "mixed hallucination: several claims do not hold up"),
        ScoreBand(0.7, 0.8, "high hallucination: many claims do not hold up"),
        ScoreBand(0.9, 1.0, "complete hallucination: most or all claims do not hold up"),
    ),
)

FAITHFULNESS = Vocabulary(
    metric="faithfulness",
    id="faithfulness-scorer",
    name="Faithfulness Scorer",
    description="The share of the output's claims that the context supports; the top of the scale is best.",
    words={Support.SUPPORTED: "yes", Support.CONTRADICTED: "no", Support.UNSUPPORTED: "unsure"},
    named_claims=False,
    tools_are_context=True,
    empty_output=0.0,
    bands=(
        ScoreBand(1.0, 1.0, "faithful: the context supports every claim"),
        ScoreBand(0.7, 0.9, "mostly faithful: most claims are supported"),
        ScoreBand(0.4, 0.6, "partly faithful: some claims are supported, others cannot be verified"),
        ScoreBand(0.1, 0.3, "hardly faithful: most claims are wrong or not supported"),
        ScoreBand(0.0, 0.0, "not faithful: no claim is supported"),
    ),
)
