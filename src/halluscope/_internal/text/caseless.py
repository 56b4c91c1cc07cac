"""Patterns that match words in any case, fast."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

_CAPITAL = re.compile(r"(?<!\\)[A-Z]")


class Caseless:
    """A pattern written in lower case, for text in any case. The words it finds come in lower case too.

    Told to ignore case, the matcher tries every alternative in full; in lower case it passes over those that begin
    with another letter, and lists of words are what these patterns are. Beyond ASCII lowering a text is not the
    same as ignoring its case, so there the slow way is taken.
    """

    __slots__ = ("_any", "_lower")

    def __init__(self, pattern: str) -> None:
        if _CAPITAL.search(pattern):
            raise ValueError(f"a caseless pattern is written in lower case: {pattern!r}")
        self._lower = re.compile(pattern, re.ASCII)
        self._any = re.compile(pattern, re.IGNORECASE)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """The first place where it matches."""
        if text.isascii():
            return self._lower.search(text.lower(), start, end)
        return self._any.search(text, start, end)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The match that begins at `start`."""
        return self._lower.match(text.lower(), start) if text.isascii() else self._any.match(text, start)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches, in order."""
        return self._lower.finditer(text.lower()) if text.isascii() else self._any.finditer(text)
