"""Data in memory or from iterators: DataFrames, Hugging Face datasets, rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Any

from ...core.errors import DataError
from .rows import AnyRecord, Record, Source


class Rows(Source):
    """Any iterable of rows: a list, a generator, a Hugging Face dataset."""

    def __init__(self, rows: Iterable[Any], name: str, columns: list[str] | None = None) -> None:
        self.name = name
        self.columns = columns
        self._rows = rows
        self.total = len(rows) if isinstance(rows, Sized) else None
        self._read = 0

    def fraction(self) -> float | None:
        return self._read / self.total if self.total else None

    def records(self) -> Iterator[AnyRecord]:
        for fields in self._rows:
            self._read += 1
            yield Record(f"row {self._read}", fields)


class Frame(Rows):
    """A pandas DataFrame."""

    def __init__(self, frame: Any) -> None:
        names = [str(column) for column in frame.columns]
        values = frame.itertuples(index=False, name=None)
        super().__init__((dict(zip(names, row, strict=True)) for row in values), "a DataFrame", names)
        self.total = len(frame)


def open_object(given: object) -> Rows:
    """Return the reader for data that is not a file."""
    kind = type(given)
    home = kind.__module__.partition(".")[0]
    if home == "pandas" and kind.__name__ == "DataFrame":
        return Frame(given)
    if home == "polars" and kind.__name__ == "DataFrame":
        return Rows(given.iter_rows(named=True), "a DataFrame", list(given.columns))  # type: ignore[attr-defined]
    if home == "datasets" and kind.__name__.endswith("DatasetDict"):
        splits = ", ".join(map(str, given)) if isinstance(given, Iterable) else ""
        raise DataError(f"this is a Hugging Face dataset with several splits ({splits}): pass one of them.")
    if home == "datasets" and isinstance(given, Iterable):
        columns = getattr(given, "column_names", None)
        return Rows(given, "a Hugging Face dataset", None if columns is None else list(columns))
    if isinstance(given, Iterable) and not isinstance(given, (bytes, bytearray, dict)):
        return Rows(given, "an iterator" if isinstance(given, Iterator) else f"a {kind.__name__}")
    raise DataError(
        f"a {kind.__name__} cannot be used as data: pass a file's path, a DataFrame, a Hugging Face dataset, "
        "or rows as dictionaries or cases."
    )
