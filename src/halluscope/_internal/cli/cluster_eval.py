"""`eval --engine ray`: score on a Ray cluster and write the results to a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer

from ..core.errors import InputError
from ..runs import Summary
from ..runs.gates import Checked, Gate
from .terminal import print_json
from .views import ci_files
from .views.runs import figures_object, show_gates, show_summary

UNSUPPORTED = {
    "run": "--run: --output names the folder of the run",
    "limit": "--limit: it always scores all rows",
    "max_cost": "--max-cost: the spending of parallel workers is not known in time",
    "no_worse_than": "--no-worse-than: its results are not in the store",
    "turns": "--turns: it judges the last answer of each conversation",
    "batch": "--batch: its workers wait for no batches",
    "junit": "--junit: the file would have an entry for every case",
}
"""Options of `eval` that are not available on a cluster, and why."""


def refuse(engine: str, given: dict[str, Any]) -> None:
    """Raise an error for an unknown engine, or for an option that the engine does not support."""
    if engine != "ray":
        raise InputError(f"there is no engine {engine!r}: leave --engine out, or write --engine ray.")
    for name, why in UNSUPPORTED.items():
        if given.get(name) is not None:
            raise InputError(f"--engine ray does not support {why}.")


def refuse_without_engine(given: dict[str, Any]) -> None:
    """Raise an error for an option that needs a cluster."""
    for name, value in given.items():
        if value is not None:
            raise InputError(f"--{name.replace('_', '-')} needs --engine ray.")


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
    """Score the data, print the results and return the exit code."""
    if output is None:
        raise InputError(
            "--engine ray needs --output FOLDER: a folder for the results that the whole cluster can reach."
        )
    from ..cluster.on_ray.ray_run import evaluate  # needs the extra ray

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
