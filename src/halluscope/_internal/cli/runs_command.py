"""The commands `runs`, `show`, `report`, `compare`, `export` and `alert`."""

from __future__ import annotations

import time
import webbrowser
from collections import Counter
from functools import partial
from pathlib import Path

import typer

from ..core.counting import count_of
from ..core.errors import InputError, UnknownName
from ..core.plumbing.sync import blocking
from ..runs import Run, all_runs
from ..runs.alerts import AlertRule, Observation
from ..runs.batches.submitted_batches import Batches
from ..runs.store import Store
from ..runs.store.removal import remove_run
from ..runs.store.run_reader import run_named
from ..sinks.delivery import Sent, checked_webhook, post_alert, send_run
from ..sinks.score import time_of
from ..sinks.sink import SINKS, Sink, sink_of
from .app import FAILED, app, command
from .options import described, refuse_overwriting
from .settings.file import as_list
from .settings.known import ALERTS
from .terminal import console as new_console
from .terminal import print_json, printable
from .views.result import show_result
from .views.runs import show_comparison, show_hints, show_runs, show_summary, show_worst, summary_object

FIRING = 1
"""Exit code if a rule gives an alert."""
_FEW = 25
"""The number of case ids up to which an error lists them all."""

runs = typer.Typer(invoke_without_command=True)
app.add_typer(runs, name="runs")


@runs.callback()
@partial(described, "runs")
def runs_command(context: typer.Context, check: bool = False, as_json: bool = False) -> None:
    """List the runs in the store, the latest last, or remove some."""
    if context.invoked_subcommand is not None:
        return
    with Store() as store:
        if check:
            store.check()
        found = all_runs(store)
        if as_json:
            print_json(found)
        else:
            show_runs(found)
            if check:
                typer.echo(f"the store {store.path} is not damaged")


@command("runs rm", runs)
def remove_command(names: list[str]) -> None:
    """Remove runs from the store. Cached replies stay, so the same run can be repeated at no cost."""
    with Store() as store:
        for name in names:  # check all names before removing anything
            run_named(store, name)
        for name in names:
            remove_run(store, name)
            typer.echo(printable(f"removed the run {name}"))
        store.shrink()


@command("batches")
def batches_command(as_json: bool = False) -> None:
    """List the batches that `eval --batch` submitted and that are pending. The same `eval` command continues a run."""
    with Store() as store:
        pending = [batch for batch in Batches(store).batches() if not batch.collected]
    if as_json:
        print_json(pending)
        return
    for batch in pending:
        asked = count_of(batch.questions, "question")
        hours = (time.time() - batch.created) / 3600
        name = batch.remote or "(being submitted)"
        typer.echo(printable(f"{name}: {asked} to {batch.judge} for the run {batch.run}, {hours:.1f} hours ago"))
    if not pending:
        typer.echo("no batch is pending")


@command("show")
def show_command(run: str, case: str | None = None, as_json: bool = False) -> None:
    """Show the results of a run and its worst cases, or one case."""
    with Store() as store:
        shown = Run(run, store)
        if case is not None:
            _show_case(shown, case, as_json)
        elif as_json:
            print_json(summary_object(shown, shown.summary()))
        else:
            show_worst(shown)
            show_summary(shown.summary())
            show_hints(shown)
            for row in shown.bad_rows()[:20]:
                typer.echo(printable(f"{row.place} was skipped: {row.reason}"))


def _show_case(run: Run, case: str, as_json: bool) -> None:
    console = new_console()
    found = False
    for entry in run.entries():
        turn = entry.case.turn
        if case not in (entry.case.id, turn and turn.conversation):
            continue
        for result in entry.results:
            if as_json:
                print_json(result)
            else:
                if found:
                    console.print()
                show_result(console, result, entry.case.output, entry.case.context)
            found = True
        if entry.case.id == case:
            return
    if found:
        return
    ids = [entry.case.id for entry in run.entries()]
    hint = "" if len(ids) <= _FEW else "`halluscope export` lists the ids"
    raise UnknownName(f"case in the run {run.name!r} with the id", case, ids, hint)


