"""Data in: from files, tables, datasets and iterators to cases, row by row, so that memory does not grow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from .columns import NAMES, Columns
from .files import Cells, open_file, reader_of
from .objects import open_object
from .rows import AnyRow, Row, Source, Unread
from .stored import Stored

__all__ = ["NAMES", "AnyRow", "Data", "Row", "Stored", "Unread", "open_data", "open_stored"]


class Data:
    """Rows from one source. Iterate once."""

    def __init__(self, source: Source, columns: Columns) -> None:
        self._source = source
        self._columns = columns
        if source.columns is not None:
            columns.check(source.columns)

    @property
    def name(self) -> str:
        """Where the rows come from."""
        return self._source.name

    @property
    def total(self) -> int | None:
        """How many rows there are, where that is known before they are read."""
        return self._source.total

    def fraction(self) -> float | None:
        """How far the reading is, from 0 to 1, where that can be known."""
        return self._source.fraction()

    def __iter__(self) -> Iterator[AnyRow]:
        for record in self._source.records():
            if isinstance(record, Unread):
                yield record
                continue
            try:
                yield Row(record.place, self._columns.case(record.fields))
            except (ValueError, ArithmeticError, RecursionError) as error:
                yield Unread(record.place, str(error) or "the row is nested too deeply")


def open_data(data: object, map: Mapping[str, str] | None = None) -> Data:
    """The rows of a file (by its path), a table, a dataset or an iterator; `map` says which column is which."""
    source: Source = open_file(data) if isinstance(data, (str, os.PathLike)) else open_object(data)
    return _data(source, map)


def open_stored(file: Stored, map: Mapping[str, str] | None = None) -> Data:
    """The rows of a file that may be elsewhere than on this machine."""
    return _data(reader_of(file), map)


def _data(source: Source, map: Mapping[str, str] | None) -> Data:
    return Data(source, Columns(map, cells=isinstance(source, Cells)))
