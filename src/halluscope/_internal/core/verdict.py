"""Claims, and verdicts on them. The labels of all evaluation systems are mapped to four kinds of support."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from msgspec import Struct

from .plumbing.public import public


@public
class Support(str, Enum):
    """Whether the context supports a claim.

    Attributes:
        SUPPORTED: The context supports the claim.
        CONTRADICTED: The context contradicts the claim.
        UNSUPPORTED: The context neither supports nor contradicts the claim.
        NOT_A_CLAIM: The text makes no claim.
    """

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    NOT_A_CLAIM = "not_a_claim"

    @property
    def holds(self) -> bool:
        """Whether the claim counts as correct: it is supported, or is no claim."""
        return self in (Support.SUPPORTED, Support.NOT_A_CLAIM)

    def __str__(self) -> str:
        return self.value


SIGNS = {Support.SUPPORTED: "✓", Support.CONTRADICTED: "✗", Support.UNSUPPORTED: "?", Support.NOT_A_CLAIM: "–"}
"""Signs for output without colours."""


UNSURE = 0.75
"""Verdicts below this confidence are shown as unsure."""


@public
class Claim(Struct, frozen=True):
    """One statement of the output.

    Attributes:
        id: The id, unique in the output.
        text: The statement. It can be read alone, so it may differ from `output[start:end]`.
        start: Index of the first character in the output, if known.
        end: Index after the last character.
        argument: Name of the argument, such as "filters.city", if the claim is an argument of a tool call.
    """

    id: str
    text: str
    start: int | None = None
    end: int | None = None
    argument: str | None = None


@public
class Evidence(Struct, frozen=True):
    """A quotation from the context that supports or contradicts a claim.

    Attributes:
        passage: Index of the passage in the context.
        start: Index of the first character in the passage.
        end: Index after the last character.
        quote: The text, exactly as in the passage.
        stance: "for" or "against" the claim.
    """

    passage: int
    start: int
    end: int
    quote: str
    stance: Literal["for", "against"] = "for"


@public
class Vote(Struct, frozen=True):
    """The verdict of one of several judges.

    Attributes:
        judge: Name of the judge.
        support: Its verdict.
        confidence: The probability it gave, if any.
        weight: The weight of the vote.
        sample: Number of the sample, if one judge was asked several times.
    """

    judge: str
    support: Support
    confidence: float | None = None
    weight: float = 1.0
    sample: int | None = None


@public
class Verdict(Struct, frozen=True):
    """The verdict on one claim.

    Attributes:
        claim: The claim.
        support: Whether the context supports it.
        reason: The judge's reason.
        confidence: The probability that the judge gives its verdict, if any.
        evidence: Quotations from the context.
        word: The judge's label, in the vocabulary of the metric.
        passage: Index of the passage, if the metric judges passages instead of claims.
        notes: Problems with the verdict, such as evidence that is not in the context.
        judge: The judge that decided, if a judge asked others.
        votes: The votes of all judges that were asked.
        marks: Start and end of the characters of the output that the judge considers unsupported.
    """

    claim: Claim
    support: Support
    reason: str | None = None
    confidence: float | None = None
    evidence: tuple[Evidence, ...] = ()
    word: str | None = None
    passage: int | None = None
    notes: tuple[str, ...] = ()
    judge: str | None = None
    votes: tuple[Vote, ...] = ()
    marks: tuple[tuple[int, int], ...] = ()

    @property
    def unsure(self) -> bool:
        """Whether the confidence is low."""
        return self.confidence is not None and self.confidence < UNSURE
