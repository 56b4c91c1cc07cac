"""What the embedded judge reads off a claim and a context, before anything is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import structs

from ..verdict import Evidence, Support
from .context import ReadContext
from .fusion import shipped
from .model import load, settings
from .signals import Measured, measure
from .wording import is_subjective

REVISION = 1
"""Raised when the code around the model changes what it reads, so that old answers are not taken for new."""


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """Probabilities for one claim, and what they rest on."""

    supported: float
    contradicted: float
    unsupported: float
    evidence: tuple[Evidence, ...]
    conflicts: tuple[str, ...]
    """What clashes with the context, in words: numbers, dates, opposites."""
    missing: tuple[str, ...]
    """Names and numbers that the context does not have."""
    subjective: bool
    stated: str
    """The claim without the question that a bare answer was joined with."""
    doubtful: tuple[tuple[int, int], ...]
    """The characters of `stated` that the context does not bear out."""

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
    measured = measure(claims, context.index, load(), question)
    return [_read(claim, item, context) for claim, item in zip(claims, measured, strict=True)]


def fingerprint() -> str:
    """Names the model and the code that reads with it."""
    return f"local {settings()['name']} {REVISION}"


def _read(claim: str, item: Measured, context: ReadContext) -> ClaimReading:
    fusion, marking = shipped()
    judged = fusion.judge_claim(item.signals)
    conflicts = [found.reason for found in item.findings if found.status == "conflict"]
    if item.opposite is not None:
        conflicts.append(item.opposite.reason)
    absent = [found.claim.of(claim) for found in item.findings if found.status == "missing"]
    best = item.selection.best
    return ClaimReading(
        supported=judged.supported,
        contradicted=judged.contradicted,
        unsupported=judged.unsupported,
        evidence=() if best is None else (context.evidence(best, "for"),),
        conflicts=tuple(conflicts),
        missing=(*absent, *(name.text for name in item.absent)),
        subjective=is_subjective(item.stated),
        stated=item.stated,
        doubtful=tuple(marking.doubtful(item.reading.token_marks, judged.supported)),
    )
