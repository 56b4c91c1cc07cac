"""A text as it is judged: without mark-up, marks of citation and odd letters, every place kept.

Whoever judges reads `text`; whoever shows a verdict needs places in the text as it was given. One value has
both, so that the claims, the rules and the network speak of the same characters.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ...text import Span
from .citations import citations
from .letters import odd_letters
from .markup import code_blocks, markup

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

    def _edited(self, edits: Iterable[tuple[int, int, str]]) -> JudgedText:
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
    # Letters first: a zero-width space hides a mark. Citations before mark-up: "<sup>1</sup>" is one mark.
    read = JudgedText(text, text)
    read = read._edited(odd_letters(read.text))
    read = read._edited(citations(read.text))
    read = read._edited(markup(read.text))
    blocks = code_blocks(read.text)
    return JudgedText(text, read.text, tuple(blocks), read._starts, read._ends) if blocks else read
