"""The signals of a claim joined into calibrated probabilities.

A logistic regression with few, named terms: what each signal adds can be read off its coefficient. A second,
smaller one divides what is not supported into contradicted and unsupported. The coefficients were fitted on
predictions for documents the model had not seen, and travel with the weights.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .model import settings

__all__ = ["ClaimProbabilities", "ClaimSignals", "Fusion", "Marking", "judge_claim", "shipped", "terms"]

_EDGE = 1e-4


@dataclass(frozen=True, slots=True)
class ClaimSignals:
    """What is known of one claim, each between 0 and 1."""

    supported: float
    contradicted: float
    unsupported: float
    doubt: float
    """The mean of the three most doubtful tokens."""
    coverage: float
    """The part of the claim's words that the evidence has, rare words counting more."""
    known: float
    """The same over the whole context, not only the evidence that was read."""
    pairs: float
    """The same for pairs of neighbouring words."""
    numbers_missing: float
    """The part of the claim's numbers that the evidence lacks."""
    number_conflict: float
    """How likely a number of the claim conflicts with the evidence."""
    names_missing: float
    """The part of the claim's names that the evidence lacks."""
    output: float
    """The part of the words of the whole output that the context has: one that strays is less to be trusted."""
    opposite: bool
    """Whether claim and evidence use opposite words or only one of them denies."""


@dataclass(frozen=True, slots=True)
class ClaimProbabilities:
    """Calibrated, and summing to one."""

    supported: float
    contradicted: float
    unsupported: float


def logit(probability: float) -> float:
    """Log-odds, kept finite."""
    kept = min(max(probability, _EDGE), 1 - _EDGE)
    return math.log(kept / (1 - kept))


def sigmoid(score: float) -> float:
    """The probability of log-odds."""
    if score >= 0:
        return 1.0 / (1.0 + math.exp(-score))
    grown = math.exp(score)
    return grown / (1.0 + grown)


def terms(signals: ClaimSignals) -> dict[str, float]:
    """The terms of the regression, by name."""
    support, against, new = logit(signals.supported), logit(signals.contradicted), 1.0 - signals.coverage
    return {
        "support": support,
        "contradiction": against,
        "doubt": logit(signals.doubt),
        "coverage": signals.coverage,
        "known": signals.known,
        "hardly known": max(0.0, 0.6 - signals.known),
        "hardly covered": max(0.0, 0.75 - signals.coverage),
        "pairs": signals.pairs,
        "numbers missing": signals.numbers_missing,
        "number conflict": signals.number_conflict,
        "names missing": signals.names_missing,
        "output": signals.output,
        "opposite": float(signals.opposite),
        "support of new words": support * new,
        "contradiction of new words": against * new,
        "support of repeated pairs": support * signals.pairs,
    }


@dataclass(frozen=True, slots=True)
class Fusion:
    """The fitted coefficients: a constant under "", and one for each term."""

    support: Mapping[str, float]
    contradiction: Mapping[str, float]

    def judge_claim(self, signals: ClaimSignals) -> ClaimProbabilities:
        """The probabilities of one claim."""
        values = terms(signals)
        supported = sigmoid(_score(self.support, values))
        share = sigmoid(_score(self.contradiction, {**values, "against": logit(_share(signals))}))
        rest = 1.0 - supported
        return ClaimProbabilities(supported, rest * share, rest * (1.0 - share))


def _share(signals: ClaimSignals) -> float:
    wrong = signals.contradicted + signals.unsupported
    return signals.contradicted / wrong if wrong > 0 else 0.5


def _score(coefficients: Mapping[str, float], values: Mapping[str, float]) -> float:
    return coefficients[""] + sum(weight * values[name] for name, weight in coefficients.items() if name)


@dataclass(frozen=True, slots=True)
class Marking:
    """Which characters of a claim are called unsupported: its tokens' marks, seen in the light of the claim."""

    constant: float
    mark: float
    claim: float
    gap: int = 12
    """Doubtful places with fewer characters between them are one."""

    def doubtful(self, marks: Sequence[tuple[int, int, float]], supported: float) -> list[tuple[int, int]]:
        """The doubtful stretches, in order."""
        found: list[tuple[int, int]] = []
        for start, end, mark in marks:
            if self.constant + self.mark * logit(mark) - self.claim * logit(supported) < 0:
                continue
            if found and start - found[-1][1] <= self.gap:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        return found


@lru_cache(maxsize=1)
def shipped() -> tuple[Fusion, Marking]:
    """The layer that was fitted for the weights in the package."""
    recorded = settings()
    return Fusion(recorded["support"], recorded["contradiction"]), Marking(**recorded["marking"])


def judge_claim(signals: ClaimSignals) -> ClaimProbabilities:
    """The probabilities of one claim, by the layer in the package."""
    return shipped()[0].judge_claim(signals)
