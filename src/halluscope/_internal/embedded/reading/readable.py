"""Tables and JSON turned into statements a judge can read, each with its place in the passage.

A tool result such as `{"unit_price": 12.5}` says something, but not in a sentence. Every object and every
row becomes one statement that names its fields, so that a number is read together with what it is the number
of, and every piece of a statement remembers the characters it came from, so that evidence is quoted exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Literal

from ...text import Span, sentences

__all__ = ["Piece", "Readable", "Statement", "readable", "structured", "structures"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters `start`:`end` of a statement's text, and the place in the passage they stand for."""

    start: int
    end: int
    source: Span


@dataclass(frozen=True, slots=True)
class Statement:
    """One readable statement and the stretch of the passage it was made from."""

    text: str
    start: int
    end: int
    pieces: tuple[Piece, ...] = ()

    def place(self, start: int, end: int) -> Span:
        """The stretch of the passage that characters `start`:`end` of the statement stand for."""
        if not self.pieces:
            return Span(self.start + start, self.start + end)
        touched = [piece for piece in self.pieces if piece.start < end and piece.end > start]
        if not touched:
            return Span(self.start, self.end)
        if len(touched) == 1:
            piece = touched[0]
            if piece.end - piece.start == piece.source.end - piece.source.start:
                inside = max(start, piece.start) - piece.start, min(end, piece.end) - piece.start
                return Span(piece.source.start + inside[0], piece.source.start + inside[1])
        return Span(min(piece.source.start for piece in touched), max(piece.source.end for piece in touched))


@dataclass(frozen=True, slots=True)
class Readable:
    """A passage as statements. `kind` says what was found in it."""

    statements: tuple[Statement, ...]
    kind: Literal["prose", "table", "json", "mixed"]

    @property
    def text(self) -> str:
        """All statements, one on a line."""
        return "\n".join(statement.text for statement in self.statements)


def readable(passage: str) -> Readable:
    """The passage as statements: sentences as they are, table rows and JSON objects put into words."""
    return structured(passage) or Readable(tuple(_prose(passage, 0, len(passage))), "prose")


def structured(passage: str) -> Readable | None:
    """The same for a passage with a table or JSON in it; None for one that is prose all through."""
    statements: list[Statement] = []
    kinds: set[str] = set()
    position = 0
    for span, kind, made in structures(passage):
        if span.start > position:
            prose = list(_prose(passage, position, span.start))
            if prose:
                kinds.add("prose")
                statements.extend(prose)
        statements.extend(made)
        kinds.add(kind)
        position = span.end
    if not kinds:
        return None
    rest = list(_prose(passage, position, len(passage)))
    if rest:
        kinds.add("prose")
        statements.extend(rest)
    if kinds == {"json"}:
        return Readable(tuple(statements), "json")
    return Readable(tuple(statements), "table" if kinds == {"table"} else "mixed")


def _prose(passage: str, start: int, end: int) -> Iterator[Statement]:
    part = passage[start:end]
    for span in sentences(part):
        text = span.of(part)
        if any(char.isalnum() for char in text):
            yield Statement(text, start + span.start, start + span.end)


_OPENING = re.compile(r"[{\[](?:(?<=^.)|(?<=[\s:>=].))(?=\s*[\"{\[\]}\d-])", re.MULTILINE)
"""The bracket first: that is what a search can skip to."""
_TABLE = re.compile(
    r"^[ \t]*\|?[^\n|]*\|[^\n]*\n[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*\n(?:[^\n]*\|[^\n]*(?:\n|\Z))+",
    re.MULTILINE,
)
_ATTEMPTS = 40


def structures(passage: str) -> Iterator[tuple[Span, str, list[Statement]]]:
    """Tables and JSON values in the passage, in order, with their statements."""
    found: list[tuple[Span, str, list[Statement]]] = []
    if "|" in passage and "--" in passage:
        for match in _TABLE.finditer(passage):
            found.append((Span(*match.span()), "table", _table(passage, match.start(), match.end())))
    position, attempts = 0, 0
    while attempts < _ATTEMPTS:
        opening = _OPENING.search(passage, position)
        if opening is None:
            break
        attempts += 1
        try:
            node, end = _Parser(passage).value(opening.start(), 0)
        except (ValueError, IndexError):
            position = opening.end()
            continue
        position = end
        if node.fields or any(item.fields for item in node.items):  # "[1]" in prose is a reference
            made: list[Statement] = []
            _object_statements(node, "", made)
            if made:
                found.append((Span(opening.start(), end), "json", made))
    found.sort(key=lambda item: item[0])
    reached = 0
    for item in found:
        if item[0].start >= reached:
            reached = item[0].end
            yield item


# --- tables -----------------------------------------------------------------------------------------


def _cells(passage: str, start: int, end: int) -> list[Span]:
    cells: list[Span] = []
    position = start
    while position <= end:
        bar = passage.find("|", position, end)
        stop = bar if bar >= 0 else end
        low, high = position, stop
        while low < high and passage[low].isspace():
            low += 1
        while high > low and passage[high - 1].isspace():
            high -= 1
        cells.append(Span(low, high))
        if bar < 0:
            break
        position = bar + 1
    if cells and cells[0].start == cells[0].end and passage[start:end].lstrip().startswith("|"):
        cells = cells[1:]
    if cells and cells[-1].start == cells[-1].end and passage[start:end].rstrip().endswith("|"):
        cells = cells[:-1]
    return cells


