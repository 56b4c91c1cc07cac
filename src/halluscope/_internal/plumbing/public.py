"""Where a public name says it lives: in the module that users import it from, not in the file that defines it."""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

from msgspec import Struct

T = TypeVar("T")


def public_in(module: str) -> Callable[[T], T]:
    """Mark a class or function as one that is imported from `module`: tracebacks, pickles and help say so."""

    def mark(thing: T) -> T:
        made: Any = thing
        if isinstance(made, type) and issubclass(made, Struct):
            # Fields are read with the names of the file that defines them, for the last time where they are known.
            hints = typing.get_type_hints(made, include_extras=True)
            made.__annotations__ = {name: hints[name] for name in vars(made).get("__annotations__", {})}
        made.__module__ = module
        return thing

    return mark


public = public_in("halluscope")
"""Mark what is imported from `halluscope` itself."""


def loaded_late(module: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a module whose names are loaded when they are first used.

    `homes`: for each file inside `_internal` the names that it gives, parted by blanks.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(f"halluscope._internal.{home_of[name]}"), name)
        setattr(sys.modules[module], name, value)
        return value

    return load, lambda: sorted(home_of)
