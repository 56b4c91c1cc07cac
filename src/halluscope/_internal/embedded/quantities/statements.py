"""The sentences of a text, and where it lists fields, its records.

Tool results and tables are read as `city: Oslo; temp: 20`, one record behind the other. Each is a sentence of its own:
what is said of Oslo is not said of Bergen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ...text import Span, sentences

__all__ = ["statements"]

_NAME = re.compile(r"(?:^|[;:|\n])[ \t]*([^;:|\n]{1,60}):(?=\s)")
_FEWEST = 3


def statements(text: str) -> list[Span]:
    """Character ranges of the sentences and records of a text, in order."""
    found: list[Span] = []
    for span in sentences(text):
        if text.count(": ", span.start, span.end) < _FEWEST:
            found.append(span)
        else:
            found.extend(_records(text, span))
    return found


def _records(text: str, span: Span) -> Iterator[Span]:
    """A sentence of fields cut where a name comes again, and at line ends."""
    cuts = [span.start]
    seen: set[str] = set()
    place = span.start
    while True:
        found = _NAME.search(text, place, span.end)
        if found is None:
            break
        start, name = found.start(1), found.group(1).rstrip()
        again = _again(name, seen)
        if start > span.start and ("\n" in text[place:start] or again):
            cuts.append(start + len(name) - len(again) if again and "\n" not in text[place:start] else start)
            seen = set()
        seen.add(again or name)
        place = found.end() - 1
    cuts.append(span.end)
    for first, last in pairwise(cuts):
        piece = text[first:last]
        left = first + len(piece) - len(piece.lstrip())
        right = first + len(piece.rstrip())
        if right > left:
            yield Span(left, right)


def _again(name: str, seen: set[str]) -> str:
    """The name seen before that this one is or, with the value before it, ends with."""
    words = name.split(" ")
    return next((tail for tail in (" ".join(words[at:]) for at in range(len(words))) if tail in seen), "")
