"""What the embedded judge reads off a claim and a context, before anything is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import structs

from ..verdict import Evidence, Support
from .context import ReadContext
from .evidence import content_words
from .names import missing_names
from .quantities import compare
from .wording import is_subjective, polarity_conflict


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """Probabilities for one claim, and what they rest on."""

    supported: float
    contradicted: float
    unsupported: float
    evidence: tuple[Evidence, ...]
    quote: str
    conflicts: tuple[str, ...]
    """What clashes with the context, in words: numbers, dates, opposites."""
    missing: tuple[str, ...]
    """Names and numbers that the context does not have."""
    subjective: bool

    def evidence_for(self, support: Support) -> tuple[Evidence, ...]:
        """The evidence as it speaks for or against the claim."""
        stance: Literal["for", "against"] = "for" if support.holds else "against"
        return tuple(structs.replace(piece, stance=stance) for piece in self.evidence)


def fingerprint() -> str:
    """Names the model and the code that reads with it."""
    return "local"


def read_claims(claims: Sequence[str], context: ReadContext, question: str | None = None) -> list[ClaimReading]:
    """One reading per claim."""
    return [_read(claim, context, question) for claim in claims]


def _read(claim: str, context: ReadContext, question: str | None) -> ClaimReading:
    index = context.index
    selection = index.select(claim)
    words = content_words(claim)
    total = sum(index.idf(word) for word in words) or 1.0
    coverage = sum(index.idf(word) for word in words if word in set(content_words(selection.text))) / total
    findings = compare(claim, selection.text)
    opposite = polarity_conflict(claim, selection.text)
    conflicts = tuple(found.reason for found in findings if found.status == "conflict")
    if opposite is not None:
        conflicts += (opposite.reason,)
    absent = [found.claim.of(claim) for found in findings if found.status == "missing"]
    absent += [name.text for name in missing_names(claim, selection.text)]
    supported = max(0.02, min(0.98, coverage - 0.3 * bool(absent)))
    if conflicts:
        supported = min(supported, 0.1)
    contradicted = (1 - supported) * (0.85 if conflicts else 0.15)
    evidence = () if selection.best is None else (context.evidence(selection.best, "for"),)
    return ClaimReading(
        supported=supported,
        contradicted=contradicted,
        unsupported=1 - supported - contradicted,
        evidence=evidence,
        quote=evidence[0].quote if evidence else "",
        conflicts=conflicts,
        missing=tuple(absent),
        subjective=is_subjective(claim),
    )
