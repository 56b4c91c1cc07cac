"""`bench` measures judges on sets with known answers."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from .. import metrics
from ..judge import DEFAULT, VARIABLE, Judge, resolve
from ..measuring.bench.bench_report import BenchReport, Tick
from ..measuring.bench.bench_report import bench as measure
from ..measuring.bench.judge_run import CONCURRENCY
from ..measuring.calibration.profile import Profile
from ..measuring.sets.public_sets import SETS
from .app import app
from .open_store import kept_replies
from .options import BaseUrl, CasesAtOnce, DrawnLimit, JudgeNames, MetricNames, ProfileName, judge_options
from .terminal import console as new_console
from .terminal import print_json
from .views.ci_files import write_text

NO_VERDICT = 3
"""Exit code where a judge gave no verdict at all."""


@app.command("bench")
def bench(
    set: Annotated[
        str | None, typer.Argument(help="A set by name, or a file of labelled cases. Left out: list the sets.")
    ] = None,
    judge: JudgeNames = None,
    metric: MetricNames = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="A copy of the set in its own format, instead of fetching it.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Another split of the set than its usual one.")] = None,
    limit: DrawnLimit = None,
    seed: Annotated[int, typer.Option(help="Of the drawing and of the bootstrap.")] = 0,
    profile: ProfileName = None,
    threshold: Annotated[
        float | None, typer.Option(help="Flag from this probability on, whatever the judge's own word.")
    ] = None,
    base_url: BaseUrl = None,
    concurrency: CasesAtOnce = CONCURRENCY,
    resamples: Annotated[int, typer.Option(min=1, help="Of the bootstrap.")] = 1000,
    mistakes: Annotated[int, typer.Option(min=0, help="How many of the worst mistakes to show.")] = 5,
    picture: Annotated[Path | None, typer.Option(help="Write the matrices and curves to this SVG file.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask again even where a chat judge's answer is kept.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Fetch nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as one JSON object.")] = False,
) -> None:
    """Measure judges on labelled cases, next to trivial ones that know nothing.

    Exit code 0: measured. 2: bad input, or a set that could not be fetched. 3: a judge gave no verdict at all.
    """
    if set is None:
        list_sets()
        return
    chosen = Profile.load(profile) if profile else None
    asked = [metrics.resolve(name) for name in metric or [chosen.metric if chosen else "label"]]
    pairs = [(j, m) for j in _judges(judge or [_default(chosen)], base_url) for m in asked]
    with kept_replies(*(j for j, _ in pairs), fresh=fresh) as replies, _Bars(quiet=as_json) as tick:
        report = measure(
            set,
            pairs,
            file=file,
            split=split,
            offline=offline,
            limit=limit,
            seed=seed,
            resamples=resamples,
            concurrency=concurrency,
            threshold=threshold,
            profile=chosen,
            cache=replies,
            mistakes=mistakes,
            tick=tick,
        )
    if as_json:
        print_json(msgspec.json.encode({**report.to_dict(), "command": _command()}).decode())
    else:
        _show(report)
    if picture is not None:
        from ..measuring.bench.picture import bench_svg

        write_text(picture, bench_svg(report))
        typer.echo(f"picture: {picture}", err=True)
    if any(figures.n and not figures.scored for figures in report.judges):
        raise typer.Exit(NO_VERDICT)


def list_sets() -> None:
    """The sets by name, and under which licence they are."""
    table = Table(show_edge=False, pad_edge=False)
    for name in ("set", "what it is", "splits", "licence"):
        table.add_column(name, overflow="fold")
    for item in SETS.values():
        table.add_row(item.name, item.about, " ".join(item.splits), item.licence)
    new_console().print(table)


def _judges(names: list[str], base_url: str | None) -> list[Judge]:
    """The judges by name; the address goes to those that are reached over the network."""
    distant = [name for name in names if "/" in name]
    options = judge_options(base_url, distant[0] if distant else None)
    return [resolve(name, **(options if name in distant else {})) for name in names]


def _default(profile: Profile | None) -> str:
    return profile.judge if profile else os.environ.get(VARIABLE) or DEFAULT


def _show(report: BenchReport) -> None:
    from ..measuring.bench.bench_table import shown

    console = new_console()
    console.print(shown(report))
    console.print(f"again: {_command()}", style="dim", soft_wrap=True)


def _command() -> str:
    return shlex.join(["halluscope", *sys.argv[1:]])


class _Bars:
    """A bar per judge on stderr, none where nobody watches."""

    def __init__(self, *, quiet: bool) -> None:
        console = new_console(stderr=True)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        shown = console.is_terminal and not quiet
        self._bars = Progress(*columns, console=console, transient=True, disable=not shown)
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> Tick:
        self._bars.start()
        return self._tick

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def _tick(self, judge: str, done: int, total: int) -> None:
        if judge not in self._tasks:
            self._tasks[judge] = self._bars.add_task(judge, total=total)
        self._bars.update(self._tasks[judge], completed=done)
