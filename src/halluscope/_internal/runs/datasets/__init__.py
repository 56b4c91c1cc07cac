"""Reading cases from files, DataFrames, datasets and iterators, row by row."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from ...core.conversation import CONTEXT_FROM
from .columns import NAMES, Columns, Turns
from .files import Cells, open_file, reader_of
from .objects import open_object
from .rows import AnyRow, BadRow, Row, Source, Stored

__all__ = ["NAMES", "AnyRow", "BadRow", "Data", "Row", "Stored", "Turns", "open_data", "open_stored"]


class Data:
    """Rows from one source. Iterate once. With `limit`, only so many records are read; `read` counts them."""

    def __init__(self, source: Source, columns: Columns, limit: int | None = None) -> None:
        self.name, self.total, self.fraction = source.name, source.total, source.fraction
        self._source = source
        self._limit = limit
        self.read = 0
        self._columns = columns
        if source.columns is not None:
            columns.check(source.columns)

    def __iter__(self) -> Iterator[AnyRow]:
        for record in islice(self._source.records(), self._limit):
            self.read += 1
            if isinstance(record, BadRow):
                yield record
                continue
            try:
                yield from [Row(record.place, case) for case in self._columns.cases(record.fields)]
            except (ValueError, ArithmeticError) as error:
                yield BadRow(record.place, str(error))


def open_data(
    data: object,
    map: Mapping[str, str] | None = None,
    *,
    turns: Turns = "last",
    context_from: Iterable[str] = CONTEXT_FROM,
    limit: int | None = None,
) -> Data:
    """Open a file (by its path), a table, a dataset or an iterator. `map` has the column of each field."""
    source: Source = open_file(data) if isinstance(data, (str, os.PathLike)) else open_object(data)
    columns = Columns(map, cells=isinstance(source, Cells), turns=turns, context_from=context_from)
    return Data(source, columns, limit)


def open_stored(file: Stored, map: Mapping[str, str] | None = None) -> Data:
    """Open a file that may be on another machine."""
    source = reader_of(file)
    return Data(source, Columns(map, cells=isinstance(source, Cells)))
