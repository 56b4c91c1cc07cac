"""The command `label`: label cases by hand, one key per case."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ..core.case import Case
from ..core.counting import count_of
from ..core.errors import InputError
from ..engine import metrics
from ..engine.judge import resolve
from ..proof.bench.judge_run import run_judge
from ..proof.labelling import PersonAgreement, Session, cases_of, person_agreement
from ..runs.labelled_case import LabelledCase, read_label, sample_of_cases
from .app import command
from .options import judge_options, open_replies
from .terminal import console as new_console
from .terminal import printable

UNDO, QUIT = ("z", "\x7f", "\b"), ("q", "\x03", "\x04", "")
KEYS = "f factual   h hallucinated   c contradicted   u unsupported   s skip   z undo   q quit"


@command("label")
def label(
    data: Path,
    to: Path | None = None,
    annotator: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    judge: str | None = None,
    metric: str = "label",
    compare: bool = True,
) -> None:
    """Label cases by hand and measure how well a judge agrees with you.

    Every label is saved at once: quit at any time and run the command again to continue. At the end, the judge
    scores the cases you labelled and Cohen's kappa is shown. Without --judge, the labels in the file are used
    if there are any.
    """
    console = new_console()
    if not sys.stdin.isatty():
        raise InputError("`label` reads keys from a terminal: run it in a terminal.")
    known = list(cases_of(data))
    items = [LabelledCase(case=case, hallucinated=False, label="") for case, _ in known]
    cases = [item.case for item in sample_of_cases(items, limit, seed)]
    session = Session(cases, to or data.with_name(f"{data.name.split('.')[0]}.labels.jsonl"), annotator)
    with _keys() as key, suppress(KeyboardInterrupt):  # Ctrl-C quits; the labels are saved already
        _label_cases(session, key, console)
    console = new_console()  # Ctrl-C may have left the other one in the middle of a line
    console.print(f"{session.done} of {len(cases)} cases done; labels in {session.path}")
    if compare and session.labels:
        _compare(session, {case.id: label for case, label in known}, judge, metric, console)


def _label_cases(session: Session, key: Callable[[], str], console: Console) -> None:
    """Show one case after the other until the end, or until the person quits."""
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
    """Print a case, as Text so that markup in it is not interpreted."""
    if case.input is not None:
        console.print(Panel(Text(printable(case.input)), title="input", title_align="left"))
    passages = case.context
    if passages is None:
        console.print(Text("no context", style="dim"))
    for number, passage in enumerate(passages or (), start=1):
        console.print(Panel(Text(printable(passage)), title=f"context {number}", title_align="left"))
    console.print(Panel(Text(printable(case.output)), title="output", title_align="left", border_style="bold"))
    console.print(Text(f"case {session.done + 1} of {len(session.cases)}   {KEYS}", style="dim"))


def _compare(session: Session, rows: dict[str, bool | None], judge: str | None, metric: str, console: Console) -> None:
    person = {label.id: read_label(label.label) for label in session.labels if label.id in session.cases}
    if not person:
        return
    in_file = {id: label for id, label in rows.items() if label is not None}
    if judge is None and set(person) <= set(in_file):
        agreement, other = person_agreement(person, in_file), "the labels in the file"
    else:
        items = [LabelledCase(case=session.cases[id], hallucinated=wrong, label="") for id, wrong in person.items()]
        chosen = resolve(judge, **judge_options(None, judge))
        with open_replies(chosen) as replies:
            run = run_judge(items, chosen, metrics.resolve(metric), cache=replies)
        flags = {j.item.case.id: j.flagged for j in run.judged if j.flagged is not None}
        if not flags:
            console.print(f"{run.judge} gave no verdict on any of these cases.", style="yellow")
            return
        agreement, other = person_agreement(person, flags), run.judge
    _show_agreement(agreement, other, console)


def _show_agreement(agreement: PersonAgreement, other: str, console: Console) -> None:
    kappa = (
        "undefined (one of the two gave every case the same label)"
        if agreement.kappa is None
        else f"{agreement.kappa:.3f}"
    )
    interval = f" ({agreement.interval.low:.2f} to {agreement.interval.high:.2f})" if agreement.interval else ""
    table = Table(
        title=f"you and {other}, on {count_of(agreement.n, 'case')}",
        title_justify="left",
        show_edge=False,
        pad_edge=False,
    )
    for name in ("", f"{other}: hallucinated", f"{other}: factual"):
        table.add_column(Text(name))
    counts = agreement.confusion
    table.add_row("you: hallucinated", f"{counts.tp:.0f}", f"{counts.fn:.0f}")
    table.add_row("you: factual", f"{counts.fp:.0f}", f"{counts.tn:.0f}")
    console.print(table)
    console.print(f"agreement {agreement.agreed:.1%}, kappa {kappa}{interval}")
    if agreement.apart:
        console.print(printable(f"you disagree on: {', '.join(agreement.apart[:20])}"), style="dim")


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """Read single keys without Enter. The terminal settings are restored at the end."""
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
        waiting = lambda: bool(select([stream], [], [], 0.02)[0])  # noqa: E731
        yield lambda: _one_key(lambda: os.read(stream, 1), waiting)
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)


def _one_key(read: Callable[[], bytes], waiting: Callable[[], bool]) -> str:
    """Read one key, or an empty string at the end of input.

    Arrow and function keys send several characters. All are read, so that none of them counts as an answer.
    """
    try:
        key = read()
        if key == b"\x1b" and waiting():
            key += read()
            while key[1:2] in (b"[", b"O") and (len(key) == 2 or not b"@" <= key[-1:] <= b"~"):
                key += read()
    except OSError:
        return ""
    return key.decode("ascii", "replace").lower()
