"""Grouping the cases of a report by metadata, such as model or topic."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Any

MOST_VALUES = 20
"""Maximum number of values of a column for groups."""
MOST_COLUMNS = 12
_MOST_SEEN = 200
"""Maximum number of columns to examine, because each case may have other names."""
_LONGEST = 60
_DEEPEST = 3
_NONE = -1


class MetadataGroups:
    """Collects the metadata of all cases, by column.

    Columns inside a `metadata` object count as columns of the case.
    """

    def __init__(self) -> None:
        self._columns: dict[str, _Column | None] = {}
        """None for a column without groups: it has too many or too long values."""

    def add(self, row: int, metadata: Mapping[str, Any]) -> None:
        """Add the metadata of a case."""
        for name, value in _flat(metadata):
            if name not in self._columns and len(self._columns) == _MOST_SEEN:
                continue
            column = self._columns.setdefault(name, _Column())
            if column is not None and not column.add(row, value):
                self._columns[name] = None

    def record(self, rows: int) -> list[dict[str, Any]]:
        """Return the columns for the page, each with its values and the number of a value for every case."""
        useful = [(name, column) for name, column in self._columns.items() if column is not None and column.divides]
        return [
            {"name": name, "values": list(column.values), "of": column.of_all(rows)}
            for name, column in useful[:MOST_COLUMNS]
        ]


class _Column:
    def __init__(self) -> None:
        self.values: dict[str, int] = {}
        self._of = array("b")
        self._filled = 0

    def add(self, row: int, value: object) -> bool:
        """Add the value of a case. Returns False if the column cannot be used for groups."""
        words = _words(value)
        if words is None:
            return value is None or value == ""
        if words not in self.values and len(self.values) == MOST_VALUES:
            return False
        self._of.extend([_NONE] * (row + 1 - len(self._of)))
        self._of[row] = self.values.setdefault(words, len(self.values))
        self._filled += 1
        return True

    @property
    def divides(self) -> bool:
        """Whether there are several values, most of them in more than one case."""
        return len(self.values) > 1 and self._filled >= 2 * len(self.values)

    def of_all(self, rows: int) -> list[int]:
        return [*self._of, *[_NONE] * (rows - len(self._of))]


def _flat(metadata: Mapping[str, Any], deep: int = 1) -> Iterator[tuple[str, Any]]:
    for name, value in metadata.items():
        if not isinstance(value, dict):
            yield name, value
        elif deep < _DEEPEST:
            for inner, held in _flat(value, deep + 1):
                yield inner if name == "metadata" else f"{name}.{inner}", held


def _words(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        words = " ".join(str(value).split())
        return words if 0 < len(words) <= _LONGEST else None
    return None
