"""How a text is laid out: sentences, records of fields, and rows of plain text.

Tool results and tables are read as `city: Oslo; temp: 20`, one record behind the other. Each is a sentence of its own:
what is said of Oslo is not said of Bergen. Rows are lines cut by bars, tabs or commas into as many cells as the lines
around them; numbers below each other belong together: they are added up, compared and counted.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import groupby, pairwise

from ...text import Span, sentences

__all__ = ["column_at", "columns", "statements", "without_commas"]

_NAME = re.compile(r"(?:^|[;:|\n])[ \t]*([^;:|\n]{1,60}):(?=\s)")
_FEWEST_NAMES = 3
_LINE = re.compile(r"[^\n]+")
_FEWEST = 2
_ALIGNED = re.compile(r"\d\s+[-+]?\d|\s{3}")
"""Cells that blanks set apart: the commas of such a line are those of its numbers."""
_Cell = tuple[int, tuple[str, ...]]


def statements(text: str) -> list[Span]:
    """Character ranges of the sentences and records of a text, in order."""
    found: list[Span] = []
    for span in sentences(text):
        if text.count(": ", span.start, span.end) < _FEWEST_NAMES:
            found.append(span)
        else:
            found.extend(_records(text, span))
    return found


def _records(text: str, span: Span) -> Iterator[Span]:
    """A sentence of fields cut where a name comes again, and at line ends."""
    cuts = [span.start]
    seen: set[str] = set()
    place = span.start
    while True:
        found = _NAME.search(text, place, span.end)
        if found is None:
            break
        start, name = found.start(1), found.group(1).rstrip()
        again = _again(name, seen)
        if start > span.start and ("\n" in text[place:start] or again):
            cuts.append(start + len(name) - len(again) if again and "\n" not in text[place:start] else start)
            seen = set()
        seen.add(again or name)
        place = found.end() - 1
    cuts.append(span.end)
    for first, last in pairwise(cuts):
        piece = text[first:last]
        left = first + len(piece) - len(piece.lstrip())
        right = first + len(piece.rstrip())
        if right > left:
            yield Span(left, right)


def _again(name: str, seen: set[str]) -> str:
    """The name seen before that this one is or, with the value before it, ends with."""
    words = name.split(" ")
    return next((tail for tail in (" ".join(words[at:]) for at in range(len(words))) if tail in seen), "")


def columns(text: str) -> list[_Cell]:
    """Where each cell of a table starts, with a name for its column; an empty one where a line ends."""
    cells: list[_Cell] = [(-1, ())]
    for table, (mark, lines) in enumerate(_tables(text)):
        for start, end in lines:
            cut = start
            for column, piece in enumerate(text[start:end].split(mark)):
                cells.append((cut, (f"table {table}", f"column {column}")))
                cut += len(piece) + 1
            cells.append((end, ()))
    return cells


def column_at(cells: list[_Cell], place: int) -> tuple[str, ...]:
    """A name for the column that a place is in; empty outside of tables."""
    return cells[bisect_right(cells, place, key=lambda cell: cell[0]) - 1][1]


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
