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

from ...text import Span, sentences

__all__ = ["Piece", "Statement", "structured", "structures"]


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


def structured(passage: str) -> tuple[Statement, ...]:
    """A passage with a table or JSON in it as statements: sentences as they are, rows and objects put into words.

    Nothing for a passage that is prose all through.
    """
    statements: list[Statement] = []
    position = 0
    for span, made in structures(passage):
        statements.extend(_prose(passage, position, span.start))
        statements.extend(made)
        position = span.end
    return (*statements, *_prose(passage, position, len(passage))) if statements else ()


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
_LINE = re.compile(r"[^\n]+")


def structures(passage: str) -> Iterator[tuple[Span, list[Statement]]]:
    """Tables and JSON values in the passage, in order, with their statements."""
    found = [*_tables(passage), *_values(passage)]
    reached = 0
    for span, made in sorted(found, key=lambda item: item[0]):
        if span.start >= reached:
            reached = span.end
            yield span, made


def _values(passage: str) -> Iterator[tuple[Span, list[Statement]]]:
    position = 0
    for _ in range(_ATTEMPTS):
        opening = _OPENING.search(passage, position)
        if opening is None:
            break
        try:
            node, position = _Parser(passage).value(opening.start(), 0)
        except (ValueError, IndexError):
            position = opening.end()
            continue
        made: list[Statement] = []
        if node.fields or any(item.fields for item in node.items):  # "[1]" in prose is a reference
            _object_statements(node, "", made)
        if made:
            yield Span(node.start, node.end), made


# --- tables -----------------------------------------------------------------------------------------


def _tables(passage: str) -> Iterator[tuple[Span, list[Statement]]]:
    if "|" in passage and "--" in passage:
        for match in _TABLE.finditer(passage):
            yield Span(*match.span()), _table(passage, match.start(), match.end())


def _cells(passage: str, start: int, end: int) -> list[Span]:
    """The cells of a row, without the blanks and bars around them."""
    cells: list[Span] = []
    row = passage[start:end].strip()
    place = passage.index(row, start)
    if row.startswith("|"):
        row, place = row[1:], place + 1
    for cell in row.removesuffix("|").split("|"):
        low = place + len(cell) - len(cell.lstrip())
        cells.append(Span(low, low + len(cell.strip())))
        place += len(cell) + 1
    return cells


def _table(passage: str, start: int, end: int) -> list[Statement]:
    lines = [Span(*match.span()) for match in _LINE.finditer(passage, start, end)]
    header = [cell.of(passage).strip("*_` ") for cell in _cells(passage, *lines[0])]
    statements = []
    for line in lines[2:]:
        builder = _Builder()
        for number, cell in enumerate(_cells(passage, *line)):
            label = header[number] if number < len(header) else ""
            if cell.start < cell.end:
                builder.separate("; ")
                if label:
                    builder.add(f"{label}: ")
                builder.add(cell.of(passage), cell)
        if builder.filled:
            statements.append(builder.statement(*line))
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
        for position in self._members(node, "}"):
            if self.text[position] != '"':
                raise ValueError("no key here")
            key, position = scanstring(self.text, position + 1, False)
            position = self._skip(position)
            if self.text[position] != ":":
                raise ValueError("no colon here")
            child, node.end = self.value(position + 1, depth + 1)
            node.fields.append((str(key), child))
        return node, node.end

    def _array(self, start: int, depth: int) -> tuple[_Node, int]:
        node = _Node(start, start, None, [], [])
        for position in self._members(node, "]"):
            child, node.end = self.value(position, depth + 1)
            node.items.append(child)
        return node, node.end

    def _members(self, node: _Node, closing: str) -> Iterator[int]:
        """Where each member begins; whoever reads one moves the end of the node behind it."""
        position = self._skip(node.start + 1)
        if self.text[position] != closing:
            yield position
            position = self._skip(node.end)
            while self.text[position] == ",":
                yield self._skip(position + 1)
                position = self._skip(node.end)
        if self.text[position] != closing:
            raise ValueError("no comma here")
        node.end = position + 1


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
