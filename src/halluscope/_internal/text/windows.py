"""Cutting long texts into pieces at places where a reader would pause."""

from __future__ import annotations

import re

_PAUSES = tuple(re.compile(p) for p in (r"\n\s*\n", r"\n", r"(?<=[.!?])\s", r"\s"))


def cut(text: str, limit: int) -> list[tuple[int, int]]:
    """Places of consecutive pieces of at most `limit` characters that together are the text.

    A piece ends at the last paragraph, line, sentence or word boundary in its second half, and in
    the middle of a word only where there is no such place.
    """
    if limit < 1:
        raise ValueError("a piece must hold at least one character")
    pieces: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > limit:
        end = _pause(text, start + limit // 2, start + limit) or start + limit
        pieces.append((start, end))
        start = end
    if start < len(text) or not pieces:
        pieces.append((start, len(text)))
    return pieces


def _pause(text: str, low: int, high: int) -> int | None:
    for pause in _PAUSES:
        last = None
        for found in pause.finditer(text, low, high):
            last = found.end()
        if last is not None and last > low:
            return last
    return None
