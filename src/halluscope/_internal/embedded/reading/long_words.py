"""Words that no network reads: hashes, keys, long numbers. They stand in the context letter by letter, or not."""

from __future__ import annotations

import re

from .judged_text import judged

_LONG = re.compile(r"[^\W_]{32,}|\d{16,}")
"""Longer than any word or number people write. The network sees the beginning of such a word, or nothing of it."""
_SHOWN = 12


def long_words(text: str) -> list[str]:
    """The words of the text that have to be compared letter by letter, in order."""
    return _LONG.findall(judged(text).text)


def shortened(word: str) -> str:
    """A long word as it can be shown in a sentence."""
    return f"{word[:_SHOWN]}…{word[-_SHOWN:]}"
