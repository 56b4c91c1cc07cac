"""Data in files: JSONL, JSON, CSV, TSV and Parquet, each also packed with gzip, read row by row."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import sys
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Union, cast

import msgspec

from ..errors import DataError, MissingExtra
from .rows import AnyRecord, Record, Unread
from .stored import OnDisk, Stored

Bytes = Union[BinaryIO, gzip.GzipFile]

LONGEST_LINE = 64 * 2**20
"""A line beyond this is a damaged file rather than a case, and is not read into memory."""

_BOM = b"\xef\xbb\xbf"
_CUT_OFF = (EOFError, zlib.error, gzip.BadGzipFile)
_LARGEST_LIST = 2**30
"""Bytes of a file that is one JSON value: it is read whole, unlike one with a line for each row."""
_INSIDE = ("samples", "data")
"""Keys under which a .json file may hold its rows."""


class _Reader(ABC):
    """Anything that is read from outside. Whatever is raised on the way is told as a row that cannot be read."""

    def records(self) -> Iterator[AnyRecord]:
        """Every record, in order; the last one may say why there are no more."""
        records, read = self._records(), 0
        while True:
            try:
                record = next(records)
            except StopIteration:
                return
            except Exception as error:
                said = " ".join(str(error).split())[:200] or type(error).__name__
                yield Unread(f"row {read + 1}", f"the file is damaged here, and cannot be read any further ({said})")
                return
            yield record
            read += 1

    @abstractmethod
    def _records(self) -> Iterator[AnyRecord]: ...


class _File(_Reader):
    """What all files have in common: a name, a size, and how far they have been read."""

    def __init__(self, file: Stored) -> None:
        self.name = file.name
        self._file = file
        self._size = file.size
        self._raw: BinaryIO | None = None

    @property
    def columns(self) -> list[str] | None:
        return None

    @property
    def total(self) -> int | None:
        return None

    def fraction(self) -> float | None:
        """How much of the file's bytes have been read."""
        if self._raw is None or not self._size:
            return None
        try:
            return min(1.0, self._raw.tell() / self._size)
        except ValueError:
            return 1.0

    @contextmanager
    def _open(self) -> Iterator[Bytes]:
        with self._file.open() as raw:
            self._raw = raw
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            if not packed:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield unpacked


class JsonLines(_File):
    """One JSON object per line; a file that is one JSON value is read as well, whole."""

    def _records(self) -> Iterator[AnyRecord]:
        with self._open() as file:
            one_value = self.name.lower().removesuffix(".gz").endswith(".json")
            yield from json_lines(file, one_value=one_value)


def json_lines(file: Bytes, *, one_value: bool = False) -> Iterator[AnyRecord]:
    """The records in a stream of lines. `one_value`: it is likely one JSON value, over however many lines."""
    number = 0
    while True:
        place = f"line {number + 1}"
        try:
            line = file.readline(LONGEST_LINE)
        except _CUT_OFF as error:
            yield Unread(place, f"the packed file is damaged or cut off here ({error})")
            return
        if not line:
            return
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
            yield Unread(place, f"the line is longer than {LONGEST_LINE >> 20} MB")
            continue
        if number == 1:
            line = line.removeprefix(_BOM)
            if one_value or line.lstrip().startswith(b"[") or line.strip() == b"{":
                content = line + file.read(_LARGEST_LIST)
                found = None if len(content) > _LARGEST_LIST else _json_value(content)
                if found is not None:
                    yield from found
                    return
                # No value after all: the first line may be a bad one among good ones.
                file = cast("BinaryIO", _Again(content, file))
                line = file.readline(LONGEST_LINE)
        if line.isspace():
            continue
        yield _json_record(place, line)


def _json_value(content: bytes) -> list[AnyRecord] | None:
    """The rows of a file that is one JSON value, None where it is not one."""
    decoded = _json_record("line 1", content)
    if isinstance(decoded, Unread):
        return None
    value = decoded.fields
    if isinstance(value, dict):
        value = next((value[key] for key in _INSIDE if isinstance(value.get(key), list)), [value])
    rows = value if isinstance(value, list) else [value]
    return [Record(f"item {number}", fields) for number, fields in enumerate(rows, start=1)]


class _Again:
    """What was read of a stream, line by line once more, and then the rest of the stream."""

    def __init__(self, content: bytes, rest: Bytes) -> None:
        self._content = io.BytesIO(content)
        self._rest = rest

    def readline(self, limit: int) -> bytes:
        line = self._content.readline(limit)
        return line if line.endswith(b"\n") or len(line) == limit else line + self._rest.readline(limit - len(line))


def _json_record(place: str, line: bytes) -> AnyRecord:
    try:
        return Record(place, msgspec.json.decode(line))
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    except RecursionError:
        return Unread(place, "the JSON is nested too deeply")
    # The standard reader takes what others write and JSON forbids: NaN, lone surrogates.
    try:
        return Record(place, json.loads(line))
    except UnicodeDecodeError:
        return Unread(place, "the line is not UTF-8 text")
    except RecursionError:
        return Unread(place, "the JSON is nested too deeply")
    except ValueError as error:
        return Unread(place, f"not a JSON object ({error})")


