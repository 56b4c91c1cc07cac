"""Files in whatever store Arrow or fsspec reaches: found by pattern, read, and written whole or not at all."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, cast

from ..errors import DataError, InputError, MissingExtra, WriteError

_WILD = re.compile(r"[*?\[]")
_FORMATS = (".parquet", ".pq", ".jsonl", ".ndjson", ".json", ".csv", ".tsv")
_RENAMES = ("local", "hdfs")
"""Stores where a file can be seen before it is whole. In the others it is there once all of it has come."""


_READ_AT_ONCE = 2**20


@dataclass(frozen=True)
class StoredFile:
    """A file that is to be read. `version` changes when the file does, where its store tells."""

    name: str
    path: str
    size: int
    version: int
    store: Any

    def open(self) -> BinaryIO:
        # Arrow's own file does not read lines.
        return io.BufferedReader(self.store.open_input_file(self.path), _READ_AT_ONCE)


@dataclass(frozen=True)
class StoredFolder:
    """A folder that is written to. `name` is how its user calls it."""

    name: str
    path: str
    store: Any

    def file(self, *parts: str) -> str:
        """The path of a file in it."""
        return "/".join((self.path.rstrip("/"), *parts))

    def write(self, content: bytes, *parts: str) -> None:
        """A file, there whole or not at all; one of that name is replaced."""
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
        """What is in a file, None where there is none."""
        try:
            with self.store.open_input_stream(self.file(*parts)) as file:
                return cast("bytes", file.read())
        except FileNotFoundError:
            return None

    def names(self, folder: str) -> list[str]:
        """The files in a folder of it, without those that are being written."""
        from pyarrow.fs import FileSelector

        found = self.store.get_file_info(FileSelector(self.file(folder), allow_not_found=True))
        return sorted(info.base_name for info in found if info.is_file and not info.base_name.startswith("."))

    def has(self, *parts: str) -> bool:
        return bool(self.store.get_file_info(self.file(*parts)).is_file)

    def remove(self, *parts: str) -> None:
        """Remove a file, where it is there."""
        if self.has(*parts):
            self.store.delete_file(self.file(*parts))


def open_folder(name: str | os.PathLike[str]) -> StoredFolder:
    """The folder of that name, which need not be there yet."""
    store, path = _store_of(os.fspath(name))
    if store.get_file_info(path).is_file:
        raise InputError(f"{os.fspath(name)} is a file: name a folder for the results.")
    return StoredFolder(os.fspath(name).rstrip("/"), path, store)


def find_files(patterns: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[StoredFile]:
    """All files that the patterns mean: a file, a folder with files in it, or names with `*`, `?` and `**`."""
    given = [patterns] if isinstance(patterns, (str, os.PathLike)) else list(patterns)
    found: dict[str, StoredFile] = {}
    for pattern in [os.fspath(path) for path in given]:
        files = _matching(pattern)
        if not files:
            raise DataError(f"there is no file {pattern!r}.")
        found |= {file.name: file for file in files}
    return [found[name] for name in sorted(found)]


def _matching(pattern: str) -> list[StoredFile]:
    from pyarrow.fs import FileSelector, FileType

    base, wild = _split(pattern if "://" in pattern else Path(pattern).as_posix())
    store, path = _store_of(base)
    try:
        info = store.get_file_info(path)
        if info.type is FileType.File:
            return [_file(store, info, base)]
        if info.type is FileType.NotFound:
            return []
        there = store.get_file_info(FileSelector(path, recursive="/" in wild))
    except OSError as error:
        raise DataError(f"{pattern} cannot be listed: {error}.") from error
    wanted = _expression(wild)
    files = {str(info.path)[len(path) :].lstrip("/"): info for info in there if info.is_file}
    chosen = [name for name in sorted(files) if (wanted.fullmatch(name) if wild else _is_data(name))]
    return [_file(store, files[name], f"{base.rstrip('/')}/{name}") for name in chosen]


def _split(pattern: str) -> tuple[str, str]:
    """The folder before the first wild card, and the rest; no rest where there is none."""
    found = _WILD.search(pattern)
    if found is None:
        return pattern, ""
    base, slash, _ = pattern[: found.start()].rpartition("/")
    return (base or slash or "."), pattern[len(base) + len(slash) :]


def _is_data(name: str) -> bool:
    return not name.startswith((".", "_")) and name.lower().removesuffix(".gz").endswith(_FORMATS)


def _expression(pattern: str) -> re.Pattern[str]:
    """`*` and `?` within one name, `**` over any number of folders."""
    said = [
        ("**/" if part == "**" else re.sub(r"(\*|\?|\[[^\]]+\])|(.)", _letter, part)) for part in pattern.split("/")
    ]
    return re.compile("/".join(said).replace("**//", "(?:[^/]+/)*").replace("**/", ".*"))


def _letter(match: re.Match[str]) -> str:
    wild, other = match.groups()
    if wild is None:
        return re.escape(other)
    return {"*": "[^/]*", "?": "[^/]"}.get(wild, wild.replace("[!", "[^"))


def _file(store: Any, info: Any, name: str) -> StoredFile:
    return StoredFile(name, info.path, int(info.size or 0), int(info.mtime_ns or 0), store)


def _store_of(name: str) -> tuple[Any, str]:
    """The store, and what it calls the file or folder."""
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
    """A table as the bytes of a Parquet file."""
    import pyarrow.parquet as pq

    made = io.BytesIO()
    pq.write_table(table, made)
    return made.getvalue()
