"""What metrics that judge claim by claim share: taking the output apart, and one verdict per claim."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec import Struct

from ..case import Case
from ..errors import ContextFailed, InputError
from ..metric import Metric, PromptSpec, is_number
from ..plumbing.public import public_in
from ..questions import FACTUAL, HALLUCINATED, Explain, ExtractClaims, Passage, ResolveContext, VerifyClaims, distinct
from ..questions.flow import AnswerMissing, Finding, Flow, ask, ask_all, no_claims, nothing_to_judge, without_score
from ..result import Failure, Outcome
from ..text.quotes import relation
from ..verdict import Claim, Support, Verdict

CLAIMS_AT_ONCE = 20
"""Claims in one question: more, and models begin to skip some."""

_BARE = 3
"""Words: an answer this short ("Yes.") states what was asked, in the words of the question."""

EXTRACT = PromptSpec("extract", ("output",))
VERIFY = PromptSpec("verify", ("claims", "context"))
EXPLAIN = PromptSpec("explain", ("score", "verdicts"))


@public_in("halluscope.metrics")
class Verified(Struct, frozen=True):
    """A verdict for each claim that got one, and what became of the others."""

    verdicts: tuple[Verdict, ...]
    missing: tuple[Claim, ...] = ()
    failure: Failure | None = None
    notes: tuple[str, ...] = ()


@public_in("halluscope.metrics")
class ClaimMetric(Metric, frozen=True, kw_only=True):
    """A metric over the claims of the output.

    With `resolve_context` the context is asked for once the claims are known, and again for the
    reason, instead of taken from the case.
    """

    words: ClassVar[Mapping[str, Support]]
    """The metric's own words for each kind of support."""

    scale: float = 1.0
    resolve_context: bool = False

    def __post_init__(self) -> None:
        if not is_number(self.scale) or not 0 < self.scale < math.inf:
            raise InputError(f"the scale of {self.name!r} must be a number above 0, not {self.scale!r}.")
        super().__post_init__()

    @property
    def best(self) -> float:
        return 0.0 if self.direction == "lower" else float(self.scale)

    def flow(self, case: Case) -> Flow[Finding]:
        nothing = nothing_to_judge(case, context_needed=not self.resolve_context)
        if nothing:
            return nothing
        claims = yield from self.claims(case)
        if not claims:
            return no_claims(case)
        passages = yield from self.passages(case, claims)
        verified = yield from self.verify(case, claims, passages)
        return (yield from self.concluded(case, verified))

    def concluded(self, case: Case, verified: Verified, truths: tuple[str, ...] = ()) -> Flow[Finding]:
        """The finding from the verdicts."""
        if verified.missing:
            return incomplete(verified, case)
        counted = [v for v in verified.verdicts if v.support is not Support.NOT_A_CLAIM]
        if not counted:
            return no_claims(case)
        hits = sum(self.counts(v) for v in counted)
        wrong = [v for v in counted if not v.support.holds]
        score = hits / len(counted) * self.scale
        summary = self.tally(hits, len(counted)) + (f": {as_sentence(wrong)}." if wrong else ".")
        reason, notes = yield from self.explained(score, verified.verdicts, summary)
        return Finding(
            outcome=Outcome.SCORED,
            score=score,
            label=FACTUAL if self.passes(score, verified.verdicts) else HALLUCINATED,
            verdicts=verified.verdicts,
            truths=truths,
            reason=reason,
            notes=verified.notes + notes + in_other_words(case, verified.verdicts),
        )

    def counts(self, verdict: Verdict) -> bool:
        """Whether the claim is one of those whose share is the score."""
        raise NotImplementedError

    def tally(self, hits: int, claims: int) -> str:
        """The score in words."""
        raise NotImplementedError

    def claims(self, case: Case) -> Flow[tuple[Claim, ...]]:
        question = ExtractClaims(template=self.prompt("extract"), output=case.output, input=case.input)
        claims = yield from ask(question)
        return claims

    def passages(self, case: Case, claims: tuple[Claim, ...]) -> Flow[tuple[Passage, ...]]:
        """The distinct passages the claims are held against."""
        texts: Sequence[tuple[int, str]] = case.passages
        if self.resolve_context:
            resolved = yield from ask(ResolveContext(step="analyze", claims=claims))
            texts = [(i, text) for i, text in enumerate(resolved) if text.strip()]
        return distinct(texts)

    def verify(
        self,
        case: Case,
        claims: Sequence[Claim],
        passages: tuple[Passage, ...],
        truths: tuple[str, ...] | None = None,
    ) -> Flow[Verified]:
        """One verdict per claim: those left out are asked for again together, then one by one."""
        if not passages:
            verdicts = (Verdict(c, Support.UNSUPPORTED, reason="The context is empty.") for c in claims)
            return Verified(tuple(verdicts))
        found: dict[str, Verdict] = {}
        notes: list[str] = []
        failure: Failure | None = None
        pending = list(claims)
        for at_once in (CLAIMS_AT_ONCE, CLAIMS_AT_ONCE, 1):
            batches = [pending[i : i + at_once] for i in range(0, len(pending), at_once)]
            answers = yield from ask_all(
                [
                    VerifyClaims(
                        template=self.prompt("verify"),
                        examples=self.shots(),
                        claims=tuple(batch),
                        passages=passages,
                        words=dict(self.words),
                        input=case.input,
                        output=case.output,
                        truths=truths,
                    )
                    for batch in batches
                ]
            )
            failures = [answer for answer in answers if isinstance(answer, Failure)]
            failure = failures[0] if failures else None
            for answer in answers:
                if not isinstance(answer, Failure):
                    found.update((verdict.claim.id, verdict) for verdict in answer.verdicts)
                    notes += [f"refused from the judge: {text}" for text in answer.refused]
            pending = [claim for claim in claims if claim.id not in found]
            if not pending or len(failures) == len(answers):
                break
        ordered = tuple(found[claim.id] for claim in claims if claim.id in found)
        return Verified(ordered, tuple(pending), failure, tuple(notes))

    def explained(
        self, score: float, verdicts: tuple[Verdict, ...], summary: str
    ) -> Flow[tuple[str | None, tuple[str, ...]]]:
        """A reason for the score, and a note where the judge gave none and our own stands in."""
        if not self.include_reason:
            return None, ()
        context: tuple[str, ...] | None = None
        if self.resolve_context:
            claims = tuple(v.claim for v in verdicts)
            try:
                context = yield from ask(ResolveContext(step="explain", claims=claims, verdicts=verdicts, score=score))
            except AnswerMissing as missing:
                return composed(summary, missing)
        return (yield from reason_for(self, score, verdicts, summary, self.scale, context))


