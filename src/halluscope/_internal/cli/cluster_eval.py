"""`eval --engine ray`: the same command where the scoring is done by a cluster, and the results go to a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer

from ..errors import InputError
from ..measuring.gates import Checked, Gate
from ..runs import Summary
from .terminal import print_json
from .views import ci_files
from .views.runs import figures_object, show_gates, show_summary

NOT_THERE = {
    "run": "--run: a run on a cluster is the folder that --output names",
    "limit": "--limit: all rows are scored",
    "max_cost": "--max-cost: what workers spend at the same moment is not known in time",
    "no_worse_than": "--no-worse-than: runs in folders are not in the store",
    "junit": "--junit: a line for each case is too much of a good thing",
}
"""Options of `eval` that a run on a cluster does not take, and why."""


def refuse(engine: str, given: dict[str, Any]) -> None:
    """One sentence for an engine that is not there, and for an option that is not there with it."""
    if engine != "ray":
        raise InputError(f"there is no engine {engine!r}: leave --engine out, or write --engine ray.")
    for name, why in NOT_THERE.items():
        if given.get(name) is not None:
            raise InputError(f"--engine ray does not take {why}.")


def refuse_without_engine(given: dict[str, Any]) -> None:
    """The other way round: options that only a cluster has."""
    for name, value in given.items():
        if value is not None:
            raise InputError(f"--{name.replace('_', '-')} goes with --engine ray.")


def evaluated(
    data: str,
    metrics: Sequence[str],
    judge: str | None,
    *,
    output: str | None,
    ray_address: str | None,
    gpus: float | None,
    report: Path | None,
    markdown: Path | None,
    as_json: bool,
    gates: Sequence[Gate],
    exit_code: Callable[[Summary, list[Checked]], int],
    **options: Any,
) -> int:
    """Do it and show it. Returns the exit code."""
    if output is None:
        raise InputError("--engine ray needs a folder for the results that the whole cluster reaches: --output FOLDER.")
    from ..distributed.on_ray.ray_run import evaluate  # here: only those who have a cluster have what this loads

    run = evaluate(data, list(metrics), judge, output=output, address=ray_address, gpus=gpus or 0, **options)
    summary = run.summary()
    checked = [gate.check(summary) for gate in gates]
    if report is not None:
        ci_files.write_text(report, run.read_report())
    ci_files.write_summaries(ci_files.markdown(summary, checked), markdown)
    if as_json:
        print_json(figures_object(summary, checked, results=run.results, bad_rows_in=run.bad_rows, report=run.report))
    else:
        show_summary(summary)
        show_gates(checked)
        typer.echo(f"results: {run.results}")
        if summary.bad_rows:
            typer.echo(f"bad rows: {run.bad_rows}")
        typer.echo(f"report: {report or run.report}")
    return exit_code(summary, checked)
