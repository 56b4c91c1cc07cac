"""What the embedded judge reads off a claim and a context, before anything is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import structs

from ...verdict import Claim, Evidence, Support
from ..network.model import KINDS, Place, load, settings
from ..quantities.alignment import prepare
from ..quantities.standing import UNTOLD, Standing
from ..reading.context import ReadContext
from ..reading.judged_text import judged
from .fusion import shipped
from .marking import shipped_marking, tokens
from .signals import Measured, measure

_OF_TIME = {"date", "time", "weekday"}
_LIKELY = 0.5
"""From this strength on a rule's finding names the kind of error."""
_MOST_OF_IT = 0.7
"""Where more of a claim is marked, there is nothing to point at."""


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """Probabilities for one claim, and what they rest on."""

    supported: float
    contradicted: float
    unsupported: float
    evidence: Evidence | None
    """The words of the context that come nearest."""
    conflicts: tuple[str, ...]
    """What clashes with the context, in words: numbers and dates."""
    missing: tuple[str, ...]
    """Numbers that the context does not have."""
    doubted: tuple[str, ...]
    """The words of the output that fail, if they are not all of the claim."""
    stated: str
    """The claim without the question that a bare answer was joined with."""
    absence: bool
    """Whether it says that the context does not tell something."""
    kind: str
    """If it is wrong, most likely in which way."""
    marks: tuple[Place, ...]
    """The characters of the output that the context does not hold up, for a claim that stands there."""

    def evidence_for(self, support: Support) -> tuple[Evidence, ...]:
        """The evidence as it speaks for or against the claim."""
        if self.evidence is None:
            return ()
        return (self.evidence if support.holds else structs.replace(self.evidence, stance="against"),)


def read_claims(
    claims: Sequence[Claim], context: ReadContext, question: str | None = None, output: str | None = None
) -> list[ClaimReading]:
    """One reading per claim."""
    measured = measure(claims, context, load(), question, output)
    return [_read(claim.text, item, context, output) for claim, item in zip(claims, measured, strict=True)]


def fingerprint() -> str:
    """Names the model."""
    return f"local {settings()['name']}"


def _read(claim: str, item: Measured, context: ReadContext, output: str | None) -> ClaimReading:
    fused = shipped().judge_claim(item.signals)
    marks = _marks(item, fused.supported, output)
    words = tuple((output or "")[start:end] for start, end in marks)
    absent = dict.fromkeys(found.claim.of(claim) for found in item.numbers if found.status in UNTOLD)
    window = item.selection.best
    return ClaimReading(
        supported=fused.supported,
        contradicted=fused.contradicted,
        unsupported=fused.unsupported,
        evidence=context.evidence(window) if window else None,
        conflicts=tuple(found.reason for found in _clashing(item)),
        missing=tuple(absent),
        doubted=words if sum(map(len, words)) < _MOST_OF_IT * len(item.said) else (),
        stated=item.stated,
        absence=item.signals.absence,
        kind=_kind(item),
        marks=marks,
    )


def _kind(item: Measured) -> str:
    """The kind of error: by the rule that found one, else the one that the network holds for likeliest."""
    for found in _clashing(item):
        return "date" if found.kind == "date" else "number"
    # A neighbour's wrong date is none of a claim without one.
    stated = {placed.quantity.kind for placed in prepare(item.stated).placed}
    impossible = {"number", "date"} if not stated else set() if stated & _OF_TIME else {"date"}
    likely = zip(item.error.kinds, KINDS, strict=True)
    kind = max((chance, kind) for chance, kind in likely if kind not in impossible)[1]
    untold = any(found.status == "missing" and found.strength >= _LIKELY for found in item.numbers)
    # What is made up as a whole brings numbers with it.
    return kind if not untold or kind in ("invented", "date") else "number"


def _marks(item: Measured, supported: float, output: str | None) -> tuple[Place, ...]:
    if output is None or item.place is None:
        return ()
    marking, read, start = shipped_marking(), judged(output), item.place[0]
    doubtful = (token for token in tokens(item) if marking.score(token, supported) >= 0)
    spans = (read.in_source(start + token.start, start + token.end) for token in doubtful)
    return tuple(marking.stretches((span.start, span.end) for span in spans))


def _clashing(item: Measured) -> list[Standing]:
    """The numbers that the context very likely states otherwise."""
    return [found for found in item.numbers if found.status == "conflicts" and found.strength >= _LIKELY]
