"""The signals of a claim joined into calibrated probabilities.

Few, named terms, a weight for each, and a handful of units that catch what a sum cannot (a doubt of the model
counts less where the claim repeats its evidence word for word). A second, plain sum divides what is not
supported into contradicted and unsupported. The weights were fitted on predictions for documents the model had
not seen, and travel with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..network.model import settings, sigmoid

_EDGE = 1e-4
_WRONG_NUMBER = 0.6
"""From this doubt about a number on, no reading of its claim makes up for it."""


@dataclass(frozen=True, slots=True)
class ClaimSignals:
    """What is known of one claim, each between 0 and 1."""

    supported: float
    contradicted: float
    against: float
    """If it is wrong, how likely the evidence contradicts it rather than says nothing of it."""
    first: float
    """Support at the first look, with little evidence."""
    alone: float
    """Support where the claim is read without its neighbours."""
    asked: bool
    """Whether a question was asked: an answer to it may hold and still be the wrong one."""
    absence: bool
    """Whether it says that the context does not tell something: then it is right to use words that are not there."""
    doubt: float
    """The mean of the three most doubtful tokens."""
    coverage: float
    """The part of the claim's words that the evidence has, rare words counting more."""
    numbers_missing: float
    """The part of the claim's numbers of which the context says nothing."""
    number_doubt: float
    """How likely a number of the claim is neither stated in the context nor to be worked out from it."""
    number_follows: bool
    """Whether a number of the claim can be worked out from those of the context."""
    complete: bool
    """Whether the evidence is the whole context: then nothing that bears on the claim was left out."""


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


def terms(signals: ClaimSignals) -> dict[str, float]:
    """The terms of the sum, by name."""
    support, alone, against = logit(signals.supported), logit(signals.alone), logit(signals.contradicted)
    new, asked, complete = 1.0 - signals.coverage, float(signals.asked), float(signals.complete)
    absence = float(signals.absence)
    return {
        "support": support,
        "contradiction": against,
        "first": logit(signals.first),
        "alone": alone,
        "asked": asked,
        "doubt": logit(signals.doubt),
        "coverage": signals.coverage,
        "hardly covered": max(0.0, 0.75 - signals.coverage),
        "numbers missing": signals.numbers_missing,
        "number doubt": signals.number_doubt,
        "number follows": float(signals.number_follows),
        "complete": complete,
        "support of new words": support * new,
        "contradiction of new words": against * new,
        "support of what was asked": support * asked,
        "support by the whole context": support * complete,
        "alone and new words": alone * new,
        "alone and asked": alone * asked,
        "alone and the whole context": alone * complete,
        "absence": absence,
        "support of absence": support * absence,
        "absence of what is told": absence * signals.coverage,
    }


@dataclass(frozen=True, slots=True)
class Joined:
    """A weighted sum of terms, and units that each add a bounded part of their own."""

    constant: float
    weights: Mapping[str, float]
    units: Sequence[tuple[float, Joined]] = ()
    """How much each unit adds at most, and the sum that decides how much of it."""

    @classmethod
    def of(cls, recorded: Mapping[str, Any]) -> Joined:
        """As it stands in the file beside the weights."""
        units = tuple((unit["adds"], cls(unit["constant"], unit["weights"])) for unit in recorded.get("units", ()))
        return cls(recorded["constant"], recorded["weights"], units)

    def score(self, values: Mapping[str, float]) -> float:
        """The log-odds for these terms."""
        total = self.constant + sum(weight * values[name] for name, weight in self.weights.items())
        return total + sum(adds * math.tanh(unit.score(values)) for adds, unit in self.units)


@dataclass(frozen=True, slots=True)
class Fusion:
    """What was fitted for one model."""

    support: Joined
    contradiction: Joined

    @classmethod
    def of(cls, recorded: Mapping[str, Any]) -> Fusion:
        """As it stands in the file beside the weights."""
        return cls(Joined.of(recorded["support"]), Joined.of(recorded["contradiction"]))

    def judge_claim(self, signals: ClaimSignals) -> ClaimProbabilities:
        """The probabilities of one claim."""
        values = terms(signals)
        supported = sigmoid(self.support.score(values))
        if signals.number_doubt >= _WRONG_NUMBER:
            supported = min(supported, 1.0 - signals.number_doubt)
        share = sigmoid(self.contradiction.score({**values, "against": logit(signals.against)}))
        rest = 1.0 - supported
        return ClaimProbabilities(supported, rest * share, rest * (1.0 - share))


@lru_cache(maxsize=1)
def shipped() -> Fusion:
    """The layer that was fitted for the weights in the package."""
    return Fusion.of(settings())
