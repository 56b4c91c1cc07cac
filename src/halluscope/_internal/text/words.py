"""Words of a text, folded so that two spellings of one word compare equal.

Overlap between a claim and its evidence is counted in several places; it has to be counted over the
same words everywhere, so the rules live here once.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from threading import local
from typing import NamedTuple

from .patterns import word_list

# A word keeps its inner apostrophes, hyphens, dots and commas between digits ("1,200", "3.5").
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_ASCII_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*|[0-9]+(?:[.,][0-9]+)*")

STOP_WORDS = frozenset(word_list("stop_words"))


class Word(NamedTuple):
    """A folded word and where it stands."""

    text: str
    start: int
    end: int


def fold(text: str) -> str:
    """Lower case without accents, so that "Liège" and "liege" are one word."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.replace("’", "'"))
    return "".join(char for char in decomposed if not unicodedata.combining(char)).casefold()


def word_places(text: str) -> list[Word]:
    """Every word of the text, folded, with its place; a possessive 's is left out."""
    found = []
    for match in _WORD.finditer(text):
        raw, (start, end) = match.group(), match.span()
        if _is_possessive(raw):
            raw, end = raw[:-2], end - 2
        found.append(Word(fold(raw), start, end))
    return found


def raw_words(text: str) -> list[str]:
    """Every word of the text as it is written, in order; a possessive 's is left out."""
    return [raw[:-2] if _is_possessive(raw) else raw for raw in _WORD.findall(text)]


def _is_possessive(raw: str) -> bool:
    return raw[-1] in "sS" and raw[-2:-1] in ("'", "’")


def words(text: str) -> list[str]:
    """Every word of the text, folded, in order."""
    if not text.isascii():
        return [fold(raw) for raw in raw_words(text)]
    plain = text.lower()
    found: list[str] = _ASCII_WORD.findall(plain)
    return [word.removesuffix("'s") for word in found] if "'s" in plain else found


def content_words(text: str) -> list[str]:
    """The words that carry meaning: no stop words, in order, repeated words kept."""
    return [word for word in words(text) if word not in STOP_WORDS]


_IRREGULAR = dict(pair.split("/") for pair in word_list("stems"))
"""The words whose stem the stemmer does not find."""


_own = local()
"""The stemmer of each thread: a stemmer writes down the word it is at."""


@lru_cache(maxsize=65_536)  # a word takes the stemmer some fifty microseconds
def stem(word: str) -> str:
    """The stem of a folded English word: "employs" and "employment" have the same."""
    if not hasattr(_own, "stemmer"):
        from snowballstemmer.english_stemmer import EnglishStemmer  # with those of all its other languages

        _own.stemmer = EnglishStemmer()
    stemmed: str = _own.stemmer.stemWord(_IRREGULAR.get(word, word))
    return stemmed


@lru_cache(maxsize=512)  # the sentences of a context are met with many of its claims
def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(map(stem, content_words(text)))
