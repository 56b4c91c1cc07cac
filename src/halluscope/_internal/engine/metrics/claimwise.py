"""The base class of metrics over the claims of an output."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec import structs

from ...core.case import Case
from ...core.counting import count_of, share_of_claims
from ...core.errors import ContextFailed, InputError
from ...core.plumbing.public import public_in
from ...core.result import Outcome
from ...core.verdict import Claim, Support, Verdict
from ...text.quotes import relation
from ..metric import Metric, PromptSpec, is_number
from ..questions import Explain, ExtractClaims, Passage, ResolveContext, VerifyClaims, distinct
from ..questions.flow import (
    AnswerMissing,
    Finding,
    Flow,
    Verified,
    ask,
    ask_each,
    incomplete,
    no_claims,
    nothing_to_judge,
)
from .arguments import judged_arguments

_SHORT_ANSWER = 3
"""Most words of an answer such as "Yes.", whose claims repeat the words of the question."""

EXTRACT = PromptSpec("extract", ("output",))
VERIFY = PromptSpec("verify", ("claims", "context"))
EXPLAIN = PromptSpec("explain", ("score", "verdicts"))

YES_NO_UNSURE = {"yes": Support.SUPPORTED, "no": Support.CONTRADICTED, "unsure": Support.UNSUPPORTED}


@public_in("halluscope.metrics")
class ClaimMetric(Metric, frozen=True, kw_only=True):
    """A metric over the claims of an output.

    Subclasses set `words`, the vocabulary of the verdicts, and define `counts`.

    Attributes:
        scale: The highest score.
        resolve_context: Ask for the context with `ResolveContext` questions, once the claims are known, instead of
            taking it from the case.
    """

    judges_calls: ClassVar[bool] = True
    words: ClassVar[Mapping[str, Support]]
    """The words of the verdicts, and the kind of support that each stands for."""

    scale: float = 1.0
    resolve_context: bool = False

    def __post_init__(self) -> None:
        if not is_number(self.scale) or not 0 < self.scale < math.inf:
            raise InputError(f"the scale of {self.name!r} must be a number above 0, not {self.scale!r}.")
        super().__post_init__()

    @property
    def best(self) -> float:
        return 0.0 if self.direction == "lower" else float(self.scale)

    @property
    def _top(self) -> float:
        return float(self.scale)

    def flow(self, case: Case) -> Flow[Finding]:
        if case.is_tool_call:
            return (yield from self.call(case))
        nothing = nothing_to_judge(case, context_needed=not self.resolve_context)
        return nothing or (yield from self.answer(case))

    def answer(self, case: Case) -> Flow[Finding]:
        """The finding on an answer with a context."""
        claims = yield from self.claims(case)
        if not claims:
            return no_claims(case)
        passages = yield from self.passages(case, claims)
        verified = yield from self.verify(case, claims, passages)
        return (yield from self.concluded(case, verified))

    def call(self, case: Case) -> Flow[Finding]:
        """The finding on a tool call. The judge is asked only what the texts leave open, such as a converted date."""
        arguments = judged_arguments(case)
        settled = {found.claim.id: found.verdict for found in arguments if found.verdict is not None}
        claims = tuple(found.claim for found in arguments)
        asked = [claim for claim in claims if claim.id not in settled]
        verified = (yield from self.verify(case, asked, distinct(case.passages))) if asked else Verified(())
        found = {**settled, **{verdict.claim.id: verdict for verdict in verified.verdicts}}
        verdicts = tuple(found[claim.id] for claim in claims if claim.id in found)
        if not verified.missing and all(verdict.support is Support.NOT_A_CLAIM for verdict in verdicts):
            reason = "No score: the call has no argument that must come from the conversation."
            return Finding(outcome=Outcome.NO_CLAIMS, verdicts=verdicts, reason=reason)
        whole = structs.replace(verified, verdicts=verdicts)
        return (yield from self.concluded(case, whole, ask_reason=False))

    def concluded(
        self, case: Case, verified: Verified, truths: tuple[str, ...] = (), *, ask_reason: bool = True
    ) -> Flow[Finding]:
        """The finding that follows from the verdicts, with a reason from the judge, or one composed from them."""
        if verified.missing:
            return incomplete(case, verified, "claim")
        counted = [v for v in verified.verdicts if v.support is not Support.NOT_A_CLAIM]
        if not counted:
            return no_claims(case)
        hits = sum(self.counts(v) for v in counted)
        wrong = [v for v in counted if self.counts(v) == (self.direction == "lower")]
        score = hits / len(counted) * self.scale
        summary = self.tally(len(wrong), len(counted)) + (f": {as_sentence(wrong)}." if wrong else ".")
        reason: str | None = summary if self.include_reason else None
        notes: tuple[str, ...] = ()
        if ask_reason:
            reason, notes = yield from reason_for(
                self, score, verified.verdicts, summary, self.scale, resolve_context=self.resolve_context
            )
        notes = verified.notes + notes + in_other_words(case, verified.verdicts)
        return self.scored(score, verified.verdicts, truths=truths, reason=reason, notes=notes)

    def counts(self, verdict: Verdict) -> bool:
        """Whether a claim with this verdict counts towards the score."""
        raise NotImplementedError

    def tally(self, wrong: int, claims: int) -> str:
        """The number of claims that make the score worse, as the beginning of a sentence."""
        if 0 < wrong < claims:
            return f"{share_of_claims(wrong, claims)} not supported by the context"
        return f"{share_of_claims(claims - wrong, claims)} supported by the context"

    def claims(self, case: Case) -> Flow[tuple[Claim, ...]]:
        question = ExtractClaims(template=self.prompt("extract"), output=case.output, input=case.input)
        claims = yield from ask(question)
        return claims

    def passages(self, case: Case, claims: tuple[Claim, ...]) -> Flow[tuple[Passage, ...]]:
        """The passages to check the claims against, without repetitions."""
        texts: Sequence[tuple[int, str]] = case.passages
        if self.resolve_context:
            resolved = yield from ask(ResolveContext(step="analyze", claims=claims))
            texts = [(i, text) for i, text in enumerate(resolved) if text.strip()]
        return distinct(texts)

    def verify(
        self, case: Case, claims: Sequence[Claim], passages: tuple[Passage, ...], truths: tuple[str, ...] | None = None
    ) -> Flow[Verified]:
        """Ask for a verdict on each claim."""
        if not passages:
            verdicts = (Verdict(c, Support.UNSUPPORTED, reason="The context is empty.") for c in claims)
            return Verified(tuple(verdicts))
        question = VerifyClaims(
            template=self.prompt("verify"),
            examples=self.shots(),
            claims=tuple(claims),
            passages=passages,
            words=dict(self.words),
            input=case.input,
            output=case.output,
            truths=truths,
        )
        return (yield from ask_each(question))


def reason_for(
    metric: Metric,
    score: float,
    verdicts: tuple[Verdict, ...],
    summary: str,
    scale: float = 1.0,
    *,
    resolve_context: bool = False,
) -> Flow[tuple[str | None, tuple[str, ...]]]:
    """Ask for the reason for a score. If the judge gives none, it is `summary`, with a note that says so."""
    if not metric.include_reason:
        return None, ()
    context: tuple[str, ...] | None = None
    try:
        if resolve_context:
            claims = tuple(v.claim for v in verdicts)
            context = yield from ask(ResolveContext(step="explain", claims=claims, verdicts=verdicts, score=score))
        question = Explain(
            template=metric.prompt("explain"),
            score=score,
            scale=scale,
            meaning=metric.formula,
            verdicts=verdicts,
            summary=summary,
            context=context,
        )
        return (yield from ask(question)), ()
    except AnswerMissing as missing:
        if missing.kind == ContextFailed.kind:
            return summary, (f"the reason is composed from the verdicts: {missing}",)
        return summary, (f"the judge gave no usable reason ({missing}); this one is composed from its verdicts",)


def in_other_words(case: Case, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """A note about claims without a word in common with the output: they are translated, or the judge's own words."""
    unplaced = [v for v in verdicts if v.claim.start is None]
    if not unplaced:
        return ()
    short = len(case.output.split()) <= _SHORT_ANSWER
    related = relation(f"{case.output} {case.input or ''}" if short else case.output)
    unrelated = [v.claim.id for v in unplaced if not related(v.claim.text)]
    if not unrelated:
        return ()
    named = ", ".join(unrelated[:5]) + (", …" if len(unrelated) > 5 else "")
    share = f"{len(unrelated)} of {count_of(len(verdicts), 'claim')} ({named})"
    return (f"{share} {'has' if len(unrelated) == 1 else 'have'} no word in common with the output",)


def as_sentence(verdicts: Sequence[Verdict], most: int = 5) -> str:
    """Several verdicts as one sentence, the first `most` of them in full."""
    clauses = [
        f'"{v.claim.text.strip()}" is {v.support.value}' + (f": {v.reason.rstrip('.')}" if v.reason else "")
        for v in verdicts[:most]
    ]
    return "; ".join(clauses) + (f"; and {len(verdicts) - most} more" if len(verdicts) > most else "")
