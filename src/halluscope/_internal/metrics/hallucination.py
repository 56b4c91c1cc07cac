"""The share of an output's claims that the context does not support (Mastra's hallucination scorer)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..metric import PromptSpec
from ..plumbing.public import public
from ..result import Direction
from ..verdict import Support, Verdict
from .claimwise import EXPLAIN, EXTRACT, VERIFY, ClaimMetric, so_many


@public
class Hallucination(ClaimMetric, frozen=True, kw_only=True):
    """Each claim is hallucinated (contradicted or unsupported) or not; an empty context supports none."""

    name: ClassVar[str] = "hallucination"
    summary: ClassVar[str] = "the share of claims that the context contradicts or does not support"
    formula: ClassVar[str] = "(contradicted + unsupported claims) / claims × scale; 0 is best"
    direction: ClassVar[Direction] = "lower"
    uses: ClassVar[tuple[PromptSpec, ...]] = (EXTRACT, VERIFY, EXPLAIN)
    words: ClassVar[Mapping[str, Support]] = {"yes": Support.UNSUPPORTED, "no": Support.SUPPORTED}

    def counts(self, verdict: Verdict) -> bool:
        return not verdict.support.holds

    def tally(self, hits: int, claims: int) -> str:
        if hits:
            return f"{so_many(hits, claims)} not supported by the context"
        return f"{so_many(claims, claims)} supported by the context"
