"""A repair in the terminal: the text with what was removed and added, and the evidence for each edit."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ...core.repair import RepairEdit
from ...core.result.in_words import short
from ...proof.bench.repair_figures import RepairFigures
from ...repair.repairing import Repair
from ..terminal import print_table, printable
from .result import show_verdict

_REMOVED, _ADDED = "red strike", "bold green"


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
