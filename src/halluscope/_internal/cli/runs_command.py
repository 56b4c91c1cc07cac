"""`runs`, `show`, `compare` and `export`: what was kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from ..errors import UnknownName
from ..runs import Run, all_runs
from ..store.removal import remove_run
from ..text.counting import count_of
from .app import app
from .open_store import kept_store
from .options import complete_run
from .terminal import console as new_console
from .terminal import print_json, printable
from .views.result import show_result
from .views.runs import show_comparison, show_runs, show_summary, summary_object

JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]


runs = typer.Typer(invoke_without_command=True)
app.add_typer(runs, name="runs")


@runs.callback()
def runs_command(
    context: typer.Context,
    check: Annotated[bool, typer.Option("--check", help="Also read the whole store and say if it is damaged.")] = False,
    as_json: JSON = False,
) -> None:
    """List the runs that are kept, the latest last, or take some out."""
    if context.invoked_subcommand is not None:
        return
    with kept_store() as store:
        if check:
            store.check()
        found = all_runs(store)
        if as_json:
            print_json(msgspec.json.encode(found).decode())
        else:
            show_runs(found)
            if check:
                typer.echo(f"the store {store.path} is whole")


@runs.command("rm")
def remove_command(
    names: Annotated[list[str], typer.Argument(help="Runs, by name.", autocompletion=complete_run)],
) -> None:
    """Take runs out of the store. The judges' replies stay: the same run can be made again without paying."""
    with kept_store() as store:
        known = {info.name for info in all_runs(store)}
        for name in names:
            if name not in known:  # before anything is taken out
                raise UnknownName("run called", name, known or ("(none yet)",))
        for name in names:
            remove_run(store, name)
            typer.echo(printable(f"the run {name} is taken out"))
        store.shrink()


RunName = Annotated[str, typer.Argument(help="A run, by name.", autocompletion=complete_run)]


@app.command("show")
def show_command(
    run: RunName,
    case: Annotated[
        str | None, typer.Argument(help="A case of it, by id: shows its claims and their evidence.")
    ] = None,
    as_json: JSON = False,
    report: Annotated[Path | None, typer.Option(help="Write the run as an HTML file.")] = None,
) -> None:
    """Show the figures of a run, or one case of it."""
    with kept_store() as store:
        shown = Run(run, store)
        if report is not None:
            typer.echo(f"report: {shown.report(report)}")
        elif case is not None:
            _show_case(shown, case, as_json)
        elif as_json:
            print_json(summary_object(shown, shown.summary()))
        else:
            show_summary(shown.summary())
            for row in shown.bad_rows()[:20]:
                typer.echo(printable(f"{row.place} was left out: {row.reason}"))


def _show_case(run: Run, case: str, as_json: bool) -> None:
    console = new_console()
    for entry in run.entries():
        if entry.case.id != case:
            continue
        for result in entry.results:
            if as_json:
                print_json(result.to_json())
            else:
                show_result(console, result, entry.case.output, entry.case.context)
        return
    raise UnknownName(f"case in the run {run.name!r} with the id", case, ("the ids in `halluscope export`",))


@app.command("compare")
def compare_command(
    before: Annotated[str, typer.Argument(help="The earlier run.", autocompletion=complete_run)],
    after: Annotated[str, typer.Argument(help="The later run.", autocompletion=complete_run)],
    as_json: JSON = False,
) -> None:
    """Say what changed from one run to another, with intervals: noise is not called a change."""
    with kept_store() as store:
        compared = Run(after, store).compare(Run(before, store))
        if as_json:
            print_json(msgspec.json.encode(compared).decode())
        else:
            show_comparison(compared)


@app.command("export")
def export_command(
    run: RunName,
    output: Annotated[Path, typer.Option("--output", "-o", help="A .jsonl, .csv or .parquet file, also .jsonl.gz.")],
) -> None:
    """Write a run to a file, one line per result."""
    with kept_store() as store:
        count = Run(run, store).export(output)
        typer.echo(f"{count_of(count, 'result')} written to {output}")