def reason_for(
    metric: Metric,
    score: float,
    verdicts: tuple[Verdict, ...],
    summary: str,
    scale: float = 1.0,
    context: tuple[str, ...] | None = None,
) -> Flow[tuple[str | None, tuple[str, ...]]]:
    """The judge's reason for a score, or our own where it gives none, with a note that says so."""
    question = Explain(
        template=metric.prompt("explain"),
        score=score,
        scale=scale,
        meaning=metric.formula,
        verdicts=verdicts,
        summary=summary,
        context=context,
    )
    try:
        return (yield from ask(question)), ()
    except AnswerMissing as missing:
        return composed(summary, missing)


def composed(summary: str, missing: AnswerMissing) -> tuple[str, tuple[str, ...]]:
    """Our own reason, and the note that it is ours."""
    if missing.kind == ContextFailed.kind:
        return summary, (f"the reason is composed from the verdicts: {missing}",)
    return summary, (f"the judge gave no usable reason ({missing}); this one is composed from its verdicts",)


def in_other_words(case: Case, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """A note where claims have no word in common with the output: another language, or the judge's words."""
    unplaced = [v for v in verdicts if v.claim.start is None]
    if not unplaced:
        return ()
    bare = len(case.output.split()) <= _BARE
    related = relation(f"{case.output} {case.input or ''}" if bare else case.output)
    strange = [v.claim.id for v in unplaced if not related(v.claim.text)]
    if not strange:
        return ()
    share = f"{len(strange)} of {len(verdicts)} claims ({', '.join(strange[:5])}{', …' if len(strange) > 5 else ''})"
    return (f"{share} have no word in common with the output: they are judged as the judge stated them",)


def incomplete(verified: Verified, case: Case) -> Finding:
    """The finding where claims are left without a verdict: none of them is taken for supported."""
    if not verified.verdicts and verified.failure is not None:
        return without_score(verified.failure, case)
    asked = len(verified.verdicts) + len(verified.missing)
    why = f" ({verified.failure.message})" if verified.failure else ""
    return Finding(
        outcome=Outcome.INCOMPLETE,
        verdicts=verified.verdicts,
        failure=verified.failure,
        reason=f"No score: {len(verified.missing)} of {asked} claims got no verdict from the judge{why}.",
        notes=verified.notes,
    )


def so_many(part: int, claims: int) -> str:
    """So many of the claims, with the verb: the beginning of a sentence."""
    if claims == 1:
        return "The only claim is" if part else "The only claim is not"
    if part == claims:
        return f"All {claims} claims are"
    return f"{part or 'None'} of {claims} claims {'is' if part <= 1 else 'are'}"


def as_clause(verdict: Verdict) -> str:
    """A verdict as half a sentence."""
    reason = f": {verdict.reason.rstrip('.')}" if verdict.reason else ""
    return f'"{verdict.claim.text.strip()}" is {verdict.support.value}{reason}'


def as_sentence(verdicts: Sequence[Verdict], most: int = 5) -> str:
    """Several verdicts as one sentence."""
    rest = f"; and {len(verdicts) - most} more" if len(verdicts) > most else ""
    return "; ".join(as_clause(v) for v in verdicts[:most]) + rest
