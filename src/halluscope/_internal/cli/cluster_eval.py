"""`eval --engine ray`: score on a Ray cluster and write the results to a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..core.errors import InputError
from ..runs import Summary
from ..runs.gates import Checked
from .terminal import print_json
from .views.runs import figures_object, show_gates, show_summary

if TYPE_CHECKING:
    from ..cluster.cluster_run import ClusterRun

_ONLY_HERE = ("output", "ray_address", "workers", "gpus", "calls_per_minute", "partition_rows")
_UNSUPPORTED = {
    "run": "--run: --output names the folder of the run",
    "limit": "--limit: it always scores all rows",
    "max_cost": "--max-cost: the spending of parallel workers is not known in time",
    "no_worse_than": "--no-worse-than: its results are not in the store",
    "turns": "--turns: it judges the last answer of each conversation",
    "context_from": "--context-from: it reads the usual parts of each conversation",
    "repair": "--repair: its workers only score",
    "batch": "--batch: its workers wait for no batches",
    "junit": "--junit: the file would have an entry for every case",
}
"""Options of `eval` that are not available on a cluster, and why."""


def check_engine(engine: str | None, given: Mapping[str, Any]) -> None:
    """Raise an error for an unknown engine, and for options that it does not have."""
    if engine is None:
        for name in _ONLY_HERE:
            if given[name] is not None:
                raise InputError(f"--{name.replace('_', '-')} needs --engine ray.")
        return
    if engine != "ray":
        raise InputError(f"there is no engine {engine!r}: leave --engine out, or write --engine ray.")
    for name, why in _UNSUPPORTED.items():
        if given[name] not in (None, False, "last"):
            raise InputError(f"--engine ray does not support {why}.")
    if given["output"] is None:
        raise InputError(
            "--engine ray needs --output FOLDER: a folder for the results that the whole cluster can reach."
        )


def show_cluster_run(
    run: ClusterRun, summary: Summary, checked: Sequence[Checked], report: Path | None, as_json: bool
) -> None:
    """Print the figures of a run, and where its files are."""
    if as_json:
        print_json(figures_object(summary, checked, results=run.results, bad_rows_in=run.bad_rows, report=run.report))
        return
    show_summary(summary)
    show_gates(checked)
    typer.echo(f"results: {run.results}")
    if summary.bad_rows:
        typer.echo(f"bad rows: {run.bad_rows}")
    typer.echo(f"report: {report or run.report}")
