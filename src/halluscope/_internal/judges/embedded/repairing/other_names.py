"""The names of the context that could stand in place of a wrong one, and names and numbers that change places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from ....text import STOP_WORDS, Span
from ..claims.grammar import lowered
from ..quantities.alignment import prepare
from .candidate import Candidate, Source, has
from .other_numbers import RANGE

_NAME = re.compile(
    r"\b(?!The\b|An?\b)[A-Z][\w'’&-]*(?:\.(?=\s[A-Z]))?(?:\s+(?:(?:de|of|van|von|der|la|le|the|and|&)\s+)?[A-Z0-9][\w'’&-]*)*"
)
_CODE = re.compile(r"(?<![\w.])[a-z]{1,6}-?\d[\w.-]*(?<![.-])")
"""What is called by a letter and a number: "n2", "v5.1"."""
_POSSESSIVE = re.compile(r"['’]s$")
CALENDAR = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday""".split()
)
_NO_NAMES = STOP_WORDS | CALENDAR
_MOST_NAMES = 6


def other_names(said: str, sources: Sequence[Source]) -> Iterator[Candidate]:
    """For each name, others of the context, those in the nearest sentences first."""
    known = "\n".join(source.text for source in sources)
    found = ((place.of(source.text), source) for source in sources for place in _names_in(source.text, known))
    theirs = dict.fromkeys(found)
    for place in _names_in(said, known):
        mine = place.of(said)
        others = ((name, source) for name, source in theirs if name not in said and _called_alike(mine, name))
        for name, source in islice(others, _MOST_NAMES):
            yield source.edit(*place, name)


def _called_alike(mine: str, other: str) -> bool:
    """Whether both have a number, or neither; of two codes, whether they are built alike."""
    if _CODE.fullmatch(mine) or _CODE.fullmatch(other):
        return re.sub(r"\d+", "0", mine) == re.sub(r"\d+", "0", other)
    return bool(re.search(r"\d", mine)) == bool(re.search(r"\d", other))


def _names_in(text: str, known: str) -> Iterator[Span]:
    """Stretches that are written like names, and not only because a sentence begins with them."""
    for match in _CODE.finditer(text):
        if not prepare(match.group()).placed:
            yield Span(*match.span())
    for match in _NAME.finditer(text):
        place = _name_of(match)
        name = place.of(text)
        if " " not in name and _opens_only(text, place, known):
            continue
        if len(name) > 1 and name.lower() not in _NO_NAMES and prepare(name).placed == ():
            yield place


def _name_of(match: re.Match[str]) -> Span:
    """A name without what a sentence puts before and behind it: "It's Ann", "In Oslo", "Ann's"."""
    first, _, rest = match.group().partition(" ")
    opening = rest and re.split("['’]", first)[0].lower() in STOP_WORDS
    start = match.start() + (len(match.group()) - len(rest.lstrip()) if opening else 0)
    ending = _POSSESSIVE.search(match.group())
    return Span(start, match.end() - (len(ending.group()) if ending else 0))


def _opens_only(text: str, place: Span, known: str) -> bool:
    """Whether a word has its capital only as the first of a sentence, a line or a cell."""
    name = place.of(text)
    if re.search(rf"(?<=[\w,;] ){re.escape(name)}\b", known):
        return False
    return text[: place.start].rstrip()[-1:] in ("", *".!?:\n") or has(known, name.lower())


def changed_places(said: str, deciding: Sequence[Source]) -> Iterator[Candidate]:
    """Two numbers of a kind, or two names, that change places."""
    numbers = [item.quantity for item in prepare(said).placed if not item.quantity.slight]
    pairs = [
        (Span(a.start, a.end), Span(b.start, b.end))
        for a, b in combinations(numbers, 2)
        if (a.dimension, a.kind, a.nouns) == (b.dimension, b.kind, b.nouns) and a.text != b.text
    ]
    known = "\n".join([said, *(source.text for source in deciding)])
    names = list(_names_in(said, known))
    pairs += [(a, b) for a, b in combinations(names, 2) if a.of(said) != b.of(said)]
    pairs = [pair for pair in pairs if not RANGE.fullmatch(said, pair[0].end, pair[1].start)]
    together = [(a, b) for a, b in pairs if any(_has_both(source, a.of(said), b.of(said)) for source in deciding)]
    for a, b in ((_with_article(said, a), _with_article(said, b)) for a, b in together[:3]):
        after = b.of(said) + said[a.end : b.start] + lowered(a.of(said))
        yield Candidate(a.start, b.end, after if a.start else after[0].upper() + after[1:], "replace", decided=True)


def _has_both(source: Source, *texts: str) -> bool:
    return all(has(source.text, text) for text in texts)


def _with_article(said: str, place: Span) -> Span:
    return Span(place.start - 4, place.end) if said[: place.start].lower().endswith("the ") else place
