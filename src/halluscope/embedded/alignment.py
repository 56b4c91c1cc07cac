"""Which number of a text plays the same part as a number of a claim.

Two numbers are put side by side only when the words around them agree: the unit or the thing counted,
the matter of the sentence, the event a date belongs to. A claim that reckons (a total, a difference, a
share of something) states a number the text need not hold, and is left alone.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..text import STOP_WORDS, sentences, stem, word_places
from .measures import Quantity, read

__all__ = ["Placed", "Prepared", "alignment", "prepare", "reckoned"]

_NEAR = 5


@dataclass(frozen=True, slots=True)
class Placed:
    """A quantity with its sentence and the content words around it."""

    quantity: Quantity
    sentence: int
    near: frozenset[str]
    event: str
    reckoned: bool


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text with its quantities read, for comparing many claims with it."""

    text: str
    placed: tuple[Placed, ...]
    stems: tuple[frozenset[str], ...]
    counts: dict[str, int]

    def weight(self, word: str) -> float:
        """How telling a word is in this text: one that stands in every sentence tells little."""
        return math.log(1.0 + (1 + len(self.stems)) / (0.5 + self.counts.get(word, 0)))


# Words that begin or end something: a date of the one is no date of the other.
_STARTING = frozenset(
    "begin began begun start starts started starting found founded establish established open opens opened born "
    "launch launched commence commenced introduced announced since from first set".split()
)
_ENDING = frozenset(
    "end ends ended ending finish finished complete completed completion close closed closes die died dies death "
    "over until till expire expires expired retired dissolved reopen reopened abolished last left".split()
)
_RECKONING = re.compile(
    r"\b(?:more|less|fewer|longer|shorter|older|younger|higher|lower|larger|smaller|later|earlier|ahead|behind"
    r"|faster|slower|heavier|lighter|cheaper|further|extra|additional|difference|gap|total|totall?ed|altogether|together"
    r"|combined|in\s+all|overall|average|averag\w+|mean|each|per|remaining|remain\w*|rest|left|apart|between\s+the"
    r"|sum|share|yet\s+to|still|other\s+than|except|without|not|n['’]t|never|none|would|should\s+have|margin|by\s+the\s+time"
    r"|gr[eo]w|rise|rose|fell|fall|increas\w+|decreas\w+|reduc\w+|dropp?\w*|sav\w+|gain\w*|lost|los\w+|twice|double\w*|halv\w+)\b",
    re.IGNORECASE,
)


def prepare(text: str) -> Prepared:
    """Read a text once; `compare` takes the result in place of the text."""
    spans = sentences(text)
    found = read(text)
    stems: list[frozenset[str]] = []
    placed: list[Placed] = []
    index = 0
    for number, span in enumerate(spans):
        inside: list[Quantity] = []
        while index < len(found) and found[index].start < span.end:
            inside.append(found[index])
            index += 1
        places = [
            (word.text, word.start + span.start) for word in word_places(span.of(text)) if not word.text[0].isdigit()
        ]
        tokens = [(stem(word), start) for word, start in places if word not in STOP_WORDS]
        stems.append(frozenset(token for token, _ in tokens))
        starts, all_starts = [start for _, start in tokens], [start for _, start in places]
        reckons = bool(inside) and _RECKONING.search(text, span.start, span.end) is not None
        for quantity in inside:
            around = _around(places, all_starts, quantity, 6)
            near = frozenset(_around(tokens, starts, quantity, _NEAR))
            placed.append(Placed(quantity, number, near, _event(around), reckons))
    counts = Counter(word for sentence in stems for word in sentence)
    return Prepared(text, tuple(placed), tuple(stems), dict(counts))


def _around(tokens: Sequence[tuple[str, int]], starts: Sequence[int], quantity: Quantity, reach: int) -> list[str]:
    first = bisect_left(starts, quantity.start)
    last = bisect_left(starts, quantity.end)
    return [word for word, _ in (*tokens[max(0, first - reach) : first], *tokens[last : last + reach])]


def _event(around: Sequence[str]) -> str:
    starting = any(word in _STARTING for word in around)
    ending = any(word in _ENDING for word in around)
    return "" if starting == ending else "start" if starting else "end"


def alignment(item: Placed, other: Placed, said: Prepared, known: Prepared) -> float:
    """How far two numbers play the same part, from 0 to 1; 0 when they cannot."""
    mine, theirs = item.quantity, other.quantity
    if mine.kind == "date" and item.event and other.event and item.event != other.event:
        return 0.0
    sentence = _share(said.stems[item.sentence], known.stems[other.sentence], known)
    near = _share(item.near, other.near, known)
    score = 0.5 * sentence + 0.5 * near
    if mine.dimension == "" and mine.kind == "number":
        counted = set(mine.nouns) & (set(theirs.nouns) | other.near)
        if not counted or not (set(theirs.nouns) & set(mine.nouns) or near > 0.4):
            return 0.0
    return score


def _share(mine: frozenset[str], theirs: frozenset[str], known: Prepared) -> float:
    """The part of my words that are also theirs, rare words counting more than frequent ones."""
    total = sum(known.weight(word) for word in mine)
    return sum(known.weight(word) for word in mine & theirs) / total if total else 0.0


def reckoned(value: Quantity, known: Prepared) -> bool:
    """Whether simple arithmetic on two numbers of the text gives the value."""
    numbers = [
        placed.quantity
        for placed in known.placed[:40]
        if placed.quantity.kind in ("number", "money", "measure", "percent") and placed.quantity.low
    ]
    said = value.low
    rough = 0.06 if value.bound in ("about", "nearly", "just over", "over", "under") else 0.006
    if value.kind == "date" or not said:
        return False

    def near(result: float) -> bool:
        return abs(result - said) <= rough * abs(said)

    for index, left in enumerate(numbers):
        for right in numbers[index + 1 :]:
            same = left.dimension == right.dimension == value.dimension
            if same and (near(left.low + right.low) or near(abs(left.low - right.low))):
                return True
            for first, second in ((left, right), (right, left)):
                if first.dimension == value.dimension and second.dimension in ("", "percent", "times", "duration"):
                    factor = second.low / 100 if second.dimension == "percent" else second.low
                    if second.dimension == "percent" and (
                        near(first.low * (1 - factor)) or near(first.low * (1 + factor))
                    ):
                        return True
                    if factor != 1 and (near(first.low * factor) or near(first.low / factor)):
                        return True
                if value.dimension in ("percent", "times") and first.dimension == second.dimension:
                    ratio = first.low / second.low * (100 if value.dimension == "percent" else 1)
                    if near(ratio) or near(abs(ratio - 100)):
                        return True
    return False
