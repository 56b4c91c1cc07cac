"""The command `eval`: score a file and store the results as a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer

from ..core.errors import InputError
from ..runs import Run, Summary
from ..runs.datasets.columns import mapped_with, turns_named
from ..runs.gates import Checked, Gate, no_worse
from ..runs.profile import Profile
from ..runs.runner import evaluate
from ..runs.store import Store
from . import cluster_eval
from .app import FAILED, app, fail, interrupt_code
from .options import (
    BaseUrl,
    ColumnMap,
    ContextFrom,
    JudgeName,
    MetricNames,
    PassThreshold,
    ProfileName,
    Strict,
    Turns,
    cached,
    judge_options,
    mapping,
    metrics_or_default,
    refuse_overwriting,
    sources,
)
from .settings.file import as_list
from .terminal import print_json, printable
from .views import ci_files
from .views.runs import show_cases, show_gates, show_hints, show_summary, show_worst, summary_object

CLUSTER = "Options for a cluster"
GATE_FAILED = 1
STOPPED = 4

SMALL = 25
"""Up to this many cases, all are printed. Of a larger run, the worst cases are printed."""


@app.command("eval")
def eval_command(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A .jsonl, .csv, .tsv or .parquet file, or one of these as .gz; - reads JSONL from stdin.",
        ),
    ],
    metric: MetricNames = None,
    judge: JudgeName = None,
    base_url: BaseUrl = None,
    threshold: PassThreshold = None,
    profile: ProfileName = None,
    reason: Annotated[bool, typer.Option("--reason/--no-reason", help="Ask the judge for a reason.")] = True,
    examples: Annotated[
        bool, typer.Option("--examples/--no-examples", help="Whether prompts contain the metric's examples.")
    ] = True,
    pack: Annotated[
        int | None, typer.Option(metavar="N", help="Ask about the claims of up to N short cases in one call.")
    ] = None,
    votes: Annotated[
        int | None,
        typer.Option(metavar="N", help="Decide by N samples where the judge's verdicts have no probability."),
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="NAME", help="Name of the run. An existing run is continued.")
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            envvar="HALLUSCOPE_CONCURRENCY",
            help="Judge calls at the same time. Reduced while the judge reports rate limits.",
        ),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(metavar="DOLLARS", envvar="HALLUSCOPE_MAX_COST", help="Stop before the run costs more than this."),
    ] = None,
    columns: ColumnMap = None,
    strict: Strict = None,
    stop_at_bad_row: Annotated[
        bool,
        typer.Option(
            "--stop-at-bad-row", help="Stop at the first row that cannot be read. Default: skip and count it."
        ),
    ] = False,
    turns: Turns = "last",
    context_from: ContextFrom = None,
    limit: Annotated[int | None, typer.Option(metavar="N", help="Score only the first N rows.")] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair the outputs that do not pass; exports have the repaired text.")
    ] = False,
    fresh: Annotated[
        bool | None,
        typer.Option(
            "--fresh/--cached", help="Ask the judge again instead of using cached replies.", show_default=False
        ),
    ] = None,
    batch: Annotated[
        bool,
        typer.Option(
            "--batch",
            help="Ask in batches: half the price, within 24 hours or so. You can leave and continue. For judges of "
            "OpenAI and Anthropic.",
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Estimate the number of judge calls and their cost, without asking the judge."),
    ] = False,
    gate: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="Fail unless this is true, as in 'hallucination <= 0.1'. Repeatable."),
    ] = None,
    no_worse_than: Annotated[
        str | None, typer.Option(metavar="RUN", help="Fail if the results are worse than those of this run.")
    ] = None,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report to this HTML file.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML to this file.")] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a summary in Markdown to this file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as one JSON object.")] = False,
    progress: Annotated[
        bool | None,
        typer.Option(
            "--progress/--no-progress",
            help="Show a progress bar on stderr. Default: if it is a terminal.",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="ray", help="Score on a Ray cluster. DATA may then be a URL or a pattern.", rich_help_panel=CLUSTER
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Folder for the results, reachable from all machines.", rich_help_panel=CLUSTER
        ),
    ] = None,
    ray_address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Address of the cluster. Default: the one Ray finds.", rich_help_panel=CLUSTER
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of workers. Default: as many as fit.", rich_help_panel=CLUSTER),
    ] = None,
    gpus: Annotated[float | None, typer.Option(metavar="N", help="GPUs per worker.", rich_help_panel=CLUSTER)] = None,
    calls_per_minute: Annotated[
        float | None,
        typer.Option(metavar="N", help="Judge calls per minute of the whole cluster.", rich_help_panel=CLUSTER),
    ] = None,
    partition_rows: Annotated[
        int | None,
        typer.Option(metavar="N", help="Rows that a worker scores and writes at a time.", rich_help_panel=CLUSTER),
    ] = None,
) -> None:
    """Score every row of a file and store the results as a run.

    Exit code 0: all gates passed. 1: a gate failed. 2: bad input. 3: the run failed. 4: stopped by --max-cost.
    130: interrupted; the same command continues the run.
    """
    chosen = Profile.load(profile) if profile else None
    metrics = metrics_or_default(metric, chosen.metric if chosen else None)
    judge = judge or (chosen.judge if chosen else None)
    gates = [Gate.parse(text, metrics) for text in gate or as_list("HALLUSCOPE_GATES")]
    options = judge_options(base_url, judge)
    if not reason:
        options["include_reason"] = False
    if not examples:
        options["examples"] = ()
    given = {"pack": pack, "votes": votes, "threshold": threshold, "strict": strict}
    options |= {name: value for name, value in given.items() if value is not None}
    refuse_overwriting(data, report, junit, markdown)
    fresh = not cached() if fresh is None else fresh
    if dry_run:
        _show_estimate(data, metrics, judge, columns, limit, turns_named(turns), options, as_json)
        return
    how: dict[str, Any] = {
        "map": mapping(columns),
        "concurrency": concurrency,
        "stop_at_bad_row": stop_at_bad_row,
        "fresh": fresh,
        "progress": False if as_json else progress,
        "on_message": _note,
        "profile": profile,
        **options,
    }
    on_cluster: dict[str, Any] = {
        "ray_address": ray_address,
        "output": output,
        "workers": workers,
        "gpus": gpus,
        "calls_per_minute": calls_per_minute,
        "partition_rows": partition_rows,
    }
    if engine is None:
        cluster_eval.refuse_without_engine(on_cluster)
    else:
        unsupported = {"run": run, "limit": limit, "max_cost": max_cost, "no_worse_than": no_worse_than, "junit": junit}
        unsupported["turns"] = context_from or (turns if turns != "last" else None)
        unsupported["repair"] = repair or None
        unsupported["batch"] = batch or None
        cluster_eval.refuse(engine, unsupported)
        with _interruptible(None):
            code = cluster_eval.evaluated(
                data,
                metrics,
                judge,
                **on_cluster,
                report=report,
                markdown=markdown,
                as_json=as_json,
                gates=gates,
                exit_code=_exit_code,
                **how,
            )
        raise typer.Exit(code)
    with _interruptible(run), Store() as store:
        earlier = _earlier(no_worse_than, run, metrics, store)
        made = evaluate(
            data,
            metrics,
            judge,
            run=run,
            max_cost=max_cost,
            turns=turns_named(turns),
            context_from=sources(context_from),
            repair=repair,
            limit=limit,
            store=store,
            batch=batch,
            **how,
        )
        summary = made.summary()
        checked = [condition.check(summary) for condition in gates]
        if earlier is not None:
            checked += no_worse(made, earlier)
        _write(made, summary, checked, report=report, baseline=earlier, junit=junit, markdown=markdown)
        if as_json:
            print_json(summary_object(made, summary, checked))
        elif summary.cases:
            if summary.cases <= SMALL:
                show_cases(made, made.entries())
                typer.echo()
            else:
                show_worst(made)
            show_summary(summary)
            show_gates(checked)
            if report is None:
                show_hints(made)
            else:
                typer.echo(printable(f"report: {report}"))
        raise typer.Exit(_exit_code(summary, checked, made))


def _show_estimate(
    data: str,
    names: list[str],
    judge: str | None,
    columns: list[str] | None,
    limit: int | None,
    turns: Literal["last", "all"],
    options: dict[str, Any],
    as_json: bool,
) -> None:
    from ..engine.judge import resolve, without_keys
    from ..runs.runner.asked import metrics_of
    from ..runs.runner.dry_run import dry_run

    metrics, for_judge = metrics_of(names, options)
    with without_keys():
        asked = resolve(judge, **for_judge)
    found = dry_run(data, metrics, asked, map=mapping(columns), limit=limit, turns=turns)
    if as_json:
        print_json(msgspec.json.encode(found).decode())
    else:
        typer.echo(printable(str(found)))


def _earlier(name: str | None, run: str | None, metrics: list[str], store: Store) -> Run | None:
    """Open the run to compare with, and check that the two can be compared."""
    if name is None:
        return None
    if name == run:
        raise InputError("--no-worse-than names the run itself: give this run another name with --run.")
    earlier = Run(name, store)
    known = [scorer.metric for scorer in earlier.info.scorers]
    if not set(known) & set(metrics):
        raise InputError(f"the run {name!r} has none of these metrics. It has: {', '.join(known)}.")
    return earlier


@contextmanager
def _interruptible(run: str | None) -> Iterator[None]:
    """Say how to continue the run after an interrupt."""
    try:
        yield
    except KeyboardInterrupt as error:
        again = f"the same command with --run {run}" if run else "the same command"
        fail(f"interrupted; finished cases are saved, and {again} continues the run.", interrupt_code(error))


def _note(message: str) -> None:
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


def _why_nothing(summary: Summary, run: Run | None) -> str:
    """Say why no case has a score."""
    outcomes = Counter[str]()
    for metric in summary.metrics:
        outcomes.update(metric.outcomes)
    if not outcomes:
        if not summary.bad_rows:
            return "the data is empty"
        rows = run.bad_rows() if run is not None else []
        return "no row could be read" + (f"; {rows[0].place}: {rows[0].reason}" if rows else "")
    if set(outcomes) == {"failed"}:
        return "the judge failed on every case"
    first = next(iter(run.entries()), None) if run is not None else None
    if set(outcomes) == {"no_context"}:
        columns = ["output", *first.case.metadata] if first is not None else []
        return f"no row has a context {mapped_with('context', columns)}"
    counted = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in outcomes.most_common())
    reason = next((result.reason for result in first.results if result.reason), "") if first is not None else ""
    return f"no case has a score ({counted}). {reason}".strip()


def _exit_code(summary: Summary, checked: list[Checked], made: Run | None = None) -> int:
    if summary.state == "stopped":
        _note(f"{summary.note}; the same command with --run {summary.run} continues the run")
        return STOPPED
    if not any(metric.scored for metric in summary.metrics):
        _note(f"the run failed: {_why_nothing(summary, made)}")
        return FAILED
    return 0 if all(check.met for check in checked) else GATE_FAILED
