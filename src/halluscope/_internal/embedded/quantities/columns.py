"""Rows of plain text: lines cut by bars, tabs or commas into as many cells as the lines around them.

Numbers below each other belong together: they are added up, compared and counted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import groupby
from typing import NamedTuple

__all__ = ["Cell", "column_at", "columns", "without_commas"]

_LINE = re.compile(r"[^\n]+")
_FEWEST = 2
_ALIGNED = re.compile(r"\d\s+[-+]?\d|\s{3}")
"""Cells that blanks set apart: the commas of such a line are those of its numbers."""


class Cell(NamedTuple):
    """Where a cell starts, and which column of which table it is in; column -1 ends a table."""

    start: int
    table: int
    column: int


def columns(text: str) -> list[Cell]:
    """The cells of all tables, in order."""
    cells: list[Cell] = []
    for table, (mark, lines) in enumerate(_tables(text)):
        for start, end in lines:
            cut = start
            for column, piece in enumerate(text[start:end].split(mark)):
                cells.append(Cell(cut, table, column))
                cut += len(piece) + 1
            cells.append(Cell(end, table, -1))
    return cells


def column_at(cells: list[Cell], place: int) -> tuple[str, ...]:
    """A name for the column that a place is in; empty outside of tables."""
    at = bisect_right(cells, place, key=lambda cell: cell.start) - 1
    if at < 0 or cells[at].column < 0:
        return ()
    return f"table {cells[at].table}", f"column {cells[at].column}"


def without_commas(text: str) -> str:
    """The text with the commas between cells made semicolons, so that `210,150` are two numbers there."""
    pieces = list(text)
    for mark, lines in _tables(text):
        if mark == ",":
            for start, end in lines:
                pieces[start:end] = text[start:end].replace(",", ";")
    return "".join(pieces)


def _tables(text: str) -> list[tuple[str, list[tuple[int, int]]]]:
    found = []
    lines = [(match.start(), match.end(), *_cut(match.group())) for match in _LINE.finditer(text)]
    for (mark, count), group in groupby(lines, key=lambda line: line[2:]):
        rows = [(start, end) for start, end, *_ in group]
        if count >= _FEWEST and len(rows) >= _FEWEST:
            found.append((mark, rows))
    return found


def _cut(line: str) -> tuple[str, int]:
    """The sign that cuts a line into cells, and how often it does."""
    for mark in ("|", "\t"):
        if line.count(mark) >= _FEWEST:
            return mark, line.count(mark)
    listed = ", " not in line and not _ALIGNED.search(line) and line.count(",") >= _FEWEST
    return (",", line.count(",")) if listed else ("", 0)
