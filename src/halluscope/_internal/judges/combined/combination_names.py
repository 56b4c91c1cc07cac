"""Parse the names of judges that ask other judges, such as `cascade(local, openai/gpt-4o, low=0.1)`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from ...core.counting import count_of
from ...core.errors import InputError
from ...engine.judge import COMBINATIONS, PROVIDERS, Judge, load, resolve

_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*", re.DOTALL)
_OPTION = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.*)", re.DOTALL)
_OPEN, _CLOSE = "([", ")]"


def combined(name: str, options: Mapping[str, Any]) -> Judge:
    """Create the judge that a name with brackets describes. Options that it does not take go to its chat models."""
    call = _CALL.fullmatch(name)
    combination = next((c for c in COMBINATIONS if call and c.name == call.group(1)), None)
    if call is None or combination is None:
        raise InputError(f"{name!r} is not a judge: {_expected()}")
    factory: Callable[..., Judge] = load(combination.factory)
    takes = [p.name for p in inspect.signature(factory).parameters.values() if p.default is not p.empty]
    inner: list[str] = []
    own: dict[str, Any] = {key: value for key, value in options.items() if key in takes}
    passed_on = {key: value for key, value in options.items() if key not in takes}
    for part in _parts(call.group(2), name):
        option = _OPTION.fullmatch(part)
        if option is None:
            if own.keys() - options.keys():
                raise InputError(f"in {name!r} the judge {part!r} comes after an option: write the judges first.")
            inner.append(part)
            continue
        key, value = option.groups()
        if key not in takes:
            raise InputError(f"{combination.name}(…) has no option {key!r}; it takes: {', '.join(takes)}.")
        if key in own:
            raise InputError(f"the option {key!r} is given twice for {name!r}.")
        own[key] = _value(value, key, name)
    if not combination.fewest <= len(inner) <= (combination.most or len(inner)):
        raise InputError(f"{name!r} names {count_of(len(inner), 'judge')}: write {combination.form}.")
    if own.get("temperature") is not None:
        passed_on["temperature"] = own.pop("temperature")
    if passed_on and not any(_takes_options(part) for part in inner):
        raise InputError(f"no judge in {name!r} takes the option {next(iter(passed_on))!r}.")
    judges = [resolve(part, **(passed_on if _takes_options(part) else {})) for part in inner]
    return factory(*judges, **own)


def _takes_options(name: str) -> bool:
    """Whether a name is, or contains, a chat model."""
    if "(" in name:
        call = _CALL.fullmatch(name)
        return call is not None and any(_takes_options(part) for part in _parts(call.group(2), name))
    return any(p.needs_model and name.partition("/")[0] == p.prefix for p in PROVIDERS)


def _parts(inside: str, name: str) -> list[str]:
    """Split at the commas outside inner brackets."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(inside):
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(inside[start:place])
            start = place + 1
        if depth < 0:
            break
    if depth:
        raise InputError(f"the brackets in {name!r} do not match.")
    parts.append(inside[start:])
    parts = [part.strip() for part in parts]
    if parts and not parts[-1] and len(parts) > 1:
        parts.pop()
    if not all(parts):
        raise InputError(f"{name!r} has an empty argument: {_expected()}")
    return parts


def _value(text: str, key: str, name: str) -> Any:
    if text.startswith(tuple(_OPEN)) and text.endswith(tuple(_CLOSE)):
        return tuple(_value(part, key, name) for part in _parts(text[1:-1], name))
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    if not re.fullmatch(r"[A-Za-z_][\w-]*", text):
        raise InputError(
            f"the value of {key!r} in {name!r} must be a number, a word or a list like (2, 1), not {text!r}."
        )
    return {"none": None, "true": True, "false": False}.get(text.lower(), text)


def _expected() -> str:
    return f"write {', '.join(c.form for c in COMBINATIONS)}."
