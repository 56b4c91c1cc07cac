"""A result in the terminal: the output with its claims coloured, the evidence and the reason."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ..result import Result
from ..verdict import SIGNS, Support, Verdict
from .terminal import plain

STYLES = {
    Support.SUPPORTED: "green",
    Support.CONTRADICTED: "bold red",
    Support.UNSUPPORTED: "yellow",
    Support.NOT_A_CLAIM: "dim",
}
_LONGEST = 300


def show_result(console: Console, result: Result, output: str, context: Sequence[str] | None) -> None:
    """Print one result."""
    console.print(_heading(result))
    if output.strip():
        console.print(Padding(coloured(output, result.verdicts), (1, 2)))
    for verdict in result.verdicts:
        console.print(_verdict(verdict))
        if verdict.reason and verdict.reason != result.reason:
            console.print(Padding(Text(plain(verdict.reason)), (0, 4)))
        for evidence in verdict.evidence:
            where = f"passage {evidence.passage + 1}, {evidence.start}–{evidence.end}"
            quoted = Text(f"{evidence.stance}: “{_shortened(evidence.quote)}” ", style="italic")
            console.print(Padding(quoted.append(f"({where})", style="dim"), (0, 4)))
        if verdict.judge:
            console.print(Padding(Text(_decided(verdict), style="dim"), (0, 4)))
        for note in verdict.notes:
            console.print(Padding(Text(plain(note), style="dim"), (0, 4)))
    if result.reason:
        console.print(Padding(Text(plain(result.reason)), (1, 0, 0, 0)))
    for note in result.notes:
        console.print(Text(plain(f"note: {note}"), style="dim"))
    console.print(_footing(result))


def coloured(output: str, verdicts: Sequence[Verdict]) -> Text:
    """The output with each claim in the colour of its support; the worst one shows where claims overlap."""
    text = Text(plain(output))
    best_first = sorted(verdicts, key=lambda v: list(STYLES).index(v.support) != 0)
    for verdict in sorted(best_first, key=lambda v: v.support is Support.CONTRADICTED):
        claim = verdict.claim
        if claim.start is not None and claim.end is not None:
            text.stylize(STYLES[verdict.support], claim.start, claim.end)
    return text


def _heading(result: Result) -> Text:
    text = Text()
    text.append(result.metric, style="bold")
    if result.score is None:
        return text.append(f"  no score ({result.outcome.value})", style="yellow")
    text.append(f"  {result.score:.2f}")
    better = "≤" if result.direction == "lower" else "≥"
    text.append(f"  {'passed' if result.passed else 'failed'}", style="green" if result.passed else "bold red")
    text.append(f"  (passes when {better} {result.threshold:g})", style="dim")
    return text.append(f"  {result.label}" if result.label else "")


def _verdict(verdict: Verdict) -> Text:
    style = STYLES[verdict.support]
    text = Text(f"{SIGNS[verdict.support]} ", style=style)
    text.append(verdict.support.value, style=style)
    if verdict.confidence is not None:
        text.append(f" {verdict.confidence:.0%}", style="dim")
    about = f"passage {verdict.passage + 1}" if verdict.passage is not None else verdict.claim.text.strip()
    return text.append(f"  {_shortened(about)}", style="")


def _decided(verdict: Verdict) -> str:
    votes = ", ".join(f"{vote.judge} {vote.support.value}" for vote in verdict.votes)
    return f"decided by {verdict.judge}" + (f" ({votes})" if votes else "")


def _footing(result: Result) -> Text:
    usage = result.usage
    parts = [f"judge {result.judge}", f"{result.latency_ms:.0f} ms"]
    if usage.input_tokens or usage.output_tokens:
        parts.append(f"{usage.calls} calls, {usage.input_tokens}+{usage.output_tokens} tokens")
        parts.append("cost unknown" if usage.cost is None else f"${usage.cost:.4f}")
    return Text(" · ".join(parts), style="dim")


def _shortened(text: str) -> str:
    flat = plain(" ".join(text.split()))
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}…"
