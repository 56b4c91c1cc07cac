"""Everything that is measured on a claim and its evidence, before it is joined into one judgement.

The model reads meaning; words are compared by rule with the evidence for the claim, numbers with the whole
context. None of the signals depends on how long the claim or the output is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...plumbing.threads import checkpoint
from ...verdict import Claim
from ..claims.absence import speaks_of_absence
from ..network.looking import Reads, Seen, look_at, without_question
from ..network.model import ClaimView, Place
from ..quantities.standing import UNTOLD, Standing, standings
from ..reading.evidence import EvidenceIndex, Selection, content_words
from .fusion import ClaimSignals

if TYPE_CHECKING:
    from ..reading.context import ReadContext

_TOP_MARKS = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """The signals of one claim, and what they were read from."""

    signals: ClaimSignals
    selection: Selection
    view: ClaimView
    error: ClaimView
    """The view that says in which way the claim is wrong, if it is."""
    numbers: tuple[Standing, ...]
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
        if other is not None:
            seen[number] = _read_again(seen[number], other, context, network, question)
    wrong = [one.view.supported < 0.5 for one in seen]
    errors = [_error_of(one, sum(wrong) > own) for one, own in zip(seen, wrong, strict=True)]
    return [
        _measured(claim.text, found, one, error, context, question)
        for claim, found, one, error in zip(claims, numbers, seen, errors, strict=True)
    ]


def numbers_of(claims: Sequence[Claim], context: ReadContext, question: str | None) -> list[list[Standing]]:
    """How the numbers of each claim of an output stand to the context."""
    texts = [claim.text for claim in claims]
    return standings(texts, context.numbers(" ".join(texts)), question or "")


def _error_of(seen: Seen, beside_wrong: bool) -> ClaimView:
    """The view that says in which way a claim is wrong, if it is.

    Beside a wrong claim both views must take it for contradicted: its neighbour's error is easily taken for its own.
    """
    return min(seen.view, seen.alone, key=lambda view: view.against) if beside_wrong else seen.view


def as_written_there(claim: Claim, numbers: Sequence[Standing], question: str | None) -> Claim | None:
    """A claim with its numbers as the context writes them, None where they are written so already.

    `12.50` for `12.5` and `twelve hundred` for `1,200` have been found to agree by rule. A small model does not know
    that and takes another spelling for another number, so it is shown the same.
    """
    stated = without_question(claim.text, question)
    before = len(claim.text) - len(stated)
    made, done = "", 0
    for found in numbers:
        start = found.claim.start - before
        if found.written and start >= done:
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
    numbers: Sequence[Standing],
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
