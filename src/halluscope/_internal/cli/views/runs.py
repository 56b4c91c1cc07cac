"""Runs, gates and comparisons as tables in the terminal, and as JSON."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.text import Text

from ...core.counting import count_of
from ...core.result import Result, threshold_in_words
from ...core.verdict import Support
from ...runs import MetricSummary, Run, Summary
from ...runs.gates import Checked
from ...runs.run import worst_cases
from ...runs.run_html import problems_in_words
from ...runs.statistics.comparison import Comparison, MetricComparison
from ...runs.store import Entry, RunInfo
from ..terminal import console as new_console
from ..terminal import print_table, printable
from .result import STYLES

_SHOWN = 10
_CHANGES = {
    "worse": "worse",
    "better": "better",
    "same": "the same",
    "lost": "lost its score",
    "gained": "gained a score",
    "unscored": "without a score in both",
}
_SUPPORTS = [support.value for support in Support]


def show_summary(summary: Summary) -> None:
    """Print the summary of a run."""
    console = new_console()
    judges = ", ".join(dict.fromkeys(metric.judge for metric in summary.metrics))
    console.print(
        Text(f"run {summary.run}", style="bold").append(f"  {summary.state}, judged by {judges}", style="dim")
    )
    print_table(
        console,
        ("metric", "mean", "95 % interval", "passed", "scored", "without a score"),
        [
            (
                metric.metric,
                "–" if metric.mean is None else f"{metric.mean:.3f}",
                "–" if metric.interval is None else f"{metric.interval.low:.3f} to {metric.interval.high:.3f}",
                _passed(metric),
                f"{metric.scored} of {summary.cases + summary.bad_rows}",
                _unscored(metric),
            )
            for metric in summary.metrics
        ],
    )
    for metric in summary.metrics:
        if metric.repairs is not None:
            console.print(Text(f"{metric.metric}, {metric.repairs}"))
    console.print(Text(" · ".join(_costs(summary)), style="dim"))


def show_cases(run: Run, entries: Iterable[Entry]) -> None:
    """Print cases of a run: their scores and problems."""
    shown = list(entries)
    metrics = [scorer.metric for scorer in run.info.scorers]
    rows: list[list[str | Text]] = []
    for entry in shown:
        by_metric = {result.metric: result for result in entry.results}
        rows.append([printable(_named(entry)), *(_score(by_metric.get(metric)) for metric in metrics)])
    print_table(new_console(), ("case", *metrics), rows, [_wrong(entry.results) for entry in shown])


def show_worst(run: Run) -> None:
    """Print the worst of the failed cases."""
    found = worst_cases(run, _SHOWN)
    console = new_console()
    if found.failed:
        worst = "" if found.failed == len(found.entries) else f", the worst {len(found.entries)}"
        console.print(Text(f"{count_of(found.failed, 'case')} failed{worst}:", style="bold"))
        show_cases(run, found.entries)
        console.print()


def show_hints(run: Run) -> None:
    """Print the commands that show the cases of a run."""
    if run.info.cases:
        name = shlex.quote(run.name)
        console = new_console()
        console.print(f"all cases: halluscope report {name} --open", style="dim", soft_wrap=True)
        console.print(f"one case:  halluscope show {name} CASE", style="dim", soft_wrap=True)


def _wrong(results: Sequence[Result]) -> Text:
    """Describe the problems of a case, with the support in its colour."""
    problems = Text()
    for line in problems_in_words(results):
        word, colon, rest = line.partition(": ")
        style = STYLES[Support(word)] if colon and word in _SUPPORTS else ""
        problems.append("\n" if problems else "").append(printable(word + colon), style=style).append(printable(rest))
    return problems


def _named(entry: Entry) -> str:
    """The id of a case, with the tool that a turn of a conversation calls."""
    turn = entry.case.turn
    return f"{entry.case.id} {turn.tool}()" if turn and turn.tool else entry.case.id


def _score(result: Result | None) -> Text:
    if result is None or result.score is None:
        return Text("–", style="dim")
    shown = f"{result.score:.2f}"
    if "flagged_from" in result.figures:  # set by a profile
        shown += " (probability {probability:.2f}, flagged from {flagged_from:.2f})".format(**result.figures)
    return Text(shown, style="green" if result.passed else "bold red")


def _passed(metric: MetricSummary) -> Text:
    if metric.pass_rate is None:
        return Text("–")
    text = Text(f"{metric.passed} of {metric.scored}", style="green" if metric.pass_rate == 1 else "")
    flagged = metric.flagged_from
    wanted = (
        threshold_in_words(metric.direction, metric.threshold) if flagged is None else f"flagged from {flagged:.2f}"
    )
    text.append(f" ({wanted})", style="dim")
    if metric.conversations:
        text.append(f"\n{metric.conversations_passed} of {count_of(metric.conversations, 'conversation')}")
    return text


def _unscored(metric: MetricSummary) -> str:
    others = {outcome: count for outcome, count in metric.outcomes.items() if outcome != "scored"}
    return ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in others.items()) or "–"


def _costs(summary: Summary) -> list[str]:
    usage = summary.usage
    parts = [f"{count_of(summary.cases, 'case')} in {summary.seconds:.1f} s"]
    if summary.bad_rows:
        parts.append(f"{count_of(summary.bad_rows, 'row')} could not be read")
    parts.append(count_of(usage.calls, "judge call") if usage.calls else "no judge calls")
    if usage.input_tokens or usage.output_tokens:
        parts.append(f"{usage.input_tokens}+{usage.output_tokens} tokens")
        parts.append("cost unknown" if usage.cost is None else f"${usage.cost:.4f}")
    return parts


def show_gates(checked: Sequence[Checked]) -> None:
    """Print which gates passed."""
    console = new_console()
    for check in checked:
        text = Text("✓ " if check.met else "✗ ", style="green" if check.met else "bold red")
        console.print(text.append(check.gate, style="").append(f"  {check.reason}", style="dim"))


def summary_object(run: Run, summary: Summary, checked: Sequence[Checked] = ()) -> dict[str, Any]:
    """Return the summary of a run for JSON."""
    return figures_object(summary, checked, bad_rows=[{"place": r.place, "reason": r.reason} for r in run.bad_rows()])


def figures_object(summary: Summary, checked: Sequence[Checked] = (), **beside: Any) -> dict[str, Any]:
    """Return a summary and further values for JSON."""
    figures: dict[str, Any] = msgspec.to_builtins(summary)
    figures["metrics"] = {metric.pop("metric"): metric for metric in figures["metrics"]}
    figures["gates"] = msgspec.to_builtins(list(checked))
    return figures | beside


def show_runs(runs: Sequence[RunInfo]) -> None:
    """Print the runs in the store."""
    console = new_console()
    if not runs:
        console.print(Text("no runs yet; create one with `halluscope eval`", style="dim"))
        return
    print_table(
        console,
        ("run", "state", "cases", "metrics", "judge", "data", "last change"),
        [
            (
                Text(info.name, style="bold"),
                info.state,
                f"{info.cases}",
                ", ".join(scorer.metric for scorer in info.scorers),
                ", ".join(dict.fromkeys(scorer.judge for scorer in info.scorers)),
                printable(info.data),
                time.strftime("%Y-%m-%d %H:%M", time.localtime(info.updated)),
            )
            for info in runs
        ],
    )


def show_comparison(compared: Comparison) -> None:
    """Print the differences between two runs."""
    console = new_console()
    print_table(
        console,
        ("metric", compared.before, compared.after, "difference", "95 % interval", "change"),
        [
            (
                metric.metric,
                "–" if metric.before is None else f"{metric.before:.3f}",
                "–" if metric.after is None else f"{metric.after:.3f}",
                "–" if metric.difference is None else f"{metric.difference:+.3f}",
                "–" if metric.interval is None else f"{metric.interval.low:+.3f} to {metric.interval.high:+.3f}",
                Text(metric.change, style={"worse": "bold red", "better": "green"}.get(metric.change, "dim")),
            )
            for metric in compared.metrics
        ],
    )
    for metric in compared.metrics:
        _show_cases(console, metric)
    if compared.only_before or compared.only_after:
        before = f"{count_of(compared.only_before, 'case')} only in {compared.before}"
        console.print(Text(f"{before}, {compared.only_after} only in {compared.after}", style="dim"))
    if compared.matched_by == "question":
        console.print(Text("cases whose ids differ were matched by input and context", style="dim"))


def _show_cases(console: Console, metric: MetricComparison) -> None:
    counted = ", ".join(
        f"{metric.counts[change]} {words}" for change, words in _CHANGES.items() if change in metric.counts
    )
    cases = count_of(sum(metric.counts.values()), "case")
    console.print(Text(f"\n{metric.metric}", style="bold").append(f"  {cases} in both runs: {counted}", style="dim"))
    if not metric.comparable:
        console.print(
            Text("  another judge or another version of the metric: scores may mean different things", "yellow")
        )
    for case in metric.changed[:_SHOWN]:
        before, after = ("none" if score is None else f"{score:.3f}" for score in (case.before, case.after))
        console.print(Text(f"  {case.change:<7} {before} → {after}  {printable(case.id)}"))
    if len(metric.changed) > _SHOWN:
        console.print(Text(f"  and {len(metric.changed) - _SHOWN} more; --json prints all", style="dim"))
