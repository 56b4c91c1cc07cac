"""Reading and writing numbers, and the words that make a number or a date a bound.

This is independent of how the embedded judge reads numbers, so that the stress test does not only change numbers that
this judge can read.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from .english import pattern

Bound = Literal["none", "lower", "upper", "about"]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = {"hundred": 1e2, "dozen": 12.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

_WORD_VALUES = {word: value for value, word in enumerate(_ONES)}
_WORD_VALUES |= {word: 10 * (place + 2) for place, word in enumerate(_TENS)}
_WORD_VALUES |= {
    f"{ten}-{one}": 10 * (place + 2) + value for place, ten in enumerate(_TENS) for value, one in enumerate(_ONES[:10])
}
_SPELLED = {value: word for word, value in reversed(_WORD_VALUES.items())}

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NUMBER = re.compile(
    rf"(?<![\w.,:/#+^–—-])(?:(?P<digits>{_DIGITS})|(?P<word>{'|'.join(sorted(_WORD_VALUES, key=len, reverse=True))}))"
    rf"(?![\w–—]|[.,:/-]\w|'s|\)|\])(?:(?P<gap>[ -])(?P<scale>{'|'.join(SCALES)})s?\b)?",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(_DIGITS)
_YEAR = re.compile(r"1\d{3}|20\d{2}")


class Number(Struct, frozen=True):
    """A number in a text. `value` does not include the scale: "8.6 million" is 8.6 and 1e6."""

    start: int
    end: int
    value: float
    text: str
    scale: float = 1.0
    whole_end: int = 0

    @property
    def in_words(self) -> bool:
        return self.text[:1].isalpha()

    @property
    def may_be_year(self) -> bool:
        return _YEAR.fullmatch(self.text) is not None

    def written(self, value: float) -> str | None:
        """Write another value in the same format. None if that is not possible."""
        if self.in_words:
            word = _SPELLED.get(round(value))
            return word.capitalize() if word and self.text[0].isupper() else word
        places = len(self.text.partition(".")[2])
        if places:
            return f"{value:,.{places}f}" if "," in self.text else f"{value:.{places}f}"
        zeros = len(self.text) - len(self.text.rstrip("0"))
        rounded = round(value / 10**zeros) * 10**zeros
        return f"{rounded:,}" if "," in self.text or rounded >= 10_000 else str(rounded)


def numbers(text: str) -> list[Number]:
    """Find all numbers that are not part of identifiers, ranges, times, ratios, brackets or dates with dashes."""
    found = []
    for match in _NUMBER.finditer(text):
        digits, word, scale = match.group("digits"), match.group("word"), match.group("scale")
        if scale and digits and match.group("gap") == "-":
            scale = None
        value = float(digits.replace(",", "")) if digits else float(_WORD_VALUES[word.lower()])
        start, end = match.span("digits" if digits else "word")
        factor = SCALES[scale.lower()] if scale else 1.0
        found.append(Number(start, end, value, text[start:end], factor, match.end("scale") if scale else end))
    return found


def values_in(text: str) -> set[float]:
    """Return all values in a text, with and without their scale."""
    found = {float(match.group().replace(",", "")) for match in _ANYWHERE.finditer(text)}
    for number in numbers(text):
        found |= {number.value, number.value * number.scale}
    return found | {
        float(_WORD_VALUES[w]) for w in re.findall(r"[a-z]+(?:-[a-z]+)?", text.lower()) if w in _WORD_VALUES
    }


def near(value: float, others: set[float], share: float = 0.03) -> bool:
    """Whether a value is close to one of the others."""
    return any(abs(value - other) <= share * max(abs(value), abs(other)) for other in others)


def spelled(value: int) -> str | None:
    """Spell out a number below a hundred."""
    return _SPELLED.get(value)


def bound(text: str, start: int, end: int) -> Bound:
    """Return how the words around the number or date `text[start:end]` bound it.

    "More than 10" implies "more than 8", so such a number may only be increased. "About 3,000" may be 3,100.
    """
    found = pattern("bound_after").match(text, end) or pattern("bound_before").search(text[max(0, start - 30) : start])
    if found is None:
        return "none"
    kinds: tuple[Bound, ...] = ("about", "upper", "lower")
    return next(kind for kind in kinds if found.group(kind))
