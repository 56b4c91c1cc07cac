"""Which characters of a claim the context does not bear out.

The model marks tokens; the words and numbers that were compared by rule are known by their places. Both
are joined token by token, in the light of how the whole claim was judged; a word is doubtful as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from ..network.model import Place, settings
from ..quantities.standing import UNTOLD
from ..reading.evidence import STOP_WORDS, content_words, stem
from .fusion import logit

if TYPE_CHECKING:
    from .signals import Measured

_WORD = re.compile(r"\w+")
_NEAR, _WIDE, _AROUND = 2, 6, 4
_STRAYS = 40


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a claim: the place of the word it is a part of, and what is known about it, by name."""

    start: int
    end: int
    signs: Mapping[str, float]


def tokens(item: Measured) -> list[Token]:
    """The tokens of a claim as the output has it, with all that tells of them but the verdict on the claim."""
    marks = item.view.marks
    if not marks:
        return []
    signals = item.signals
    own = [logit(mark) for _, _, mark in marks]
    places = _words(item.said, marks)
    words = [item.said[start:end] for start, end in places]
    held = set(content_words(item.selection.text))
    plain = [float(not word[:1].isalnum() or word.lower() in STOP_WORDS) for word in words]
    new = [float(not bare and stem(word.lower()) not in held) for bare, word in zip(plain, words, strict=True)]
    doubt = 1.0 - min(signals.supported, signals.alone)
    columns = {
        "mark": own,
        "marks near": _means(own, _NEAR),
        "marks wide": _means(own, _WIDE),
        "top near": [max(own[max(0, at - _AROUND) : at + _AROUND + 1]) for at in range(len(own))],
        "new": new,
        "new near": _means(new, _NEAR),
        "new wide": _means(new, _WIDE),
        "plain": plain,
        "digit": [float(word[:1].isdigit()) for word in words],
        "capital": [float(word[:1].isupper()) for word in words],
        "place": [at / len(own) for at in range(len(own))],
        "mark where doubted": [mark * doubt for mark in own],
        "new where doubted": [word * doubt for word in new],
        **_found(item, marks),
    }
    whole = {
        "top": max(own),
        "mean": sum(own) / len(own),
        "support": logit(signals.supported),
        "contradiction": logit(signals.contradicted),
        "coverage": signals.coverage,
        "number doubt": signals.number_doubt,
        "first": logit(signals.first),
        "alone": logit(signals.alone),
        "asked": float(signals.asked),
        "complete": float(signals.complete),
    }
    return [
        Token(start, end, {**whole, **{name: column[at] for name, column in columns.items()}})
        for at, (start, end) in enumerate(places)
    ]


def _words(text: str, marks: Sequence[tuple[int, int, float]]) -> list[Place]:
    """For each token the place of the word it is a part of."""
    spans = [match.span() for match in _WORD.finditer(text)]
    found = []
    at = 0
    for start, end, _ in marks:
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        inside = at < len(spans) and spans[at][0] <= start
        found.append(spans[at] if inside else (start, end))
    return found


def _means(values: Sequence[float], reach: int) -> list[float]:
    """The mean over each place and its neighbours."""
    sums = [0.0, *accumulate(values)]
    ends = [(max(0, at - reach), min(len(values), at + reach + 1)) for at in range(len(values))]
    return [(sums[high] - sums[low]) / (high - low) for low, high in ends]


def _found(item: Measured, marks: Sequence[tuple[int, int, float]]) -> dict[str, list[float]]:
    """What the rules found at each token."""
    numbers = [(found.claim.start - item.before, found.claim.end - item.before, found) for found in item.numbers]
    places: dict[str, list[tuple[int, int, float]]] = {
        "wrong number": [(start, end, found.strength) for start, end, found in numbers if found.status == "conflicts"],
        "missing number": [(start, end, 1.0) for start, end, found in numbers if found.status in UNTOLD],
        "known number": [(start, end, 1.0) for start, end, found in numbers if found.status == "stated"],
    }
    columns = {}
    for name, found in places.items():
        ordered = sorted(found)
        where = in_said(((low, high) for low, high, _ in ordered), item.stated, item.said)
        told = [(*place, value) for place, (_, _, value) in zip(where, ordered, strict=True) if place]
        columns[name] = [
            max((value for low, high, value in told if start < high and end > low), default=0.0)
            for start, end, _ in marks
        ]
    return columns


def in_said(places: Iterable[Place], stated: str, said: str) -> Iterator[Place | None]:
    """Places in a claim, in order, as places in the words of the output that it was taken from.

    Where the subject was carried into the claim the two differ, and words that stand in the claim only have none.
    """
    if said == stated:
        yield from places
        return
    reached = 0
    for low, high in places:
        found = said.find(stated[low:high], reached)
        if found < 0 or found - reached >= _STRAYS:
            yield None
            continue
        reached = found + high - low
        yield found, reached


@dataclass(frozen=True, slots=True)
class Marking:
    """The fitted weights of the signs, of the verdict on the claim, and how stretches are joined."""

    constant: float
    verdict: float
    weights: Mapping[str, float]
    gap: int = 25
    """Doubtful places with fewer characters between them are one."""

    def score(self, token: Token, supported: float) -> float:
        """Above zero where the token is doubtful."""
        told = sum(weight * token.signs[name] for name, weight in self.weights.items())
        return self.constant + self.verdict * logit(supported) + told

    def stretches(self, doubtful: Iterable[Place]) -> list[Place]:
        """Doubtful tokens in order, with what stands between near ones made part of them."""
        found: list[Place] = []
        for start, end in doubtful:
            if found and start - found[-1][1] <= self.gap:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        return found


@lru_cache(maxsize=1)
def shipped_marking() -> Marking:
    """The marking that was fitted for the weights in the package."""
    return Marking(**settings()["marking"])
