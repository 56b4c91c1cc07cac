"""What the embedded judge reads off a claim and a context, before anything is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import structs

from ...verdict import Evidence, Support
from ..network.model import load, settings
from ..reading.context import ReadContext
from ..reading.fields import FieldFinding
from .fusion import judge_claim
from .marking import shipped_marking, tokens
from .signals import Measured, measure
from .wording import is_subjective


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """Probabilities for one claim, and what they rest on."""

    supported: float
    contradicted: float
    unsupported: float
    evidence: tuple[Evidence, ...]
    conflicts: tuple[str, ...]
    """What clashes with the context, in words: fields, numbers, dates, opposites."""
    open: tuple[str, ...]
    """Fields of the context that leave open what the claim states."""
    missing: tuple[str, ...]
    """Names and numbers that the context does not have."""
    subjective: bool
    stated: str
    """The claim without the question that a bare answer was joined with."""
    tokens: tuple[tuple[int, int, bool], ...]
    """Places in `stated`, in order, and whether the context does not bear them out."""

    @property
    def quote(self) -> str:
        """The words of the context that come nearest."""
        return self.evidence[0].quote if self.evidence else ""

    def evidence_for(self, support: Support) -> tuple[Evidence, ...]:
        """The evidence as it speaks for or against the claim."""
        stance: Literal["for", "against"] = "for" if support.holds else "against"
        return tuple(structs.replace(piece, stance=stance) for piece in self.evidence)


def read_claims(claims: Sequence[str], context: ReadContext, question: str | None = None) -> list[ClaimReading]:
    """One reading per claim."""
    measured = measure(claims, context, load(), question)
    return [_read(claim, item, context) for claim, item in zip(claims, measured, strict=True)]


def fingerprint() -> str:
    """Names the model."""
    return f"local {settings()['name']}"


def _read(claim: str, item: Measured, context: ReadContext) -> ClaimReading:
    judged, marking = judge_claim(item.signals), shipped_marking()
    against = _fields(item, "conflicts")
    silent = _fields(item, "unknown")
    conflicts = [f"the context says “{found.field.text}”" for found in against]
    conflicts += [found.reason for found in item.findings if found.status == "conflict"]
    if item.opposite is not None:
        conflicts.append(item.opposite.reason)
    absent = [found.claim.of(claim) for found in item.findings if found.status == "missing"]
    windows = [context.window(found.field) for found in (against or silent)[:1]]
    if not windows and item.selection.best is not None:
        windows.append(item.selection.best)
    return ClaimReading(
        supported=judged.supported,
        contradicted=judged.contradicted,
        unsupported=judged.unsupported,
        evidence=tuple(context.evidence(window, "for") for window in windows),
        conflicts=tuple(conflicts),
        open=tuple(found.field.text for found in silent),
        missing=(*absent, *(name.text for name in item.absent)),
        subjective=is_subjective(item.stated),
        stated=item.stated,
        tokens=tuple((t.start, t.end, marking.score(t, judged.supported) >= 0) for t in tokens(item)),
    )


def _fields(item: Measured, status: str) -> list[FieldFinding]:
    """The findings of one kind, the surest first."""
    return sorted((found for found in item.fields if found.status == status), key=lambda found: -found.strength)
