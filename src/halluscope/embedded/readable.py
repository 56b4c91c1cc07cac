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

from ..text import Span, sentences

__all__ = ["Piece", "Readable", "Statement", "readable"]


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
    statements: list[Statement] = []
    kinds: set[str] = set()
    position = 0
    for span, kind, made in _structures(passage):
        if span.start > position:
            prose = list(_prose(passage, position, span.start))
            if prose:
                kinds.add("prose")
                statements.extend(prose)
        statements.extend(made)
        kinds.add(kind)
        position = span.end
    rest = list(_prose(passage, position, len(passage)))
    if rest:
        kinds.add("prose")
        statements.extend(rest)
    if kinds <= {"prose"}:
        return Readable(tuple(statements), "prose")
    if kinds == {"json"}:
        return Readable(tuple(statements), "json")
    return Readable(tuple(statements), "table" if kinds == {"table"} else "mixed")


def _prose(passage: str, start: int, end: int) -> Iterator[Statement]:
    part = passage[start:end]
    for span in sentences(part):
        text = span.of(part)
        if any(char.isalnum() for char in text):
            yield Statement(text, start + span.start, start + span.end)


_OPENING = re.compile(r"(?:(?<=^)|(?<=[\s:>=]))[{\[](?=\s*[\"{\[\]}\d-])", re.MULTILINE)
_TABLE = re.compile(
    r"^[ \t]*\|?[^\n|]*\|[^\n]*\n[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*\n(?:[^\n]*\|[^\n]*(?:\n|\Z))+",
    re.MULTILINE,
)
_ATTEMPTS = 40


def _structures(passage: str) -> Iterator[tuple[Span, str, list[Statement]]]:
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
        if node.fields or node.items:
            made: list[Statement] = []
            _object_statements(passage, node, "", made)
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
            if builder.text:
                builder.add("; ")
            if label:
                builder.add(f"{label}: ")
            builder.add(cell.of(passage), cell)
        if builder.text:
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
        return _Node(match.start(), match.end(), match.group(), [], []), match.end()

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

    def __init__(self) -> None:
        self.text = ""
        self.pieces: list[Piece] = []

    def add(self, text: str, source: Span | None = None) -> None:
        if source is not None:
            self.pieces.append(Piece(len(self.text), len(self.text) + len(text), source))
        self.text += text

    def statement(self, start: int, end: int) -> Statement:
        return Statement(self.text, start, end, tuple(self.pieces))


_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\s]+")


def _label(key: str) -> str:
    return " ".join(part for part in _WORDS.split(key) if part) if "_" in key or not key.isupper() else key


def _object_statements(passage: str, node: _Node, path: str, out: list[Statement]) -> None:
    """One statement for the plain fields of each object, in the order of the passage."""
    builder = _Builder()
    later: list[tuple[str, _Node]] = []
    entries = node.fields if node.fields else [("", item) for item in node.items]
    for key, child in entries:
        label = _label(key)
        if child.scalar is not None:
            _add_field(builder, passage, path, label, child)
        elif child.items and all(item.scalar is not None for item in child.items):
            if builder.text:
                builder.add("; ")
            elif path:
                builder.add(f"{path}: ")
            builder.add(f"{label}: " if label else "")
            for index, item in enumerate(child.items):
                builder.add(", " if index else "")
                builder.add(item.scalar or "", Span(item.start, item.end))
        else:
            later.append((label, child))
    if builder.text:
        out.append(builder.statement(node.start, node.end))
    for label, child in later:
        _object_statements(passage, child, f"{path} {label}".strip(), out)


def _add_field(builder: _Builder, passage: str, path: str, label: str, child: _Node) -> None:
    if builder.text:
        builder.add("; " if label else ", ")
    elif path:
        builder.add(f"{path}: ")
    if label:
        builder.add(f"{label}: ")
    value = child.scalar or ""
    builder.add({"true": "yes", "false": "no", "null": "none"}.get(value, value), Span(child.start, child.end))
