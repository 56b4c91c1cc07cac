"""Finding what a judge quotes, or says of the output, in the text itself."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

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
    plain = text.casefold()
    if not words or not all(word.casefold() in plain for word in words):
        return None
    pattern = r"\W+".join(re.escape(word) for word in words)
    found = re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)
    return found.span() if found else None


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
