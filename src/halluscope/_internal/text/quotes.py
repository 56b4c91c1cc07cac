"""Finding what a judge quotes, or says of the output, in the text itself."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

_RUN = re.compile(r"\w+", re.UNICODE)
_SPEECH_MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})


def folded(text: str) -> str:
    """The text as it is compared: no case, one kind of space, quote mark and dash, no outer punctuation."""
    plain = unicodedata.normalize("NFKC", text).translate(_SPEECH_MARKS).casefold()
    return " ".join(plain.split()).strip(" \"'.,;:!?")


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Where `quote` stands in `text`: exactly, or but for case, white space and punctuation."""
    quote = quote.strip()
    if not quote:
        return None
    place = text.find(quote)
    if place >= 0:
        return place, place + len(quote)
    words = _RUN.findall(quote)
    if not words:
        return None
    spoken = _spoken(text)
    start = spoken.line.find(_line(words))
    if start < 0:
        return None
    first = spoken.line.count(_GAP, 0, start)
    return spoken.places[first][0], spoken.places[first + len(words) - 1][1]


class _Spoken(NamedTuple):
    """The words of a text in one line, as they are compared, and where each of them stands in the text."""

    line: str
    places: list[tuple[int, int]]


_GAP = "\n"


def _line(words: Iterable[str]) -> str:
    """The words between gaps, so that one is never found inside another: looking for it takes one pass."""
    return _GAP + "".join(f"{word.casefold()}{_GAP}" for word in words)


@lru_cache(maxsize=16)
def _spoken(text: str) -> _Spoken:
    found = list(_RUN.finditer(text))
    return _Spoken(_line(match.group() for match in found), [match.span() for match in found])


def word_set(text: str) -> frozenset[str]:
    """The words of a text, for asking whether two texts have anything to do with each other."""
    return frozenset(word.casefold() for word in _RUN.findall(text) if len(word) > 2 or word.isdigit())


def relation(text: str) -> Callable[[str], bool]:
    """Whether a piece shares a word with the text, or a character in scripts that do not part words by spaces.

    The text is taken apart once: it may be long, and the pieces many.
    """
    words, plain, characters = word_set(text), folded(text), set(text)

    def related(piece: str) -> bool:
        if word_set(piece) & words or folded(piece) in plain:
            return True
        return bool({char for char in piece if char > "\u2e7f"} & characters)

    return related


def resemblance(a: str, b: str) -> float:
    """How much of the words of two texts is shared, from 0 to 1."""
    left, right = word_set(a), word_set(b)
    if not left or not right:
        return float(folded(a) == folded(b))
    return len(left & right) / min(len(left), len(right))
