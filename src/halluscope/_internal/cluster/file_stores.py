"""Files in any store that Arrow or fsspec can reach: found by pattern, read, and written atomically."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, cast

from msgspec import Struct

from ..core.errors import DataError, InputError, MissingExtra, WriteError

_WILDCARD = re.compile(r"[*?\[]")
_FORMATS = (".parquet", ".pq", ".jsonl", ".ndjson", ".json", ".csv", ".tsv")
_RENAMES = ("local", "hdfs")
"""Stores where an incomplete file is visible. In the others, a file appears when it is complete."""


_BUFFER = 2**20


class StoredFile(Struct, frozen=True):
    """A file to read. `version` changes with the file, if its store knows when it was modified."""

    name: str
    path: str
    size: int
    version: int
    store: Any

    def open(self) -> BinaryIO:
        # Arrow's file objects have no `readline`.
        return io.BufferedReader(self.store.open_input_file(self.path), _BUFFER)


class StoredFolder(Struct, frozen=True):
    """A folder to write to. `name` is what the user passed."""

    name: str
    path: str
    store: Any

    def file(self, *parts: str) -> str:
        """Return the path of a file in the folder."""
        return "/".join((self.path.rstrip("/"), *parts))

    def write(self, content: bytes, *parts: str) -> None:
        """Write a file atomically, replacing an older one."""
        path = self.file(*parts)
        renamed = self.store.type_name in _RENAMES
        unfinished = f"{path.rpartition('/')[0]}/.{token_hex(6)}.part" if renamed else path
        try:
            if renamed:
                self.store.create_dir(path.rpartition("/")[0], recursive=True)
            with self.store.open_output_stream(unfinished) as file:
                file.write(content)
            if renamed:
                self.store.move(unfinished, path)
        except OSError as error:
            raise WriteError(f"{self.name}/{'/'.join(parts)} cannot be written: {error}.") from error

    def read(self, *parts: str) -> bytes | None:
        """Return the content of a file, or None if there is none."""
        try:
            with self.store.open_input_stream(self.file(*parts)) as file:
                return cast("bytes", file.read())
        except FileNotFoundError:
            return None

    def names(self, folder: str) -> list[str]:
        """Return the names of the complete files in a subfolder."""
        from pyarrow.fs import FileSelector

        found = self.store.get_file_info(FileSelector(self.file(folder), allow_not_found=True))
        return sorted(info.base_name for info in found if info.is_file and not info.base_name.startswith("."))

    def has(self, *parts: str) -> bool:
        return bool(self.store.get_file_info(self.file(*parts)).is_file)

    def remove(self, *parts: str) -> None:
        """Remove a file if it exists."""
        if self.has(*parts):
            self.store.delete_file(self.file(*parts))


def open_folder(name: str | os.PathLike[str]) -> StoredFolder:
    """Open a folder. It need not exist yet."""
    store, path = _store_of(os.fspath(name))
    if store.get_file_info(path).is_file:
        raise InputError(f"{os.fspath(name)} is a file: name a folder for the results.")
    return StoredFolder(os.fspath(name).rstrip("/"), path, store)


def find_files(patterns: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[StoredFile]:
    """Find files by name, by folder, or by patterns with `*`, `?` and `**`."""
    given = [patterns] if isinstance(patterns, (str, os.PathLike)) else list(patterns)
    found: dict[str, StoredFile] = {}
    for pattern in [os.fspath(path) for path in given]:
        files = _matching(pattern)
        if not files:
            raise DataError(f"there is no file {pattern!r}.")
        found |= {file.name: file for file in files}
    return [found[name] for name in sorted(found)]


def _matching(pattern: str) -> list[StoredFile]:
    from fsspec.utils import glob_translate
    from pyarrow.fs import FileSelector, FileType

    base, wildcards = _split(pattern if "://" in pattern else Path(pattern).as_posix())
    store, path = _store_of(base)
    try:
        expression = re.compile(glob_translate(wildcards))
        info = store.get_file_info(path)
        if info.type is FileType.File:
            return [_file(store, info, base)]
        if info.type is FileType.NotFound:
            return []
        there = store.get_file_info(FileSelector(path, recursive="/" in wildcards))
    except (OSError, ValueError) as error:
        raise DataError(f"{pattern} cannot be listed: {error}.") from error
    files = {str(info.path)[len(path) :].lstrip("/"): info for info in there if info.is_file}
    chosen = [name for name in sorted(files) if (expression.fullmatch(name) if wildcards else _is_data(name))]
    return [_file(store, files[name], f"{base.rstrip('/')}/{name}") for name in chosen]


def _split(pattern: str) -> tuple[str, str]:
    """Split a pattern into the folder before the first wildcard, and the rest."""
    found = _WILDCARD.search(pattern)
    if found is None:
        return pattern, ""
    base, slash, _ = pattern[: found.start()].rpartition("/")
    return (base or slash or "."), pattern[len(base) + len(slash) :]


def _is_data(name: str) -> bool:
    return not name.startswith((".", "_")) and name.lower().removesuffix(".gz").endswith(_FORMATS)


def _file(store: Any, info: Any, name: str) -> StoredFile:
    return StoredFile(name, info.path, int(info.size or 0), int(info.mtime_ns or 0), store)


def _store_of(name: str) -> tuple[Any, str]:
    """Return the store, and the path in it."""
    try:
        from pyarrow import ArrowException
        from pyarrow.fs import FileSystem, FSSpecHandler, LocalFileSystem, PyFileSystem
    except ImportError as error:
        raise MissingExtra("ray", "scoring on a cluster") from error
    if "://" not in name:
        return LocalFileSystem(), Path(name).absolute().as_posix()
    try:
        store, path = FileSystem.from_uri(name)
        return store, path
    except (ArrowException, ValueError, OSError) as arrow:
        try:
            import fsspec

            store, path = fsspec.core.url_to_fs(name)
            return PyFileSystem(FSSpecHandler(store)), path
        except (ImportError, ValueError) as error:
            raise DataError(f"{name!r} is in no store that can be reached: {error or arrow}.") from error


def parquet_bytes(table: Any) -> bytes:
    import pyarrow.parquet as pq

    made = io.BytesIO()
    pq.write_table(table, made)
    return made.getvalue()
