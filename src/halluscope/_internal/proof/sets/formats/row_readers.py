"""Shared code of the readers: the rows of a file, required fields, and errors with the file and row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ....core.errors import InputError
from ....runs.datasets.files import open_file
from ....runs.datasets.rows import BadRow
from ....runs.labelled_case import LabelledCase

T = TypeVar("T")

Reader = Callable[[Sequence[Path], str], Iterator[LabelledCase]]
"""Reads a split of a dataset from its files."""


def by_row(
    read: Callable[[dict[str, Any], str], Iterator[T]], *, files: str = "*"
) -> Callable[[Sequence[Path], str], Iterator[T]]:
    """Return a reader for independent rows, each with a name for its id. In a folder, all matching files are read."""

    def reader(paths: Sequence[Path], split: str) -> Iterator[T]:
        for path in _expanded(paths, files):
            for number, row in rows(path):
                try:
                    yield from read(row, f"{path.name.split('.')[0]}-{number}")
                except InputError as error:
                    raise InputError(f"row {number} of {path.name}: {error}") from None

    return reader


def _expanded(paths: Sequence[Path], files: str) -> list[Path]:
    """Return the files, including those in folders."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(p for p in path.glob(files) if p.is_file()) if path.is_dir() else [path]
        if not inside:
            raise InputError(f"the folder {str(path)!r} holds no file {files!r}.")
        found += inside
    return found


def field(row: dict[str, Any], *names: str) -> Any:
    """Return the value of the first of these fields that exists."""
    found = optional(row, *names)
    if found is None:
        known = ", ".join(list(row)[:8]) or "none"
        raise InputError(f"there is no field `{names[0]}` (the fields are: {known}).")
    return found


def optional(row: dict[str, Any], *names: str) -> Any:
    """The same, but None if there is none."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def choice(value: object, good: Sequence[object], bad: Sequence[object]) -> bool:
    """Whether a label means hallucinated, given the labels of both classes."""
    if isinstance(value, str):
        value = value.strip()
        value = int(value) if value in ("0", "1") else value.casefold()
    if value in bad:
        return True
    if value in good:
        return False
    raise InputError(f"the label {value!r} is not one of this dataset ({', '.join(map(str, (*good, *bad)))}).")


def rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield every row of the file with its number or line, from 1. A row that cannot be read is an error."""
    for record in open_file(path).records():
        if isinstance(record, BadRow):
            raise InputError(f"{record.place} of {path.name} cannot be read: {record.reason}.")
        if not isinstance(record.fields, dict):
            kind = type(record.fields).__name__
            raise InputError(f"{record.place} of {path.name} is a {kind}; each row must be a JSON object.")
        yield int(record.place.rpartition(" ")[2]), record.fields
