"""What is said of a claim: the four kinds of support that every system's words are mapped onto."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from msgspec import Struct

from .plumbing.public import public


@public
class Support(str, Enum):
    """How a claim stands to the context."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNSUPPORTED = "unsupported"
    NOT_A_CLAIM = "not_a_claim"

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong with the claim."""
        return self in (Support.SUPPORTED, Support.NOT_A_CLAIM)

    def __str__(self) -> str:
        return self.value


SIGNS = {Support.SUPPORTED: "✓", Support.CONTRADICTED: "✗", Support.UNSUPPORTED: "?", Support.NOT_A_CLAIM: "–"}
"""For those who see no colour, and where there is none."""


UNSURE = 0.75
"""Below this confidence a verdict is shown as one that the judge is not sure of."""


@public
class Claim(Struct, frozen=True):
    """One statement of the output, with its place there where it has one.

    `text` can be read alone: the embedded judge carries the subject along, so it may differ from
    the characters at `start`:`end`.
    """

    id: str
    text: str
    start: int | None = None
    end: int | None = None


@public
class Evidence(Struct, frozen=True):
    """A piece of a context passage that speaks for or against a claim, quoted exactly."""

    passage: int
    start: int
    end: int
    quote: str
    stance: Literal["for", "against"] = "for"


@public
class Vote(Struct, frozen=True):
    """What one judge said of a claim, where several were asked. `sample` numbers the draws of one judge."""

    judge: str
    support: Support
    confidence: float | None = None
    weight: float = 1.0
    sample: int | None = None


@public
class Verdict(Struct, frozen=True):
    """One claim judged.

    `word` is the judge's own word in the metric's vocabulary. `confidence` is the probability the
    judge gives its verdict, where it gives one. `passage` is set where the unit judged is a
    passage of the context rather than a claim of the output. Where a judge asks others, `judge` is
    the one that decided and `votes` are all that were given. `marks` are the characters of the
    output, within the claim, that the judge points at, where it looks that closely.
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
        """Whether the judge says itself that it might as well be otherwise."""
        return self.confidence is not None and self.confidence < UNSURE
