"""How data is cut into partitions: so many rows of a file each, named so that the same rows get the same name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Union

import msgspec
from msgspec import Struct

from ..case import Case
from ..datasets import AnyRow, Row, Unread, open_stored
from ..errors import HalluscopeError, RunFailed
from .file_stores import StoredFile

_NAME = re.compile(r"([0-9a-f]+)-(\d{6,})(-last)?")


class PartitionName(Struct, frozen=True):
    """Which rows: the `number`th so many of a file. `last`: the file has no more."""

    file: str
    number: int
    last: bool

    def __str__(self) -> str:
        return f"{self.file}-{self.number:06d}{'-last' if self.last else ''}"

    @staticmethod
    def read(name: str) -> PartitionName | None:
        """The name in the name of a file, None where there is none."""
        found = _NAME.fullmatch(name.partition(".")[0])
        return None if found is None else PartitionName(found[1], int(found[2]), found[3] is not None)


class Partition(Struct, frozen=True):
    """Some rows of a file, as they travel to whoever scores them: of each its place, and its case or the fault."""

    name: PartitionName
    held: list[tuple[str, Union[Case, str]]]

    @property
    def rows(self) -> list[AnyRow]:
        return [Unread(place, held) if isinstance(held, str) else Row(place, held) for place, held in self.held]

    def packed(self) -> bytes:
        return msgspec.msgpack.encode(self)

    @staticmethod
    def unpacked(content: bytes) -> Partition:
        return msgspec.msgpack.decode(content, type=Partition)


def file_key(file: StoredFile) -> str:
    """Names a file and what is in it, as far as its store tells when it changes."""
    return hashlib.blake2b(f"{file.name}\0{file.size}\0{file.version}".encode(), digest_size=8).hexdigest()


def partitions_of(
    file: StoredFile,
    *,
    size: int,
    map: Mapping[str, str] | None = None,
    done: Collection[int] = (),
    stop_at_bad_row: bool = False,
) -> Iterator[Partition]:
    """The partitions of a file that are not done. Nothing but them is held in memory, one at a time."""
    key, rows = file_key(file), _rows(file, map)
    number, held = 0, list(islice(rows, size))
    while True:
        ahead = list(islice(rows, 1))
        bad = next((row for row in held if isinstance(row, Unread)), None)
        if stop_at_bad_row and bad is not None:
            raise RunFailed(f"{bad.place} cannot be read: {bad.reason}. (The run is to stop there.)")
        if number not in done:
            yield Partition(PartitionName(key, number, not ahead), [_pair(row) for row in held])
        if not ahead:
            return
        number, held = number + 1, [*ahead, *islice(rows, size - 1)]


def _rows(file: StoredFile, map: Mapping[str, str] | None) -> Iterator[AnyRow]:
    """The rows of the file. One that cannot be opened is a row that cannot be read: the other files can."""
    try:
        opened: Iterable[AnyRow] = open_stored(file, map)
    except (HalluscopeError, OSError) as error:
        yield Unread(file.name, " ".join(str(error).split()).rstrip("."))
        return
    for row in opened:
        place = f"{file.name}, {row.place}"
        yield Row(place, row.case) if isinstance(row, Row) else Unread(place, row.reason)


def _pair(row: AnyRow) -> tuple[str, Case | str]:
    return row.place, row.case if isinstance(row, Row) else row.reason
