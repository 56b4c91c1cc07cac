"""Calling what the user hands over: hooks and targets, synchronous or not, in the form they ask for."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .._internal.core.errors import InputError
from .._internal.core.plumbing.user_functions import call as called

_WITHIN_A_NAME = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def snake(name: str) -> str:
    """`runId` as `run_id`."""
    return _WITHIN_A_NAME.sub("_", name).lower() if name.isidentifier() else name


class NamedValues(dict[str, Any]):
    """Named values, read as `record.name` or `record["name"]`, and under their names in camelCase."""

    def __missing__(self, name: str) -> Any:
        if snake(name) not in self:
            raise KeyError(name)
        return self[snake(name)]

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r} here; there are: {', '.join(self)}") from None


def refuse_unknown(what: str, given: Iterable[str], known: Sequence[str], also: Sequence[str] = ()) -> None:
    """Raise `InputError` for a name that is neither known nor among those that are known and not listed."""
    for name in given:
        if name not in known and name not in also:
            raise InputError(f"{what} {name!r}; it takes: {', '.join(known)}.")


def whole_number(what: str, value: Any, least: int) -> int:
    """Return the number, or raise `InputError` if it is not a whole one from `least` on."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"the {what} must be a whole number from {least}, not {value!r}.")
    return value


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function. One that does not tell them has `*args`."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return [inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)]


async def called_with(
    function: Callable[..., Any], values: Mapping[str, Any], names: Sequence[str], whole: str | None = None
) -> Any:
    """Call a hook with its values in one object, or by name where its parameters have those names.

    `names` are all that there can be: one that the hook takes and that is not there now is None. A
    hook whose one parameter is called `whole` gets the object, though a value has that name too.
    """
    parameters = parameters_of(function)
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if (
        any(snake(p.name) not in names or p.kind is p.POSITIONAL_ONLY for p in positional)
        or [p.name for p in parameters] == [whole]
        or (not positional and any(p.kind is p.VAR_POSITIONAL for p in parameters))
    ):
        return await called(function, values)
    taken = {
        p.name: values.get(snake(p.name))
        for p in parameters
        if snake(p.name) in values or (snake(p.name) in names and p.default is p.empty)
    }
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        taken.update(values)
    return await called(function, **taken)


def taken_by(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Of named values those that the function has parameters for."""
    parameters = parameters_of(function)
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return dict(values)
    by_name = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return {name: value for name, value in values.items() if name in by_name}
