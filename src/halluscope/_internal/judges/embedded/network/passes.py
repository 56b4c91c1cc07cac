"""How the claims of an output are read: together where they stand together, with more evidence only where it pays.

Neighbouring claims share one reading, and so their evidence; what the answer said before leads in. The first look
has little evidence. A claim that it is not sure of is also read alone, against evidence of its own: among its
neighbours a claim is understood, alone it is weighed. Where that settles nothing, the piece is read once more with as
much evidence as the network takes. A claim that is a sentence of the context, word for word, needs no look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ....core.verdict import Claim
from ..claims.bare_answers import question_in
from ..reading.evidence import EvidenceIndex, Selection, sentences
from ..reading.judged_text import judged
from .model import KINDS, ClaimView, Place, Reading

LADDER = (110, 330)
"""Words of evidence at the first look and at the second."""
SURE = 0.95
"""From this probability on, of being supported or contradicted at the first look, a claim is not read alone."""
SETTLED = 0.05, 0.85
"""Up to this support alone, or from that one on alone or at the first look, more evidence does not turn the verdict."""
LEAD_WORDS = 40
PIECE_WORDS = 110
"""About how many words of an answer are read at once."""
ROOM = 400
"""Tokens of evidence beside a lead and an answer of ordinary length."""
_PIECES = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\S+")
_VERBATIM_WORDS = 4
_VERBATIM = ClaimView(0.995, 0.0025, 0.0025, (1.0 / len(KINDS),) * len(KINDS), ())


class Reads(Protocol):
    """Whoever can read: the network, or a record of what it said."""

    def read(self, readings: Sequence[Reading]) -> list[tuple[ClaimView, ...]]: ...


@dataclass(frozen=True, slots=True)
class _Piece:
    """Neighbouring claims, or parts of one claim that is too long: `owners` are the numbers of their claims."""

    lead: str
    text: str
    start: int
    places: tuple[Place, ...]
    owners: tuple[int, ...]

    def reading(self, index: EvidenceIndex, words: int) -> Reading:
        return with_evidence(index, self.lead, self.text, self.places, words)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the network made of a claim, and of which words: the marks of the view are places in them."""

    view: ClaimView
    first: float
    """How far the first look, with little evidence, held it for supported."""
    alone: ClaimView
    """What it is taken for when it is read without its neighbours, whose errors are not its own."""
    said: str
    place: Place | None
    """Where the words stand in the output as it is judged, None for a claim that was read by itself."""


def look_at(
    claims: Sequence[Claim], output: str | None, index: EvidenceIndex, network: Reads, question: str | None
) -> list[Seen]:
    """What the network makes of each claim."""
    found: dict[int, Seen] = {}
    for text, places, of_output in _texts(claims, output):
        alone = [alone_look(claims[number], index, question) for number in places]
        looks = _views(text, list(places.values()), index, network, question, alone)
        for (number, (start, end)), (view, first, by_itself) in zip(places.items(), looks, strict=True):
            marks = tuple((max(a, start) - start, min(b, end) - start, mark) for a, b, mark in view.marks)
            place = (start, end) if of_output else None
            found[number] = Seen(replace(view, marks=marks), first, by_itself, text[start:end], place)
    return [found[number] for number in range(len(claims))]


def alone_look(claim: Claim, index: EvidenceIndex, question: str | None) -> Reading:
    """A claim by itself; a bare answer, which was joined with its question, is led in by it."""
    text = without_question(claim.text, question)
    lead = " ".join((question or "").split()) if text != claim.text else ""
    text = " ".join(text.split()[: 2 * PIECE_WORDS])
    return with_evidence(index, lead, text, ((0, len(text)),))


def without_question(claim: str, question: str | None) -> str:
    """A claim without the question that a bare answer was joined with."""
    for asked in (" ".join((question or "").split()), question_in(question or "")):
        rest = claim[len(asked) :].strip() if asked and claim.startswith(asked) else ""
        if rest:
            return rest
    return claim


def all_looks(
    claims: Sequence[Claim], output: str | None, index: EvidenceIndex, question: str | None
) -> Iterator[Reading]:
    """Every reading that may be asked for: what training needs to know beforehand."""
    yield from (alone_look(claim, index, question) for claim in claims)
    for text, places, _ in _texts(claims, output):
        for piece in _pieces(text, list(places.values()), question):
            yield from (piece.reading(index, words) for words in LADDER)


def _texts(claims: Sequence[Claim], output: str | None) -> Iterator[tuple[str, Mapping[int, Place], bool]]:
    """The output with the claims that are read where they stand, and each other claim by itself.

    Each with the places of claims by their numbers, and whether it is the output.
    """
    read = judged(output or "")
    places: dict[int, Place] = {}
    for number, claim in enumerate(claims):
        if output is not None and claim.start is not None and claim.end is not None:
            span = read.in_text(claim.start, claim.end)
            if span.end > span.start:
                places[number] = (span.start, span.end)
    if places:
        yield read.text, places, True
    for number, claim in enumerate(claims):
        if number not in places:
            yield claim.text, {number: (0, len(claim.text))}, False


