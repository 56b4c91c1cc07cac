"""Finding what a judge quotes, or says of the output, in the text itself."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

_RUN = re.compile(r"\w+", re.UNICODE)
_UNPARTED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Scripts without spaces between words, and Hangul, whose words change their endings: Thai, Burmese, Khmer, CJK."""
_SPEECH_MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})


def folded(text: str) -> str:
    """The text as it is compared: no case, one kind of space, quote mark and dash, no outer punctuation."""
    plain = unicodedata.normalize("NFKC", text).translate(_SPEECH_MARKS).casefold()
    return " ".join(plain.split()).strip(" \"'.,;:!?。、！？「」")


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Where `quote` stands in `text`: exactly, or but for case, white space and punctuation."""
    quote = quote.strip()
    if not quote:
        return None
    words, spoken = _words(quote), _spoken(text)
    if not spoken.known.issuperset(words[1:-1]):  # the first and the last may be parts of words
        return None
    place = text.find(quote)
    if place >= 0:
        return place, place + len(quote)
    start = spoken.line.find(_line(words)) if words else -1
    if start < 0:
        return None
    number = spoken.line.count(_GAP, 0, start)
    return spoken.places[number][0], spoken.places[number + len(words) - 1][1]


class _Spoken(NamedTuple):
    """The words of a text in one line, as they are compared, where each stands in the text, and which there are."""

    line: str
    places: list[tuple[int, int]]
    known: frozenset[str]


_GAP = "\n"


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _RUN.findall(text)]


def _line(words: Iterable[str]) -> str:
    """The words between gaps, so that one is never found inside another: looking for it takes one pass."""
    return _GAP + "".join(f"{word}{_GAP}" for word in words)


@lru_cache(maxsize=16)
def _spoken(text: str) -> _Spoken:
    words = _words(text)
    return _Spoken(_line(words), [match.span() for match in _RUN.finditer(text)], frozenset(words))


def word_set(text: str) -> frozenset[str]:
    """The words of a text, for asking whether two texts have anything to do with each other.

    Scripts that part no words by spaces have pairs of characters in their place.
    """
    runs = _UNPARTED.findall(text)
    parted = _UNPARTED.sub(" ", text) if runs else text
    found = {word.casefold() for word in _RUN.findall(parted) if len(word) > 2 or word.isdigit()}
    for run in runs:
        found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
    return frozenset(found)


def relation(text: str) -> Callable[[str], bool]:
    """Whether a piece shares a word with the text.

    The text is taken apart once: it may be long, and the pieces many.
    """
    words, plain = word_set(text), folded(text)

    def related(piece: str) -> bool:
        return bool(word_set(piece) & words) or folded(piece) in plain

    return related


def same_script(a: str, b: str) -> bool:
    """Whether any letters of two texts are of one script, as far as the names of the letters tell."""
    left, right = _scripts(a), _scripts(b)
    return bool(left & right) or not left or not right


def _scripts(text: str) -> frozenset[str]:
    """Scripts by the first word of their letters' names: LATIN, CYRILLIC, CJK, …"""
    letters = {char for char in text if char.isalpha()}
    return frozenset(unicodedata.name(char, "").partition(" ")[0] for char in letters)


def resemblance(a: str, b: str) -> float:
    """How much of the words of two texts is shared, from 0 to 1."""
    left, right = word_set(a), word_set(b)
    if not left or not right:
        return float(folded(a) == folded(b))
    return len(left & right) / min(len(left), len(right))
