"""The share of an output's claims that the context supports: Mastra's scorer, and DeepEval's by truths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import structs

from ..case import Case
from ..errors import InputError
from ..metric import PromptSpec
from ..plumbing.public import public
from ..questions import ExtractTruths, Passage
from ..questions.flow import Finding, Flow, ask, no_claims, nothing_to_judge
from ..result import Direction, Outcome
from ..text.quotes import relation
from ..verdict import Support, Verdict
from .claimwise import EXPLAIN, EXTRACT, VERIFY, ClaimMetric, so_many


@public
class Faithfulness(ClaimMetric, frozen=True, kw_only=True):
    """Each claim is supported, contradicted or cannot be told; only supported ones count."""

    name: ClassVar[str] = "faithfulness"
    summary: ClassVar[str] = "the share of claims that the context supports"
    formula: ClassVar[str] = "supported claims / claims × scale; the scale's top is best"
    direction: ClassVar[Direction] = "higher"
    uses: ClassVar[tuple[PromptSpec, ...]] = (EXTRACT, VERIFY, EXPLAIN)
    words: ClassVar[Mapping[str, Support]] = {
        "yes": Support.SUPPORTED,
        "no": Support.CONTRADICTED,
        "unsure": Support.UNSUPPORTED,
    }

    def counts(self, verdict: Verdict) -> bool:
        return verdict.support is Support.SUPPORTED

    def tally(self, hits: int, claims: int) -> str:
        return f"{so_many(hits, claims)} supported by the context"


@public
class TruthFaithfulness(ClaimMetric, frozen=True, kw_only=True):
    """Claims are compared with truths drawn from the context; what cannot be told is not held against them."""

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
        verified = yield from self.verify(case, claims, passages, truths)
        strange = _in_other_words(truths, passages)
        return (yield from self.concluded(case, structs.replace(verified, notes=verified.notes + strange), truths))

    def counts(self, verdict: Verdict) -> bool:
        return verdict.support is not Support.CONTRADICTED

    def tally(self, hits: int, claims: int) -> str:
        return f"{so_many(claims - hits, claims)} contradicted by the context"


def _in_other_words(truths: tuple[str, ...], passages: tuple[Passage, ...]) -> tuple[str, ...]:
    """A note where truths have no word in common with the context they were drawn from."""
    related = relation(" ".join(passage.text for passage in passages))
    strange = sum(not related(truth) for truth in truths)
    if not strange:
        return ()
    return (f"{strange} of {len(truths)} truths have no word in common with the context; all of them count",)
