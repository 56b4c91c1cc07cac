"""`stress` makes good answers wrong on purpose and counts what the judge notices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from ..judge import resolve
from ..measuring.stress import KINDS, StressFigures, StressReport
from ..measuring.stress import stress as stress_judge
from ..measuring.stress.stress_report import StressRow, Tried
from ..text.counting import count_of
from .app import app
from .open_store import kept_replies
from .options import BaseUrl, ColumnMap, JudgeName, MetricName, judge_options, mapping
from .terminal import console as new_console
from .terminal import print_json, printable


@app.command("stress")
def stress(
    data: Annotated[
        str | None,
        typer.Argument(
            help="Answers believed good, with their context, or passages: JSONL, CSV, … Left out: those in the package."
        ),
    ] = None,
    judge: JudgeName = None,
    metric: MetricName = "hallucination",
    kind: Annotated[
        list[str] | None, typer.Option("--kind", "-k", help=f"Only these changes; any of: {', '.join(KINDS)}.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Take only so many answers.")] = None,
    seed: Annotated[int, typer.Option(help="Decides what is changed, and into what.")] = 0,
    columns: ColumnMap = None,
    concurrency: Annotated[int, typer.Option(help="Texts judged at once.")] = 16,
    base_url: BaseUrl = None,
    show: Annotated[int, typer.Option(help="Show so many of the judge's mistakes.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole report as one JSON object.")] = False,
) -> None:
    """Change good answers, in ways that matter and in ways that do not, and see what the judge notices.

    No labels are needed. The catch rate of a kind is the share of changed answers that are flagged,
    of those whose original is not. Harmless rewrites that are flagged are false alarms. Answers copied from their
    context and answers in words of their own are counted apart.
    """
    asked = resolve(judge, **judge_options(base_url, judge))
    errors = new_console(stderr=True)
    bars = Progress(console=errors, transient=True, disable=as_json or not errors.is_terminal)
    with kept_replies(asked) as replies, bars as bar:
        task = bar.add_task("judging", total=None)
        report = stress_judge(
            data,
            asked,
            metric=metric,
            kinds=kind or None,
            limit=limit,
            seed=seed,
            map=mapping(columns),
            concurrency=concurrency,
            cache=replies,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if as_json:
        print_json(msgspec.json.encode(report).decode())
        return
    _print(new_console(), report, show)


def _print(console: Console, report: StressReport, show: int) -> None:
    told = " and ".join(count_of(part.cases, f"{name} answer") for name, part in report.parts.items())
    title = f"{report.judge}, {report.metric}: {told}"
    table = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    table.add_column("flagged of changed", no_wrap=True)
    for name in report.parts:
        table.add_column(name, justify="right", no_wrap=True)
        table.add_column("rate (95 %)", justify="right", no_wrap=True)
    parts = list(report.parts.values())
    table.add_row("unchanged", *_cells([part.unchanged for part in parts]), end_section=True)
    for harmless in (False, True):
        names = [row.kind for row in report.kinds if row.harmless is harmless]
        for kind in names:
            table.add_row(kind, *_cells([part.kind(kind) for part in parts]))
        if names:
            overall = Text("false alarms" if harmless else "catch rate", style="bold")
            totals = [_total(part, harmless) for part in parts]
            table.add_row(overall, *(cell for total in totals for cell in ("", total)), end_section=True)
    console.print(table)
    for text in _remarks(report):
        console.print(printable(text), style="dim")
    for mistake in report.missed()[: max(0, show)]:
        console.print(printable(_told(mistake)))


def _cells(rows: Sequence[StressRow]) -> list[str]:
    return [cell for row in rows for cell in (f"{row.flagged} of {row.n}", _rate(row.rate, row.interval))]


def _total(part: StressFigures, harmless: bool) -> str:
    if harmless:
        return _rate(part.false_alarms, part.false_alarms_interval)
    return _rate(part.catch_rate, part.catch_interval)


def _rate(rate: float | None, interval: tuple[float, float] | None) -> str:
    if rate is None:
        return "none tried"
    return f"{rate:.2f}" + ("" if interval is None else f" ({interval[0]:.2f}-{interval[1]:.2f})")


def _remarks(report: StressReport) -> list[str]:
    said = []
    if report.unchanged.flagged:
        flagged = count_of(report.unchanged.flagged, "answer was", "answers were")
        said.append(f"{flagged} flagged unchanged: only the others were changed.")
    if report.unchanged.unjudged:
        said.append(f"{count_of(report.unchanged.unjudged, 'answer')} got no score: not counted.")
    unjudged = sum(row.unjudged for row in report.kinds)
    if unjudged:
        said.append(f"{count_of(unjudged, 'changed answer')} got no score: not counted.")
    if report.skipped:
        left_out = count_of(len(report.skipped), "row was", "rows were")
        said.append(f"{left_out} left out, the first one: {report.skipped[0]}")
    return said


def _told(mistake: Tried) -> str:
    missed = "false alarm" if mistake.mutant.harmless else "missed"
    reason = f" ({mistake.reason})" if mistake.mutant.harmless and mistake.reason else ""
    return f"{missed}, {mistake.mutant.kind}, {mistake.wording}, case {mistake.case_id}: {mistake.mutant.what}{reason}"