@command("report")
def report_command(run: str, output: Path | None = None, baseline: str | None = None, open_it: bool = False) -> None:
    """Write the report of a run as one HTML file."""
    with Store() as store:
        shown = Run(run, store)
        refuse_overwriting(shown.info.data, output)
        written = shown.report(output or Path(f"{run.replace(':', '-')}.html"), baseline=baseline)
    typer.echo(printable(f"report: {written}"))
    if open_it and not webbrowser.open(written.resolve().as_uri()):
        typer.echo("no browser could be opened: open the file yourself.", err=True)


@command("compare")
def compare_command(before: str, after: str, as_json: bool = False) -> None:
    """Compare two runs. Differences within the confidence interval do not count as changes."""
    with Store() as store:
        compared = Run(after, store).compare(Run(before, store))
        if as_json:
            print_json(compared)
        else:
            show_comparison(compared)


@command("export")
def export_command(
    run: str,
    output: Path | None = None,
    to: list[str] | None = None,
    trace_id: str | None = None,
    span_id: str | None = None,
) -> None:
    """Write the results of a run to a file, one row per result, or send them to the traces that they are about.

    The address and keys of a sink are read from the variables that the tool itself reads, such as LANGFUSE_SECRET_KEY.
    """
    if output is None and not to:
        raise InputError("say where to export to: --output FILE, or --to with one of " + ", ".join(SINKS) + ".")
    with Store() as store:
        exported = Run(run, store)
        if output is not None:
            refuse_overwriting(exported.info.data, output)
            count = exported.export(output)
            typer.echo(f"{count_of(count, 'result')} written to {output}")
        for name in to or ():
            sink = sink_of(name)
            _report(sink, send_run(exported, sink, trace_id=trace_id, span_id=span_id))


def _report(sink: Sink, done: Sent) -> None:
    """Print how many scores were sent. Exits if some were not."""
    typer.echo(printable(f"{count_of(done.sent, 'result')} sent to {sink.name} at {sink.url}"))
    for problem, count in Counter(done.problems).most_common(5):
        typer.echo(printable(f"halluscope: {count_of(count, 'result')} not taken: {problem}"), err=True)
    if done.without_trace:
        what = f"{count_of(done.without_trace, 'result')} not sent, without the id of a trace"
        typer.echo(f"halluscope: {what}: name the column that has it with --trace-id.", err=True)
    if done.problems or not done.sent:
        raise typer.Exit(FAILED)


@command("alert")
def alert_command(run: str = "live", rule: list[str] | None = None, webhook: str | None = None) -> None:
    """Check alert rules on a run: post what they find to a webhook, and fail.

    Exit code 0: no alert. 1: an alert. 2: bad input. 3: the webhook did not take it.
    """
    given = rule or as_list(ALERTS)
    if not given:
        raise InputError(f"there is no alert rule: pass --rule, or set {ALERTS} or alerts.rules in a settings file.")
    to = checked_webhook(webhook) if webhook else None
    with Store() as store:
        checked = Run(run, store)
        rules = [AlertRule.parse(text, [scorer.metric for scorer in checked.info.scorers]) for text in given]
        created = checked.created
        observations = [Observation(time_of(case) or created, result) for case, result in checked.pairs()]
    alerts = [one.check(run, observations, time.time()) for one in rules]
    for alert in alerts:
        typer.echo(printable(f"{'ALERT' if alert.firing else 'ok':5}  {alert.rule}: {alert.reason}"))
    firing = [alert for alert in alerts if alert.firing]
    for alert in firing if to else ():
        blocking(post_alert, "post_alert")(str(to), alert)
    if firing:
        raise typer.Exit(FIRING)
