"""Rows of data: cases, or why they cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Union

from msgspec import Struct

from ...core.case import Case
from ...core.plumbing.public import public_in


class Row(Struct, frozen=True, tag=True):
    """A row that was read. `place` is its line or row, from 1."""

    place: str
    case: Case


@public_in("halluscope.runs")
class BadRow(Struct, frozen=True, tag=True):
    """A row of the data that could not be read.

    Attributes:
        place: Its line or row, from 1.
        reason: Why it could not be read.
    """

    place: str
    reason: str


class Record(Struct, frozen=True):
    """A row before its columns are mapped."""

    place: str
    fields: Any


AnyRow = Union[Row, BadRow]
AnyRecord = Union[Record, BadRow]


class Source:
    """A source of records. `total` and `fraction` give the progress, if it is known."""

    name: str
    columns: list[str] | None = None
    """The column names, if they are the same for every row."""
    total: int | None = None
    _read = 0

    def fraction(self) -> float | None:
        """Return how much was read, if it is known."""
        return self._read / self.total if self.total else None

    def records(self) -> Iterator[AnyRecord]:
        """Yield all records. After an error of reading, the last one is a row that cannot be read."""
        records, read = self._records(), 0
        while True:
            try:
                record = next(records)
            except StopIteration:
                return
            except Exception as error:
                said = " ".join(str(error).split())[:200] or type(error).__name__
                yield BadRow(f"row {read + 1}", f"the file is damaged here, and cannot be read any further ({said})")
                return
            yield record
            read += 1

    def _records(self) -> Iterator[AnyRecord]:
        raise NotImplementedError


class Stored(Protocol):
    """A file to read. Its format is the ending of its name."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int: ...

    def open(self) -> BinaryIO:
        """Open the file. The caller closes it."""
        ...


class OnDisk(Struct, frozen=True):
    """A file on this machine."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def open(self) -> BinaryIO:
        return self.path.open("rb")
