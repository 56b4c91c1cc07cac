"""`label` shows cases for a person to label, one key per answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from .. import metrics
from ..case import Case
from ..errors import InputError
from ..judge import resolve
from ..measuring.bench.judge_run import run_judge
from ..measuring.labelled_case import LabelledCase, read_label, sample_of_cases
from ..measuring.labelling import LabelFile, PersonAgreement, Session, cases_of, person_agreement
from ..text.counting import count_of
from .app import app
from .open_store import kept_replies
from .options import DrawnLimit
from .terminal import console as new_console
from .terminal import printable

UNDO, QUIT = ("z", "\x7f", "\b"), ("q", "\x03", "\x04", "")
KEYS = "f factual   h hallucinated   c contradicted   u unsupported   s skip   z undo   q quit"


@app.command("label")
def label(
    data: Annotated[Path, typer.Argument(help="A file of cases: input, context, output.")],
    to: Annotated[
        Path | None, typer.Option(help="Where the labels go (unless told otherwise beside the data).")
    ] = None,
    annotator: Annotated[str | None, typer.Option(help="Who labels; kept with each label.")] = None,
    limit: DrawnLimit = None,
    seed: Annotated[int, typer.Option(help="Of the drawing.")] = 0,
    judge: Annotated[
        str | None,
        typer.Option("--judge", "-j", help="The judge to compare with afterwards; one of `halluscope judges`."),
    ] = None,
    metric: Annotated[str, typer.Option("--metric", "-m", help="What the judge is asked.")] = "label",
    compare: Annotated[bool, typer.Option("--compare/--no-compare", help="Report the agreement afterwards.")] = True,
) -> None:
    """Label cases by hand, blind to any judge, and see how far a judge agrees with you.

    Each answer is kept at once: quit when you like, start again to go on. Afterwards the judge is asked
    about the cases you labelled (or, where the rows have a `label` and no --judge is given, the rows are
    taken at their word), and the kappa of you and the judge is shown.
    """
    console = new_console()
    if not sys.stdin.isatty():
        raise InputError("`label` reads keys from a terminal: run it in one.")
    known = list(cases_of(data))
    cases = _drawn([case for case, _ in known], limit, seed)
    labels = LabelFile(to or data.with_name(f"{data.name.split('.')[0]}.labels.jsonl"))
    session = Session(cases, labels, annotator)
    with _keys() as key, suppress(KeyboardInterrupt):  # Ctrl-C quits, whatever it interrupts: the answers are on disk
        _sit(session, key, console)
    console = new_console()  # the other one may have been interrupted half-way through a line
    console.print(f"{session.done} of {len(cases)} cases done; labels in {labels.path}")
    if compare and labels.given():
        _compare(session, {case.id: said for case, said in known}, judge, metric, console)


def _sit(session: Session, key: Callable[[], str], console: Console) -> None:
    """One case after the other, until the end or until the person quits."""
    while (case := session.current) is not None:
        console.clear()
        _show(case, session, console)
        while True:
            pressed = key()
            if pressed in QUIT:
                return
            if session.answer(pressed) or (pressed in UNDO and session.undo()):
                break


def _show(case: Case, session: Session, console: Console) -> None:
    """The case as Text, so that nothing in it is taken for markup or for keys of the terminal."""
    if case.input is not None:
        console.print(Panel(Text(printable(case.input)), title="input", title_align="left"))
    passages = case.context
    if passages is None:
        console.print(Text("no context was given", style="dim"))
    for number, passage in enumerate(passages or (), start=1):
        console.print(Panel(Text(printable(passage)), title=f"context {number}", title_align="left"))
    console.print(Panel(Text(printable(case.output)), title="output", title_align="left", border_style="bold"))
    console.print(Text(f"case {session.done + 1} of {len(session.cases)}   {KEYS}", style="dim"))


def _compare(session: Session, rows: dict[str, bool | None], judge: str | None, metric: str, console: Console) -> None:
    person = {label.id: read_label(label.label) for label in session.labels.given() if label.id in session.cases}
    if not person:
        return
    told = {id: said for id, said in rows.items() if said is not None}
    if judge is None and set(person) <= set(told):
        found, who = person_agreement(person, told), "the labels in the file"
    else:
        items = [LabelledCase(case=session.cases[id], hallucinated=wrong, label="") for id, wrong in person.items()]
        asked = resolve(judge)
        with kept_replies(asked) as replies:
            run = run_judge(items, asked, metrics.resolve(metric), cache=replies)
        said = {j.item.case.id: j.flagged for j in run.judged if j.flagged is not None}
        if not said:
            console.print(f"{run.judge} gave no verdict on any of these cases.", style="yellow")
            return
        found, who = person_agreement(person, said), run.judge
    _show_agreement(found, who, console)


def _show_agreement(found: PersonAgreement, who: str, console: Console) -> None:
    kappa = "not defined (one of the two always says the same)" if found.kappa is None else f"{found.kappa:.3f}"
    interval = f" ({found.interval.low:.2f} to {found.interval.high:.2f})" if found.interval else ""
    table = Table(
        title=f"you and {who}, on {count_of(found.n, 'case')}", title_justify="left", show_edge=False, pad_edge=False
    )
    for name in ("", f"{who}: hallucinated", f"{who}: factual"):
        table.add_column(Text(name))
    counts = found.confusion
    table.add_row("you: hallucinated", f"{counts.tp:.0f}", f"{counts.fn:.0f}")
    table.add_row("you: factual", f"{counts.fp:.0f}", f"{counts.tn:.0f}")
    console.print(table)
    console.print(f"agreement {found.agreed:.1%}, kappa {kappa}{interval}")
    if found.apart:
        console.print(printable(f"apart on: {', '.join(found.apart[:20])}"), style="dim")


def _drawn(cases: list[Case], limit: int | None, seed: int) -> list[Case]:
    items = [LabelledCase(case=case, hallucinated=False, label="") for case in cases]
    return [item.case for item in sample_of_cases(items, limit, seed)]


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """Reads one key at a time, without Enter; the terminal is as before afterwards, whatever happens."""
    if sys.platform == "win32":
        import msvcrt

        yield lambda: msvcrt.getwch().lower()
        return
    import os
    import termios
    import tty
    from select import select

    stream = sys.stdin.fileno()
    before = termios.tcgetattr(stream)
    try:
        tty.setcbreak(stream)
        waits = lambda: bool(select([stream], [], [], 0.02)[0])  # noqa: E731 - two small readers, side by side
        yield lambda: _one(lambda: os.read(stream, 1), waits)
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)


def _one(read: Callable[[], bytes], waits: Callable[[], bool]) -> str:
    """A key; the end of the input is an empty one.

    An arrow or function key sends several characters: they are read together, lest one of them be
    taken for an answer.
    """
    try:
        key = read()
        if key == b"\x1b" and waits():
            key += read()
            while key[1:2] in (b"[", b"O") and (len(key) == 2 or not b"@" <= key[-1:] <= b"~"):
                key += read()
    except OSError:
        return ""
    return key.decode("ascii", "replace").lower()
