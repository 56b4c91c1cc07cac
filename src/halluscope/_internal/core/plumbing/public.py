"""Public names: their modules, lazy loading, and deprecated names."""

from __future__ import annotations

import re
import sys
import typing
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from msgspec import Struct

T = TypeVar("T")
P = ParamSpec("P")
_EXPORT = re.compile(r"^from \.([\w.]*) import (\w+) as \2$", re.MULTILINE)
"""A line of a stub file. `ast` would take longer to import than everything else."""
LazyNames = tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]


def public_in(module: str) -> Callable[[T], T]:
    """Mark a class or function as a member of the public `module`, in tracebacks, pickles and help."""

    def mark(thing: T) -> T:
        made: Any = thing
        if isinstance(made, type) and issubclass(made, Struct):
            # Resolve the annotations while the names of the private module are known.
            hints = typing.get_type_hints(made, include_extras=True)
            made.__annotations__ = {name: hints[name] for name in vars(made).get("__annotations__", {})}
        made.__module__ = module
        return thing

    return mark


public = public_in("halluscope")
"""Mark a member of `halluscope` itself."""


def lazy_names(module: str, file: str, moved: Mapping[str, str] | None = None) -> LazyNames:
    """Return `__getattr__`, `__dir__` and `__all__` of a public module, made from the imports in its stub file.

    Names are loaded on first use. `moved` has deprecated names with their new module or "module:name".
    """
    stub = Path(file).with_suffix(".pyi").read_text(encoding="utf-8")
    homes = {name: f"halluscope.{home}" for home, name in _EXPORT.findall(stub)}

    def load(name: str) -> Any:
        if name in homes:
            home = homes[name]
            value = import_module(home + name) if home.endswith(".") else getattr(import_module(home), name)
            setattr(sys.modules[module], name, value)
            return value
        if moved and name in moved:
            home, _, now = moved[name].partition(":")
            now = now or name
            _deprecated(f"{module}.{name} is now {home}.{now}", 3)
            return getattr(import_module(home), now)
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return load, lambda: sorted(homes), sorted(homes)


def _deprecated(change: str, level: int) -> None:
    warnings.warn(f"{change}; the old name will be removed in the next minor version.", DeprecationWarning, level)


def renamed_option(old: str, new: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function so that it accepts a keyword argument under its old name, with a deprecation warning."""

    def mark(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def renamed(*args: P.args, **options: P.kwargs) -> T:
            rename_option(options, old, new)
            return function(*args, **options)

        import inspect

        if inspect.iscoroutinefunction(function) and hasattr(inspect, "markcoroutinefunction"):
            inspect.markcoroutinefunction(renamed)
        return renamed

    return mark


def rename_option(options: dict[str, Any], old: str, new: str) -> None:
    """Rename an option that has its old name, with a deprecation warning."""
    if old not in options:
        return
    if options.get(new) is not None:
        raise TypeError(f"{old!r} is the old name of {new!r}: pass only {new!r}.")
    caller, level = sys._getframe(1), 2
    while caller.f_back is not None and str(caller.f_globals.get("__name__")).partition(".")[0] == "halluscope":
        caller, level = caller.f_back, level + 1
    _deprecated(f"the argument {old!r} is now {new!r}", level + 1)
    options[new] = options.pop(old)


renamed_retry_policy = renamed_option("patience", "retry_policy")
"""Decorator for functions with a `retry_policy`, which was called `patience`."""


def renamed_property(old: str, new: str) -> Any:
    """Return a property that gives the value of the renamed one, with a deprecation warning."""

    def read(self: object) -> Any:
        _deprecated(f"{old!r} is now {new!r}", 3)
        return getattr(self, new)

    return property(read)
