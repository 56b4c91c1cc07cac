"""The command `stress`: change correct answers and count the changes that the judge notices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..core.counting import count_of
from ..engine.judge import resolve
from ..proof.stress.stress_report import StressFigures, StressReport, StressRow, Tried
from ..proof.stress.stress_test import stress as stress_judge
from .app import command
from .options import judge_options, mapping, open_replies
from .terminal import console as new_console
from .terminal import print_json, printable, progress_bars


@command("stress")
def stress(
    data: str | None = None,
    judge: str | None = None,
    metric: str = "hallucination",
    kind: list[str] | None = None,
    limit: int | None = None,
    seed: int = 0,
    columns: list[str] | None = None,
    concurrency: int = 16,
    base_url: str | None = None,
    show: int = 5,
    as_json: bool = False,
) -> None:
    """Change correct answers and measure which changes the judge notices. No labels are needed.

    The catch rate of a kind of change is the share of changed answers that are flagged, among those whose original
    is not. Harmless rewrites that are flagged are false alarms. Answers copied from their context and answers in
    other words are counted separately.
    """
    chosen = resolve(judge, **judge_options(base_url, judge))
    with open_replies(chosen) as replies, progress_bars(wanted=not as_json) as tick:
        report = stress_judge(
            data,
            chosen,
            metric=metric,
            kinds=kind or None,
            limit=limit,
            seed=seed,
            map=mapping(columns),
            concurrency=concurrency,
            cache=replies,
            progress=partial(tick, chosen.name),
        )
    if as_json:
        print_json(report)
        return
    _print(new_console(), report, show)


def _print(console: Console, report: StressReport, show: int) -> None:
    counts = " and ".join(count_of(part.cases, f"{name} answer") for name, part in report.parts.items())
    title = f"{report.judge}, {report.metric}: {counts}"
    table = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    table.add_column("flagged / changed", no_wrap=True)
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
        console.print(printable(_describe(mistake)))


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
    remarks = []
    if report.unchanged.flagged:
        flagged = count_of(report.unchanged.flagged, "answer was", "answers were")
        remarks.append(f"{flagged} flagged before any change and not used further.")
    if report.unchanged.unjudged:
        remarks.append(f"{count_of(report.unchanged.unjudged, 'answer')} got no score and not counted.")
    unjudged = sum(row.unjudged for row in report.kinds)
    if unjudged:
        remarks.append(f"{count_of(unjudged, 'changed answer')} got no score and not counted.")
    if report.skipped:
        skipped = count_of(len(report.skipped), "row was", "rows were")
        remarks.append(f"{skipped} skipped; the first: {report.skipped[0]}")
    return remarks


def _describe(mistake: Tried) -> str:
    missed = "false alarm" if mistake.mutant.harmless else "missed"
    reason = f" ({mistake.reason})" if mistake.mutant.harmless and mistake.reason else ""
    return f"{missed}, {mistake.mutant.kind}, {mistake.wording}, case {mistake.case_id}: {mistake.mutant.what}{reason}"
