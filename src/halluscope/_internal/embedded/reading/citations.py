"""Taking out the marks that say where something was taken from: a mark states nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...text.citation_marks import citation_marks

_LEANING = re.compile(r"\b(?:to|in|by|from|see|per|of|with|and|than|source|both)\s*$", re.IGNORECASE)


def citations(text: str) -> Iterator[tuple[int, int, str]]:
    """Edits that take the marks out, in order. One that a sentence leans on ("shown in [2]") becomes "the source"."""
    done = 0
    for match in citation_marks(text):
        start, end = match.span()
        before = text[max(0, start - 40) : start]
        after = text[end : end + 1]
        if match["bracket"] and _LEANING.search(before) and (not after or after in " .,;:)\n"):
            yield start, end, "the source"
        else:
            while start > done and text[start - 1] in " \t" and (not after or after in " \t.,;:!?)\n[(<"):
                start -= 1
            if (not start or text[start - 1] == "\n") and after == " ":
                end += 1
            yield start, end, ""
        done = end
