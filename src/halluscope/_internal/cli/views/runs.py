"""Runs, gates and comparisons as tables in the terminal, and as JSON."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...figures.comparison import Comparison, MetricComparison
from ...measuring.gates import Checked
from ...result import Result, bar
from ...runs import MetricSummary, Run, Summary
from ...runs.run_html import wrong_in_words
from ...store import RunInfo
from ...text.counting import count_of
from ...verdict import Support
from ..terminal import console as new_console
from ..terminal import printable
from .result import STYLES

_SHOWN = 10
_SUPPORTS = [support.value for support in Support]


def show_summary(summary: Summary) -> None:
    """Print the figures of a run."""
    console = new_console()
    table = Table("metric", "mean", "95 % interval", "passed", "scored", "without a score", box=None, pad_edge=False)
    for metric in summary.metrics:
        table.add_row(
            metric.metric,
            "–" if metric.mean is None else f"{metric.mean:.3f}",
            "–" if metric.interval is None else f"{metric.interval.low:.3f} to {metric.interval.high:.3f}",
            _passed(metric),
            f"{metric.scored} of {summary.cases + summary.bad_rows}",
            _unscored(metric),
        )
    judges = ", ".join(dict.fromkeys(metric.judge for metric in summary.metrics))
    console.print(
        Text(f"run {summary.run}", style="bold").append(f"  {summary.state}, judged by {judges}", style="dim")
    )
    console.print(table)
    console.print(Text(" · ".join(_costs(summary)), style="dim"))


def show_cases(run: Run) -> None:
    """Print each case of a small run: its scores, and what is wrong with it."""
    metrics = [scorer.metric for scorer in run.info.scorers]
    table = Table("case", *metrics, "what is wrong", box=None, pad_edge=False)
    for entry in run.entries():
        by_metric = {result.metric: result for result in entry.results}
        scores = [_score(by_metric.get(metric)) for metric in metrics]
        table.add_row(printable(entry.case.id), *scores, _wrong(entry.results))
    console = new_console()
    console.print(table)
    console.print()


def _wrong(results: Sequence[Result]) -> Text:
    """What is wrong, in words, and for those who see colours in them."""
    told = Text()
    for line in wrong_in_words(results):
        word, colon, rest = line.partition(": ")
        style = STYLES[Support(word)] if colon and word in _SUPPORTS else ""
        told.append("\n" if told else "").append(printable(word + colon), style=style).append(printable(rest))
    return told


def _score(result: Result | None) -> Text:
    if result is None or result.score is None:
        return Text("–", style="dim")
    shown = f"{result.score:.2f}"
    if "flagged_from" in result.figures:  # a profile decides: its figures stand beside the score
        shown += " (probability {probability:.2f}, flagged from {flagged_from:.2f})".format(**result.figures)
    return Text(shown, style="green" if result.passed else "bold red")


def _passed(metric: MetricSummary) -> Text:
    if metric.pass_rate is None:
        return Text("–")
    text = Text(f"{metric.passed} of {metric.scored}", style="green" if metric.pass_rate == 1 else "")
    flagged = metric.flagged_from
    wanted = bar(metric.direction, metric.threshold) if flagged is None else f"flagged from {flagged:.2f}"
    return text.append(f" ({wanted})", style="dim")


def _unscored(metric: MetricSummary) -> str:
    others = {outcome: count for outcome, count in metric.outcomes.items() if outcome != "scored"}
    return ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in others.items()) or "–"


def _costs(summary: Summary) -> list[str]:
    usage = summary.usage
    parts = [f"{count_of(summary.cases, 'case')} in {summary.seconds:.1f} s"]
    if summary.bad_rows:
        parts.append(f"{count_of(summary.bad_rows, 'row')} could not be read")
    parts.append(count_of(usage.calls, "judge call") if usage.calls else "no judge call was paid for")
    if usage.input_tokens or usage.output_tokens:
        parts.append(f"{usage.input_tokens}+{usage.output_tokens} tokens")
        parts.append("cost unknown" if usage.cost is None else f"${usage.cost:.4f}")
    return parts


def show_gates(checked: Sequence[Checked]) -> None:
    """Print which conditions were met."""
    console = new_console()
    for check in checked:
        text = Text("✓ " if check.met else "✗ ", style="green" if check.met else "bold red")
        console.print(text.append(check.gate, style="").append(f"  {check.reason}", style="dim"))


def summary_object(run: Run, summary: Summary, checked: Sequence[Checked] = ()) -> str:
    """The figures as one line of JSON."""
    return figures_object(summary, checked, bad_rows=[{"place": r.place, "reason": r.reason} for r in run.bad_rows()])


def figures_object(summary: Summary, checked: Sequence[Checked] = (), **beside: Any) -> str:
    """The same of any summary, with what else there is to say."""
    figures: dict[str, Any] = msgspec.to_builtins(summary)
    figures["metrics"] = {metric.pop("metric"): metric for metric in figures["metrics"]}
    figures["gates"] = msgspec.to_builtins(list(checked))
    return msgspec.json.encode(figures | beside).decode()


def show_runs(runs: Sequence[RunInfo]) -> None:
    """Print the runs there are."""
    table = Table(box=None, pad_edge=False)
    table.add_column("run", no_wrap=True)  # to be copied into the next command, so never cut short
    for title in ("state", "cases", "metrics", "judge", "data", "last change"):
        table.add_column(title, overflow="fold")
    for info in runs:
        table.add_row(
            info.name,
            info.state,
            f"{info.cases}",
            ", ".join(scorer.metric for scorer in info.scorers),
            ", ".join(dict.fromkeys(scorer.judge for scorer in info.scorers)),
            printable(info.data),
            time.strftime("%Y-%m-%d %H:%M", time.localtime(info.updated)),
        )
    new_console().print(table if runs else Text("no runs yet: make one with `halluscope eval`", style="dim"))


def show_comparison(compared: Comparison) -> None:
    """Print what changed between two runs."""
    console = new_console()
    table = Table(
        "metric", compared.before, compared.after, "difference", "95 % interval", "", box=None, pad_edge=False
    )
    for metric in compared.metrics:
        table.add_row(
            metric.metric,
            "–" if metric.before is None else f"{metric.before:.3f}",
            "–" if metric.after is None else f"{metric.after:.3f}",
            "–" if metric.difference is None else f"{metric.difference:+.3f}",
            "–" if metric.interval is None else f"{metric.interval.low:+.3f} to {metric.interval.high:+.3f}",
            Text(metric.change, style={"worse": "bold red", "better": "green"}.get(metric.change, "dim")),
        )
    console.print(table)
    for metric in compared.metrics:
        _show_cases(console, metric)
    if compared.only_before or compared.only_after:
        before = f"{count_of(compared.only_before, 'case')} only in {compared.before}"
        console.print(Text(f"{before}, {compared.only_after} only in {compared.after}", style="dim"))
    if compared.matched_by == "question":
        console.print(Text("cases whose ids differ were matched by input and context", style="dim"))


def _show_cases(console: Console, metric: MetricComparison) -> None:
    counted = ", ".join(f"{count} {change}" for change, count in sorted(metric.counts.items()))
    console.print(
        Text(f"\n{metric.metric}", style="bold").append(f"  {metric.cases} scored in both: {counted}", style="dim")
    )
    if not metric.comparable:
        console.print(
            Text("  another judge or another version of the metric: scores may mean different things", "yellow")
        )
    for case in metric.changed[:_SHOWN]:
        before, after = ("none" if score is None else f"{score:.3f}" for score in (case.before, case.after))
        console.print(Text(f"  {case.change:<7} {before} → {after}  {printable(case.id)}"))
    if len(metric.changed) > _SHOWN:
        console.print(Text(f"  and {len(metric.changed) - _SHOWN} more; --json prints all", style="dim"))
