"""Options that several commands take: declared once, so that they read and mean the same everywhere."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from ..errors import InputError
from ..judge import VARIABLE

JudgeName = Annotated[str | None, typer.Option("--judge", "-j", help="One of `halluscope judges`.")]
JudgeNames = Annotated[
    list[str] | None, typer.Option("--judge", "-j", help="One of `halluscope judges`; may be given often.")
]
MetricName = Annotated[str, typer.Option("--metric", "-m", help="One of `halluscope metrics`.")]
MetricNames = Annotated[
    list[str] | None, typer.Option("--metric", "-m", help="One of `halluscope metrics`; may be given often.")
]
BaseUrl = Annotated[str | None, typer.Option(help="The address of an OpenAI-compatible server.")]
ProfileName = Annotated[str | None, typer.Option("--profile", "-p", help="A profile that `halluscope calibrate` made.")]
PassThreshold = Annotated[float | None, typer.Option(help="Where a score passes.")]
Columns = Annotated[
    list[str] | None, typer.Option("--map", help="Which column is which, as in output=answer; may be given often.")
]
DrawnLimit = Annotated[int | None, typer.Option("--limit", "-n", help="At most this many cases, drawn by seed.")]
CasesAtOnce = Annotated[int, typer.Option(min=1, help="Cases judged at once.")]


def judge_options(base_url: str | None, judge: str | None) -> dict[str, Any]:
    """What the judge is made with."""
    if base_url is None:
        return {}
    if judge is None and not os.environ.get(VARIABLE):
        raise InputError("--base-url goes with a judge that is reached over the network: name it with --judge.")
    return {"base_url": base_url}


def mapping(pairs: list[str] | None) -> dict[str, str]:
    """The column of each field that --map names."""
    found = {}
    for pair in pairs or ():
        field, equals, column = pair.partition("=")
        if not equals or not field.strip() or not column.strip():
            raise InputError(f"--map {pair!r} cannot be read: write it like output=answer.")
        found[field.strip()] = column.strip()
    return found
