"""Parquet files, read a few rows at a time, because a small file can decompress to any size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.errors import DataError, MissingExtra
from .rows import AnyRecord, BadRow, OnDisk, Record, Source, Stored

LARGEST_ROW = 64 * 2**20
_ROWS_AT_ONCE = 8
_LARGEST_COLUMN = 256 * 2**20
_MOST_ITEMS = 16 * 2**20
_MOST_UNPACKED = 1000
"""Maximum compression ratio of a column that is larger than these limits."""


class Parquet(Source):
    """A Parquet file."""

    def __init__(self, file: Stored) -> None:
        try:
            import pyarrow
            import pyarrow.parquet as pq
        except ImportError as error:
            raise MissingExtra("parquet", "reading Parquet") from error
        self.name = file.name
        source = file.path if isinstance(file, OnDisk) else file.open()
        try:
            metadata = pq.ParquetFile(source).metadata
            repeated = _repeated_texts(metadata)
            self._file = pq.ParquetFile(source, metadata=metadata, read_dictionary=repeated)
        except (pyarrow.ArrowException, OSError) as error:
            raise DataError(f"{self.name} cannot be read as Parquet: {str(error).rstrip('.')}.") from error
        self.columns = list(self._file.schema_arrow.names)
        self.total = int(self._file.metadata.num_rows)

    def _records(self) -> Iterator[AnyRecord]:
        end = 0
        for number in range(self._file.num_row_groups):
            group = self._file.metadata.row_group(number)
            end += group.num_rows
            try:
                _refuse_bomb(group)
                for batch in self._file.iter_batches(batch_size=_ROWS_AT_ONCE, row_groups=[number]):
                    yield from self._rows(batch)
            except (ValueError, ArithmeticError, OSError, NotImplementedError) as error:
                said = " ".join(str(error).split())[:200]
                yield BadRow(f"row {self._read + 1}", f"the file is damaged here, up to row {end} ({said})")
                self._read = end

    def _rows(self, batch: Any) -> Iterator[AnyRecord]:
        try:
            if _size(batch) > LARGEST_ROW:
                raise ValueError("rows of this size are checked one by one")
            rows: list[Any] = batch.to_pylist()
        except (ValueError, ArithmeticError):  # a row is too large, or has a value that Python has none for
            rows = [_row(batch.slice(place, 1)) for place in range(batch.num_rows)]
        for fields in rows:
            self._read += 1
            place = f"row {self._read}"
            yield BadRow(place, str(fields)) if isinstance(fields, Exception) else Record(place, fields)


def _row(batch: Any) -> Any:
    """Return the fields of a batch of one row, or the error that says why it cannot be read."""
    if _size(batch) > LARGEST_ROW:
        return ValueError(f"the row is larger than {LARGEST_ROW >> 20} MB")
    try:
        return batch.to_pylist()[0]
    except (ValueError, ArithmeticError) as error:
        return error


def _repeated_texts(metadata: Any) -> list[str]:
    """Return the lists of texts that are stored once and repeated: one row of them can unpack to any size."""
    schema = metadata.schema
    columns = [
        number
        for number in range(metadata.num_columns)
        if schema.column(number).max_repetition_level and schema.column(number).physical_type == "BYTE_ARRAY"
    ]
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)] if columns else []
    return [
        schema.column(number).path
        for number in columns
        if any("DICTIONARY" in encoding for group in groups for encoding in group.column(number).encodings)
    ]


def _refuse_bomb(group: Any) -> None:
    """Raise where a column of a row group unpacks to something out of proportion to its size in the file."""
    for number in range(group.num_columns):
        column = group.column(number)
        size, unpacked = column.total_compressed_size, column.total_uncompressed_size
        if unpacked > max(_LARGEST_COLUMN, size * _MOST_UNPACKED):
            raise ValueError(
                f"{column.path_in_schema} unpacks from {size} to {unpacked} bytes: write smaller row groups"
            )
        if column.num_values > max(_MOST_ITEMS, group.num_rows, unpacked * _MOST_UNPACKED):
            raise ValueError(f"{column.path_in_schema} unpacks from {size} bytes to {column.num_values} items")


def _size(values: Any) -> int:
    """Return how many bytes a batch or array takes as Python objects, before it becomes any."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values, pa.RecordBatch):
        return sum(map(_size, values.columns))
    if isinstance(values, pa.DictionaryArray) and _is_text(values.type.value_type):
        return pc.sum(pc.binary_length(values.dictionary).take(values.indices)).as_py() or 0
    if isinstance(values, (pa.ListArray, pa.LargeListArray, pa.FixedSizeListArray)):
        items = values.flatten()
        return 8 * len(items) + _size(items)
    if isinstance(values, pa.StructArray):
        return sum(map(_size, values.flatten()))
    return int(values.nbytes)


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return any(
        check(kind) for check in (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    )
