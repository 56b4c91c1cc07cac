"""Rows of a set's file in whatever shape it comes, read as `eval` reads them; one that cannot be read is an error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...datasets.files import open_file
from ...datasets.rows import Unread
from ...errors import InputError

Row = tuple[int, dict[str, Any]]
"""A row with its number, from 1: the line of the file where it has lines."""


def rows(path: Path) -> Iterator[Row]:
    """Every row of the file, in order."""
    for record in open_file(path).records():
        if isinstance(record, Unread):
            raise InputError(f"{record.place} of {path.name} cannot be read: {record.reason}.")
        if not isinstance(record.fields, dict):
            kind = type(record.fields).__name__
            raise InputError(f"{record.place} of {path.name} is a {kind}; each row must be a JSON object.")
        yield int(record.place.rpartition(" ")[2]), record.fields
