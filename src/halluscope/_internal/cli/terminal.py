"""Printing to the terminal. Control characters in judged text are never sent to it."""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from ..core.plumbing.threads import farthest

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_SPACES = re.compile("[\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, and those that change the direction of writing."""
_CONTROL_OR_BREAK = re.compile(f"{_CONTROL.pattern}|[\x85\u2028\u2029]")
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_REPLACEMENTS = {
    **dict.fromkeys("“”„", '"'),
    **dict.fromkeys("‘’", "'"),
    **dict.fromkeys("–—−━─·•", "-"),
    "…": "...",
    "≤": "<=",
    "≥": ">=",
    "→": "->",
    "×": "x",
    "✓": "+",
    "✗": "x",
    "│": "|",
    "┼": "+",
}


def console(*, stderr: bool = False) -> Console:
    """Create a console that does not interpret markup or emoji codes in text."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


@contextmanager
def progress_spinner(wanted: bool) -> Iterator[None]:
    """Show the progress of a long check on a terminal."""
    errors = console(stderr=True)
    if not wanted or not errors.is_terminal:
        yield
        return
    from rich.progress import Progress, ProgressColumn, TimeElapsedColumn
    from rich.text import Text

    class Steps(ProgressColumn):
        def render(self, task: object) -> Text:
            steps = farthest()
            return Text("judging" if steps is None else "judging {:,} of {:,}".format(*steps))

    with Progress(Steps(), TimeElapsedColumn(), console=errors, transient=True) as bar:
        bar.add_task("judging", total=None)
        yield


@contextmanager
def progress_bars(wanted: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows the progress of a judge: its name, cases done, and cases in total."""
    from ..runs.runner.progress import Display, Progress, display_for

    shown: dict[str, Display] = {}

    def stop() -> None:
        for bar in shown.values():
            bar.stop()
        shown.clear()

    def tick(judge: str, done: int, total: int) -> None:
        if judge not in shown:
            stop()
            shown[judge] = display_for(judge, None if wanted else False)
            shown[judge].start()
        shown[judge].show(Progress(cases=done, total=total))

    try:
        yield tick
    finally:
        stop()


def print_table(
    shown: Console, titles: Sequence[str], rows: Sequence[Sequence[str | Text]], details: Sequence[Text | None] = ()
) -> None:
    """Print rows as a table, or each row as a few lines if the terminal is too narrow.

    `details` has a text for each row, printed below it.
    """
    from rich.padding import Padding
    from rich.text import Text

    cells = [[cell if isinstance(cell, Text) else Text(cell) for cell in row] for row in rows]
    heads = [Text(title, style="bold") for title in titles]
    widths = [max(cell.cell_len for cell in column) for column in zip(heads, *cells, strict=True)]
    fits = sum(widths) + 2 * len(widths) - 2 <= shown.width
    for place, row in enumerate([heads, *cells] if fits else cells):
        if fits:
            padded = [cell + Text(" " * (width - cell.cell_len)) for cell, width in zip(row, widths, strict=True)]
            line = Text("  ").join(padded)
            line.rstrip()
            shown.print(line)
        else:
            named = [Text(f"{title} ", style="dim") + cell for title, cell in zip(titles, row, strict=True) if cell]
            shown.print(row[0])
            shown.print(Padding(_filled(named[1:], shown.width - 2), (0, 0, 0, 2)))
        detail = details[place - fits] if details and place >= fits else None
        if detail:
            shown.print(Padding(detail, (0, 0, 0, 4)))


def _filled(parts: Sequence[Text], width: int) -> Text:
    """Join the parts on as few lines as possible, breaking lines between parts."""
    from rich.text import Text

    filled, length = Text(), 0
    for part in parts:
        if length and length + 3 + part.cell_len > width:
            filled.append("\n")
            length = 0
        elif length:
            filled.append(" · ")
            length += 3
        filled.append(part)
        length += part.cell_len
    return filled


def printable(text: str) -> str:
    """Replace control characters, one for one, so that offsets stay valid."""
    return text if text.isprintable() else _CONTROL.sub("\ufffd", _SPACES.sub(" ", text))


def print_json(value: object) -> None:
    """Print a value as JSON, with control characters and characters that the stream cannot encode as escapes."""
    text = _CONTROL_OR_BREAK.sub(_escaped, msgspec.json.encode(value).decode())
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = _NOT_ASCII.sub(_escaped, text)
    sys.stdout.write(text + "\n")


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def replace_unencodable() -> None:
    """Make stdout and stderr replace characters they cannot encode: Windows code pages lack ✓, “ and ≤."""
    codecs.register_error("halluscope", _replacement)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="halluscope")


def _replacement(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    failed = error.object[error.start : error.end]
    return "".join(_REPLACEMENTS.get(character, "?") for character in failed), error.end