class Cells(_File):
    """CSV or TSV with a heading line."""

    def __init__(self, file: Stored, delimiter: str) -> None:
        super().__init__(file)
        self._delimiter = delimiter
        with self._reader() as reader:
            try:
                self._heading: list[str] = next(reader, [])
            except (csv.Error, *_CUT_OFF) as error:
                raise DataError(f"{self.name} cannot be read as CSV: {error}.") from error
        if not self._heading:
            raise DataError(f"{self.name} is empty: a CSV file starts with a line of column names.")
        twice = [name for name in self._heading if self._heading.count(name) > 1]
        if twice:
            raise DataError(f"{self.name} has two columns named {twice[0]!r}.")

    @property
    def columns(self) -> list[str] | None:
        return self._heading

    @contextmanager
    def _reader(self) -> Iterator[Any]:
        csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
        with (
            self._open() as file,
            io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="") as text,
        ):
            yield csv.reader(text, delimiter=self._delimiter)

    def _records(self) -> Iterator[AnyRecord]:
        with self._reader() as reader:
            next(reader)
            while True:
                place = f"line {reader.line_num + 1}"
                try:
                    cells = next(reader, None)
                except csv.Error as error:
                    yield Unread(place, f"not a CSV row ({error})")
                    continue
                except _CUT_OFF as error:
                    yield Unread(place, f"the packed file is damaged or cut off here ({error})")
                    return
                if cells is None:
                    return
                if cells:
                    yield self._record(place, cells)

    def _record(self, place: str, cells: list[str]) -> AnyRecord:
        if len(cells) != len(self._heading):
            return Unread(place, f"the row has {len(cells)} cells, the heading {len(self._heading)}")
        if any("\udc80" <= character <= "\udcff" for cell in cells if not cell.isascii() for character in cell):
            return Unread(place, "the row is not UTF-8 text")
        return Record(place, dict(zip(self._heading, cells, strict=True)))


class Parquet(_Reader):
    """A Parquet file, read in small batches."""

    def __init__(self, file: Stored) -> None:
        try:
            import pyarrow
            import pyarrow.parquet as pq
        except ImportError as error:
            raise MissingExtra("parquet", "reading Parquet") from error
        self.name = file.name
        try:
            self._file = pq.ParquetFile(file.path if isinstance(file, OnDisk) else file.open())
        except (pyarrow.ArrowException, OSError) as error:
            raise DataError(f"{self.name} cannot be read as Parquet: {str(error).rstrip('.')}.") from error
        self._read = 0

    @property
    def columns(self) -> list[str] | None:
        return list(self._file.schema_arrow.names)

    @property
    def total(self) -> int | None:
        return int(self._file.metadata.num_rows)

    def fraction(self) -> float | None:
        return self._read / self.total if self.total else None

    def _records(self) -> Iterator[AnyRecord]:
        end = 0
        for number in range(self._file.num_row_groups):
            end += self._file.metadata.row_group(number).num_rows
            try:
                for batch in self._file.iter_batches(batch_size=512, row_groups=[number]):
                    yield from self._rows(batch)
            except (ValueError, ArithmeticError, OSError, NotImplementedError) as error:
                said = " ".join(str(error).split())[:200]
                yield Unread(f"row {self._read + 1}", f"the file is damaged here, up to row {end} ({said})")
                self._read = end

    def _rows(self, batch: Any) -> Iterator[AnyRecord]:
        try:
            rows: list[Any] = batch.to_pylist()
        except (ValueError, ArithmeticError):  # a value that Python has none for: the other rows are good
            rows = [_row_of(batch, place) for place in range(batch.num_rows)]
        for fields in rows:
            self._read += 1
            place = f"row {self._read}"
            yield Unread(place, str(fields)) if isinstance(fields, Exception) else Record(place, fields)


def _row_of(batch: Any, place: int) -> Any:
    try:
        return batch.slice(place, 1).to_pylist()[0]
    except (ValueError, ArithmeticError) as error:
        return error


class StandardInput(_Reader):
    """JSON lines from standard input."""

    name = "standard input"
    columns = None
    total = None

    def fraction(self) -> float | None:
        return None

    def _records(self) -> Iterator[AnyRecord]:
        try:
            # A reader of our own: when the process ends while this one waits, Python would wait for its own for ever.
            stream: BinaryIO = open(sys.stdin.fileno(), "rb", closefd=False)  # noqa: SIM115
        except (OSError, ValueError, AttributeError):
            stream = sys.stdin.buffer
        return json_lines(stream)


def open_file(given: str | os.PathLike[str]) -> JsonLines | Cells | Parquet | StandardInput:
    """The reader for a file, chosen by its name."""
    if given == "-":
        return StandardInput()
    path = Path(given)
    if not path.exists():
        raise DataError(f"there is no file {str(path)!r}.")
    if path.is_dir():
        raise DataError(f"{str(path)!r} is a folder: name a file in it.")
    if not os.access(path, os.R_OK):
        raise DataError(f"the file {str(path)!r} may not be read.")
    return reader_of(OnDisk(path))


def reader_of(file: Stored) -> JsonLines | Cells | Parquet:
    """The reader for what a file's name says that it holds."""
    name = file.name.lower().removesuffix(".gz")
    if name.endswith((".parquet", ".pq")):
        return Parquet(file)
    if name.endswith((".csv", ".tsv")):
        return Cells(file, "\t" if name.endswith(".tsv") else ",")
    if name.endswith((".jsonl", ".ndjson", ".json")):
        return JsonLines(file)
    told = re.split(r"[/\\]", file.name)[-1]
    raise DataError(f"{told!r} names no format: it must end with .jsonl, .json, .csv, .tsv or .parquet (or .gz).")
