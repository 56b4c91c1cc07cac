"""Which number of a text plays the same part as a number of a claim.

Two numbers are put side by side by the words around them: the thing counted, the matter of the sentence,
the year or name next to it. Nearer words say more than distant ones, and a comma is a distance of its own.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from ..text import STOP_WORDS, Span, sentences, stem, word_places
from .measures import Quantity, read

__all__ = ["Placed", "Prepared", "near_share", "prepare", "same_label", "sentence_share"]

_REACH = 8
_WORDS = 24
_DECAY = 0.8
_COMMA = 2.0
_BREAK = re.compile(r"[,;:()\[\]|–—]|\b(?:and|but|while|whereas|or|compared)\b")

_PRONOUN = re.compile(r"(?:It|Its|He|His|She|Her|They|Their|This|These)\b")

# Words that begin or end something: a date of the one is no date of the other.
_STARTING = frozenset(
    "begin began begun begins start starts started starting found founded establish established open opens opened "
    "born birth launch launched commence commenced introduced announced since first set planted".split()
)
_ENDING = frozenset(
    "end ends ended ending finish finished complete completed completion close closed closes die died dies death "
    "over until till expire expires expired retired dissolved reopen reopened abolished left out".split()
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A quantity with its sentence and the content words around it, weighed by nearness."""

    quantity: Quantity
    sentence: int
    near: dict[str, float]
    event: str
    label: frozenset[str]
    """What a field or a specification calls it: "price" in "unit price: 12.50", "SSD" in "512GB NVMe SSD"."""


@dataclass(frozen=True)
class Prepared:
    """A text with its quantities read, for comparing many claims with it."""

    text: str
    placed: tuple[Placed, ...]
    stems: tuple[frozenset[str], ...]
    spans: tuple[Span, ...]
    matter: tuple[frozenset[str], ...]
    """The stems of each sentence and, where it opens with a pronoun, of the one before it."""

    @cached_property
    def counts(self) -> Counter[str]:
        """In how many sentences each word stands."""
        return Counter(word for sentence in self.stems for word in sentence)

    def weight(self, word: str) -> float:
        """How telling a word is in this text: one that stands in every sentence tells little."""
        return math.log(1.0 + (1 + len(self.stems)) / (0.5 + self.counts.get(word, 0)))


class _Token(NamedTuple):
    stem: str
    raw: str
    start: int
    position: float


@lru_cache(maxsize=64)  # in a short context all claims have the same evidence
def prepare(text: str) -> Prepared:
    """Read a text once; `compare` takes the result in place of the text."""
    spans = sentences(text)
    found = read(text)
    stems: list[frozenset[str]] = []
    placed: list[Placed] = []
    index = 0
    for number, span in enumerate(spans):
        tokens = _tokens(text, span)
        stems.append(frozenset(token.stem for token in tokens if token.raw not in STOP_WORDS))
        starts = [token.start for token in tokens]
        while index < len(found) and found[index].start < span.end:
            quantity = found[index]
            index += 1
            if quantity.start >= span.start:
                near, event = _near(tokens, starts, quantity)
                placed.append(Placed(quantity, number, near, event, _label(text, span, quantity)))
    matter = tuple(
        stems[number] | stems[number - 1] if number and _PRONOUN.match(text, span.start) else stems[number]
        for number, span in enumerate(spans)
    )
    return Prepared(text, tuple(placed), tuple(stems), tuple(spans), matter)


def _tokens(text: str, span: Span) -> list[_Token]:
    """The words of a sentence on a line where stop words take no room and a comma takes some."""
    sentence = span.of(text)
    breaks = [match.start() for match in _BREAK.finditer(sentence)]
    tokens = []
    position = 0.0
    passed = 0
    for word in word_places(sentence):
        while passed < len(breaks) and breaks[passed] < word.start:
            position += _COMMA
            passed += 1
        tokens.append(_Token(stem(word.text), word.text, span.start + word.start, position))
        if word.text not in STOP_WORDS:
            position += 1
    return tokens


def _near(tokens: list[_Token], starts: list[int], quantity: Quantity) -> tuple[dict[str, float], str]:
    first = bisect_left(starts, quantity.start)
    last = bisect_left(starts, quantity.end)
    near: dict[str, float] = {}
    starting = ending = False
    if not tokens:
        return near, ""
    here = tokens[min(first, len(tokens) - 1)].position
    after = tokens[min(max(last - 1, 0), len(tokens) - 1)].position
    left, right = range(first - 1, max(-1, first - _WORDS), -1), range(last, min(len(tokens), last + _WORDS))
    for side, origin in ((left, here), (right, after)):
        for place in side:
            token = tokens[place]
            distance = abs(token.position - origin)
            if distance > _REACH:
                break
            if distance <= 4:
                starting = starting or token.raw in _STARTING
                ending = ending or token.raw in _ENDING
            if token.raw not in STOP_WORDS:
                near[token.stem] = max(near.get(token.stem, 0.0), _DECAY**distance)
    return near, "" if starting == ending else "start" if starting else "end"


_FIELD = re.compile(r"(?:^|[;,|—–\n])\s*([^\W\d_][\w /_-]{1,40}):\s*[^\w\s]?$")
_SPEC_WORDS = 7


def _label(text: str, span: Span, quantity: Quantity) -> frozenset[str]:
    """The head words a field name or a short specification gives a number."""
    heads: set[str] = set()
    field = _FIELD.search(text[max(span.start, quantity.start - 60) : quantity.start])
    if field:
        names = [word.text for word in word_places(field.group(1).replace("_", " "))]
        heads.update(stem(name) for name in names[-1:] if name not in STOP_WORDS)
    if span.end - span.start < 90 and len(span.of(text).split()) <= _SPEC_WORDS:
        heads.update(quantity.nouns[-1:])
    return frozenset(heads)


def same_label(item: Placed, other: Placed, known: Prepared) -> bool:
    """Whether the evidence is a field or a specification that the claim names, and the only one so called."""
    named = {word for word in other.label if item.near.get(word, 0.0) >= _DECAY}
    unit = other.quantity.dimension
    return bool(named) and not any(
        rival is not other and rival.quantity.dimension == unit and (named & rival.label or named & set(rival.near))
        for rival in known.placed
    )


def sentence_share(item: Placed, other: Placed, said: Prepared, known: Prepared) -> tuple[float, float]:
    """The part of the claim's words that stand in the evidence's sentence, and the other way round."""
    mine, theirs = said.stems[item.sentence], known.stems[other.sentence]
    matter = known.matter[other.sentence]
    back = sum(known.weight(word) for word in mine if word in theirs)
    forth = sum(known.weight(word) for word in mine if word in matter)
    return _part(forth, sum(map(known.weight, mine))), _part(back, sum(map(known.weight, theirs)))


def near_share(item: Placed, other: Placed, known: Prepared) -> tuple[float, float]:
    """The part of the words around the claim's number that stand around the other too, and the reverse."""
    shared = 0.0
    for word, closeness in item.near.items():
        if word in other.near:
            shared += known.weight(word) * min(closeness, other.near[word])
    mine = sum(known.weight(word) * closeness for word, closeness in item.near.items())
    theirs = sum(known.weight(word) * closeness for word, closeness in other.near.items())
    return _part(shared, mine), _part(shared, theirs)


def _part(shared: float, total: float) -> float:
    return shared / total if total else 0.0