def _table(passage: str, start: int, end: int) -> list[Statement]:
    lines = [match.span() for match in re.finditer(r"[^\n]+", passage[start:end])]
    header = [span.of(passage).strip("*_` ") for span in _cells(passage, start + lines[0][0], start + lines[0][1])]
    statements = []
    for low, high in lines[2:]:
        cells = _cells(passage, start + low, start + high)
        builder = _Builder()
        for index, cell in enumerate(cells):
            if cell.start == cell.end:
                continue
            label = header[index] if index < len(header) else ""
            builder.separate("; ")
            if label:
                builder.add(f"{label}: ")
            builder.add(cell.of(passage), cell)
        if builder.filled:
            statements.append(builder.statement(start + low, start + high))
    return statements


# --- JSON -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Node:
    start: int
    end: int
    scalar: str | None
    fields: list[tuple[str, _Node]]
    items: list[_Node]
    bare: bool = False  # written without quotes: a number, true, false or null

    @property
    def plain(self) -> bool:
        """Whether it is a list of nothing but plain values."""
        return bool(self.items) and all(item.scalar is not None for item in self.items)


_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_BLANK = re.compile(r"\s*")
_DEEPEST = 60


class _Parser:
    """A JSON reader that remembers where every value stands."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _skip(self, position: int) -> int:
        match = _BLANK.match(self.text, position)
        return match.end() if match else position

    def value(self, position: int, depth: int) -> tuple[_Node, int]:
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        position = self._skip(position)
        char = self.text[position]
        if char == '"':
            value, end = scanstring(self.text, position + 1, False)
            return _Node(position + 1, end - 1, str(value), [], []), end
        if char == "{":
            return self._object(position, depth)
        if char == "[":
            return self._array(position, depth)
        match = _SCALAR.match(self.text, position)
        if match is None:
            raise ValueError("no value here")
        return _Node(match.start(), match.end(), match.group(), [], [], bare=True), match.end()

    def _object(self, start: int, depth: int) -> tuple[_Node, int]:
        node = _Node(start, start, None, [], [])
        position = self._skip(start + 1)
        if self.text[position] == "}":
            node.end = position + 1
            return node, position + 1
        while True:
            position = self._skip(position)
            if self.text[position] != '"':
                raise ValueError("no key here")
            key, position = scanstring(self.text, position + 1, False)
            position = self._skip(position)
            if self.text[position] != ":":
                raise ValueError("no colon here")
            child, position = self.value(position + 1, depth + 1)
            node.fields.append((str(key), child))
            position = self._skip(position)
            if self.text[position] == "}":
                node.end = position + 1
                return node, position + 1
            if self.text[position] != ",":
                raise ValueError("no comma here")
            position += 1

    def _array(self, start: int, depth: int) -> tuple[_Node, int]:
        node = _Node(start, start, None, [], [])
        position = self._skip(start + 1)
        if self.text[position] == "]":
            node.end = position + 1
            return node, position + 1
        while True:
            child, position = self.value(position, depth + 1)
            node.items.append(child)
            position = self._skip(position)
            if self.text[position] == "]":
                node.end = position + 1
                return node, position + 1
            if self.text[position] != ",":
                raise ValueError("no comma here")
            position += 1


class _Builder:
    """Joins pieces of text, remembering which came from where."""

    def __init__(self, path: str = "") -> None:
        self.text = f"{path}: " if path else ""
        self.filled = False
        self.pieces: list[Piece] = []

    def separate(self, mark: str) -> None:
        if self.filled:
            self.text += mark

    def add(self, text: str, source: Span | None = None) -> None:
        if source is not None:
            self.pieces.append(Piece(len(self.text), len(self.text) + len(text), source))
        self.text += text
        self.filled = True

    def statement(self, start: int, end: int) -> Statement:
        return Statement(self.text, start, end, tuple(self.pieces))


_SPOKEN = {"true": "yes", "false": "no", "null": "none"}
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\s]+")


def _label(key: str) -> str:
    return " ".join(part for part in _WORDS.split(key) if part) if "_" in key or not key.isupper() else key


_NAMING = ("name", "title", "id", "label", "key", "model", "product", "item")


def _object_statements(node: _Node, path: str, out: list[Statement]) -> None:
    """One statement for the plain fields of each object, in the order of the passage.

    A child object of plain fields is told with its parent. Lists of objects get a statement for each member,
    headed by the name of the object they belong to: the price of one offer must not read as that of another.
    """
    builder = _Builder(path)
    later: list[tuple[str, _Node]] = []
    entries = node.fields if node.fields else [("", item) for item in node.items]
    for key, child in entries:
        label = _label(key)
        if child.plain or child.scalar is not None:
            _add_field(builder, label, child)
        elif child.fields and all(grandchild.scalar is not None for _, grandchild in child.fields) and node.fields:
            for inner, grandchild in child.fields:
                _add_field(builder, f"{label} {_label(inner)}".strip(), grandchild)
        else:
            later.append((label, child))
    if builder.filled:
        out.append(builder.statement(node.start, node.end))
    owner = _owner(node)
    for label, child in later:
        _object_statements(child, " ".join(part for part in (path, owner, label) if part), out)


def _owner(node: _Node) -> str:
    """What an object is called, by the first field that names it."""
    values = {key.lower(): child.scalar for key, child in node.fields if child.scalar}
    for name in _NAMING:
        value = values.get(name)
        if value and len(value) <= 60:
            return value
    return ""


def _add_field(builder: _Builder, label: str, child: _Node) -> None:
    builder.separate("; " if label else ", ")
    if label:
        builder.add(f"{label}: ")
    parts = child.items if child.scalar is None else [child]
    for index, part in enumerate(parts):
        value = part.scalar or ""
        builder.add(", " if index else "")
        builder.add(_SPOKEN.get(value, value) if part.bare else value, Span(part.start, part.end))
