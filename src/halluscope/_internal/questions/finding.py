"""What a metric's flow ends in."""

from __future__ import annotations

from msgspec import Struct

from ..case import Case
from ..errors import CannotJudge, ContextFailed, NothingToJudge
from ..plumbing.public import public_in
from ..result import Failure, Outcome
from ..verdict import Verdict


@public_in("halluscope.metrics")
class Finding(Struct, frozen=True, kw_only=True):
    """What a metric's flow returns; with what the driver saw on the way it becomes a Result."""

    outcome: Outcome
    score: float | None = None
    label: str | None = None
    probability: float | None = None
    reason: str | None = None
    verdicts: tuple[Verdict, ...] = ()
    truths: tuple[str, ...] = ()
    figures: dict[str, float] = {}
    failure: Failure | None = None
    notes: tuple[str, ...] = ()


def no_claims(case: Case) -> Finding:
    """The finding for an output that states nothing."""
    from ..text.kinds import is_refusal  # its patterns take time to make, and most outputs state something

    if is_refusal(case.output):
        return Finding(
            outcome=Outcome.REFUSAL, reason="No score: the output declines to answer, so there is nothing to check."
        )
    return Finding(outcome=Outcome.NO_CLAIMS, reason="No score: the output makes no claim that could be checked.")


def without_score(failure: Failure, case: Case) -> Finding:
    """The finding where the judge gave no answer: it failed, or said that there is nothing it can judge."""
    if failure.kind == NothingToJudge.kind:
        return no_claims(case)
    if failure.kind == CannotJudge.kind:
        return Finding(outcome=Outcome.UNJUDGEABLE, failure=failure, reason=f"No score: {failure.message}")
    if failure.kind == ContextFailed.kind:
        return Finding(outcome=Outcome.FAILED, failure=failure, reason=f"No score: {failure.message}")
    reason = f"No score: the judge failed ({failure.message})."
    return Finding(outcome=Outcome.FAILED, failure=failure, reason=reason)
