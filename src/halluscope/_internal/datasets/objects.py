"""Data that is in memory already, or comes from an iterator: tables, Hugging Face datasets, rows one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Any

from ..errors import DataError
from .rows import AnyRecord, Record


class _Counted:
    """Rows in memory: how many there are is known."""

    name: str
    _total: int | None
    _read = 0

    @property
    def total(self) -> int | None:
        return self._total

    def fraction(self) -> float | None:
        return self._read / self._total if self._total else None


class Frame(_Counted):
    """A pandas DataFrame."""

    def __init__(self, frame: Any) -> None:
        self.name = "a DataFrame"
        self._frame = frame
        self._total = len(frame)

    @property
    def columns(self) -> list[str] | None:
        return [str(column) for column in self._frame.columns]

    def records(self) -> Iterator[AnyRecord]:
        names = self.columns or []
        for values in self._frame.itertuples(index=False, name=None):
            self._read += 1
            yield Record(f"row {self._read}", dict(zip(names, values, strict=True)))


class Rows(_Counted):
    """Anything that gives rows one by one: a list, a generator, a Hugging Face dataset."""

    def __init__(self, rows: Iterable[Any], name: str, columns: list[str] | None = None) -> None:
        self.name = name
        self.columns = columns
        self._rows = rows
        self._total = len(rows) if isinstance(rows, Sized) else None

    def records(self) -> Iterator[AnyRecord]:
        for fields in self._rows:
            self._read += 1
            yield Record(f"row {self._read}", fields)


def open_object(given: object) -> Frame | Rows:
    """The reader for something that is not a file."""
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
        f"a {kind.__name__} is no data: pass a file's path, a DataFrame, a Hugging Face dataset, "
        "or rows as dictionaries or cases."
    )
