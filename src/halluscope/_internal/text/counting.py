"""Numbers of things, in words that agree with them."""

from __future__ import annotations


def count_of(count: int, thing: str) -> str:
    """So many of a thing: "1 case", "2,000 cases"."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"
