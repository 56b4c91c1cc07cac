"""The settings file: find it within the project, check it, and apply it as environment variables."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from .known import BY_NAME, HOME, Setting
from .trust import refuse_file_of_others, refuse_untrusted

NAME = "halluscope.toml"
CONFIG = "HALLUSCOPE_CONFIG"
"""Names the settings file to use. Empty: use none."""
_PROJECT = (".git", "pyproject.toml")
"""What marks the root of a project."""
_LARGEST = 2**20


def find() -> Path | None:
    """Return the settings file in use: the one HALLUSCOPE_CONFIG names, or the nearest one within the project."""
    named = os.environ.get(CONFIG)
    if named is not None:
        path = Path(named).expanduser()
        if named and not path.is_file():
            raise InputError(f"{CONFIG} names {named!r}, and there is no such file.")
        return path if named else None
    here = Path.cwd()
    top = _top(here)
    for folder in (here, *here.parents):
        if (folder / NAME).is_file():
            refuse_file_of_others(
                folder / NAME, otherwise=f"name it in {CONFIG} to use it, or set {CONFIG}= to do without"
            )
            return folder / NAME
        if folder == top:
            break
    return None


def _top(here: Path) -> Path:
    """Return the highest folder to search: the project's root, else the home folder, else the current folder."""
    try:
        user_home = Path.home().resolve()
    except RuntimeError:  # a user that the system does not know
        user_home = None
    for folder in (here, *here.parents):
        if folder == user_home or any((folder / mark).exists() for mark in _PROJECT):
            return folder
    return here


def read_settings(path: Path, content: bytes) -> dict[str, str]:
    """Return the environment variables that a settings file stands for."""
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        data: dict[str, Any] = toml.loads(content.decode("utf-8"))
    except ValueError as error:  # not TOML, or not UTF-8
        raise InputError(f"{path} cannot be read: {error}.") from error
    variables = {}
    for section, values in data.items():
        if not isinstance(values, dict):
            raise InputError(f"{path}: {section!r} stands outside a section{_meant(section)}")
        for key, value in values.items():
            setting = BY_NAME.get(f"{section}.{key}")
            if setting is None:
                raise InputError(f"{path}: there is no setting {key!r} in [{section}]{_meant(section + '.' + key)}")
            variables[setting.variable] = setting.exported(_checked(path, setting, value))
    return variables


def content_of(path: Path) -> bytes:
    """Return what is in a settings file."""
    with path.open("rb") as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise InputError(f"{path} is larger than 1 MB: that is no settings file.")
    return content


def without_overridden(settings: dict[str, str]) -> dict[str, str]:
    """Return the settings that the environment does not set itself."""
    return {name: text for name, text in settings.items() if name not in os.environ}


@contextmanager
def applied_settings() -> Iterator[None]:
    """Apply the settings file while a command runs. Variables that are set in the environment take precedence."""
    path = find()
    added: dict[str, str] = {}
    if path is not None:
        content = content_of(path)
        added = without_overridden(read_settings(path, content))
        refuse_untrusted(path, content, added)
    os.environ.update(added)
    _added.update(dict.fromkeys(added, path))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
            _added.pop(name, None)


_added: dict[str, Path | None] = {}


def source_of(variable: str) -> str:
    """Return where a variable's value comes from: the settings file's path, or the variable's own name."""
    path = _added.get(variable)
    return variable if path is None else str(path)


def as_list(variable: str) -> list[str]:
    """Return the items of a list in a variable, separated by semicolons, or by commas."""
    text = os.environ.get(variable, "")
    return [item.strip() for item in text.split(";" if ";" in text else ",") if item.strip()]


def _checked(path: Path, setting: Setting, value: Any) -> Any:
    right = isinstance(value, setting.kind) and (setting.kind is bool or not isinstance(value, bool))
    if setting.kind is float and isinstance(value, int) and not isinstance(value, bool):
        right = True
    if setting.kind is list:
        right = isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)
    if not right or "\0" in str(value):
        raise InputError(f"{path}: {setting.name} is {value!r}: write it like {setting.key} = {setting.example}.")
    if setting.variable == HOME:
        return str((path.parent / Path(value).expanduser()).resolve())
    return value


def _meant(name: str) -> str:
    close = difflib.get_close_matches(name, BY_NAME, 1, 0.5)
    return f": did you mean {close[0]}?" if close else f"; there are: {', '.join(BY_NAME)}"
