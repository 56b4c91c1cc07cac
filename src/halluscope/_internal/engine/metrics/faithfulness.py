"""The share of an output's claims that the context supports: Mastra's scorer, and DeepEval's by truths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import structs

from ...core.case import Case
from ...core.counting import share_of_claims
from ...core.errors import InputError
from ...core.plumbing.public import public
from ...core.result import Direction, Outcome
from ...core.verdict import Support, Verdict
from ...text.quotes import relation
from ..metric import PromptSpec
from ..questions import ExtractTruths, Passage
from ..questions.flow import Finding, Flow, ask, no_claims
from .claimwise import EXPLAIN, EXTRACT, VERIFY, YES_NO_UNSURE, ClaimMetric


@public
class Faithfulness(ClaimMetric, frozen=True, kw_only=True):
    """The share of claims that the context supports; the top of the scale is best.

    Takes the options of `Metric`, `scale` and `resolve_context`.

    Example:
        >>> result = Faithfulness().score(output="It closed in 1921.", context=["It closed in 1921."])
        >>> result.score, result.passed
        (1.0, True)
    """

    name: ClassVar[str] = "faithfulness"
    summary: ClassVar[str] = "the share of claims that the context supports"
    formula: ClassVar[str] = "supported claims / claims × scale; the scale's top is best"
    direction: ClassVar[Direction] = "higher"
    uses: ClassVar[tuple[PromptSpec, ...]] = (EXTRACT, VERIFY, EXPLAIN)
    words: ClassVar[Mapping[str, Support]] = YES_NO_UNSURE

    def counts(self, verdict: Verdict) -> bool:
        return verdict.support is Support.SUPPORTED


@public
class TruthFaithfulness(ClaimMetric, frozen=True, kw_only=True):
    """The share of claims that no fact drawn from the context contradicts; 1 is best.

    Claims that the facts do not settle count as correct. Takes the options of `ClaimMetric`.

    Attributes:
        truths_limit: Most facts to draw from the context, None for all.

    Example:
        >>> metric = TruthFaithfulness(truths_limit=10)
        >>> metric.score(output="It closed in 1969.", context=["It closed in 1921."]).score
        0.0
    """

    name: ClassVar[str] = "truth_faithfulness"
    summary: ClassVar[str] = "the share of claims that no truth drawn from the context contradicts"
    formula: ClassVar[str] = "(claims − contradicted claims) / claims; 1 is best"
    direction: ClassVar[Direction] = "higher"
    uses: ClassVar[tuple[PromptSpec, ...]] = (PromptSpec("truths", ("context",)), EXTRACT, VERIFY, EXPLAIN)
    words: ClassVar[Mapping[str, Support]] = {
        "yes": Support.SUPPORTED,
        "no": Support.CONTRADICTED,
        "idk": Support.UNSUPPORTED,
    }

    truths_limit: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        limit = self.truths_limit
        if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
            raise InputError(f"the truths_limit of {self.name!r} must be a whole number above 0, not {limit!r}.")

    def answer(self, case: Case) -> Flow[Finding]:
        passages = yield from self.passages(case, ())
        truths: tuple[str, ...] = ()
        if passages:
            question = ExtractTruths(template=self.prompt("truths"), passages=passages, limit=self.truths_limit)
            truths = yield from ask(question)
        claims = yield from self.claims(case)
        if not claims:
            return no_claims(case)
        if not truths:
            # Nothing could contradict the claims, so every output would get the best score.
            return Finding(outcome=Outcome.NO_CONTEXT, reason="No score: the context states no fact to compare with.")
        verified = yield from self.verify(case, claims, passages, truths)
        notes = verified.notes + _in_other_words(truths, passages)
        return (yield from self.concluded(case, structs.replace(verified, notes=notes), truths))

    def counts(self, verdict: Verdict) -> bool:
        return verdict.support is not Support.CONTRADICTED

    def tally(self, wrong: int, claims: int) -> str:
        return f"{share_of_claims(wrong, claims)} contradicted by the context"


def _in_other_words(truths: tuple[str, ...], passages: tuple[Passage, ...]) -> tuple[str, ...]:
    """A note about facts without a word in common with the context."""
    related = relation(" ".join(passage.text for passage in passages))
    unrelated = sum(not related(truth) for truth in truths)
    if not unrelated:
        return ()
    have = "has" if unrelated == 1 else "have"
    return (f"{unrelated} of {len(truths)} truths {have} no word in common with the context; all of them count",)
