"""A result in the terminal: the output with coloured claims, the evidence and the reason."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ...core.result import Result
from ...core.result.in_words import confidence_in_words, short, stance
from ...core.verdict import SIGNS, Support, Verdict
from ..terminal import printable

STYLES = {
    Support.SUPPORTED: "green",
    Support.CONTRADICTED: "bold red",
    Support.UNSUPPORTED: "yellow",
    Support.NOT_A_CLAIM: "dim",
}


def show_result(console: Console, result: Result, output: str, context: Sequence[str] | None) -> None:
    console.print(_heading(result))
    if output.strip():
        console.print(Padding(coloured(output, result.verdicts), (1, 2)))
    for verdict in result.verdicts:
        show_verdict(console, verdict, said=result.reason)
    if result.reason:
        console.print(Padding(Text(printable(result.reason)), (1, 0, 0, 0)))
    for note in result.notes:
        console.print(Text(printable(f"note: {note}"), style="dim"))
    console.print(Text(printable(result.details), style="dim"))


def show_verdict(console: Console, verdict: Verdict, said: str | None = None) -> None:
    """Print one verdict with its evidence, and its reason unless that is what is said already."""
    console.print(_verdict(verdict))
    if verdict.reason and verdict.reason != said:
        console.print(Padding(Text(printable(verdict.reason)), (0, 4)))
    for evidence in verdict.evidence:
        where = f"passage {evidence.passage + 1}, {evidence.start}–{evidence.end}"
        quoted = Text(f"{stance(verdict, evidence.stance)}: “{_shortened(evidence.quote)}” ", style="italic")
        console.print(Padding(quoted.append(f"({where})", style="dim"), (0, 4)))
    if verdict.judge:
        console.print(Padding(Text(_decided(verdict), style="dim"), (0, 4)))
    for note in verdict.notes:
        console.print(Padding(Text(printable(note), style="dim"), (0, 4)))


def show_conversation(console: Console, result: Result) -> None:
    """Print the result of a conversation, turn by turn."""
    for judged in result.turns:
        what = f"call of {judged.turn.tool}" if judged.turn.tool else "answer"
        console.rule(Text(printable(f"turn {judged.turn.number} of {judged.turn.of}: {what}")), align="left")
        show_result(console, judged.result, judged.case.output, judged.case.context)
    console.rule(
        f"conversation of {len(result.turns)} turns" if len(result.turns) > 1 else "conversation", align="left"
    )
    show_result(console, result, "", None)


def coloured(output: str, verdicts: Sequence[Verdict]) -> Text:
    """Colour each claim of the output by its support. If claims overlap, the worst one is visible."""
    text = Text(printable(output))
    best_first = sorted(verdicts, key=lambda v: list(STYLES).index(v.support) != 0)
    for verdict in sorted(best_first, key=lambda v: v.support is Support.CONTRADICTED):
        claim = verdict.claim
        if claim.start is not None and claim.end is not None:
            text.stylize(_style(verdict), claim.start, claim.end)
    return text


def _heading(result: Result) -> Text:
    text = Text()
    text.append(result.metric, style="bold")
    if result.score is None:
        return text.append(f"  no score ({result.outcome.value.replace('_', ' ')})", style="yellow")
    text.append(f"  {result.score:.2f}")
    text.append(f"  {'passed' if result.passed else 'failed'}", style="green" if result.passed else "bold red")
    text.append(f"  {result.label}" if result.label else "")
    return text.append(f"  ({result.criterion})", style="dim")


def _style(verdict: Verdict) -> str:
    """The colour of the support, dim if the judge is unsure."""
    plain_colour = STYLES[verdict.support].removeprefix("bold ")
    return f"dim {plain_colour}" if verdict.unsure else STYLES[verdict.support]


def _verdict(verdict: Verdict) -> Text:
    style = _style(verdict)
    text = Text(f"{SIGNS[verdict.support]} ", style=style)
    text.append(verdict.support.value, style=style)
    text.append(confidence_in_words(verdict), style="yellow" if verdict.unsure else "dim")
    about = f"passage {verdict.passage + 1}" if verdict.passage is not None else verdict.claim.text.strip()
    return text.append(f"  {_shortened(about)}", style="")


def _decided(verdict: Verdict) -> str:
    votes = ", ".join(f"{vote.judge} {vote.support.value}" for vote in verdict.votes)
    return f"decided by {verdict.judge}" + (f" ({votes})" if votes else "")


def _shortened(text: str) -> str:
    return printable(short(text))
