"""JSON from elsewhere, with a limit on how deep it nests: walking a deeper value would exceed Python's recursion."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

DEEPEST = 100
"""Levels of objects and lists. Python allows 1,000 calls inside each other, of which the callers take their part."""
TOO_DEEP = f"it is nested more than {DEEPEST} levels deep"
MOST_ITEMS = 2_000_000
"""Values in a text: a list of empty lists takes 24 times the memory of its text."""

_SCALARS = (str, bytes, int, float, type(None))


def too_deep(value: object) -> bool:
    """Return whether a value nests deeper than `DEEPEST`, or contains itself."""
    open_values: list[Iterator[object]] = [iter((value,))]
    while open_values:
        for item in open_values[-1]:
            inner = _items(item)
            if inner is not None:
                if len(open_values) > DEEPEST:
                    return True
                open_values.append(inner)
                break
        else:
            open_values.pop()
    return False


def _items(value: object) -> Iterator[object] | None:
    if isinstance(value, _SCALARS):
        return None
    if isinstance(value, Mapping):
        return iter(value.values())
    return iter(value) if isinstance(value, (list, tuple, set, frozenset)) else None


def json_text(value: Any) -> str:
    """A value as JSON for readers; what JSON does not have is written as text."""
    return json.dumps(value, ensure_ascii=False, default=str)


class TooDeepError(ValueError):
    """JSON that nests too deeply."""

    def __init__(self) -> None:
        super().__init__(TOO_DEEP)


def decode_json(content: str | bytes | bytearray, most_items: int = MOST_ITEMS) -> Any:
    """Decode JSON, or raise `ValueError`. NaN and lone surrogates are accepted, as other programs write them."""
    signs: tuple[Any, ...] = (",", "[", "{") if isinstance(content, str) else (b",", b"[", b"{")
    # Punctuation inside strings counts as well.
    if len(content) > most_items and sum(content.count(sign) for sign in signs) > most_items:
        raise ValueError(f"it holds more than {most_items:,} values")
    try:
        try:
            value = msgspec.json.decode(content)
        except (msgspec.DecodeError, UnicodeError):
            value = json.loads(content)
    except RecursionError:
        raise TooDeepError from None
    if too_deep(value):
        raise TooDeepError
    return value
