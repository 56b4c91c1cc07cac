"""A bench report in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ...core.counting import count_of
from .bench_report import BenchReport
from .figures import FIGURES, Figures

_SHADES = " ░▒▓█"


def shown(report: BenchReport) -> RenderableType:
    return Group(*_parts(report))


def _parts(report: BenchReport) -> Iterator[RenderableType]:
    first = report.judges[0]
    yield Text.assemble(
        (report.set, "bold"), f": {count_of(first.n, 'case')}, {first.hallucinated} of them hallucinated"
    )
    yield Text(f"from {report.source}; cases {report.cases}", style="dim")
    if report.licence:
        yield Text(f"licence: {report.licence}", style="dim")
    if len(report.judges) == 1:
        yield figures_table(report.judges, report.baselines)
    else:
        yield figures_table(report.judges)
        yield Text("\nbaselines:")
        yield figures_table((), report.baselines)
    yield Text("in brackets: 95 % bootstrap interval; baselines use the labels to choose a threshold", style="dim")
    for remark in report.remarks:
        yield Text(f"• {remark}", style="yellow")
    if any(figures.kinds for figures in report.judges):
        yield Text()
        yield kinds_table(report)
    for figures in report.judges:
        yield Text()
        yield confusion_table(figures)
        if figures.graded and figures.calibration:
            yield calibration_table(figures)
        if figures.groups:
            yield groups_table(figures)
    if report.tradeoff:
        yield tradeoff_table(report)
    if report.mistakes:
        yield mistakes_table(report)
    if report.problems:
        yield problems_table(report)


def figures_table(judges: Sequence[Figures], trivial: Sequence[Figures] = ()) -> Table:
    """Return a table with one column per judge and one row per measure."""
    table = _table(None, "")
    _add_judges(table, judges, trivial)
    every = (*judges, *trivial)
    for name, title in FIGURES.items():
        if any(getattr(figures, name) is not None for figures in every):
            cells = (_number(getattr(figures, name), figures.intervals.get(name)) for figures in every)
            table.add_row(title, *cells)
    if any(figures.groups for figures in judges):
        table.add_row("mean over groups", *(_number(figures.mean_balanced_accuracy) for figures in every))
    table.add_row("coverage", *(f"{figures.coverage:.3f}" for figures in every))
    if judges:
        table.add_row("cases per second", *(_number(f.cases_per_second, digits=1) for f in judges))
    if any(f.calls for f in judges):
        table.add_row("tokens", *(f"{f.input_tokens + f.output_tokens:,}" for f in judges))
        table.add_row("cost", *("unknown" if f.cost is None else f"${f.cost:.4f}" for f in judges))
    return table


def _add_judges(table: Table, judges: Sequence[Figures], trivial: Sequence[Figures]) -> None:
    """Add a column for each judge and each baseline."""
    several = len({f.metric for f in judges}) > 1
    for f in judges:
        title = f"{f.judge} / {f.metric}" if several else f.judge
        table.add_column(Text(title), justify="right", style="bold", overflow="fold")
    for f in trivial:
        table.add_column(f.judge, justify="right", style="dim", overflow="fold")


def confusion_table(figures: Figures) -> Table:
    """Return the confusion matrix. The shade is the share of the row."""
    counts = figures.confusion
    table = Table(title=f"{figures.judge}: confusion matrix", title_justify="left", show_lines=True)
    table.add_column("label ╲ judge")
    table.add_column("hallucinated", justify="center")
    table.add_column("factual", justify="center")
    for name, yes, no, right in (("hallucinated", "tp", "fn", 0), ("factual", "fp", "tn", 1)):
        total = counts[yes] + counts[no]
        cells = (_shaded(counts[side], total, good=place == right) for place, side in enumerate((yes, no)))
        table.add_row(name, *cells)
    return table


def _shaded(count: int, total: int, *, good: bool) -> Text:
    share = count / total if total else 0.0
    shade = _SHADES[min(len(_SHADES) - 1, round(share * (len(_SHADES) - 1)))] * 3
    return Text(f"{shade} {count} ({share:.0%}) {shade}", style="green" if good else "red")


def calibration_table(figures: Figures) -> Table:
    """Return the calibration: predicted probabilities and actual shares."""
    table = _table(f"{figures.judge}: calibration", numbers=("probability", "mean", "hallucinated", "cases"))
    table.add_column("")
    for b in figures.calibration:
        bar = "█" * round(b.share_hallucinated * 20)
        row = (f"{b.low:.1f}-{b.high:.1f}", f"{b.mean_probability:.2f}", f"{b.share_hallucinated:.2f}", f"{b.n:.0f}")
        table.add_row(*row, bar)
    return table


def kinds_table(report: BenchReport) -> Table:
    """Return the accuracy by kind of error and by kind of correct answer."""
    table = _table("accuracy by kind", "kind", numbers=("cases",))
    tuned = report.baselines[1:]  # without "always hallucinated"
    _add_judges(table, report.judges, tuned)
    columns = [{(k.kind, k.hallucinated): k for k in figures.kinds} for figures in (*report.judges, *tuned)]
    for wrong in (True, False):
        table.add_row(Text("hallucinated" if wrong else "factual", style="italic"))
        for entry in (k for k in report.baselines[0].kinds if k.hallucinated is wrong):
            cells = []
            for place, column in enumerate(columns):
                found = column.get((entry.kind, wrong))
                interval = found.interval if found and place < len(report.judges) else None
                cells.append(_number(found.rate if found else None, interval, digits=2))
            table.add_row(Text(_short(entry.kind)), str(entry.n), *cells)
        table.add_section()
    return table


def groups_table(figures: Figures) -> Table:
    """Return the measures for each part of the dataset."""
    columns = ("cases", "balanced accuracy", "F1", "AUROC")
    table = _table(f"{figures.judge}: by part of the set", "part", numbers=columns)
    for name, group in figures.groups.items():
        numbers = (_number(group[key]) for key in ("balanced_accuracy", "f1", "auroc"))
        table.add_row(Text(_short(name)), str(group["n"]), *numbers)
    return table


def tradeoff_table(report: BenchReport) -> Table:
    """Return accuracy and cost of a cascade, by share of cases for the second judge."""
    first, second = report.judges[:2]
    columns = ("second judge", "band", "accuracy", "balanced", "errors fixed", "cost")
    table = _table(f"cascade: {first.judge}, then {second.judge} if unsure", numbers=columns)
    for point in report.tradeoff[::2]:
        closed = "" if point.errors_closed is None else f"{point.errors_closed:.0%}"
        cost = "unknown" if point.cost is None else f"${point.cost:.4f}"
        numbers = (_number(point.accuracy), _number(point.balanced_accuracy))
        table.add_row(f"{point.share:.0%}", f"{point.low:.2f}-{point.high:.2f}", *numbers, closed, cost)
    return table


def mistakes_table(report: BenchReport) -> Table:
    """Return the wrong verdicts with the highest confidence."""
    table = Table(title="worst mistakes", title_justify="left", show_lines=True)
    for name in ("judge", "case", "label", "verdict", "output and reason"):
        table.add_column(name, overflow="fold")
    for mistake in report.mistakes:
        sure = "" if mistake.probability is None else f" ({mistake.probability:.2f})"
        shown = Text(_short(mistake.output))
        if mistake.reason:
            shown.append(f"\n{_short(mistake.reason)}", style="dim")
        # As Text, so that markup in an output is not interpreted.
        cells = (mistake.judge, mistake.id, mistake.label, mistake.said + sure)
        table.add_row(*(Text(_short(cell)) for cell in cells), shown)
    return table


def problems_table(report: BenchReport, most: int = 8) -> Table:
    """Return why cases have no verdict, the most frequent reasons first."""
    table = _table("no verdict", "judge", "cases", "outcome", "reason, and the first case")
    firsts = {(p.judge, p.outcome, p.why): p.id for p in reversed(report.problems)}
    for (judge, outcome, why), count in Counter((p.judge, p.outcome, p.why) for p in report.problems).most_common(most):
        reason = f"{_short(why or '')} [{firsts[judge, outcome, why]}]"
        table.add_row(*(Text(_short(cell)) for cell in (judge, str(count), outcome, reason)))
    return table


def _table(title: str | None, *columns: str, numbers: Sequence[str] = ()) -> Table:
    """An empty table; the columns of numbers are aligned to the right."""
    table = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right")
    return table


def _number(value: float | int | None, interval: tuple[float, float] | None = None, *, digits: int = 3) -> str:
    if value is None:
        return "-"
    # Round brackets, because square ones would be markup.
    return f"{value:.{digits}f}" + (f" ({interval[0]:.2f}-{interval[1]:.2f})" if interval else "")


def _short(text: str, most: int = 240) -> str:
    flat = "".join(char if char.isprintable() else "\ufffd" for char in " ".join(text.split()))
    return flat if len(flat) <= most else flat[: most - 1] + "…"
