"""Finding what a judge quotes, or says of the output, in the text itself."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import accumulate
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
    found = list(_RUN.finditer(quote))
    words = [match.group().casefold() for match in found]
    spoken = _spoken(text)
    # No sooner than each of its words. The first and the last may be parts of words.
    sooner = sooner_in_line = 0
    reached = len(words[0]) + 1 if words else 0
    for match, word in zip(found[1:-1], words[1:-1], strict=True):
        if word not in spoken.first:
            return None
        first = spoken.first[word]
        sooner = max(sooner, spoken.places[first][0] - match.start())
        sooner_in_line = max(sooner_in_line, spoken.in_line[first] - reached)
        reached += len(word) + 1
    place = text.find(quote, sooner)
    if place >= 0:
        return place, place + len(quote)
    if not words:
        return None
    start = spoken.line.find(_line(words), sooner_in_line)
    if start < 0:
        return None
    number = bisect_left(spoken.in_line, start)
    return spoken.places[number][0], spoken.places[number + len(words) - 1][1]


class _Spoken(NamedTuple):
    """The words of a text in one line, as they are compared; where each stands in both, and the first of each."""

    line: str
    places: list[tuple[int, int]]
    in_line: list[int]
    first: dict[str, int]


_GAP = "\n"


def _line(words: Iterable[str]) -> str:
    """The words between gaps, so that one is never found inside another: looking for it takes one pass."""
    return _GAP + "".join(f"{word}{_GAP}" for word in words)


@lru_cache(maxsize=16)
def _spoken(text: str) -> _Spoken:
    found = list(_RUN.finditer(text))
    words = [match.group().casefold() for match in found]
    in_line = list(accumulate((len(word) + 1 for word in words[:-1]), initial=0)) if words else []
    first: dict[str, int] = {}
    for number, word in enumerate(words):
        first.setdefault(word, number)
    return _Spoken(_line(words), [match.span() for match in found], in_line, first)


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
