"""Tables and JSON turned into statements a judge can read, each with its place in the passage.

A tool result such as `{"unit_price": 12.5}` says something, but not in a sentence. Every object and every
row becomes one statement that names its fields, so that a number is read together with what it is the number
of, and every piece of a statement remembers the characters it came from, so that evidence is quoted exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from json.decoder import scanstring  # type: ignore[attr-defined]

from ....text import Span, sentences


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters `start`:`end` of a statement's text, and the places in the passage of the value and of its pair."""

    start: int
    end: int
    source: Span
    pair: Span


@dataclass(frozen=True, slots=True)
class Statement:
    """One readable statement and the stretch of the passage it was made from."""

    text: str
    start: int
    end: int
    pieces: tuple[Piece, ...] = ()
    header: Span | None = None
    """The line with the names of the columns, for a row of a table."""

    def place(self, start: int, end: int) -> Span:
        """What holds characters `start`:`end`: the sentence, row or record, whole pairs, or a part of a long value."""
        touched = [piece for piece in self.pieces if piece.start < end and piece.end > start]
        if not touched or self.header or self.end - self.start <= LONG_RECORD:
            return Span(self.start, self.end)
        first, last = touched[0], touched[-1]
        shift = first.source.start - first.start
        if first is last and first.end - first.start > LONG_RECORD and first.end + shift == first.source.end:
            return Span(max(start, first.start) + shift, min(end, first.end) + shift)
        return Span(first.pair.start, last.pair.end)


def structured(passage: str) -> tuple[Statement, ...]:
    """A passage with a table or JSON in it as statements: sentences as they are, rows and objects put into words.

    Nothing for a passage that is prose all through.
    """
    statements: list[Statement] = []
    position = 0
    for span, made in structures(passage):
        statements += [*_prose(passage, position, span.start), *made]
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
LONG_RECORD = 160
"""Characters of a record from which on its pairs are quoted, and of a value from which on parts of it are."""
_LINE = re.compile(r"[^\n]+")


def structures(passage: str) -> Iterator[tuple[Span, list[Statement]]]:
    """Tables and JSON values in the passage, in order, with their statements."""
    reached = 0
    for span, made in sorted([*_tables(passage), *_values(passage)], key=lambda item: item[0]):
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
            node = _parsed(passage, opening.start())
        except (ValueError, IndexError):
            position = opening.end()
            continue
        position = node.end
        told = node.keyed or any(member.keyed for _, member in node.members)  # "[1]" in prose is a reference
        if told and (made := list(_object_statements(node, ""))):
            yield Span(node.start, node.end), made


def _tables(passage: str) -> Iterator[tuple[Span, list[Statement]]]:
    if "|" in passage and "--" in passage:
        for match in _TABLE.finditer(passage):
            yield Span(*match.span()), list(_rows(passage, match.start(), match.end()))


def _rows(passage: str, start: int, end: int) -> Iterator[Statement]:
    lines = [match.span() for match in _LINE.finditer(passage, start, end)]
    header = [cell.of(passage).strip("*_` ") for cell in _cells(passage, *lines[0])]
    told = False
    for line in (*lines[2:], lines[0]):
        if told and line is lines[0]:
            return  # the header is told with the rows; alone only where all of them are empty
        named = line is not lines[0]
        fields = [
            (header[number] if number < len(header) and named else "", [(cell.of(passage), cell)], cell)
            for number, cell in enumerate(_cells(passage, *line))
            if cell.start < cell.end
        ]
        if fields:
            told = True
            made = _statement(fields, *line, unlabelled="; ")
            yield replace(made, header=Span(*lines[0])) if named else made


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


_Field = tuple[str, list[tuple[str, Span]], Span]
"""A label, its values, each with its place, and the place of the pair."""


def _statement(fields: Sequence[_Field], start: int, end: int, path: str = "", unlabelled: str = ", ") -> Statement:
    """Fields in words. `unlabelled` is what goes before one without a label."""
    text = f"{path}: " if path else ""
    pieces: list[Piece] = []
    for number, (label, values, pair) in enumerate(fields):
        text += ("; " if label else unlabelled) if number else ""
        text += f"{label}: " if label else ""
        for place, (value, source) in enumerate(values):
            text += ", " if place else ""
            pieces.append(Piece(len(text), len(text) + len(value), source, pair))
            text += value
    return Statement(text, start, end, tuple(pieces))