def _views(
    text: str,
    claims: Sequence[Place],
    index: EvidenceIndex,
    network: Reads,
    question: str | None,
    alone: Sequence[Reading],
) -> list[tuple[ClaimView, float, ClaimView]]:
    """A view of each claim of a text (the marks are places in the text), first support, and view alone."""
    copied = _copied(text, claims, index)
    pieces = [piece for piece in _pieces(text, claims, question) if not set(piece.owners) <= copied]
    looks = [piece.reading(index, LADDER[0]) for piece in pieces]
    seen = network.read(looks)
    first: dict[int, float] = {}
    by_itself: dict[int, ClaimView] = {}
    for piece, views in zip(pieces, seen, strict=True):
        for owner, view in zip(piece.owners, views, strict=True):
            first[owner] = min(first.get(owner, 1.0), view.supported)
            by_itself[owner] = _weaker(by_itself[owner], view) if owner in by_itself else view
    sure = (number for number, view in by_itself.items() if max(view.supported, view.contradicted) >= SURE)
    unsure = sorted(by_itself.keys() - copied - set(sure))
    by_itself |= zip(unsure, (views[0] for views in network.read([alone[number] for number in unsure])), strict=True)
    again: dict[int, Reading] = {}
    for number, (piece, views) in enumerate(zip(pieces, seen, strict=True)):
        if not all(_is_settled(view, by_itself[owner]) for view, owner in zip(views, piece.owners, strict=True)):
            more = piece.reading(index, LADDER[1])
            if more.evidence != looks[number].evidence:
                again[number] = more
    for number, views in zip(again, network.read(list(again.values())), strict=True):
        seen[number] = views
    found: dict[int, ClaimView] = {}
    for piece, views in zip(pieces, seen, strict=True):
        for owner, view in zip(piece.owners, views, strict=True):
            moved = tuple((piece.start + a, piece.start + b, mark) for a, b, mark in view.marks)
            mine = replace(view, marks=moved)
            found[owner] = _weaker(found[owner], mine) if owner in found else mine
    copy = (_VERBATIM, _VERBATIM.supported, _VERBATIM)
    return [
        copy if number in copied else (found[number], first[number], by_itself[number]) for number in range(len(claims))
    ]


def _is_settled(first: ClaimView, alone: ClaimView) -> bool:
    low, high = SETTLED
    not_so = alone.supported <= low and alone != first  # what was not found at all may well stand in more evidence
    return first.contradicted >= SURE or not_so or max(first.supported, alone.supported) >= high


def _weaker(one: ClaimView, other: ClaimView) -> ClaimView:
    """A claim longer than is read at once holds as far as its weakest part holds."""
    weakest = min(one, other, key=lambda view: view.supported)
    marks = (*one.marks, *other.marks)
    return replace(weakest, marks=marks)


def _pieces(text: str, claims: Sequence[Place], question: str | None) -> Iterator[_Piece]:
    parts = [(part, owner) for owner, (start, end) in enumerate(claims) for part in _parts(text, start, end)]
    for group in groups_of(text, parts):
        first, last = group[0][0][0], group[-1][0][1]
        places = tuple((a - first, b - first) for (a, b), _ in group)
        lead = lead_of(question or "", text, first)
        yield _Piece(lead, text[first:last], first, places, tuple(owner for _, owner in group))


def _parts(text: str, start: int, end: int) -> list[Place]:
    """A claim, in parts where it is longer than is read at once."""
    words = [match.span() for match in _WORD.finditer(text, start, end)]
    if len(words) <= PIECE_WORDS:
        return [(start, end)]
    return [
        (words[first][0], words[min(len(words), first + PIECE_WORDS) - 1][1])
        for first in range(0, len(words), PIECE_WORDS)
    ]


def groups_of(text: str, parts: Sequence[tuple[Place, int]]) -> Iterator[list[tuple[Place, int]]]:
    """Neighbouring parts that are read together."""
    group: list[tuple[Place, int]] = []
    size = 0
    for part in parts:
        (start, end), _ = part
        count = len(text[start:end].split())
        far = bool(group) and start - group[-1][0][1] > 600
        if group and (size + count > PIECE_WORDS or far or start < group[-1][0][1]):
            yield group
            group, size = [], 0
        group.append(part)
        size += count
    if group:
        yield group


def lead_of(question: str, text: str, start: int) -> str:
    """The question and the last words that were said before a place."""
    before = text[max(0, start - 60 * LEAD_WORDS) : start].split()[-LEAD_WORDS:]
    return f"{question.strip()} {' '.join(before)}".strip()


def with_evidence(
    index: EvidenceIndex, lead: str, text: str, places: tuple[Place, ...], words: int = LADDER[0]
) -> Reading:
    """A reading of a text beside the evidence for it."""
    found = evidence_within(index, f"{lead} {text}".strip(), words)
    return Reading(lead, text, found.text, places, found.windows)


def evidence_within(index: EvidenceIndex, query: str, words: int, room: int = ROOM) -> Selection:
    """Evidence of at most so many words that also fits into the network: tables and JSON have many tokens a word."""
    found = index.select(query, words)
    for _ in range(3):
        tokens = 1.2 * len(_PIECES.findall(found.text))
        if tokens <= room:
            break
        words = int(len(found.text.split()) * 0.95 * room / tokens)
        found = index.select(query, max(20, words))
    return found


def _copied(text: str, claims: Sequence[Place], index: EvidenceIndex) -> set[int]:
    """The claims that are whole sentences of the context."""
    wanted = {number: _plain(text[start:end]) for number, (start, end) in enumerate(claims)}
    wanted = {number: plain for number, plain in wanted.items() if plain.count(" ") >= _VERBATIM_WORDS - 1}
    if not wanted:
        return set()
    longest = max(map(len, wanted.values()))
    known = {
        _plain(passage[start:end])
        for passage in index.passages
        for start, end in sentences(passage)
        if end - start <= 2 * longest
    }
    return {number for number, plain in wanted.items() if plain in known}


def _plain(text: str) -> str:
    return " ".join(text.split()).rstrip(".").lower()
