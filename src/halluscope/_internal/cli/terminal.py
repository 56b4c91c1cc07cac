"""What is printed for people: judged text is shown in the terminal, never obeyed by it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..plumbing.threads import farthest

if TYPE_CHECKING:
    from rich.console import Console

_SPACES = re.compile("[\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_UNRULY = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, and those that turn the direction of writing: a terminal would do what they say."""
_OBEYED = re.compile(f"{_UNRULY.pattern}|[\x85\u2028\u2029]")


def console(*, stderr: bool = False) -> Console:
    """A console that takes no text for markup or emoji codes: an output may hold `[/b]`."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


@contextmanager
def progress_shown(wanted: bool) -> Iterator[None]:
    """Says on a terminal how far long work is, for as long as it lasts."""
    errors = console(stderr=True)
    if not wanted or not errors.is_terminal:
        yield
        return
    from rich.progress import Progress, ProgressColumn, TimeElapsedColumn
    from rich.text import Text

    class Far(ProgressColumn):
        def render(self, task: object) -> Text:
            found = farthest()
            return Text("judging" if found is None else "judging {:,} of {:,}".format(*found))

    with Progress(Far(), TimeElapsedColumn(), console=errors, transient=True) as bar:
        bar.add_task("judging", total=None)
        yield


def printable(text: str) -> str:
    """The text with each character that a terminal would obey replaced by one it shows, so that places stay."""
    return text if text.isprintable() else _UNRULY.sub("\ufffd", _SPACES.sub(" ", text))


def print_json(text: str) -> None:
    """Print JSON: what a terminal would obey stands in it as an escape, which says the same to whoever reads it."""
    sys.stdout.write(_OBEYED.sub(_escaped, text) + "\n")


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def write_what_can_be_written() -> None:
    """On a terminal that lacks a character, such as ✓ or ≤, print another in its place instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
