"""The command `eval`: score a file and store the results as a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..core.errors import InputError
from ..runs import Run, Summary
from ..runs.datasets.columns import mapped_with, turns_named
from ..runs.gates import Checked, Gate, no_worse
from ..runs.runner import evaluate
from ..runs.store import Store
from .app import FAILED, command, fail, interrupt_code
from .cluster_eval import check_engine, show_cluster_run
from .options import cached, given_options, mapping, metrics_or_default, profile_named, refuse_overwriting, sources
from .settings.file import as_list
from .terminal import print_json, printable
from .views import ci_files
from .views.runs import show_cases, show_gates, show_hints, show_summary, show_worst, summary_object

if TYPE_CHECKING:
    from ..runs.runner.dry_run import Estimate

GATE_FAILED = 1
STOPPED = 4

SMALL = 25
"""Up to this many cases, all are printed. Of a larger run, the worst cases are printed."""


@command("eval")
def eval_command(
    context: typer.Context,
    data: str,
    metric_names: list[str] | None = None,
    judge: str | None = None,
    base_url: str | None = None,
    threshold: float | None = None,
    profile: str | None = None,
    reason: bool = True,
    examples: bool = True,
    pack: int | None = None,
    votes: int | None = None,
    run: str | None = None,
    concurrency: int | None = None,
    max_cost: float | None = None,
    columns: list[str] | None = None,
    strict: bool | None = None,
    stop_at_bad_row: bool = False,
    turns: str = "last",
    context_from: str | None = None,
    limit: int | None = None,
    repair: bool = False,
    fresh: bool | None = None,
    batch: bool = False,
    dry_run: bool = False,
    gate: list[str] | None = None,
    no_worse_than: str | None = None,
    report: Path | None = None,
    junit: Path | None = None,
    markdown: Path | None = None,
    as_json: bool = False,
    progress: bool | None = None,
    engine: str | None = None,
    output: str | None = None,
    ray_address: str | None = None,
    workers: int | None = None,
    gpus: float | None = None,
    calls_per_minute: float | None = None,
    partition_rows: int | None = None,
) -> None:
    """Score every row of a file and store the results as a run.

    Exit code 0: all gates passed. 1: a gate failed. 2: bad input. 3: the run failed. 4: stopped by --max-cost.
    130: interrupted; the same command continues the run.
    """
    chosen = profile_named(profile)
    metrics = metrics_or_default(metric_names, chosen.metric if chosen else None)
    judge = judge or (chosen.judge if chosen else None)
    gates = [Gate.parse(text, metrics) for text in gate or as_list("HALLUSCOPE_GATES")]
    options = given_options(
        base_url,
        judge,
        include_reason=None if reason else False,
        examples=None if examples else (),
        pack=pack,
        votes=votes,
        threshold=threshold,
        strict=strict,
    )
    refuse_overwriting(data, report, junit, markdown)
    fresh = not cached() if fresh is None else fresh
    if dry_run:
        found = _estimate(data, metrics, judge, options, map=mapping(columns), limit=limit, turns=turns_named(turns))
        print_json(found) if as_json else typer.echo(printable(str(found)))
        return
    check_engine(engine, context.params)
    options |= {
        "map": mapping(columns),
        "concurrency": concurrency,
        "stop_at_bad_row": stop_at_bad_row,
        "fresh": fresh,
        "progress": False if as_json else progress,
        "on_message": _note,
        "profile": profile,
    }
    if engine is not None:
        from ..cluster.on_ray.ray_run import evaluate as evaluate_on_cluster  # needs the extra ray

        with _interruptible(None):
            cluster_run = evaluate_on_cluster(
                data,
                metrics,
                judge,
                output=str(output),
                address=ray_address,
                workers=workers,
                gpus=gpus or 0,
                calls_per_minute=calls_per_minute,
                partition_rows=partition_rows,
                **options,
            )
            summary = cluster_run.summary()
            checked = [condition.check(summary) for condition in gates]
            if report is not None:
                ci_files.write_text(report, cluster_run.read_report())
            ci_files.write_summaries(ci_files.markdown(summary, checked), markdown)
            show_cluster_run(cluster_run, summary, checked, report, as_json)
        raise typer.Exit(_exit_code(summary, checked))
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
            **options,
        )
        summary = made.summary()
        checked = [condition.check(summary) for condition in gates]
        if earlier is not None:
            checked += no_worse(made, earlier)
        if report is not None:
            made.report(report, baseline=earlier)
        if junit is not None:
            ci_files.write_junit(junit, made, checked)
        ci_files.write_summaries(ci_files.markdown(summary, checked), markdown)
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


def _estimate(data: str, names: list[str], judge: str | None, options: dict[str, Any], **how: Any) -> Estimate:
    from ..engine.judge import resolve, without_keys
    from ..runs.runner.asked import metrics_of
    from ..runs.runner.dry_run import dry_run

    metrics, for_judge = metrics_of(names, options)
    with without_keys():
        return dry_run(data, metrics, resolve(judge, **for_judge), **how)


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
