"""A statement on its way to becoming a claim."""

from __future__ import annotations

from typing import NamedTuple


class Stated(NamedTuple):
    """The words of a statement, and the stretch of the text around it (sentence, clause or output) that is its own."""

    text: str
    start: int
    end: int
