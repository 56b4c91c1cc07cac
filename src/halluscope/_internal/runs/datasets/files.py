"""Data files: JSONL, JSON, CSV, TSV and Parquet, optionally compressed with gzip, read row by row."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Union, cast

from ...core.errors import DataError
from ...core.plumbing.json_values import MOST_ITEMS, decode_json
from .parquet import Parquet
from .rows import AnyRecord, BadRow, OnDisk, Record, Source, Stored

Bytes = Union[BinaryIO, gzip.GzipFile]

LONGEST_LINE = 64 * 2**20
"""Maximum length of a line or row. A longer one means that the file is damaged."""

_BOM = b"\xef\xbb\xbf"
_CUT_OFF = (EOFError, zlib.error, gzip.BadGzipFile)
_LARGEST_LIST = 2**30
"""Maximum size in bytes of a file with one JSON value, which is read completely."""
_LARGEST_PACKED_LIST = 2**24
_MOST_UNPACKED = 100
"""Maximum compression ratio of a file with one JSON value."""
_OURS = {"outcome", "metric_version", "verdicts"}
"""Columns by which an export of this package is recognised, whose cells are escaped."""
_FORMULA = re.compile("'*[=+\\-@\t\r＝＋－＠]")
"""A text that a spreadsheet would run."""
_INSIDE = ("samples", "data")
"""Keys that may contain the rows of a .json file."""


class _File(Source):
    """A file with a name and a size, and how much of it has been read."""

    def __init__(self, file: Stored) -> None:
        self.name = file.name
        self._file = file
        self._size = file.size
        self._raw: BinaryIO | None = None

    def fraction(self) -> float | None:
        """Return the share of bytes read."""
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
    """One JSON object per line, or one JSON value."""

    def _records(self) -> Iterator[AnyRecord]:
        with self._open() as file:
            one_value = self.name.lower().removesuffix(".gz").endswith(".json")
            packed = isinstance(file, gzip.GzipFile)
            largest = max(_LARGEST_PACKED_LIST, self._size * _MOST_UNPACKED) if packed else _LARGEST_LIST
            yield from json_lines(file, one_value=one_value, largest=min(largest, _LARGEST_LIST))


def json_lines(file: Bytes, *, one_value: bool = False, largest: int = _LARGEST_LIST) -> Iterator[AnyRecord]:
    """Yield the records in a stream of lines, or of one JSON value of at most `largest` bytes."""
    number = 0
    while True:
        place = f"line {number + 1}"
        try:
            line = file.readline(LONGEST_LINE)
        except _CUT_OFF as error:
            yield BadRow(place, f"the packed file is damaged or cut off here ({error})")
            return
        if not line:
            return
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
            yield BadRow(place, f"the line is longer than {LONGEST_LINE >> 20} MB")
            continue
        if number == 1:
            line = line.removeprefix(_BOM)
            if one_value or line.lstrip().startswith(b"[") or line.strip() == b"{":
                content = line + file.read(largest)
                if one_value and len(content) > largest:
                    reason = f"one JSON value of more than {largest >> 20} MB is not read: write one line for each row"
                    yield BadRow(place, reason)
                    return
                found = None if len(content) > largest else _json_value(content)
                if found is not None:
                    yield from found
                    return
                # Not one value: read it line by line.
                file = cast("BinaryIO", _Again(content, file))
                line = file.readline(LONGEST_LINE)
        if line.isspace():
            continue
        yield _json_record(place, line)


def _json_value(content: bytes) -> list[AnyRecord] | None:
    """Return the rows of a file with one JSON value, None if it is none."""
    decoded = _json_record("line 1", content, most=max(MOST_ITEMS, len(content) // 8))
    if isinstance(decoded, BadRow):
        return None
    value = decoded.fields
    if isinstance(value, dict):
        value = next((value[key] for key in _INSIDE if isinstance(value.get(key), list)), [value])
    rows = value if isinstance(value, list) else [value]
    return [Record(f"item {number}", fields) for number, fields in enumerate(rows, start=1)]


class _Again:
    """Reads content line by line, and then the rest of a stream."""

    def __init__(self, content: bytes, rest: Bytes) -> None:
        self._content = io.BytesIO(content)
        self._rest = rest

    def readline(self, limit: int) -> bytes:
        line = self._content.readline(limit)
        return line if line.endswith(b"\n") or len(line) == limit else line + self._rest.readline(limit - len(line))


def _json_record(place: str, line: bytes, most: int = MOST_ITEMS) -> AnyRecord:
    try:
        return Record(place, decode_json(line, most))
    except UnicodeDecodeError:
        return BadRow(place, "the line is not UTF-8 text")
    except ValueError as error:
        return BadRow(place, f"not a JSON object ({error})")


class Cells(_File):
    """CSV or TSV with a header line."""

    def __init__(self, file: Stored, delimiter: str) -> None:
        super().__init__(file)
        self._delimiter = delimiter
        with self._reader() as (_, reader):
            try:
                self._heading: list[str] = next(reader, [])
            except (csv.Error, *_CUT_OFF) as error:
                raise DataError(f"{self.name} cannot be read as CSV: {error}.") from error
        self.columns = self._heading
        self._ours = set(self._heading) >= _OURS
        if not self._heading:
            raise DataError(f"{self.name} is empty: a CSV file starts with a line of column names.")
        twice = [name for name in self._heading if self._heading.count(name) > 1]
        if twice:
            raise DataError(f"{self.name} has two columns named {twice[0]!r}.")

    @contextmanager
    def _reader(self) -> Iterator[tuple[_Lines, Any]]:
        csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
        with (
            self._open() as file,
            io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="") as text,
        ):
            lines = _Lines(text)
            yield lines, csv.reader(lines, delimiter=self._delimiter)

    def _records(self) -> Iterator[AnyRecord]:
        with self._reader() as (lines, reader):
            next(reader)
            while True:
                lines.begin_row()
                place = f"line {reader.line_num + 1}"
                try:
                    cells = next(reader, None)
                except csv.Error as error:
                    yield BadRow(place, f"not a CSV row ({error})")
                    continue
                except _CUT_OFF as error:
                    yield BadRow(place, f"the packed file is damaged or cut off here ({error})")
                    return
                if cells is None:
                    return
                if cells:
                    yield self._record(place, cells)

    def _record(self, place: str, cells: list[str]) -> AnyRecord:
        if len(cells) != len(self._heading):
            return BadRow(place, f"the row has {len(cells)} cells, the heading {len(self._heading)}")
        if any("\udc80" <= character <= "\udcff" for cell in cells if not cell.isascii() for character in cell):
            return BadRow(place, "the row is not UTF-8 text")
        if self._ours:
            cells = list(map(unescaped, cells))
        return Record(place, dict(zip(self._heading, cells, strict=True)))


class _Lines:
    """The lines of a CSV file. A row of more than `LONGEST_LINE` characters is an error."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._taken = 0

    def begin_row(self) -> None:
        self._taken = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(LONGEST_LINE)
        if not line:
            raise StopIteration
        self._taken += len(line)
        if self._taken < LONGEST_LINE:
            return line
        while line and not line.endswith(("\n", "\r")):
            line = self._text.readline(LONGEST_LINE)
        raise csv.Error(f"it is longer than {LONGEST_LINE >> 20} MB")


