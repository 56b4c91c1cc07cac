"""commands.json describes the options that there are, and only those."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from halluscope._internal.cli import options
from halluscope._internal.cli.app import COMMAND_MODULES, app
from halluscope._internal.cli.calibrate_command import RECALL
from halluscope._internal.core.conversation import SOURCES
from halluscope._internal.proof.stress.mutation import KINDS
from halluscope._internal.sinks.sink import SINKS

TEXTS = json.loads(Path(options.__file__).with_name("commands.json").read_text(encoding="utf-8"))


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in sorted(set(COMMAND_MODULES.values())):
        import_module(f"halluscope._internal.cli.{module}")
    for command in app.registered_commands:
        yield str(command.name), command.callback  # type: ignore[misc]
    for group in app.registered_groups:
        inner: Any = group.typer_instance
        if inner.registered_callback is not None:
            yield str(group.name), inner.registered_callback.callback
        for command in inner.registered_commands:
            yield f"{group.name} {command.name}", command.callback


def test_every_description_belongs_to_a_parameter() -> None:
    parameters = {name: set(inspect.signature(function).parameters) for name, function in functions()}
    assert TEXTS["commands"].keys() - {"cache"} == parameters.keys()
    for name, command in TEXTS["commands"].items():
        assert set(command.get("own", {})) <= parameters.get(name, set()), name
    shared = {name for given in parameters.values() for name in given}
    assert set(TEXTS["shared"]) <= shared


def test_descriptions_name_what_there_is() -> None:
    own = {name: command.get("own", {}) for name, command in TEXTS["commands"].items()}
    assert TEXTS["shared"]["context_from"]["help"].endswith(f": {', '.join(SOURCES)}.")
    assert own["stress"]["kind"]["help"].endswith(f": {', '.join(KINDS)}. Repeatable.")
    assert own["export"]["to"]["help"].endswith(f": {', '.join(SINKS)}.")
    assert own["calibrate"]["recall"]["help"].endswith(f"Default: {RECALL}.")
