"""Where an evaluator's inputs are found in the data: by name, by path or by a function."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from ..._internal.conversation import plain
from ..._internal.errors import InputError, MissingParameters

InputMapping = Mapping[str, Union[str, Callable[[Mapping[str, Any]], Any]]]
"""For an input of the evaluator: the field that holds it, its path (`a.b[0].c`), or a function of the data."""

_STEP = re.compile(r"""\.?(?P<key>[^.\[\]"']+)|\[(?P<index>-?\d+|\*)\]|\[(?P<quote>["'])(?P<quoted>.+?)(?P=quote)\]""")


def mapped(data: Mapping[str, Any], mapping: InputMapping, needed: Sequence[str]) -> dict[str, Any]:
    """The inputs, taken from the data. What the mapping names beyond them is for other evaluators."""
    if not isinstance(data, Mapping):
        raise InputError(f"the input is a {type(data).__name__}: pass a mapping with {', '.join(needed)}.")
    if not isinstance(mapping, Mapping):
        raise InputError(f"the input mapping is a {type(mapping).__name__}: pass a dictionary from input to field.")
    found = {name: _found(data, mapping.get(name) or name) for name in needed}
    missing = [name for name, value in found.items() if _is_missing(value)]
    if missing:
        held = ", ".join(map(str, data)) or "nothing"
        paths = [f"; path not found: {mapping[name]!r}" for name in missing if isinstance(mapping.get(name), str)]
        raise MissingParameters(missing, f"the evaluator (the data has: {held}{''.join(paths)})")
    return found


def _found(data: Mapping[str, Any], source: Any) -> Any:
    if callable(source):
        return source(data)
    if not isinstance(source, str):
        raise InputError(f"an input is mapped to a {type(source).__name__}: name its field, its path or a function.")
    return data[source] if source in data else _at(data, source)


def _at(data: Any, path: str) -> Any:
    """What stands at a path; None where there is nothing."""
    place, value = 0, data
    while place < len(path):
        step = _STEP.match(path, place)
        if step is None:
            raise InputError(f"{path!r} is no path: write it like a.b[0].c.")
        place = step.end()
        value = _step(value, step)
        if value is None:
            return None
    return value


def _step(value: Any, step: re.Match[str]) -> Any:
    index = step.group("index")
    if index is not None:
        if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
            return None
        place = 0 if index == "*" else int(index)
        return value[place] if -len(value) <= place < len(value) else None
    held = plain(value) or {}
    return held.get(step.group("key") or step.group("quoted"))


def _is_missing(value: Any) -> bool:
    """None, and what a frame holds where a cell is empty."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"
