"""`eval` scores a file and keeps the run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import typer

from ..datasets.columns import mapped_with
from ..errors import HalluscopeError, InputError, MissingExtra
from ..measuring.calibration.profile import Profile
from ..measuring.gates import Checked, Gate, no_worse
from ..metrics import resolve as resolve_metric
from ..metrics import split_options
from ..runner import evaluate
from ..runs import Run, Summary
from ..store import Store
from . import cluster_eval
from .app import INTERRUPTED, app, fail
from .open_store import kept_store
from .options import (
    BaseUrl,
    ColumnMap,
    JudgeName,
    MetricNames,
    PassThreshold,
    ProfileName,
    Strict,
    cached,
    judge_options,
    mapping,
    metrics_or_usual,
)
from .settings.file import as_list
from .terminal import print_json, printable
from .views import ci_files
from .views.runs import show_cases, show_gates, show_summary, summary_object

T = TypeVar("T")

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
        int | None,
        typer.Option(envvar="HALLUSCOPE_CONCURRENCY", help="Judge calls at once; fewer while the judge throttles."),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(envvar="HALLUSCOPE_MAX_COST", help="Stop before the run costs more than this many dollars."),
    ] = None,
    columns: ColumnMap = None,
    strict: Strict = None,
    stop_at_bad_row: Annotated[
        bool, typer.Option("--stop-at-bad-row", help="Stop at the first row that cannot be read.")
    ] = False,
    limit: Annotated[int | None, typer.Option(help="Take only so many rows.")] = None,
    fresh: Annotated[
        bool | None,
        typer.Option("--fresh/--cached", help="Ask the judge again, even where its reply is kept.", show_default=False),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask nothing: say how many calls there would be, and at what cost.")
    ] = False,
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
    engine: Annotated[
        str | None, typer.Option(help="`ray` scores on a Ray cluster; DATA may then be an address or a pattern.")
    ] = None,
    output: Annotated[
        str | None, typer.Option(help="With an engine: the folder for the results, reached by all machines.")
    ] = None,
    ray_address: Annotated[
        str | None, typer.Option(help="The cluster's address; by default the one Ray finds.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Workers on the cluster; by default all it has room for.")] = None,
    gpus: Annotated[float | None, typer.Option(help="GPUs of each worker.")] = None,
    calls_per_minute: Annotated[float | None, typer.Option(help="Judge calls a minute of the whole cluster.")] = None,
    partition_rows: Annotated[
        int | None, typer.Option(help="Rows that a worker scores and writes down at a time.")
    ] = None,
) -> None:
    """Score every row of a file and keep the run.

    Exit code 0: done, and all gates are met. 1: a gate is not met. 2: bad input. 3: the run failed.
    4: the cost limit stopped it. 130: interrupted; the same command goes on where it was stopped.
    """
    chosen = Profile.load(profile) if profile else None
    metrics = metrics_or_usual(metric, chosen.metric if chosen else None)
    judge = judge or (chosen.judge if chosen else None)
    gates = [Gate.parse(text, metrics) for text in gate or as_list("HALLUSCOPE_GATES")]
    options = judge_options(base_url, judge)
    if not reason:
        options["include_reason"] = False
    if threshold is not None:
        options["threshold"] = threshold
    if strict is not None:
        options["strict"] = strict
    ask_again = not cached() if fresh is None else fresh
    if dry_run:
        _show_estimate(data, metrics, judge, columns, limit, options, as_json)
        return
    cluster = {
        "ray_address": ray_address,
        "output": output,
        "workers": workers,
        "gpus": gpus,
        "calls_per_minute": calls_per_minute,
        "partition_rows": partition_rows,
    }
    if engine is None:
        cluster_eval.refuse_without_engine(cluster)
    else:
        beside = {"run": run, "limit": limit, "max_cost": max_cost, "no_worse_than": no_worse_than, "junit": junit}
        cluster_eval.refuse(engine, beside)
        with _interruptible(None):
            code = _told_apart(
                cluster_eval.evaluated,
                data,
                metrics,
                judge,
                **cluster,
                report=report,
                markdown=markdown,
                as_json=as_json,
                gates=gates,
                exit_code=_exit_code,
                map=mapping(columns),
                concurrency=concurrency,
                stop_at_bad_row=stop_at_bad_row,
                fresh=ask_again,
                progress=False if as_json else progress,
                told=_told,
                profile=profile,
                **options,
            )
        raise typer.Exit(code)
    with _interruptible(run), kept_store() as store:
        earlier = _earlier(no_worse_than, run, metrics, store)
        made = _told_apart(
            evaluate,
            data,
            metrics,
            judge,
            run=run,
            map=mapping(columns),
            concurrency=concurrency,
            max_cost=max_cost,
            stop_at_bad_row=stop_at_bad_row,
            fresh=ask_again,
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
        raise typer.Exit(_exit_code(summary, checked, made))


def _show_estimate(
    data: str,
    names: list[str],
    judge: str | None,
    columns: list[str] | None,
    limit: int | None,
    options: dict[str, Any],
    as_json: bool,
) -> None:
    from ..judge import resolve
    from ..runner.dry_run import dry_run

    for_metrics = [split_options(name, options) for name in names]
    for_judge = {key: value for key, value in options.items() if not any(key in own for own, _ in for_metrics)}
    metrics = [resolve_metric(name, **own) for name, (own, _) in zip(names, for_metrics, strict=True)]
    with _without_keys():
        asked = resolve(judge, **for_judge)
    found = dry_run(data, metrics, asked, map=mapping(columns), limit=limit)
    if as_json:
        print_json(msgspec.json.encode(found).decode())
    else:
        typer.echo(printable(str(found)))


@contextmanager
def _without_keys() -> Iterator[None]:
    """Judges can be made whose keys are not there, for what a run would cost: nobody is asked."""
    missing = {"OPENAI_API_KEY", "ANTHROPIC_API_KEY"} - os.environ.keys()
    os.environ.update(dict.fromkeys(missing, "nobody is asked"))
    try:
        yield
    finally:
        for key in missing:
            del os.environ[key]


def _told_apart(work: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """What the work gives; what goes wrong on the way is a failed run, unless it was the caller's doing."""
    try:
        return work(*arguments, **options)
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
    typer.echo(printable(f"halluscope: {message}"), err=True)


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
    ci_files.write_summaries(ci_files.markdown(summary, checked), markdown)


