"""The options of commands, which `commands.json` describes, and reading those that several commands share."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from ..core.conversation import CONTEXT_FROM
from ..core.errors import InputError
from ..engine.judge import DEFAULT, VARIABLE, Judge
from .settings.file import as_list
from .settings.known import BASE_URL

if TYPE_CHECKING:
    from ..runs.profile import Profile
    from ..runs.store import Replies

F = TypeVar("F", bound=Callable[..., Any])

CACHE = "HALLUSCOPE_CACHE"
METRICS = "HALLUSCOPE_METRICS"
DEFAULT_METRIC = "hallucination"


_TEXTS = json.loads(Path(__file__).with_name("commands.json").read_text(encoding="utf-8"))
COMMAND_MODULES: dict[str, str] = {
    name: command["module"] for name, command in _TEXTS["commands"].items() if "module" in command
}
"""The module of each command, in the order of `--help`."""


def described(command: str, function: F) -> F:
    """Turn the parameters of a function into options and arguments, as commands.json describes them.

    What the command has of its own there replaces what commands share.
    """
    own, hints = _TEXTS["commands"][command].get("own", {}), get_type_hints(function)
    for name, parameter in inspect.signature(function).parameters.items():
        if hints[name] is typer.Context:
            continue
        about = dict(own.get(name) or _TEXTS["shared"][name])
        if "complete" in about:
            about["autocompletion"] = _COMPLETIONS[about.pop("complete")]
        if about.pop("argument", False):
            made = typer.Argument(**about)
        else:
            # A flag that is off by default has no form with --no.
            usual = [f"--{name.replace('_', '-')}"] if parameter.default is False else []
            made = typer.Option(*about.pop("names", usual), **about)
        function.__annotations__[name] = Annotated[hints[name], made]
    return function


def _complete_metric(incomplete: str) -> list[str]:
    from ..engine.metrics import registry

    return [name for name in registry.METRICS if name.startswith(incomplete)]


def _complete_run(incomplete: str) -> list[str]:
    from ..runs import all_runs

    return [info.name for info in all_runs() if info.name.startswith(incomplete)]


_COMPLETIONS = {"metric": _complete_metric, "run": _complete_run}
"""What the shell completes the values of an option with."""


def sources(given: str | None) -> tuple[str, ...]:
    """Return the sources of context that are named, or the default."""
    return CONTEXT_FROM if given is None else tuple(name.strip() for name in given.split(",") if name.strip())


def judge_options(base_url: str | None, judge: str | None) -> dict[str, Any]:
    """Return the options for creating the judge."""
    if base_url is None:
        default = os.environ.get(BASE_URL)  # belongs to the judge that is set in the same place
        return {"base_url": default} if default and judge in (None, os.environ.get(VARIABLE)) else {}
    if judge is None and not os.environ.get(VARIABLE):
        raise InputError("--base-url needs a judge that is reached over the network: name it with --judge.")
    return {"base_url": base_url}


def given_options(base_url: str | None, judge: str | None, **options: Any) -> dict[str, Any]:
    """Return the options for the judge and the metrics: those that are not None."""
    return judge_options(base_url, judge) | {name: value for name, value in options.items() if value is not None}


def metrics_or_default(given: list[str] | None, of_profile: str | None) -> list[str]:
    """Return the metrics that are given, else the profile's, else those in the settings."""
    named = [name.strip() for text in given or () for name in text.split(",")]
    return named or ([of_profile] if of_profile else as_list(METRICS) or [DEFAULT_METRIC])


def refuse_overwriting(data: str, *written: Path | None) -> None:
    """Raise an error if a command would write over the data it reads."""
    for path in written:
        if path is not None and os.path.realpath(path) == os.path.realpath(data):
            raise InputError(f"{path} is the input data: name another file to write to.")


def cached() -> bool:
    """Whether the settings allow cached replies."""
    text = os.environ.get(CACHE, "1").strip().lower()
    if text not in ("0", "1", "true", "false", "yes", "no"):
        raise InputError(f"{CACHE} is {text!r}: set it to 1 or 0.")
    return text in ("1", "true", "yes")


def mapping(pairs: list[str] | None) -> dict[str, str]:
    """Parse the values of --map into a column for each field."""
    columns = {}
    for pair in pairs or ():
        field, equals, column = pair.partition("=")
        if not equals or not field.strip() or not column.strip():
            raise InputError(f"--map {pair!r} cannot be read: write it like output=answer.")
        columns[field.strip()] = column.strip()
    return columns


def profile_named(name: str | None) -> Profile | None:
    """Load a profile, if one is named."""
    if name is None:
        return None
    from ..runs.profile import Profile

    return Profile.load(name)


@contextmanager
def open_replies(*judges: Judge, fresh: bool = False) -> Iterator[Replies | None]:
    """Open the cache of replies of these judges. The embedded judge has none, because its replies cost nothing."""
    if all(judge.name == DEFAULT for judge in judges):
        yield None
        return
    from ..runs.store import Replies, Store

    with Store() as store:
        yield Replies(store, reread=not fresh)
