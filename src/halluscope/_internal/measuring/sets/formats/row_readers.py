"""What the readers of the sets share: fields that must be there, and where in which file they were missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ....errors import InputError
from ...labelled_case import LabelledCase
from ..set_files import rows

Reader = Callable[[Sequence[Path], str], Iterator[LabelledCase]]
"""Reads the files of a set, and of them the split that is asked for where they hold several."""

RowReader = Callable[[dict[str, Any], str], Iterator[LabelledCase]]
"""Reads one row; the text names it, for ids."""


def by_row(read: RowReader, *, files: str = "*") -> Reader:
    """A reader for sets whose rows stand alone. A folder stands for the files in it that match."""

    def reader(paths: Sequence[Path], split: str) -> Iterator[LabelledCase]:
        for path in expanded(paths, files):
            for number, row in rows(path):
                try:
                    yield from read(row, f"{path.name.split('.')[0]}-{number}")
                except InputError as error:
                    raise InputError(f"row {number} of {path.name}: {error}") from None

    return reader


def expanded(paths: Sequence[Path], files: str) -> list[Path]:
    """The files meant: those given, and those in the folders given."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(p for p in path.glob(files) if p.is_file()) if path.is_dir() else [path]
        if not inside:
            raise InputError(f"the folder {str(path)!r} holds no file {files!r}.")
        found += inside
    return found


def field(row: dict[str, Any], *names: str) -> Any:
    """The value of the first of these fields that the row has."""
    found = optional(row, *names)
    if found is None:
        known = ", ".join(list(row)[:8]) or "none"
        raise InputError(f"there is no field `{names[0]}` (the fields are: {known}).")
    return found


def optional(row: dict[str, Any], *names: str) -> Any:
    """The same, None where the row has none of them."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def choice(value: object, good: Sequence[object], bad: Sequence[object]) -> bool:
    """Whether a value is one of those that mean hallucinated, in a set with two words."""
    if isinstance(value, str):
        value = value.strip()
        value = int(value) if value in ("0", "1") else value.casefold()
    if value in bad:
        return True
    if value in good:
        return False
    raise InputError(f"the label {value!r} is none of this set's ({', '.join(map(str, (*good, *bad)))}).")
