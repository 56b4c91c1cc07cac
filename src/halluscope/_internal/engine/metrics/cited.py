"""Which passages an answer cites, and which claim each citation mark belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ...core.verdict import Claim
from ...text.citation_marks import citation_marks
from ...text.quotes import folded
from ...text.sentences import sentences

_SMALL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_RANGE = re.compile(r"(\d{1,3})\s*[–-]\s*(\d{1,3})")
_NUMBER = re.compile(r"\d{1,3}")
_NAME = re.compile(r"[:#]\s*(.+?)\s*[)\]】]$", re.DOTALL)
_TITLE = 200
"""Length of the beginning of a passage that may contain its title."""


class Mark(Struct, frozen=True):
    """A citation mark: its position and the passages it names. `unknown` says that one of them does not exist."""

    start: int
    end: int
    passages: tuple[int, ...]
    unknown: bool = False


def marks_in(output: str, context: Sequence[str], sources: Mapping[str, int]) -> list[Mark]:
    """The marks of the output. `sources` maps the names in marks, or whole marks, to passage numbers from 1."""
    named = {folded(name): number - 1 for name, number in sources.items()}
    found = {match.span(): _read(match.group(), context, named) for match in citation_marks(output)}
    for name, number in sources.items():  # marks that the user defined
        for match in re.finditer(re.escape(name), output):
            if not any(start <= match.start() < end for start, end in found):
                found[match.span()] = (number - 1,)
    there = range(len(context))
    return [
        Mark(start, end, tuple(i for i in indices if i in there), not all(i in there for i in indices))
        for (start, end), indices in sorted(found.items())
    ]


def _read(mark: str, context: Sequence[str], named: Mapping[str, int]) -> tuple[int, ...]:
    """The passages that a mark names, -1 for a passage that does not exist."""
    label = _NAME.search(mark)
    name = folded(label[1]) if label else folded(mark.strip("[]()【】"))
    for known in (folded(mark), name):
        if known in named:
            return (named[known],)
    digits = mark.translate(_SMALL)
    if label is None or _NUMBER.fullmatch(label[1]):
        numbers: dict[int, None] = {}
        for low, high in _RANGE.findall(digits):
            numbers.update(dict.fromkeys(range(int(low) - 1, min(int(high), int(low) + 50))))
        numbers.update(dict.fromkeys(int(number) - 1 for number in _NUMBER.findall(_RANGE.sub(" ", digits))))
        return tuple(numbers) or (-1,)
    titled = [i for i, text in enumerate(context) if name and name in folded(text[:_TITLE])]
    return (titled[0],) if titled else (-1,)


def on_claims(output: str, claims: Sequence[Claim], marks: Sequence[Mark]) -> dict[str, tuple[Mark, ...]]:
    """The marks of each claim: those inside it, and those that follow it in its sentence."""
    spans = [(span.start, span.end) for span in sentences(output)]
    homes = {mark: _home(mark, spans, output, marks) for mark in marks}
    found: dict[str, tuple[Mark, ...]] = {}
    for claim in claims:
        if claim.start is None or claim.end is None:
            found[claim.id] = ()
            continue
        home = _sentence_at(claim.end - 1, spans)
        own = [mark for mark in marks if homes[mark] == home]
        inside = [mark for mark in own if claim.start <= mark.start < claim.end]
        behind = [mark for mark in own if mark.start >= claim.end]
        found[claim.id] = tuple(dict.fromkeys((*inside, *_first_group(behind, output)))) or tuple(own[-1:])
    return found


def _first_group(marks: Sequence[Mark], output: str) -> Iterator[Mark]:
    """The first mark and those directly after it, as in "[1][2]"."""
    for before, mark in zip((None, *marks), marks):  # noqa: B905 - pairs of neighbours
        if before is not None and output[before.end : mark.start].strip(" ,;"):
            return
        yield mark


def _home(mark: Mark, spans: Sequence[tuple[int, int]], output: str, marks: Sequence[Mark]) -> int:
    """The sentence that a mark belongs to. A mark at the beginning of a sentence belongs to the previous one."""
    place = _sentence_at(mark.start, spans)
    if place < 0:
        return place
    start = spans[place][0]
    lead = output[start : mark.start]
    for other in marks:
        if start <= other.start < mark.start:
            lead = lead.replace(output[other.start : other.end], "")
    return place - 1 if place and not lead.strip(" .,;") else place


def _sentence_at(at: int, spans: Sequence[tuple[int, int]]) -> int:
    """The sentence with this character, or the last one before it."""
    return max((i for i, (start, _) in enumerate(spans) if start <= at), default=-1)
