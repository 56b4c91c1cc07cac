"""Which number of a text plays the same part as a number of a claim.

Two numbers are put side by side by the words around them: the thing counted, the matter of the sentence,
the year or name next to it. Nearer words say more than distant ones, and a comma is a distance of its own.
In a field or a table the words are those of its name: `unit price: 12.50`.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from ...text import STOP_WORDS, Span, stem, word_places
from .layout import column_at, columns, statements
from .written.measures import read
from .written.quantity import Quantity
from .written.said_once import SaidOnce

__all__ = ["Placed", "Prepared", "field_fit", "near_share", "prepare", "sentence_shares"]

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

_EVENTS = {
    "start": frozenset(
        "begin began begun begins start starts started starting found founded establish established open opens opened "
        "born birth launch launched commence commenced introduced announced since first set planted".split()
    ),
    "end": frozenset(
        "end ends ended ending finish finished complete completed completion close closed closes die died dies death "
        "over until till expire expires expired retired dissolved reopen reopened abolished left out".split()
    ),
}
"""Words that begin or end something: a date of the one is no date of the other."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A quantity with its sentence and the content words around it, weighed by nearness."""

    index: int
    quantity: Quantity
    sentence: int
    near: dict[str, float]
    event: str
    own: frozenset[str]
    """The words of the number itself: two sentences are not alike for holding it."""
    label: tuple[str, ...]
    """What a field or a specification calls it, the last word last: "unit", "price" in "unit price: 12.50"."""
    column: tuple[str, ...] = ()
    """The column of a table in plain text that it stands in."""
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

    @cached_property
    def near_weights(self) -> tuple[float, ...]:
        """All that the words around each quantity weigh."""
        return tuple(
            sum(self.weight(word) * closeness for word, closeness in item.near.items()) for item in self.placed
        )


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
    """Read a text once; `standings` takes the result in place of a context."""
    spans = statements(text)
    found = read(text)
    starts = [quantity.start for quantity in found]
    cells, said_once = columns(text), SaidOnce(text, found)
    stems: list[frozenset[str]] = []
    placed: list[Placed] = []
    for number, span in enumerate(spans):
        tokens = _tokens(text, span)
        stems.append(frozenset(token.stem for token in tokens if token.raw not in STOP_WORDS))
        for quantity in found[bisect_left(starts, span.start) : bisect_left(starts, span.end)]:
            label, column = _label(text, span, quantity), column_at(cells, quantity.start)
            end, meant = _end(text, quantity), said_once.meant(quantity, span)
            words = _around(tokens, quantity)
            placed.append(Placed(len(placed), quantity, number, *words, label, column, end, meant))
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


def _around(tokens: list[_Token], quantity: Quantity) -> tuple[dict[str, float], str, frozenset[str]]:
    """The words near a number, what they say of beginnings and ends, and the words of the number itself."""
    first, last = (bisect_left(tokens, at, key=lambda token: token.start) for at in (quantity.start, quantity.end))
    unit = quantity.unit.lower()
    own = frozenset(token.stem for token in tokens[first:last] if token.raw not in unit or not unit)
    near: dict[str, float] = {}
    events: set[str] = set()
    left, right = tokens[max(0, first - _WORDS + 1) : first], tokens[last : last + _WORDS]
    for side, origin in ((left[::-1], first), (right, max(last - 1, 0))):
        for token in side:
            distance = abs(token.position - tokens[min(origin, len(tokens) - 1)].position)
            if distance > _REACH:
                break
            if distance <= 4:
                events |= {event for event, words in _EVENTS.items() if token.raw in words}
            if token.raw not in STOP_WORDS:
                near[token.stem] = max(near.get(token.stem, 0.0), _DECAY**distance)
    return near, events.pop() if len(events) == 1 else "", own


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


# How fields are called that hold a measure of some dimension, where the claim names only the unit.
_CALLED = {
    "temperature": ("temp", "temperature", "deg", "feel", "high", "low", "max", "min"),
    "angle": ("temp", "temperature", "deg", "angle", "feel", "high", "low", "max", "min", "el", "elevation"),
    "length": ("distance", "length", "height", "width", "range", "depth", "altitude", "elevation"),
    "mass": ("weight", "mass", "kg", "load"),
    "percent": ("pct", "percent", "percentage", "rate", "share", "prob", "probability", "humidity"),
    "money": ("price", "cost", "amount", "total", "fee", "fare", "salary", "budget", "amt", "balance", "revenue"),
    "duration": ("duration", "age", "runtime", "period", "term", "eta", "wait"),
    "speed": ("speed", "wind", "velocity", "gust"),
    "data": ("size", "memory", "ram", "storage", "disk"),
    "energy": ("calorie", "energy", "consumption", "kcal"),
    "": ("qty", "quantity", "count", "number", "stock", "total"),
}
_CALLED = {dimension: tuple(stem(name) for name in names) for dimension, names in _CALLED.items()}
_SHORTEST = 3


def field_fit(item: Placed, other: Placed, said: Prepared) -> float:
    """How well the name of the evidence's field or specification fits the claim's number, from 0 to 1."""
    if not other.label:
        return 0.0
    *rest, head = other.label
    stems = said.stems[item.sentence]
    unnamed = _part(sum(not any(_names(name, word) for word in stems) for name in rest), len(rest))
    called = head in _CALLED.get("money" if item.quantity.kind == "money" else item.quantity.dimension, ())
    if not any(_names(head, word) for word in stems):
        return 0.75 - 0.1 * unnamed if called else 0.4 if rest and unnamed < 1 else 0.0
    near = max((closeness for word, closeness in item.near.items() if _names(head, word)), default=0.0)
    return (1.0 if near >= _DECAY else 0.85) - 0.1 * unnamed


def _names(name: str, word: str) -> bool:
    """Whether a field's name is this word or an abbreviation of it."""
    return name == word or (len(name) >= _SHORTEST and word.startswith(name))


def sentence_shares(item: Placed, said: Prepared, known: Prepared) -> list[float]:
    """The part of the words of a number's sentence, without the number, that each sentence of the evidence has."""
    mine = {word: known.weight(word) for word in sorted(said.stems[item.sentence] - item.own)}
    total = sum(mine.values())
    return [_part(sum(weight for word, weight in mine.items() if word in matter), total) for matter in known.matter]


def near_share(item: Placed, mine: float, other: Placed, known: Prepared) -> tuple[float, float]:
    """The part of the words around the claim's number that stand around the other too, and the reverse.

    `mine` is what the words around the claim's number weigh in the evidence.
    """
    shared = 0.0
    for word, closeness in item.near.items():
        if word in other.near:
            shared += known.weight(word) * min(closeness, other.near[word])
    return _part(shared, mine), _part(shared, known.near_weights[other.index])


def _part(shared: float, total: float) -> float:
    return shared / total if total else 0.0
