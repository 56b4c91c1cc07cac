"""A statement on its way to becoming a claim."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Stated"]


class Stated(NamedTuple):
    """A statement and its place in the judged text."""

    text: str
    start: int
    end: int
