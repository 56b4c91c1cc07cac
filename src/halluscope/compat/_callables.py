"""Calling what the user hands over: hooks and targets, synchronous or not, in the form they ask for."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._internal.plumbing.threads import in_thread


class NamedValues(dict[str, Any]):
    """Named values, read as `record.name` or `record["name"]`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r} here; there are: {', '.join(self)}") from None


async def called(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """What the function returns. A synchronous one runs in a thread, so that it holds up nobody else."""
    if _is_asynchronous(function):
        return await function(*args, **named)
    made = await in_thread(functools.partial(function, *args, **named))
    return await made if inspect.isawaitable(made) else made


async def called_with(
    function: Callable[..., Any], values: Mapping[str, Any], names: Sequence[str], whole: str | None = None
) -> Any:
    """Call a hook with its values in one object, or by name where its parameters have those names.

    `names` are all that there can be: one that the hook takes and that is not there now is None. A
    hook whose one parameter is called `whole` gets the object, though a value has that name too.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return await called(function, values)
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.name not in names or p.kind is p.POSITIONAL_ONLY for p in positional):
        return await called(function, values)
    if [p.name for p in parameters] == [whole]:
        return await called(function, values)
    if not positional and any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return await called(function, values)
    taken = {p.name: values.get(p.name) for p in parameters if p.name in values or _must_be_given(p, names)}
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        taken.update(values)
    return await called(function, **taken)


def taken_by(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Of named values those that the function has parameters for."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {}
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return dict(values)
    by_name = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return {name: value for name, value in values.items() if name in by_name}


def _must_be_given(parameter: inspect.Parameter, names: Sequence[str]) -> bool:
    return parameter.name in names and parameter.default is inspect.Parameter.empty


def _is_asynchronous(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - an object with an asynchronous __call__
    )
