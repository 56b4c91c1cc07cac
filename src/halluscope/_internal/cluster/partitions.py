"""Splitting files into partitions of a fixed number of rows. The same rows always get the same name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from msgspec import Struct, structs

from ..core.errors import HalluscopeError, RunFailed
from ..runs.datasets import AnyRow, BadRow, open_stored
from .file_stores import StoredFile

_NAME = re.compile(r"([0-9a-f]+)-(\d{6,})(-last)?")


class PartitionName(Struct, frozen=True):
    """A partition of a file, by its number. `last` says whether it is the last one."""

    file: str
    number: int
    last: bool

    def __str__(self) -> str:
        return f"{self.file}-{self.number:06d}{'-last' if self.last else ''}"

    @staticmethod
    def read(name: str) -> PartitionName | None:
        """Parse a file name. Returns None if it is not the name of a partition."""
        found = _NAME.fullmatch(name.partition(".")[0])
        return None if found is None else PartitionName(found[1], int(found[2]), found[3] is not None)


class Partition(Struct, frozen=True):
    """Rows of a file, as they are sent to a worker."""

    name: PartitionName
    rows: list[AnyRow]


def file_key(file: StoredFile) -> str:
    """Return a key that changes with the file, if its store knows when it was modified."""
    return hashlib.blake2b(f"{file.name}\0{file.size}\0{file.version}".encode(), digest_size=8).hexdigest()


def partitions_of(
    file: StoredFile,
    *,
    size: int,
    map: Mapping[str, str] | None = None,
    done: Collection[int] = (),
    stop_at_bad_row: bool = False,
) -> Iterator[Partition]:
    """Yield the partitions of a file that are not done, holding one in memory at a time."""
    key, rows = file_key(file), _rows(file, map)
    number, taken = 0, list(islice(rows, size))
    while True:
        ahead = list(islice(rows, 1))
        bad = next((row for row in taken if isinstance(row, BadRow)), None)
        if stop_at_bad_row and bad is not None:
            raise RunFailed(f"{bad.place} cannot be read: {bad.reason}. (The run is to stop there.)")
        if number not in done:
            yield Partition(PartitionName(key, number, not ahead), taken)
        if not ahead:
            return
        number, taken = number + 1, [*ahead, *islice(rows, size - 1)]


def _rows(file: StoredFile, map: Mapping[str, str] | None) -> Iterator[AnyRow]:
    """Yield the rows of the file. A file that cannot be opened yields one bad row, so that the run goes on."""
    try:
        opened: Iterable[AnyRow] = open_stored(file, map)
    except (HalluscopeError, OSError) as error:
        yield BadRow(file.name, " ".join(str(error).split()).rstrip("."))
        return
    for row in opened:
        yield structs.replace(row, place=f"{file.name}, {row.place}")
