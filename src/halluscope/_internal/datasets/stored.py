"""A file, wherever it is: on this machine, or in a store that several machines read."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, Protocol

from msgspec import Struct


class Stored(Protocol):
    """A file that can be read. What it is named ends with its format."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int: ...

    def open(self) -> BinaryIO:
        """Its bytes from the first, to be closed by whoever reads them."""
        ...


class OnDisk(Struct, frozen=True):
    """A file on this machine."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    def open(self) -> BinaryIO:
        return self.path.open("rb")
