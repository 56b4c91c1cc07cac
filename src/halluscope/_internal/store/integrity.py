"""Every value in the file against its checksum, page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .packing import about_outcome, verify

_PAGE = 256

_KEPT: tuple[tuple[str, str, Callable[..., bytes]], ...] = (
    ("replies", "entry", lambda: b""),
    ("cases", "body, key", lambda key: key),
    ("outcomes", 'body, "case", outcome, score, passed, label', about_outcome),
)
"""Each table, its packed column with those that the checksum covers as well, and how it covers them."""


def verify_all(rows: Callable[[str, Sequence[Any]], list[Any]]) -> None:
    """Raise `StoreDamaged` at the first value that is not what was written; `rows` runs a query."""
    for table, columns, about in _KEPT:
        query = f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT {_PAGE}"  # noqa: S608
        after = -1
        while page := rows(query, (after,)):
            after = page[-1][0]
            for _, packed, *covered in page:
                verify(packed, about(*covered))
