"""The names that a tool's code imports, and objects of ours that pass for the tool's own."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from .._internal.core.plumbing.public import public_in
from ._callables import snake

_EXPORT = re.compile(r"^from (\.[\w.]*) import (\w+) as \2$", re.MULTILINE)
"""A line of a stub file."""

FACADES: dict[str, Any] = json.loads(Path(__file__).with_name("facades.json").read_text(encoding="utf-8"))
"""For each tool the paths of its modules, and what it has `elsewhere`, by what to use instead, as in docs/compat.md."""


def facade(module: str) -> tuple[Callable[[str], Any], list[str]]:
    """Fill a façade with the names in its stub file. Return its `__getattr__` and `__all__`.

    What it has can be imported from the paths of the tool's modules as well. Names may be given in camelCase.
    """
    tool = module.rpartition(".")[2]
    own = sys.modules[module]
    stub = Path(str(own.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    names = {name: getattr(import_module(home, module), name) for home, name in _EXPORT.findall(stub)}
    for value in names.values():
        if callable(value) and value.__module__.startswith(module):
            public_in(module)(value)
    vars(own).update(names)
    for path in FACADES[tool]["paths"].split():
        sys.modules[f"{module}.{path}"] = own
        vars(own).setdefault(path.rpartition(".")[2], own)

    def load(name: str) -> Any:
        if snake(name) != name and snake(name) in names:
            return names[snake(name)]
        reason = found_elsewhere(tool, name)
        if reason:
            raise ImportError(f"{module} has no {name}: {reason}.")
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return load, sorted(names)


def found_elsewhere(tool: str, name: str) -> str | None:
    """What to use instead of something that the tool has and its façade has not."""
    reasons: dict[str, str] = FACADES[tool]["elsewhere"]
    return next((reason for reason, names in reasons.items() if name in names.split()), None)


def seen_as(ours: Any, module: str, name: str) -> type:
    """The class of an object of ours: once the tool is imported, one that its own checks accept."""
    original = getattr(sys.modules.get(module), name, None)
    return ours if original is None else _kin(ours, original)


@cache
def _kin(ours: type, original: type) -> type:
    """A class that is both: no object is made of it, it answers `isinstance`."""
    return type(ours.__name__, (ours, original), {"__module__": ours.__module__})
