"""From probabilities to verdicts, by one threshold, and from verdicts to a probability for the whole output."""

from __future__ import annotations

from collections.abc import Sequence

from ...verdict import Support, Verdict
from .reader import ClaimReading

THRESHOLD = 0.5
"""A claim is supported from this probability on; probabilities are calibrated so that it is the same for all."""


def decide(reading: ClaimReading) -> tuple[Support, float]:
    """The verdict on a claim and the probability that it is right.

    What is not supported and clashes with the context by rule (a number, a field of a record) is contradicted,
    even where the rest of the claim is not in the context at all; what is likeliest made up is not. That the context
    does not tell something is no claim where it is so, and a wrong one where the context does tell it.
    """
    if reading.supported >= THRESHOLD:
        return Support.NOT_A_CLAIM if reading.absence else Support.SUPPORTED, reading.supported
    clashes = reading.contradicted >= reading.unsupported and reading.kind != "invented"
    if reading.absence or clashes or reading.conflicts:
        return Support.CONTRADICTED, 1 - reading.supported
    return Support.UNSUPPORTED, 1 - reading.supported


def hallucination_probability(verdicts: Sequence[Verdict]) -> float:
    """That of the least supported claim: an output with one wrong claim is wrong."""
    return max(
        ((1 - (v.confidence or 0.0)) if v.support.holds else (v.confidence or 0.0) for v in verdicts), default=0.0
    )
