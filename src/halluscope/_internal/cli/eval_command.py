"""`eval` scores a file and keeps the run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import HalluscopeError, InputError, MissingExtra
from ..measuring.calibration.profile import Profile
from ..measuring.gates import Checked, Gate, no_worse
from ..runner import evaluate
from ..runs import Run, Summary
from ..store import Store
from . import ci_files
from .app import INTERRUPTED, app, fail
from .open_store import kept_store
from .options import BaseUrl, Columns, JudgeName, MetricNames, PassThreshold, ProfileName, judge_options, mapping
from .run_views import show_cases, show_gates, show_summary, summary_object
from .terminal import plain, print_json

GATE_FAILED = 1
RUN_FAILED = 3
STOPPED = 4

SMALL = 25
"""A run of so few cases is shown case by case."""


@app.command("eval")
def eval_command(
    data: Annotated[
        str, typer.Argument(help="A .jsonl, .csv, .tsv or .parquet file, also .gz; - reads JSONL from stdin.")
    ],
    metric: MetricNames = None,
    judge: JudgeName = None,
    base_url: BaseUrl = None,
    threshold: PassThreshold = None,
    profile: ProfileName = None,
    reason: Annotated[bool, typer.Option("--reason/--no-reason", help="Ask the judge for reasons.")] = True,
    run: Annotated[str | None, typer.Option("--run", help="Name the run; it is continued if it exists.")] = None,
    concurrency: Annotated[
        int | None, typer.Option(help="Judge calls at once; fewer while the judge throttles.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="Stop before the run costs more than this many dollars.")
    ] = None,
    columns: Columns = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first row that cannot be read.")] = False,
    limit: Annotated[int | None, typer.Option(help="Take only so many rows.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask the judge again, even where its reply is kept.")] = False,
    gate: Annotated[
        list[str] | None, typer.Option(help="A condition, as in 'hallucination <= 0.1'; may be given often.")
    ] = None,
    no_worse_than: Annotated[str | None, typer.Option(help="A run that this one must not fall behind.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write the run as an HTML file.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write a summary in Markdown.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as one JSON object.")] = False,
    progress: Annotated[
        bool | None, typer.Option("--progress/--no-progress", help="A bar on stderr; by default on a terminal.")
    ] = None,
) -> None:
    """Score every row of a file and keep the run.

    Exit code 0: done, and all gates are met. 1: a gate is not met. 2: bad input. 3: the run failed.
    4: the cost limit stopped it. 130: interrupted; the same command goes on where it was stopped.
    """
    chosen = Profile.load(profile) if profile else None
    metrics = list(metric or [chosen.metric if chosen else "hallucination"])
    judge = judge or (chosen.judge if chosen else None)
    gates = [Gate.parse(text, metrics) for text in gate or ()]
    options = judge_options(base_url, judge)
    if not reason:
        options["include_reason"] = False
    if threshold is not None:
        options["threshold"] = threshold
    with _interruptible(run), kept_store() as store:
        earlier = _earlier(no_worse_than, run, metrics, store)
        made = _made(
            data,
            metrics,
            judge,
            run=run,
            map=mapping(columns),
            concurrency=concurrency,
            max_cost=max_cost,
            strict=strict,
            fresh=fresh,
            limit=limit,
            store=store,
            progress=False if as_json else progress,
            told=_told,
            profile=profile,
            **options,
        )
        summary = made.summary()
        checked = [condition.check(summary) for condition in gates]
        if earlier is not None:
            checked += no_worse(made, earlier)
        _write(made, summary, checked, report=report, baseline=earlier, junit=junit, markdown=markdown)
        if as_json:
            print_json(summary_object(made, summary, checked))
        else:
            if summary.cases <= SMALL:
                show_cases(made)
            show_summary(summary)
            show_gates(checked)
            if report is not None:
                typer.echo(f"report: {report}")
        raise typer.Exit(_exit_code(summary, checked))


def _made(*arguments: Any, **options: Any) -> Run:
    """The run; what goes wrong on the way is a failed run, unless it was the caller's doing."""
    try:
        return evaluate(*arguments, **options)
    except (InputError, MissingExtra):
        raise
    except HalluscopeError as error:
        fail(str(error), RUN_FAILED)


def _earlier(name: str | None, run: str | None, metrics: list[str], store: Store) -> Run | None:
    """The run to compare with, refused before anything is paid if it cannot be compared."""
    if name is None:
        return None
    if name == run:
        raise InputError("--no-worse-than names the run itself: give this run another name with --run.")
    earlier = Run(name, store)
    known = [scorer.metric for scorer in earlier.info.scorers]
    if not set(known) & set(metrics):
        raise InputError(f"the run {name!r} has none of these metrics; it has: {', '.join(known)}.")
    return earlier


@contextmanager
def _interruptible(run: str | None) -> Iterator[None]:
    """Ctrl-C, and a polite kill, end the command with all kept that is finished, whatever they interrupt."""
    try:
        yield
    except KeyboardInterrupt:
        again = f"the same command, with --run {run}, goes on" if run else "the same command goes on"
        fail(f"interrupted; all that was finished is kept, {again} from there.", INTERRUPTED)


def _told(message: str) -> None:
    typer.echo(plain(f"halluscope: {message}"), err=True)


def _write(
    run: Run,
    summary: Summary,
    checked: list[Checked],
    *,
    report: Path | None,
    baseline: Run | None,
    junit: Path | None,
    markdown: Path | None,
) -> None:
    if report is not None:
        run.report(report, baseline=baseline)
    if junit is not None:
        ci_files.write_junit(junit, run, checked)
    text = ci_files.markdown(summary, checked)
    if markdown is not None:
        ci_files.write_text(markdown, text)
    steps = os.environ.get("GITHUB_STEP_SUMMARY")
    if steps:
        ci_files.append_text(Path(steps), text)


def _exit_code(summary: Summary, checked: list[Checked]) -> int:
    if summary.state == "stopped":
        _told(f"{summary.note}; the same command with --run {summary.run} goes on from there")
        return STOPPED
    results = sum(metric.results for metric in summary.metrics)
    broken = sum(metric.outcomes.get("failed", 0) for metric in summary.metrics)
    if results == broken:
        why = "the judge failed on every case" if results else "there was no row that could be read"
        _told(f"the run failed: {why}")
        return RUN_FAILED
    return 0 if all(check.met for check in checked) else GATE_FAILED
