"""Everything that is measured on a claim and its evidence, before it is joined into one judgement.

The model reads meaning; words are compared by rule with the evidence for the claim, numbers with the whole
context. None of the signals depends on how long the claim or the output is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ....core.plumbing.threads import checkpoint
from ....core.verdict import Claim
from ..claims.absence import speaks_of_absence
from ..network.model import ClaimView, Place, settings, sigmoid
from ..network.passes import SURE, Reads, Seen, look_at, without_question
from ..quantities.number_match import number_matches
from ..quantities.quantity import UNTOLD, NumberMatch
from ..reading.evidence import EvidenceIndex, ReadContext, Selection, content_words

_TOP_MARKS = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """The signals of one claim, and what they were read from."""

    signals: ClaimSignals
    selection: Selection
    view: ClaimView
    error: ClaimView
    """The view that says in which way the claim is wrong, if it is."""
    numbers: tuple[NumberMatch, ...]
    stated: str
    """The claim without the question that a bare answer was joined with."""
    before: int
    """How many characters of the claim, where the numbers have their places, come before `stated`."""
    said: str
    """The words of the output that the claim was taken from. The network's marks are places in it."""
    place: Place | None
    """Where `said` stands in the output as it is judged, None for a claim from elsewhere."""


def measure(
    claims: Sequence[Claim],
    context: ReadContext,
    network: Reads,
    question: str | None = None,
    output: str | None = None,
) -> list[Measured]:
    """One measurement for each claim of an output."""
    numbers = numbers_of(claims, context, question)
    seen = look_at(claims, output, context.given, network, question)
    for number, (claim, found) in enumerate(zip(claims, numbers, strict=True)):
        other = as_written_there(claim, found, question)
        if other is not None and min(seen[number].view.supported, seen[number].alone.supported) < SURE:
            seen[number] = _read_again(seen[number], other, context, network, question)
    wrong = [one.view.supported < 0.5 for one in seen]
    errors = [_error_of(one, sum(wrong) > own) for one, own in zip(seen, wrong, strict=True)]
    return [
        _measured(claim.text, found, one, error, context, question)
        for claim, found, one, error in zip(claims, numbers, seen, errors, strict=True)
    ]


def numbers_of(claims: Sequence[Claim], context: ReadContext, question: str | None) -> list[list[NumberMatch]]:
    """How the numbers of each claim of an output stand to the context."""
    texts = [claim.text for claim in claims]
    return number_matches(texts, context.numbers(" ".join(texts)), question or "")


def _error_of(seen: Seen, beside_wrong: bool) -> ClaimView:
    """The view that says in which way a claim is wrong, if it is.

    Beside a wrong claim both views must take it for contradicted: its neighbour's error is easily taken for its own.
    """
    return min(seen.view, seen.alone, key=lambda view: view.against) if beside_wrong else seen.view


def as_written_there(claim: Claim, numbers: Sequence[NumberMatch], question: str | None) -> Claim | None:
    """A claim with its numbers as the context writes them, None where they are written so already.

    `12.50` for `12.5` and `twelve hundred` for `1,200` have been found to agree by rule. A small model does not know
    that and takes another spelling for another number, so it is shown the same.
    """
    stated = without_question(claim.text, question)
    before = len(claim.text) - len(stated)
    made, done = "", 0
    for found in numbers:
        start = found.claim.start - found.bounded - before
        if found.written and found.status == "stated" and start >= done:
            made += stated[done:start] + found.written
            done = found.claim.end - before
    made += stated[done:]
    return Claim(claim.id, made) if made != stated else None


def _read_again(seen: Seen, claim: Claim, context: ReadContext, network: Reads, question: str | None) -> Seen:
    """What is seen of a claim, or of the same with its numbers written otherwise, where that finds more support."""
    (again,) = look_at([claim], None, context.given, network, question)
    if again.view.supported <= seen.view.supported:
        return seen
    view = replace(again.view, marks=())
    alone = max(seen.alone, again.alone, key=lambda view: view.supported)
    return replace(seen, view=view, first=max(seen.first, again.first), alone=alone)


def _measured(
    claim: str,
    numbers: Sequence[NumberMatch],
    seen: Seen,
    error: ClaimView,
    context: ReadContext,
    question: str | None,
) -> Measured:
    checkpoint()
    index = context.index
    stated, selection = without_question(claim, question), index.select(claim)
    held = {*content_words(selection.text), *content_words(question or "")}
    doubts = sorted((mark for _, _, mark in seen.view.marks), reverse=True)[:_TOP_MARKS]
    untold = sum(found.status in UNTOLD for found in numbers)
    signals = ClaimSignals(
        supported=seen.view.supported,
        contradicted=seen.view.contradicted,
        against=error.against,
        first=seen.first,
        alone=seen.alone.supported,
        asked=bool(question),
        absence=speaks_of_absence(claim),
        doubt=sum(doubts) / len(doubts) if doubts else 0.0,
        coverage=_coverage(content_words(stated), held, index),
        numbers_missing=untold / len(numbers) if numbers else 0.0,
        number_doubt=max((found.doubt for found in numbers), default=0.0),
        number_follows=any(found.status == "follows" for found in numbers),
        complete=selection.complete,
    )
    return Measured(
        signals=signals,
        selection=selection,
        view=seen.view,
        error=error,
        numbers=tuple(numbers),
        stated=stated,
        before=len(claim) - len(stated),
        said=seen.said,
        place=seen.place,
    )


def _coverage(words: Sequence[str], held: set[str], index: EvidenceIndex) -> float:
    """The part of the claim's words that the evidence has, rare words counting more."""
    weights = {word: index.idf(word) for word in words}
    total = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in held) / total if total else 1.0


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
