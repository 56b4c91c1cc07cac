"""A row of data: a case, or the reason why it is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, Union

from msgspec import Struct

from ..case import Case


class Row(Struct, frozen=True):
    """A row that was read. `place` is its line in a file or its row in a table, counted from 1."""

    place: str
    case: Case


class Unread(Struct, frozen=True):
    """A row that could not be read, and why."""

    place: str
    reason: str


class Record(Struct, frozen=True):
    """A row before its columns are known: fields by name, or something that is not fields at all."""

    place: str
    fields: Any


AnyRow = Union[Row, Unread]
AnyRecord = Union[Record, Unread]


class Source(Protocol):
    """Where records come from. `total` and `fraction` tell how far the reading is, where that can be known."""

    name: str

    @property
    def columns(self) -> list[str] | None:
        """The names of the columns, where they are the same for every row."""
        ...

    @property
    def total(self) -> int | None: ...

    def fraction(self) -> float | None: ...

    def records(self) -> Iterator[AnyRecord]: ...
