"""`runs`, `show`, `compare` and `export`: what was kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from ..errors import UnknownName
from ..runs import Run, all_runs
from .app import app
from .open_store import kept_store
from .result_view import show_result
from .run_views import show_comparison, show_runs, show_summary, summary_object
from .terminal import console as new_console
from .terminal import plain, print_json

JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("runs")
def runs_command(
    check: Annotated[bool, typer.Option("--check", help="Also read the whole store and say if it is damaged.")] = False,
    as_json: JSON = False,
) -> None:
    """List the runs that are kept, the latest last."""
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


@app.command("show")
def show_command(
    run: Annotated[str, typer.Argument(help="A run, by name.")],
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
                typer.echo(plain(f"{row.place} was left out: {row.reason}"))


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
    before: Annotated[str, typer.Argument(help="The earlier run.")],
    after: Annotated[str, typer.Argument(help="The later run.")],
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
    run: Annotated[str, typer.Argument(help="A run, by name.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="A .jsonl, .csv or .parquet file, also .jsonl.gz.")],
) -> None:
    """Write a run to a file, one line per result."""
    with kept_store() as store:
        count = Run(run, store).export(output)
        typer.echo(f"{count} results written to {output}")
