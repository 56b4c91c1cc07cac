"""Finding the columns of a dataset: names used by this and other tools, and mappings of the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ...core.case import Case
from ...core.conversation import CONTEXT_FROM, checked_sources, read_conversation
from ...core.errors import DataError, InputError
from ...core.plumbing.json_values import TooDeepError, decode_json
from ...text.lenient_json import as_json

_LONGEST_PYTHON_LIST = 2**20

Turns = Literal["last", "all"]
"""Which answers of a conversation are judged."""

NAMES: dict[str, tuple[str, ...]] = {
    "output": tuple(
        "output actual_output response answer model_output generated_answer generated_text prediction "
        "completion".split()
    ),
    "context": tuple(
        "context retrieval_context retrieved_contexts contexts retrieved_context passages documents knowledge "
        "reference".split()
    ),
    "input": ("input", "question", "user_input", "query", "prompt", "user_query", "instruction"),
    "messages": ("messages", "conversation", "turns", "chat", "dialogue"),
    "id": ("id", "case_id", "test_case_id", "example_id", "uid"),
}
"""The column names for each field, by precedence."""


def turns_named(given: str) -> Turns:
    """The choice of turns of this name, or the error that says which there are."""
    choices: tuple[Turns, ...] = ("last", "all")
    for choice in choices:
        if choice == given:
            return choice
    raise InputError(f"`turns` is 'last' or 'all', not {given!r}.")


class Columns:
    """Makes cases from records. `mapping` gives the column for a field, or several for `context`: "doc1,doc2"."""

    def __init__(
        self,
        mapping: Mapping[str, str] | None = None,
        *,
        cells: bool = False,
        turns: Turns = "last",
        context_from: Iterable[str] = CONTEXT_FROM,
    ) -> None:
        """With `cells`, values are texts, in which a list of passages is JSON."""
        for field in mapping or {}:
            if field not in NAMES:
                raise InputError(f"there is no field {field!r} to map a column to; the fields are: {', '.join(NAMES)}.")
        self._mapping = dict(mapping or {})
        self._cells = cells
        self._turns = turns_named(turns)
        self._context_from = tuple(checked_sources(context_from))
        self._layout: tuple[frozenset[str], dict[str, tuple[str, ...]]] | None = None

    def check(self, columns: Iterable[str]) -> None:
        """Raise `DataError` if there is no column for the output, or a mapped column is missing."""
        self._find(frozenset(map(str, columns)))

    def cases(self, fields: Any) -> tuple[Case, ...]:
        """The case in a record, or with `turns="all"` those in its conversation. Raises `InputError` if it has none."""
        if isinstance(fields, Case):
            return (fields,)
        if not isinstance(fields, Mapping):
            raise DataError(f"a row must be an object with named fields, not {_kind(fields)}")
        # Cached, because the rows of a file have the same columns.
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
            # The messages come before the output, if it has its own column.
            output, input = (output, messages) if "output" in layout else (messages, input)
        elif "output" in layout:
            used -= {*layout.get("messages", ())}
        else:
            raise DataError(
                "the messages of the row are no conversation: pass a list of messages, each with role and content"
            )
        texts = (output, given.get("context"), input)
        rest: dict[str, Any] = {
            "id": None if given_id is None or given_id == "" else str(given_id),
            "metadata": {key: _plain(value) for key, value in fields.items() if key not in used},
            "context_from": self._context_from,
        }
        turns = Case.of_turns(*texts, **rest) if self._turns == "all" else ()
        return turns or (Case.of(*texts, **rest),)

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
    """Decode a cell as JSON, or else return its text."""
    try:
        return decode_json(cell)
    except ValueError:
        return cell


_HINTS = {
    "output": ("reply", "said", "generat", "summary", "text", "content", "result", "assistant", "bot"),
    "context": ("context", "retriev", "passage", "doc", "source", "evidence", "knowledge", "article", "chunk", "text"),
}
"""Parts of names that other columns often have."""


def mapped_with(field: str, names: Iterable[Any]) -> str:
    """List the columns, and suggest a --map."""
    there = sorted(str(name) for name in names)
    likely = next((name for hint in _HINTS[field] for name in there if hint in name.casefold()), None)
    return f"(columns: {_named(there)}): name it, as in --map {field}={likely or 'COLUMN'}"


def _named(names: Iterable[Any]) -> str:
    """List the columns in one line."""
    return ", ".join(sorted(" ".join(str(name).split()) or repr(name) for name in names))[:500] or "none"


def _plain(value: Any) -> Any:
    """Convert NaN to None and arrays to lists."""
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
    """Return the passages in a cell: a list written as JSON or as Python writes it, else the cell's own text."""
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if not text:
        return None
    if text.startswith("[") and text.endswith("]"):
        try:
            found = _listed(text)
        except TooDeepError as error:
            raise DataError("the list of passages is nested too deeply") from error
        except ValueError:
            return cell
        if isinstance(found, list) and all(isinstance(passage, (str, dict)) for passage in found):
            return found
    return cell


def _listed(text: str) -> Any:
    try:
        return decode_json(text)
    except ValueError as error:
        if isinstance(error, TooDeepError) or len(text) > _LONGEST_PYTHON_LIST:
            raise
        return decode_json(as_json(text))


def _kind(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "a list"
    return "null" if value is None else f"a {type(value).__name__}"
