"""Data in memory or from iterators: DataFrames, Hugging Face datasets, rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Any

from ...core.errors import DataError
from .rows import AnyRecord, Record, Source


class Rows(Source):
    """Any iterable of rows: a list, a generator, a DataFrame, a Hugging Face dataset. Its errors end the run."""

    def __init__(self, rows: Iterable[Any], name: str, columns: Iterable[str] | None = None) -> None:
        self.name = name
        self.columns = None if columns is None else list(columns)
        self._rows = rows
        self.total = len(rows) if isinstance(rows, Sized) else None

    def records(self) -> Iterator[AnyRecord]:
        for fields in self._rows:
            self._read += 1
            yield Record(f"row {self._read}", fields)


def open_object(given: Any) -> Rows:
    """Return the reader for data that is not a file."""
    kind = type(given)
    home = kind.__module__.partition(".")[0]
    if home == "pandas" and kind.__name__ == "DataFrame":
        names = [str(column) for column in given.columns]
        values = given.itertuples(index=False, name=None)
        frame = Rows((dict(zip(names, row, strict=True)) for row in values), "a DataFrame", names)
        frame.total = len(given)
        return frame
    if home == "polars" and kind.__name__ == "DataFrame":
        return Rows(given.iter_rows(named=True), "a DataFrame", given.columns)
    if home == "datasets" and kind.__name__.endswith("DatasetDict"):
        raise DataError(
            f"this is a Hugging Face dataset with several splits ({', '.join(map(str, given))}): pass one of them."
        )
    if home == "datasets" and isinstance(given, Iterable):
        return Rows(given, "a Hugging Face dataset", getattr(given, "column_names", None))
    if isinstance(given, Iterable) and not isinstance(given, (bytes, bytearray, dict)):
        return Rows(given, "an iterator" if isinstance(given, Iterator) else f"a {kind.__name__}")
    raise DataError(
        f"a {kind.__name__} cannot be used as data: pass a file's path, a DataFrame, a Hugging Face dataset, "
        "or rows as dictionaries or cases."
    )
