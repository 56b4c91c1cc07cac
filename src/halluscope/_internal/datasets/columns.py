"""Which column is which: our names, those of other tools, and those the user maps."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from ..case import Case
from ..conversation import read_conversation
from ..errors import DataError, InputError

NAMES: dict[str, tuple[str, ...]] = {
    "output": (
        "output",
        "actual_output",
        "response",
        "answer",
        "model_output",
        "generated_answer",
        "generated_text",
        "prediction",
        "completion",
    ),
    "context": (
        "context",
        "retrieval_context",
        "retrieved_contexts",
        "contexts",
        "retrieved_context",
        "passages",
        "documents",
        "knowledge",
        "reference",
    ),
    "input": ("input", "question", "user_input", "query", "prompt", "user_query", "instruction"),
    "messages": ("messages", "conversation", "turns", "chat", "dialogue"),
    "id": ("id", "case_id", "test_case_id", "example_id", "uid"),
}
"""For each field the columns that are taken for it, the first that is there."""


class Columns:
    """Makes cases of records. `mapping` names the column for a field, or several for `context`: "doc1,doc2"."""

    def __init__(self, mapping: Mapping[str, str] | None = None, *, cells: bool = False) -> None:
        """`cells`: values are the texts of cells, where a list of passages stands as JSON."""
        for field in mapping or {}:
            if field not in NAMES:
                raise InputError(f"there is no field {field!r} to map a column to; the fields are: {', '.join(NAMES)}.")
        self._mapping = dict(mapping or {})
        self._cells = cells
        self._layout: tuple[frozenset[str], dict[str, tuple[str, ...]]] | None = None

    def check(self, columns: Iterable[str]) -> None:
        """Refuse a table that has no column for the output, or lacks one that was mapped."""
        self._find(frozenset(map(str, columns)))

    def case(self, fields: Any) -> Case:
        """The case in a record; `InputError` says why there is none."""
        if isinstance(fields, Case):
            return fields
        if not isinstance(fields, Mapping):
            raise DataError(f"a row must be an object with named fields, not {_kind(fields)}")
        # `frozenset(fields)` is what most of the time here goes into: rows of one file have the same columns.
        names = frozenset(fields)
        if self._layout is None or self._layout[0] != names:
            self._layout = (names, self._find(names))
        layout = self._layout[1]
        used = {column for columns in layout.values() for column in columns}
        given = {field: self._value(field, fields, columns) for field, columns in layout.items()}
        given_id = given.get("id")
        output, input = given.get("output"), given.get("input")
        messages = given.get("messages")
        if read_conversation(messages) is not None:
            # What comes before the output, where that has a column of its own.
            output, input = (output, messages) if "output" in layout else (messages, input)
        elif "output" in layout:
            used -= {*layout.get("messages", ())}
        else:
            raise DataError("the row's messages are no conversation: a list of messages, each with role and content")
        return Case.of(
            output,
            given.get("context"),
            input,
            id=None if given_id is None or given_id == "" else str(given_id),
            metadata={key: _plain(value) for key, value in fields.items() if key not in used},
        )

    def _find(self, names: frozenset[str]) -> dict[str, tuple[str, ...]]:
        folded = {name.strip().casefold(): name for name in names if isinstance(name, str)}
        layout: dict[str, tuple[str, ...]] = {}
        for field, known in NAMES.items():
            if field in self._mapping:
                layout[field] = self._mapped(field, names)
                continue
            found = next((folded[name] for name in known if name in folded), None)
            if found is not None and not any(found in taken for taken in layout.values()):
                layout[field] = (found,)
        if "output" not in layout and "messages" not in layout:
            raise DataError(f"no column for the output {mapped_with('output', names)}")
        return layout

    def _mapped(self, field: str, names: frozenset[str]) -> tuple[str, ...]:
        wanted = self._mapping[field]
        columns = (wanted,) if wanted in names else tuple(part.strip() for part in wanted.split(","))
        missing = [column for column in columns if column not in names]
        if missing:
            there = _named(names)
            raise DataError(f"no column {missing[0]!r}, which is mapped to {field} (columns: {there})")
        if len(columns) > 1 and field != "context":
            raise DataError(f"{field} is one column, {wanted!r} names several")
        return columns

    def _value(self, field: str, fields: Mapping[str, Any], columns: tuple[str, ...]) -> Any:
        values = [_plain(fields[column]) for column in columns]
        if field == "messages":
            return _decoded(values[0]) if isinstance(values[0], str) else values[0]
        if field != "context":
            return values[0]
        if self._cells:
            values = [_passages(value) for value in values]
        if len(values) == 1:
            return values[0]
        flat: list[Any] = []
        for value in values:
            if value is not None:
                flat += value if isinstance(value, list) else [value]
        return flat


def _decoded(cell: str) -> Any:
    """What a cell holds as JSON, else its text."""
    try:
        return msgspec.json.decode(cell)
    except (msgspec.DecodeError, RecursionError):
        return cell


_HINTS = {
    "output": ("reply", "said", "generat", "summary", "text", "content", "result", "assistant", "bot"),
    "context": ("context", "retriev", "passage", "doc", "source", "evidence", "knowledge", "article", "chunk", "text"),
}
"""Parts of names that columns of other people have."""


def mapped_with(field: str, names: Iterable[Any]) -> str:
    """The columns there are, and the --map that would help."""
    there = sorted(str(name) for name in names)
    likely = next((name for hint in _HINTS[field] for name in there if hint in name.casefold()), None)
    return f"(columns: {_named(there)}): name it, as in --map {field}={likely or 'COLUMN'}"


def _named(names: Iterable[Any]) -> str:
    """The columns in one line, whatever is in their names."""
    return ", ".join(sorted(" ".join(str(name).split()) or repr(name) for name in names))[:500] or "none"


def _plain(value: Any) -> Any:
    """Tables hold NaN where nothing is, and arrays where lists were."""
    if value is None or isinstance(value, (str, int, list, dict)):
        return value
    if isinstance(value, float):
        return None if value != value else value
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    return value


def _passages(cell: Any) -> Any:
    """The passages in a cell's text: a list written as JSON or as Python writes it, else the text itself."""
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if not text:
        return None
    if text.startswith("[") and text.endswith("]"):
        try:
            found = msgspec.json.decode(text)
        except RecursionError as error:
            raise DataError("the list of passages is nested too deeply") from error
        except msgspec.DecodeError:
            try:
                found = ast.literal_eval(text)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                return cell
        if isinstance(found, list) and all(isinstance(passage, (str, dict)) for passage in found):
            return found
    return cell


def _kind(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "a list"
    return "null" if value is None else f"a {type(value).__name__}"
