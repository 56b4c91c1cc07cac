"""Letters that look like plain ones and are not: full-width, mathematical, joined, or hidden between others."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# Zero-width characters, soft hyphens and marks of direction; a byte order mark inside a text.
_HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f"
    "\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"
)
_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
# What has one plain reading. Fractions, powers and circled numbers mean something by their form and stay.
_COMPATIBLE = (
    "\uff01-\uff5e\uffe0-\uffe6\ufb00-\ufb06\u2160-\u217f\u24b6-\u24e9\U0001d400-\U0001d7ff\U0001f130-\U0001f149"
)
_ODD = re.compile(rf"[{_HIDDEN}]+|[{_SPACES}]|[{_COMPATIBLE}]|[^\W\d_][\u0300-\u036f]+")


def odd_letters(text: str) -> Iterator[tuple[int, int, str]]:
    """Edits that leave plain letters, in order."""
    if text.isascii():
        return
    for match in _ODD.finditer(text):
        found, start, end = match.group(), match.start(), match.end()
        if unicodedata.category(found[0]) in ("Cf", "Mn", "Lo", "Cn"):
            yield start, end, ""
        elif found[0].isspace():
            yield start, end, " "
        else:
            plain = _squared(found) or unicodedata.normalize("NFKC", found)
            if plain != found:
                yield start, end, plain


def _squared(char: str) -> str:
    """The letter in a box, which the standard gives no plain form for."""
    return chr(ord(char) - 0x1F130 + 65) if "\U0001f130" <= char <= "\U0001f149" else ""