class StandardInput(Source):
    """JSON lines from standard input."""

    name = "standard input"

    def _records(self) -> Iterator[AnyRecord]:
        try:
            # Not sys.stdin: at the end of the process, Python would wait for its lock.
            stream: BinaryIO = open(sys.stdin.fileno(), "rb", closefd=False)  # noqa: SIM115
        except (OSError, ValueError, AttributeError):
            stream = sys.stdin.buffer
        return json_lines(stream)


def open_file(given: str | os.PathLike[str]) -> JsonLines | Cells | Parquet | StandardInput:
    """Open a file with the reader for its name."""
    if given == "-":
        return StandardInput()
    path = Path(given)
    if not path.exists():
        raise DataError(f"there is no file {str(path)!r}.")
    if path.is_dir():
        raise DataError(f"{str(path)!r} is a folder: name a file in it.")
    if not os.access(path, os.R_OK):
        raise DataError(f"the file {str(path)!r} cannot be read: permission denied.")
    return reader_of(OnDisk(path))


def reader_of(file: Stored) -> JsonLines | Cells | Parquet:
    """Return the reader for a file name."""
    name = file.name.lower().removesuffix(".gz")
    if name.endswith((".parquet", ".pq")):
        return Parquet(file)
    if name.endswith((".csv", ".tsv")):
        return Cells(file, "\t" if name.endswith(".tsv") else ",")
    if name.endswith((".jsonl", ".ndjson", ".json")):
        return JsonLines(file)
    name = re.split(r"[/\\]", file.name)[-1]
    raise DataError(f"{name!r} has no known ending: it must end with .jsonl, .json, .csv, .tsv or .parquet (or .gz).")


def escaped(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def unescaped(cell: str) -> str:
    """Undo `escaped`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
