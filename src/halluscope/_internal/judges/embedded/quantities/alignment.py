"""Which number of a text plays the same part as a number of a claim.

Two numbers are put side by side by the words around them: the thing counted, the matter of the sentence,
the year or name next to it. Nearer words say more than distant ones, and a comma is a distance of its own.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from ....text import STOP_WORDS, Span, sentences, stem, word_places
from .quantity import Quantity
from .reading import SaidOnce, read

_REACH = 8
_WORDS = 24
_DECAY = 0.8
_COMMA = 2.0
_BREAK = re.compile(r"[,;:()\[\]|–—]|\b(?:and|but|while|whereas|or|compared)\b")

_PRONOUN = re.compile(r"(?:It|Its|He|His|She|Her|They|Their|This|These)\b")

_ABOUT = r"\s+(?:(?:about|around|nearly|almost|just|over|under|exactly|approximately|some|the|\$|€|£)\s*){0,2}$"
_AFTER_FROM = re.compile(rf"\b(?:from|between|since){_ABOUT}", re.IGNORECASE)
_AFTER_TO = re.compile(rf"(?:\b(?:to|until|till|through){_ABOUT}|\d\s?[–—-]\s?$)", re.IGNORECASE)
_BEFORE_TO = re.compile(r"\s?[–—-]\s?\d|\s+(?:to|until|till|through)\s+(?:\w+\s+){0,2}[$€£]?\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Placed:
    """A quantity with its sentence and the content words around it, weighed by nearness."""

    index: int
    quantity: Quantity
    sentence: int
    """Below zero, like the index, for one that was worked out, which belongs to everything."""
    near: Mapping[str, float] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    """The words of the number itself: two sentences are not alike for holding it."""
    label: tuple[str, ...] = ()
    """What a field or a specification calls it, the last word last: "unit", "price" in "unit price: 12.50"."""
    end: str = ""
    """Which end of a span or a change it is, "first" or "last": the 5 and the 9 of "from 5 to 9"."""
    meant: Quantity | None = None
    """The number with what its text has said before it: 84.2 below "EUR million", 12 May below "baptisms 1871"."""


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
    def _counts(self) -> Counter[str]:
        """In how many sentences each word stands."""
        return Counter(word for sentence in self.stems for word in sentence)

    def weight(self, word: str) -> float:
        """How telling a word is in this text: one that stands in every sentence tells little."""
        return math.log(1.0 + (1 + len(self.stems)) / (0.5 + self._counts.get(word, 0)))


class _Token(NamedTuple):
    stem: str
    raw: str
    start: int
    position: float


def _end(text: str, quantity: Quantity) -> str:
    before = text[max(0, quantity.start - 30) : quantity.start]
    if _AFTER_FROM.search(before):
        return "first"
    if _AFTER_TO.search(before):
        return "last"
    return "first" if _BEFORE_TO.match(text, quantity.end) else ""


@lru_cache(maxsize=64)  # a claim is asked for again when its kind of error is named
def prepare(text: str) -> Prepared:
    """Read a text once; `number_matches` takes the result in place of a context."""
    spans = sentences(text)
    found = read(text)
    starts = [quantity.start for quantity in found]
    said_once = SaidOnce(text, found)
    stems: list[frozenset[str]] = []
    placed: list[Placed] = []
    for number, span in enumerate(spans):
        tokens = _tokens(text, span)
        stems.append(frozenset(token.stem for token in tokens if token.raw not in STOP_WORDS))
        for quantity in found[bisect_left(starts, span.start) : bisect_left(starts, span.end)]:
            near, own = _around(tokens, quantity)
            label, end, meant = _label(text, span, quantity), _end(text, quantity), said_once.meant(quantity, span)
            placed.append(Placed(len(placed), quantity, number, near, own, label, end, meant))
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


def _around(tokens: list[_Token], quantity: Quantity) -> tuple[dict[str, float], frozenset[str]]:
    """The words near a number, and the words of the number itself."""
    first, last = (bisect_left(tokens, at, key=lambda token: token.start) for at in (quantity.start, quantity.end))
    unit = quantity.unit.lower()
    own = frozenset(token.stem for token in tokens[first:last] if token.raw not in unit or not unit)
    near: dict[str, float] = {}
    left, right = tokens[max(0, first - _WORDS + 1) : first], tokens[last : last + _WORDS]
    for side, origin in ((left[::-1], first), (right, max(last - 1, 0))):
        for token in side:
            distance = abs(token.position - tokens[min(origin, len(tokens) - 1)].position)
            if distance > _REACH:
                break
            if token.raw not in STOP_WORDS:
                near[token.stem] = max(near.get(token.stem, 0.0), _DECAY**distance)
    return near, own


_FIELD = re.compile(r"(?:^|[;,|—–\n.:])\s*((?:\d{4}\s)?[^\W\d_][\w /_%()°-]{0,40}):\s*[^\w\s]{0,2}$")
_SPEC_WORDS = 7


def _label(text: str, span: Span, quantity: Quantity) -> tuple[str, ...]:
    """The words a field name or a short specification gives a number."""
    if ":" in text[max(0, quantity.start - 4) : quantity.start]:
        field = _FIELD.search(text[max(span.start, quantity.start - 60) : quantity.start])
        if field:
            names = [word.text for word in word_places(field.group(1).replace("_", " "))]
            return tuple(stem(name) for name in names if name not in STOP_WORDS)
    if span.end - span.start < 90 and len(span.of(text).split()) <= _SPEC_WORDS:
        return quantity.nouns[-1:]
    return ()


def sentence_shares(item: Placed, said: Prepared, known: Prepared) -> list[float]:
    """The part of the words of a number's sentence, without the number, that each sentence of the evidence has."""
    mine = {word: known.weight(word) for word in sorted(said.stems[item.sentence] - item.own)}
    total = sum(mine.values())
    return [_part(sum(weight for word, weight in mine.items() if word in matter), total) for matter in known.matter]


def near_share(item: Placed, mine: float, other: Placed, known: Prepared) -> float:
    """The part of the words around the claim's number, which weigh `mine` in the evidence, that the other has too."""
    shared = ((word, min(closeness, other.near[word])) for word, closeness in item.near.items() if word in other.near)
    return _part(sum(known.weight(word) * closeness for word, closeness in shared), mine)


def _part(shared: float, total: float) -> float:
    return shared / total if total else 0.0
