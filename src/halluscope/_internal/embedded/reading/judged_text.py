"""A text as it is judged: without mark-up, marks of citation and odd letters, every place kept.

Whoever judges reads `text`; whoever shows a verdict needs places in the text as it was given. One value has
both, so that the claims, the rules and the network speak of the same characters.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ...text import Span
from ...text.citation_marks import citation_marks
from .markup import Edit, code_blocks, markup

_SHORT = 20_000
"""Characters of a text that may be kept for the next reader of it."""


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text as given (`source`) and as it is judged (`text`), with the way from each to the other.

    Headings, list markers and line breaks stay in `text`: they are the layout that sentences are found by.
    `code` are the places in `text` of fenced program code, which is not judged.
    """

    source: str
    text: str
    code: tuple[Span, ...] = ()
    _starts: array[int] | None = None
    _ends: array[int] | None = None

    def in_source(self, start: int, end: int) -> Span:
        """The characters as given that `start`:`end` of `text` were read from."""
        if self._starts is None or self._ends is None:
            return Span(start, end)
        if start >= end:
            place = self._starts[start] if start < len(self._starts) else len(self.source)
            return Span(place, place)
        return Span(self._starts[start], self._ends[end - 1])

    def in_text(self, start: int, end: int) -> Span:
        """The characters of `text` that were read from `start`:`end` of what was given; none if all were left out."""
        if self._starts is None or self._ends is None:
            return Span(start, end)
        first = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end)
        return Span(first, max(first, last))

    def _edited(self, edits: Iterable[Edit]) -> JudgedText:
        """The same with parts of `text` replaced. Edits come in order; one that overlaps the one before is left out."""
        made = list(edits)
        if not made:
            return self
        parts: list[str] = []
        starts, ends = array("L"), array("L")
        old_starts = self._starts if self._starts is not None else array("L", range(len(self.text)))
        old_ends = self._ends if self._ends is not None else array("L", range(1, len(self.text) + 1))
        done = 0
        for start, end, text in made:
            if start < done or start >= end:
                continue
            parts += (self.text[done:start], text)
            starts += old_starts[done:start]
            ends += old_ends[done:start]
            if text:
                starts.extend([old_starts[start]] * len(text))
                ends.extend([old_ends[end - 1]] * len(text))
            done = end
        parts.append(self.text[done:])
        starts += old_starts[done:]
        ends += old_ends[done:]
        return JudgedText(self.source, "".join(parts), (), starts, ends)


def judged(text: str) -> JudgedText:
    """The text as it is judged."""
    return _kept(text) if len(text) <= _SHORT else _judged(text)


@lru_cache(maxsize=64)  # claims, rules and network each ask for the same answer
def _kept(text: str) -> JudgedText:
    return _judged(text)


def _judged(text: str) -> JudgedText:
    read = JudgedText(text, text)
    # Letters first: a zero-width space hides a mark. Citations before mark-up: "<sup>1</sup>" is one mark.
    for edits in (_odd_letters, _citations, markup):
        read = read._edited(edits(read.text))
    return replace(read, code=tuple(code_blocks(read.text)))


# Zero-width characters, soft hyphens and marks of direction; a byte order mark inside a text.
_HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f"
    "\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"
)
# Blanks, and what else has one plain reading. Fractions, powers and circled numbers mean something by their form.
_COMPATIBLE = (
    "\u00a0\u2000-\u200a\u202f\u205f\u3000"
    "\uff01-\uff5e\uffe0-\uffe6\ufb00-\ufb06\u2160-\u217f\u24b6-\u24e9\U0001d400-\U0001d7ff\U0001f130-\U0001f149"
)
_ODD = re.compile(rf"(?P<hidden>[{_HIDDEN}]+)|[{_COMPATIBLE}]|[^\W\d_][\u0300-\u036f]+")


def _odd_letters(text: str) -> Iterator[Edit]:
    """Letters that look like plain ones and are not: full-width, mathematical, joined, or hidden between others."""
    for match in () if text.isascii() else _ODD.finditer(text):
        plain = "" if match["hidden"] else unicodedata.normalize("NFKC", match.group())
        if plain != match.group():
            yield *match.span(), plain


_LEANING = re.compile(r"\b(?:to|in|by|from|see|per|of|with|and|than|source|both)\s*$", re.IGNORECASE)
_BEGINS = re.compile(r"(?:(?P<sentence>^|[.!?\n])|[;:,]|\b(?:and|but|while|whereas|that))\s*$", re.IGNORECASE)
_SPEAKS = re.compile(
    r"\s+(?:also\s+|only\s+)?(?:says?|states?|reports?|notes?|confirms?|mentions?|gives?|shows?|describes?|claims?|adds?"
    r"|indicates?|explains?|suggests?|lists?|does\s+not|doesn['’]t)\b"
)


def _citations(text: str) -> Iterator[Edit]:
    """Marks of citation, which state nothing. One that a sentence leans on ("shown in [2]", "[2] says") becomes "the
    source"."""
    done = 0
    for match in citation_marks(text):
        start, end = match.span()
        before = text[max(0, start - 40) : start]
        after = text[end : end + 1]
        speaks = _BEGINS.search(before) if _SPEAKS.match(text, end) else None
        leaning = _LEANING.search(before) and (not after or after in " .,;:)\n")
        if match["bracket"] and (speaks or leaning):
            yield start, end, "The source" if speaks and speaks["sentence"] is not None else "the source"
        else:
            while start > done and text[start - 1] in " \t" and (not after or after in " \t.,;:!?)\n[(<"):
                start -= 1
            if (not start or text[start - 1] == "\n") and after == " ":
                end += 1
            yield start, end, ""
        done = end


_LONG = re.compile(r"[^\W_]{32,}|\d{16,}")
_SHOWN = 12


def long_words(text: str) -> list[str]:
    """Hashes, keys, long numbers: the network sees little of such a word, so it is compared letter by letter."""
    return _LONG.findall(judged(text).text)


def shortened(word: str) -> str:
    """A long word as it can be shown in a sentence."""
    return f"{word[:_SHOWN]}…{word[-_SHOWN:]}"
