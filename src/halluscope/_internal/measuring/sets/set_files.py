"""Rows of a file in whatever shape it comes: JSON, JSON lines, CSV, TSV or Parquet, gzipped or not."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ...datasets.files import Parquet
from ...errors import InputError

Row = tuple[int, dict[str, Any]]
"""A row with its number, from 1: the line of the file where it has lines."""


def rows(path: Path) -> Iterator[Row]:
    """Every row of the file, in order."""
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}.")
    names = [suffix.casefold() for suffix in path.suffixes]
    gzipped = names[-1:] == [".gz"]
    kind = (names[:-1] if gzipped else names)[-1:] or [""]
    if kind == [".parquet"]:
        for number, record in enumerate(Parquet(path).records(), start=1):
            yield number, record.fields
        return
    data = path.read_bytes()
    if gzipped or data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError) as error:
            raise InputError(f"{path.name} is not a complete gzip file ({error}).") from error
    data = data.removeprefix(b"\xef\xbb\xbf")
    if kind[0] in (".csv", ".tsv"):
        yield from _separated(path, data, "\t" if kind == [".tsv"] else ",")
    else:
        yield from _json(path, data)


def _json(path: Path, data: bytes) -> Iterator[Row]:
    """A list, an object that holds one under `samples` or `data`, or one object per line."""
    head = data.lstrip()[:1]
    if head == b"[" or (head == b"{" and b"\n" not in data.strip()) or data.lstrip()[:2] in (b"{\n", b"{\r"):
        try:
            whole = msgspec.json.decode(data)
        except msgspec.DecodeError as error:
            raise InputError(f"{path.name} is not JSON ({error}).") from error
        if isinstance(whole, dict):
            inner = next((whole[key] for key in ("samples", "data") if isinstance(whole.get(key), list)), [whole])
            whole = inner
        for number, row in enumerate(whole, start=1):
            yield number, _object(path, number, row)
        return
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(f"line {number} of {path.name} is not JSON ({error}).") from error
        yield number, _object(path, number, row)


def _object(path: Path, number: int, row: object) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise InputError(f"row {number} of {path.name} is a {type(row).__name__}; each row must be a JSON object.")
    return row


def _separated(path: Path, data: bytes, delimiter: str) -> Iterator[Row]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not UTF-8 text ({error}).") from error
    for number, row in enumerate(csv.DictReader(io.StringIO(text), delimiter=delimiter), start=2):
        yield number, {name: value for name, value in row.items() if name}
