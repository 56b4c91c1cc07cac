"""The settings file: found from the current folder up, checked, and put where variables are looked up."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from ...errors import InputError
from .known import BY_NAME, Setting

NAME = "halluscope.toml"
CONFIG = "HALLUSCOPE_CONFIG"
"""Names another file, or none where it is empty."""


def find() -> Path | None:
    """The file that holds: the one that HALLUSCOPE_CONFIG names, else the nearest one up to the repository."""
    named = os.environ.get(CONFIG)
    if named is not None:
        path = Path(named).expanduser()
        if named and not path.is_file():
            raise InputError(f"{CONFIG} names {named!r}, and there is no such file.")
        return path if named else None
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / NAME).is_file():
            return folder / NAME
        if (folder / ".git").exists():
            break
    return None


def read_settings(path: Path) -> dict[str, str]:
    """The variables that the file stands for; what it gets wrong is said in one sentence."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        data: dict[str, Any] = toml.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # no TOML, or no UTF-8
        raise InputError(f"{path} cannot be read: {error}.") from error
    variables = {}
    for section, held in data.items():
        if not isinstance(held, dict):
            raise InputError(f"{path}: {section!r} stands outside a section{_meant(section)}")
        for key, value in held.items():
            setting = BY_NAME.get(f"{section}.{key}")
            if setting is None:
                raise InputError(f"{path}: there is no setting {key!r} in [{section}]{_meant(section + '.' + key)}")
            variables[setting.variable] = setting.exported(_checked(path, setting, value))
    return variables


@contextmanager
def in_force() -> Iterator[Path | None]:
    """The file's settings, for as long as a command runs; a variable that is set has the last word."""
    path = find()
    added = {} if path is None else {name: text for name, text in read_settings(path).items() if name not in os.environ}
    os.environ.update(added)
    _added.update(dict.fromkeys(added, path))
    try:
        yield path
    finally:
        for name in added:
            os.environ.pop(name, None)
            _added.pop(name, None)


_added: dict[str, Path | None] = {}


def whence(variable: str) -> str:
    """Where the value of a variable comes from, in words."""
    path = _added.get(variable)
    return variable if path is None else str(path)


def as_list(variable: str) -> list[str]:
    """The items of a list in a variable, parted by semicolons, or by commas."""
    text = os.environ.get(variable, "")
    return [item.strip() for item in text.split(";" if ";" in text else ",") if item.strip()]


def _checked(path: Path, setting: Setting, value: Any) -> Any:
    right = isinstance(value, setting.kind) and (setting.kind is bool or not isinstance(value, bool))
    if setting.kind is float and isinstance(value, int) and not isinstance(value, bool):
        right = True
    if setting.kind is list:
        right = isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)
    if not right:
        raise InputError(f"{path}: {setting.name} is {value!r}: write it like {setting.key} = {setting.example}.")
    if setting.variable == "HALLUSCOPE_HOME":
        return str((path.parent / Path(value).expanduser()).resolve())
    return value


def _meant(name: str) -> str:
    close = difflib.get_close_matches(name, BY_NAME, 1, 0.5)
    return f": did you mean {close[0]}?" if close else f"; there are: {', '.join(BY_NAME)}"
