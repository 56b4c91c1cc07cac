"""Options that several commands share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from ..core.conversation import CONTEXT_FROM, SOURCES
from ..core.errors import InputError
from ..engine.judge import VARIABLE
from .settings.file import as_list
from .settings.known import BASE_URL

CACHE = "HALLUSCOPE_CACHE"
METRICS = "HALLUSCOPE_METRICS"
DEFAULT_METRIC = "hallucination"


def complete_metric(incomplete: str) -> list[str]:
    """Complete the name of a metric in the shell."""
    from ..engine.metrics import registry

    return [name for name in registry.METRICS if name.startswith(incomplete)]


def complete_run(incomplete: str) -> list[str]:
    """Complete the name of a run in the shell."""
    from ..runs import all_runs

    return [info.name for info in all_runs() if info.name.startswith(incomplete)]


JudgeName = Annotated[
    str | None, typer.Option("--judge", "-j", metavar="NAME", help="A judge; `halluscope judges` lists them.")
]
JudgeNames = Annotated[
    list[str] | None,
    typer.Option("--judge", "-j", metavar="NAME", help="A judge; `halluscope judges` lists them. Repeatable."),
]
MetricName = Annotated[
    str, typer.Option("--metric", "-m", metavar="NAME", help="A metric; `halluscope metrics` lists them.")
]
MetricNames = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="NAME",
        help="A metric; `halluscope metrics` lists them. Repeatable.",
        autocompletion=complete_metric,
    ),
]
BaseUrl = Annotated[str | None, typer.Option(metavar="URL", help="Address of an OpenAI-compatible server.")]
ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile", "-p", metavar="NAME", envvar="HALLUSCOPE_PROFILE", help="A profile made by `halluscope calibrate`."
    ),
]
PassThreshold = Annotated[
    float | None,
    typer.Option(
        metavar="SCORE",
        envvar="HALLUSCOPE_THRESHOLD",
        help="The score that passes. Default: every claim must be supported.",
    ),
]
Strict = Annotated[
    bool | None,
    typer.Option(
        "--strict/--no-strict",
        envvar="HALLUSCOPE_STRICT",
        help="Pass only if every claim is supported, whatever the threshold. With --no-strict, only the threshold "
        "counts, even if claims are contradicted.",
        show_default=False,
    ),
]
ColumnMap = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="FIELD=NAME", help="Name the column of a field, as in output=answer. Repeatable."),
]
Turns = Annotated[
    str,
    typer.Option(metavar="last|all", help="In conversations, judge the last answer, or every answer and tool call."),
]
ContextFrom = Annotated[
    str | None,
    typer.Option(
        metavar="SOURCES", help=f"What in a conversation is context, separated by commas: {', '.join(SOURCES)}."
    ),
]
DrawnLimit = Annotated[int | None, typer.Option("--limit", "-n", metavar="N", help="Draw at most N cases at random.")]
CasesAtOnce = Annotated[int, typer.Option(min=1, metavar="N", help="Cases judged at the same time.")]


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