def _unreadable(run: Run | None) -> str:
    """Why no row could be read: for all the same reason, as a rule."""
    rows = run.bad_rows() if run is not None else []
    return "there was no row that could be read" + (f"; {rows[0].place}: {rows[0].reason}" if rows else "")


def _without_context(run: Run | None) -> str:
    """That no row has a context, with the columns there are and the option that would help."""
    entry = next(iter(run.entries()), None) if run is not None else None
    columns = [] if entry is None else ["output", *entry.case.metadata]
    return f"no row has a context {mapped_with('context', columns)}"


def _exit_code(summary: Summary, checked: list[Checked], made: Run | None = None) -> int:
    if summary.state == "stopped":
        _told(f"{summary.note}; the same command with --run {summary.run} goes on from there")
        return STOPPED
    results = sum(metric.results for metric in summary.metrics)
    broken = sum(metric.outcomes.get("failed", 0) for metric in summary.metrics)
    if results == broken:
        _told(f"the run failed: {'the judge failed on every case' if results else _unreadable(made)}")
        return RUN_FAILED
    if results == sum(metric.outcomes.get("no_context", 0) for metric in summary.metrics):
        _told(f"the run failed: {_without_context(made)}")
        return RUN_FAILED
    return 0 if all(check.met for check in checked) else GATE_FAILED
