"""Everything that is measured on a claim and its evidence, before it is joined into one judgement.

The model reads meaning; the words, numbers and names are compared by rule, each against the same evidence the
model sees. None of the signals depends on how long the claim or the output is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ...plumbing.threads import checkpoint
from ..quantities.comparing import QuantityFinding, compare
from ..reading.evidence import EvidenceIndex, Selection, content_words
from ..reading.fields import FieldFinding, compare_fields
from .fusion import ClaimSignals, logit, sigmoid
from .names import Name, missing_names, names
from .rewording import Reworded, reworded
from .wording import PolarityConflict, polarity_conflict

if TYPE_CHECKING:
    from ..network.model import PairModel, PairReading
    from ..reading.context import ReadContext

__all__ = ["Measured", "measure"]

_TOP_MARKS = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """The signals of one claim, and what they were read from."""

    signals: ClaimSignals
    selection: Selection
    reading: PairReading
    findings: tuple[QuantityFinding, ...]
    absent: tuple[Name, ...]
    fields: tuple[FieldFinding, ...]
    opposite: PolarityConflict | None
    stated: str
    """The claim without the question that a bare answer was joined with. Names, fields and marks are places in it."""
    before: int
    """How many characters of the claim, where the numbers have their places, come before `stated`."""


def measure(
    claims: Sequence[str], context: ReadContext, model: PairModel, question: str | None = None
) -> list[Measured]:
    """One measurement for each claim of an output."""
    index = context.index
    stated = [_without(claim, question) for claim in claims]
    selections = [_selected(index, claim) for claim in claims]
    findings = [tuple(compare(claim, chosen.text)) for claim, chosen in zip(claims, selections, strict=True)]
    read = [
        reworded(text, chosen.text, found, len(claim) - len(text))
        for claim, text, chosen, found in zip(claims, stated, selections, findings, strict=True)
    ]
    # Only a bare answer needs its question: beside a whole sentence it makes the model too trusting.
    readings: dict[int, PairReading] = {}
    for bare in (True, False):
        places = [place for place, claim in enumerate(claims) if (stated[place] != claim) == bare]
        pairs = [(selections[place].text, read[place].text) for place in places]
        readings.update(zip(places, model.read(pairs, question if bare else None), strict=True))
    said = {word for item in read for word in content_words(item.text)}
    whole = _Output(
        covered=sum(map(index.has, said)) / len(said) if said else 1.0,
        company=sigmoid(sum(logit(found.supported) for found in readings.values()) / max(1, len(readings))),
    )
    return [
        _measured(
            claim,
            stated[place],
            read[place],
            selections[place],
            readings[place],
            findings[place],
            context,
            question,
            whole,
        )
        for place, claim in enumerate(claims)
    ]


def _selected(index: EvidenceIndex, claim: str) -> Selection:
    checkpoint()
    return index.select(claim)


@dataclass(frozen=True, slots=True)
class _Output:
    """What all claims of an output share."""

    covered: float
    company: float


def _without(claim: str, question: str | None) -> str:
    asked = " ".join((question or "").split())
    rest = claim[len(asked) :].strip() if asked and claim.startswith(asked) else ""
    return rest or claim


def _measured(
    claim: str,
    stated: str,
    read: Reworded,
    selection: Selection,
    reading: PairReading,
    findings: tuple[QuantityFinding, ...],
    context: ReadContext,
    question: str | None,
    whole: _Output,
) -> Measured:
    checkpoint()
    index = context.index
    named = names(stated)
    absent = tuple(missing_names(stated, f"{question or ''} {selection.text}"))
    opposite = polarity_conflict(claim, selection.text)
    words, asked = content_words(read.text), set(content_words(question or ""))
    held = content_words(selection.text)
    doubts = sorted((mark for _, _, mark in reading.token_marks), reverse=True)[:_TOP_MARKS]
    missing = sum(found.status == "missing" for found in findings)
    coverage = _coverage(words, set(held) | asked, index)
    fields = tuple(compare_fields(stated, context.fields)) if context.fields else ()
    signals = ClaimSignals(
        supported=reading.supported,
        contradicted=reading.contradicted,
        unsupported=reading.unsupported,
        doubt=sum(doubts) / len(doubts) if doubts else 0.0,
        coverage=coverage,
        known=_coverage(words, {word for word in words if index.has(word)} | asked, index),
        pairs=_pairs(words, held, index, coverage),
        numbers_missing=missing / len(findings) if findings else 0.0,
        number_conflict=max((found.strength for found in findings), default=0.0),
        names_missing=len(absent) / len(named) if named else 0.0,
        output=whole.covered,
        company=whole.company,
        complete=selection.complete,
        opposite=opposite is not None,
        record=bool(context.fields),
        field_conflict=max((found.strength for found in fields if found.status == "conflicts"), default=0.0),
        field_open=max((found.strength for found in fields if found.status == "unknown"), default=0.0),
    )
    marks = tuple((*read.original(start, end), mark) for start, end, mark in reading.token_marks)
    return Measured(
        signals=signals,
        selection=selection,
        reading=replace(reading, token_marks=marks),
        findings=findings,
        absent=absent,
        fields=fields,
        opposite=opposite,
        stated=stated,
        before=len(claim) - len(stated),
    )


def _coverage(words: Sequence[str], held: set[str], index: EvidenceIndex) -> float:
    """The part of the claim's words that the evidence has, rare words counting more."""
    weights = {word: index.idf(word) for word in words}
    total = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in held) / total if total else 1.0


def _pairs(words: Sequence[str], held: Sequence[str], index: EvidenceIndex, alone: float) -> float:
    """The same for pairs of neighbours: high where the claim repeats the evidence; a lone word has none."""
    mine = set(pairwise(words))
    theirs = set(pairwise(held))
    weights = {pair: index.idf(pair[0]) + index.idf(pair[1]) for pair in mine}
    total = sum(weights.values())
    return sum(weight for pair, weight in weights.items() if pair in theirs) / total if total else alone
