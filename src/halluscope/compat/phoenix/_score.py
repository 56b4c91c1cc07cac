"""What an evaluator is and gives, and where its inputs are found in the data: by name, by path or by a function."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Union

import msgspec
from msgspec import Struct, structs

from ..._internal.core.conversation import plain
from ..._internal.core.errors import InputError, MissingParameters
from ..._internal.core.plumbing import sync
from ..._internal.core.plumbing.threads import in_thread
from ..._internal.core.plumbing.user_functions import call as called
from .._callables import taken_by

InputMapping = Mapping[str, Union[str, Callable[..., Any]]]
"""For an input of the evaluator: the field that holds it, its path (`a.b[0].c`), or a function of the data."""

_LISTS = ("context",)
"""Inputs that may be lists: of others the first place counts, as in Phoenix."""

_STEP = re.compile(
    r"""\.?(?P<key>[^.\[\]"']+)|\[(?P<index>-?\d+)\]|\[(?P<slice>\*|-?\d*:-?\d*)\]|\[(?P<quote>["'])(?P<quoted>.+?)(?P=quote)\]"""
)


TAKEN = ("input_tokens", "output_tokens", "total_tokens", "cost")
"""What a score's metadata says of the calls it took."""


class _WrongType(InputError, TypeError):
    """An argument of a wrong type, which Phoenix's callers catch as a TypeError."""


def mapped(
    data: Mapping[str, Any], mapping: InputMapping, needed: Iterable[str], optional: Iterable[str] = ()
) -> dict[str, Any]:
    """The inputs, taken from the data. What the mapping names beyond them is for other evaluators."""
    needed = tuple(needed)
    if not isinstance(data, Mapping):
        raise InputError(f"the input is a {type(data).__name__}: pass a mapping with {', '.join(needed)}.")
    if not isinstance(mapping, Mapping):
        raise InputError(f"the input mapping is a {type(mapping).__name__}: pass a dictionary from input to field.")
    found = {name: _found(data, mapping.get(name) or name, name in _LISTS) for name in (*needed, *optional)}
    missing = [name for name in needed if _is_missing(found[name])]
    if missing:
        held = ", ".join(map(str, data)) or "nothing"
        paths = [f"; path not found: {mapping[name]!r}" for name in missing if isinstance(mapping.get(name), str)]
        raise MissingParameters(missing, f"the evaluator (the data has: {held}{''.join(paths)})")
    return {name: value for name, value in found.items() if not _is_missing(value)}


def _found(data: Mapping[str, Any], source: Any, every: bool) -> Any:
    if callable(source):
        named = taken_by(source, data)
        return source(**named) if named else source(data)
    if not isinstance(source, str):
        raise _WrongType(f"an input is mapped to a {type(source).__name__}: name its field, its path or a function.")
    return data[source] if source in data else _at(data, source, every)


def _at(data: Any, path: str, every: bool) -> Any:
    """The value at a path, None where there is nothing; where a slice finds several, `every` one or the first."""
    place = 2 if path.startswith("$.") else int(path.startswith("$"))
    values, several = [data], False
    while place < len(path):
        step = _STEP.match(path, place)
        if step is None:
            raise InputError(f"{path!r} is no path: write it like a.b[0].c.")
        place = step.end()
        several = several or step.group("slice") is not None
        values = [value for held in values for value in _step(held, step) if value is not None]
    return values if several and every and values else next(iter(values), None)


def _step(value: Any, step: re.Match[str]) -> Sequence[Any]:
    if step.group("index") or step.group("slice"):
        if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
            return ()
        if step.group("index"):
            place = int(step.group("index"))
            return (value[place],) if -len(value) <= place < len(value) else ()
        first, _, last = step.group("slice").replace("*", ":").partition(":")
        return value[int(first) if first else None : int(last) if last else None]
    return ((plain(value) or {}).get(step.group("key") or step.group("quoted")),)


def to_thread(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the asynchronous form of a function, which runs in a thread."""
    return partial(called, function)


def _is_missing(value: Any) -> bool:
    """None, and what a frame holds where a cell is empty."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"


class Score(Struct, frozen=True):
    """One score. 1.0 is factual; score and label are None where there was nothing to score.

    `source` is the former name of `kind`: both can be read.
    """

    name: str | None = None
    score: float | None = None
    label: str | None = None
    explanation: str | None = None
    metadata: dict[str, Any] = {}
    source: str | None = None
    direction: str = "maximize"
    kind: str | None = None

    def __post_init__(self) -> None:
        structs.force_setattr(self, "kind", kind_of(self.kind, self.source) or "llm")
        structs.force_setattr(self, "source", self.kind)

    def __reduce__(self) -> Any:
        return partial(Score, **{name: held for name, held in structs.asdict(self).items() if name != "source"}), ()

    def __repr__(self) -> str:
        """The score as the document prints it: what it took is in `metadata`, and not in the way."""
        shown = {name: value for name, value in self.metadata.items() if name not in TAKEN}
        fields = {**self._fields(), "metadata": shown}
        return f"Score({', '.join(f'{name}={value!r}' for name, value in fields.items())})"

    def to_dict(self) -> dict[str, Any]:
        """The score as plain data, without what is empty."""
        data: dict[str, Any] = msgspec.to_builtins(self._fields())
        return {name: value for name, value in data.items() if value is not None}

    def pretty_print(self, indent: int = 2) -> None:
        """Print the score as JSON."""
        print(json.dumps(self.to_dict(), indent=indent, ensure_ascii=False))  # noqa: T201 - that is what it is for

    def _fields(self) -> dict[str, Any]:
        return {name: value for name, value in structs.asdict(self).items() if name != "kind"}


def kind_of(kind: str | None, source: str | None) -> str | None:
    """What scores, under either of its names. "heuristic" is a former word for "code", as "source" is for "kind"."""
    former = source or kind == "heuristic"
    kind, source = ("code" if given == "heuristic" else given for given in (kind, source))
    if kind and source and kind != source:
        raise InputError(f"kind={kind!r} and source={source!r} are two names of one thing: pass one of them.")
    if former:
        told = "'source' is deprecated: pass kind=…" if source else "'heuristic' is deprecated: pass 'code'."
        warnings.warn(told, DeprecationWarning, stacklevel=3)
    return kind or source


class Evaluator:
    """What scores a record. A subclass has `_evaluate` or `_async_evaluate`, from its inputs to a list of scores.

    Args:
        name: Name in results.
        kind: What scores: `code`, `llm` or `human`.
        direction: `maximize` or `minimize`.
        input_schema: Pydantic model of the inputs. By default they are `inputs`, or what a mapping names.
        source: Former name of `kind`.
    """

    inputs: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        name: str,
        kind: str | None = None,
        direction: str = "maximize",
        input_schema: Any = None,
        *,
        source: str | None = None,
    ) -> None:
        self.name = name
        self.kind = self.source = kind_of(kind, source) or "code"
        self.direction = direction
        self.input_schema = input_schema
        self._mapping: InputMapping = {}

    def bind(self, input_mapping: InputMapping) -> None:
        """From now on take the inputs from where the mapping says."""
        self._mapping = dict(input_mapping)

    def unbind(self) -> None:
        """Take the inputs by their names again."""
        self._mapping = {}

    def describe(self) -> dict[str, Any]:
        """What the evaluator is and which inputs it needs."""
        if self.input_schema is not None:
            schema = self.input_schema.model_json_schema()
        else:
            described = self._described()
            properties = {
                name: {"description": about, "title": name.title(), "type": "string"}
                for name, about in described.items()
            }
            schema = {
                "properties": properties,
                "required": list(described),
                "title": f"{self.name.title()}InputSchema",
                "type": "object",
            }
        return {"name": self.name, "source": self.source, "direction": self.direction, "input_schema": schema}

    async def async_evaluate(
        self, eval_input: Mapping[str, Any], input_mapping: InputMapping | None = None
    ) -> list[Score]:
        """Score one record.

        Args:
            eval_input: The record.
            input_mapping: Where the inputs are found in it, as for `bind_evaluator`.

        Raises:
            MissingParameters: An input is missing.
            JudgeError: The judge failed.
        """
        mapping = input_mapping or self._mapping
        given = await in_thread(partial(self._inputs_in, eval_input, mapping))
        return await self._async_evaluate(given)

    evaluate = sync.blocking_method(async_evaluate, "evaluate")

    def _described(self) -> Mapping[str, str]:
        """The inputs that must be there, each with what it is."""
        return self.inputs

    def _inputs_in(self, eval_input: Mapping[str, Any], mapping: InputMapping) -> dict[str, Any]:
        if self.input_schema is None:
            needed: Sequence[str] = tuple(self._described()) or tuple(mapping)
            if not needed:
                raise InputError(f"the inputs of {self.name!r} are not known: give it an input_schema or a mapping.")
            return mapped(eval_input, mapping, needed)
        fields = self.input_schema.model_fields
        needed = [name for name, field in fields.items() if field.is_required()]
        found = mapped(eval_input, mapping, needed, [name for name in fields if name not in needed])
        try:
            return dict(self.input_schema.model_validate(found).model_dump())
        except ValueError as error:
            raise InputError(f"the inputs of {self.name!r} do not fit its schema: {error}") from error

    def _evaluate(self, eval_input: Any) -> list[Score]:
        raise NotImplementedError(f"{type(self).__name__} needs a method _evaluate or _async_evaluate")

    async def _async_evaluate(self, eval_input: Any) -> list[Score]:
        scores: list[Score] = await called(self._evaluate, eval_input)
        return scores
