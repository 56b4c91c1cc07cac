"""Mastra's names, in camelCase: for options that are given, and for results that are read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from enum import Enum
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from msgspec import Struct

from .._callables import NamedValues, snake

F = TypeVar("F", bound=Callable[..., Any])

_NOT_SHOWN = ("result",)
"""Our own result, which Mastra's have not."""


class CamelCase:
    """What has its attributes under their names in camelCase as well, and can be written as Mastra writes it."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if snake(name) == name:
                raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
            return getattr(self, snake(name))

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, in the shape of Mastra's JSON."""
        return cast("dict[str, Any]", _plain(self))


def takes_camel_case(function: F) -> F:
    """Let a function take its options under camelCase names too, or all of them in one object."""
    parameters = inspect.signature(function).parameters.values()
    most = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        if len(args) > most and isinstance(args[-1], Mapping):
            *args, whole = args  # type: ignore[assignment]
            options = {**whole, **options}
        return function(*args, **in_snake_case(options))

    return cast("F", called)


def in_snake_case(options: Mapping[Any, Any]) -> dict[str, Any]:
    """Options by their names here."""
    return {snake(str(name)): value for name, value in options.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Struct):
        value = NamedValues({name: getattr(value, name) for name in value.__struct_fields__ if name not in _NOT_SHOWN})
    if isinstance(value, NamedValues):
        return {_camel(name): _plain(held) for name, held in value.items() if held is not None}
    if isinstance(value, Mapping):
        return {name: _plain(held) for name, held in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(held) for held in value]
    return value.value if isinstance(value, Enum) else value


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.title() for word in others)
