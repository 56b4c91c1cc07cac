"""The share of an output's claims that the context does not support (Mastra's hallucination scorer)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ...core.plumbing.public import public
from ...core.result import Direction
from ...core.verdict import Support, Verdict
from ..metric import PromptSpec
from .claimwise import EXPLAIN, EXTRACT, VERIFY, ClaimMetric


@public
class Hallucination(ClaimMetric, frozen=True, kw_only=True):
    """The share of claims that the context contradicts or does not support; 0 is best.

    An empty context supports no claim. Takes the options of `Metric`, `scale` and `resolve_context`.

    Example:
        >>> result = Hallucination().score(output="It closed in 1969.", context=["It closed in 1921."])
        >>> result.score, result.label
        (1.0, 'hallucinated')
    """

    name: ClassVar[str] = "hallucination"
    summary: ClassVar[str] = "the share of claims that the context contradicts or does not support"
    formula: ClassVar[str] = "(contradicted + unsupported claims) / claims × scale; 0 is best"
    direction: ClassVar[Direction] = "lower"
    uses: ClassVar[tuple[PromptSpec, ...]] = (EXTRACT, VERIFY, EXPLAIN)
    words: ClassVar[Mapping[str, Support]] = {"yes": Support.UNSUPPORTED, "no": Support.SUPPORTED}

    def counts(self, verdict: Verdict) -> bool:
        return not verdict.support.holds
