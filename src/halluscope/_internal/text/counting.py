"""Numbers of things, in words that agree with them."""

from __future__ import annotations


def count_of(count: int, thing: str, things: str | None = None) -> str:
    """So many of a thing: "1 case", "2,000 cases"; `things` where more of it are not said with an s alone."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {things or f'{thing}s'}"
