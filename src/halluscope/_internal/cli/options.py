"""Options that several commands take: declared once, so that they read and mean the same everywhere."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from ..errors import InputError
from ..judge import VARIABLE
from .settings.file import as_list

BASE_URL = "HALLUSCOPE_BASE_URL"
CACHE = "HALLUSCOPE_CACHE"
METRICS = "HALLUSCOPE_METRICS"
USUAL_METRIC = "hallucination"


def complete_metric(incomplete: str) -> list[str]:
    """The metrics whose names begin so, for the shell."""
    from ..metrics import registry

    return [name for name in registry.METRICS if name.startswith(incomplete)]


def complete_run(incomplete: str) -> list[str]:
    """The runs whose names begin so, for the shell."""
    from ..runs import all_runs

    return [info.name for info in all_runs() if info.name.startswith(incomplete)]


JudgeName = Annotated[str | None, typer.Option("--judge", "-j", help="One of `halluscope judges`.")]
JudgeNames = Annotated[
    list[str] | None, typer.Option("--judge", "-j", help="One of `halluscope judges`; may be given often.")
]
MetricName = Annotated[str, typer.Option("--metric", "-m", help="One of `halluscope metrics`.")]
MetricNames = Annotated[
    list[str] | None,
    typer.Option(
        "--metric", "-m", help="One of `halluscope metrics`; may be given often.", autocompletion=complete_metric
    ),
]
BaseUrl = Annotated[str | None, typer.Option(help="The address of an OpenAI-compatible server.")]
ProfileName = Annotated[
    str | None,
    typer.Option("--profile", "-p", envvar="HALLUSCOPE_PROFILE", help="A profile that `halluscope calibrate` made."),
]
PassThreshold = Annotated[
    float | None,
    typer.Option(envvar="HALLUSCOPE_THRESHOLD", help="Where a score passes; else every claim must hold."),
]
Strict = Annotated[
    bool | None,
    typer.Option(
        "--strict/--no-strict",
        envvar="HALLUSCOPE_STRICT",
        help="Every claim has to hold, whatever the threshold. With --no-strict the threshold alone decides, "
        "also over claims that are contradicted.",
        show_default=False,
    ),
]
ColumnMap = Annotated[
    list[str] | None, typer.Option("--map", help="Which column is which, as in output=answer; may be given often.")
]
DrawnLimit = Annotated[int | None, typer.Option("--limit", "-n", help="At most this many cases, drawn by seed.")]
CasesAtOnce = Annotated[int, typer.Option(min=1, help="Cases judged at once.")]


def judge_options(base_url: str | None, judge: str | None) -> dict[str, Any]:
    """What the judge is made with."""
    if base_url is None:
        usual = os.environ.get(BASE_URL)  # that of the judge that is named in the same place
        return {"base_url": usual} if usual and judge in (None, os.environ.get(VARIABLE)) else {}
    if judge is None and not os.environ.get(VARIABLE):
        raise InputError("--base-url goes with a judge that is reached over the network: name it with --judge.")
    return {"base_url": base_url}


def metrics_or_usual(given: list[str] | None, of_profile: str | None) -> list[str]:
    """The metrics that are named, else the profile's, else those of the settings."""
    return given or ([of_profile] if of_profile else as_list(METRICS) or [USUAL_METRIC])


def cached() -> bool:
    """Whether kept replies are used, as the settings have it."""
    text = os.environ.get(CACHE, "1").strip().lower()
    if text not in ("0", "1", "true", "false", "yes", "no"):
        raise InputError(f"{CACHE} is {text!r}: set it to 1 or 0.")
    return text in ("1", "true", "yes")


def mapping(pairs: list[str] | None) -> dict[str, str]:
    """The column of each field that --map names."""
    found = {}
    for pair in pairs or ():
        field, equals, column = pair.partition("=")
        if not equals or not field.strip() or not column.strip():
            raise InputError(f"--map {pair!r} cannot be read: write it like output=answer.")
        found[field.strip()] = column.strip()
    return found
