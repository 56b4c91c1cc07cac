"""Results and repairs in the terminal: claims in colour, their evidence and reasons, and the edits of a repair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ...core.repair import RepairEdit
from ...core.result import Result
from ...core.result.in_words import confidence_in_words, short, stance
from ...core.verdict import SIGNS, Support, Verdict
from ...repair.repairing import Repair
from ..terminal import print_table, printable

if TYPE_CHECKING:
    from ...proof.bench.repair_figures import RepairFigures

STYLES = {
    Support.SUPPORTED: "green",
    Support.CONTRADICTED: "bold red",
    Support.UNSUPPORTED: "yellow",
    Support.NOT_A_CLAIM: "dim",
}
_REMOVED, _ADDED = "red strike", "bold green"


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


def show_repair(console: Console, made: Repair, original: str) -> None:
    """Print the difference, the edits, and what is still wrong."""
    console.print(Text(f"{made.before.metric}  {made.before.status} → {made.after.status}", style="bold"))
    if made.edits:
        console.print(Padding(difference(original, made.edits, marked=not console.color_system), (1, 2)))
    if made.abstained:
        console.print(Text(printable(f"nothing is left, so the text is: {made.text}"), style="yellow"))
    for edit in made.edits:
        console.print(
            Text(f"{edit.kind}  ", style="bold").append(printable(short(edit.before.strip())), style=_REMOVED)
        )
        if edit.after.strip():
            console.print(Padding(Text(printable(short(edit.after.strip())), style=_ADDED), (0, 4)))
        console.print(Padding(Text(printable(short(edit.why))), (0, 4)))
        for evidence in edit.evidence:
            where = f"(passage {evidence.passage + 1}, {evidence.start}–{evidence.end})"
            quoted = Text(printable(f"“{short(evidence.quote)}” "), style="italic")
            console.print(Padding(quoted.append(where, style="dim"), (0, 4)))
    if made.unresolved:
        console.print(Text("still wrong:", style="bold"))
        for verdict in made.unresolved:
            show_verdict(console, verdict)
    if not made.edits and not made.unresolved:
        console.print(Text("nothing to repair" if made.passed else printable(made.after.reason or "no score")))
    for note in made.notes:
        console.print(Text(printable(f"note: {note}"), style="dim"))


def difference(original: str, edits: tuple[RepairEdit, ...], *, marked: bool) -> Text:
    """The original with its edits. Without colour they are marked as in a word diff: [-removed-]{+added+}."""
    text, done = Text(), 0
    for edit in edits:
        text.append(printable(original[done : edit.start]))
        for said, style, form in ((edit.before, _REMOVED, "[-{}-]"), (edit.after, _ADDED, "{{+{}+}}")):
            if said:
                text.append(printable(form.format(said) if marked else said), style=style)
        done = edit.end
    return text.append(printable(original[done:]))


def show_figures(console: Console, found: RepairFigures, examples: int) -> None:
    """Print how well a judge repairs, and its first repairs."""
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(found.edits.items()))
    rows = [
        ("marked error gone", _share(found.gone), "of the wrong answers that the judge flags"),
        ("rest of the text kept", _share(found.beside), "of all words that are not marked"),
        ("  in other sentences", _share(found.kept), "of those without a marked error"),
        ("  beside the error", _share(found.inside), "of the words not marked in a sentence with a marked error"),
        ("new errors", _share(found.new_errors), f"by {found.second or 'the right answers of the set'}"),
        ("right answers changed", f"{found.touched} of {found.right}", "of those that pass"),
    ]
    title = f"{found.set}: {found.judge} flags {found.flagged} of {found.wrong} wrong answers and repairs them"
    console.print(Text(title, style="bold"))
    print_table(console, ("", "share", ""), rows)
    console.print(Text(f"edits: {kinds or 'none'}; {found.abstained} abstentions"))
    for one in found.cases[:examples]:
        console.print(Text(f"\n{one.item.case.id}", style="dim"))
        console.print(difference(one.item.case.output, one.repair.edits, marked=not console.color_system))


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