@dataclass(slots=True)
class _Node:
    """A JSON value: a plain one, or its members; those of a list have no key."""

    start: int
    end: int
    plain: list[tuple[str, Span]] = field(default_factory=list)
    """The words of a plain value or of a list of such, each with its place."""
    members: list[tuple[str, _Node]] = field(default_factory=list)
    keyed: bool = False
    scalar: str | None = None
    begin: int = 0
    """Where its key begins, or it where it has none."""

    @property
    def pair(self) -> Span:
        """The value with its key."""
        return Span(self.begin, self.end)


_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_SPOKEN = {"true": "yes", "false": "no", "null": "none"}
_BLANK = re.compile(r"\s*")
_DEEPEST = 60


def _skip(text: str, position: int) -> int:
    return _BLANK.match(text, position).end()  # type: ignore[union-attr]


def _parsed(text: str, start: int, depth: int = 0) -> _Node:
    """The JSON value at a place, every part of it with its own."""
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    if text[start] in "{[":
        return _nested(text, start, depth)
    if text[start] == '"':
        value, end = scanstring(text, start + 1, False)
        return _Node(start, end, [(value, Span(start + 1, end - 1))], scalar=value)
    match = _SCALAR.match(text, start)
    if match is None:
        raise ValueError("no value here")
    value = match.group()
    return _Node(start, match.end(), [(_SPOKEN.get(value, value), Span(*match.span()))], scalar=value)


def _nested(text: str, start: int, depth: int) -> _Node:
    """An object or a list."""
    closing = "}" if text[start] == "{" else "]"
    members: list[tuple[str, _Node]] = []
    position = _skip(text, start + 1)
    while text[position] != closing or members:
        key, begin = "", position
        if closing == "}":
            if text[position] != '"':
                raise ValueError("no key here")
            key, position = scanstring(text, position + 1, False)
            position = _skip(text, position)
            if text[position] != ":":
                raise ValueError("no colon here")
            position = _skip(text, position + 1)
        child = _parsed(text, position, depth + 1)
        child.begin = begin
        members.append((key, child))
        position = _skip(text, child.end)
        if text[position] == closing:
            break
        if text[position] != ",":
            raise ValueError("no comma here")
        position = _skip(text, position + 1)
    keyed = closing == "}" and bool(members)
    plain = not keyed and all(child.scalar is not None for _, child in members)
    values = [child.plain[0] for _, child in members] if plain else []
    return _Node(start, position + 1, values, members, keyed)


_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\s]+")
_NAMING = ("name", "title", "id", "label", "key", "model", "product", "item")


def _label(key: str) -> str:
    return " ".join(part for part in _WORDS.split(key) if part) if "_" in key or not key.isupper() else key


def _object_statements(node: _Node, path: str) -> Iterator[Statement]:
    """One statement for the plain fields of each object, in the order of the passage.

    A child object of plain fields is told with its parent. Lists of objects get a statement for each member,
    headed by the name of the object they belong to: the price of one offer must not read as that of another.
    """
    fields: list[_Field] = []
    later: list[tuple[str, _Node]] = []
    for key, child in node.members:
        label = _label(key)
        if child.plain:
            fields.append((label, child.plain, child.pair))
        elif node.keyed and child.keyed and all(inner.scalar is not None for _, inner in child.members):
            fields += [(f"{label} {_label(inner)}".strip(), value.plain, value.pair) for inner, value in child.members]
        else:
            later.append((label, child))
    if fields:
        yield _statement(fields, node.start, node.end, path)
    owner = _owner(node)
    for label, child in later:
        yield from _object_statements(child, " ".join(part for part in (path, owner, label) if part))


def _owner(node: _Node) -> str:
    """What an object is called, by the first field that names it."""
    values = {key.lower(): child.scalar for key, child in node.members if child.scalar}
    return next((value for name in _NAMING if (value := values.get(name)) and len(value) <= 60), "")
