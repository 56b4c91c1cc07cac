"""What is printed for people: judged text is shown in the terminal, never obeyed by it."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_SPACES = re.compile("[\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_UNRULY = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, and those that turn the direction of writing: a terminal would do what they say."""


def console(*, stderr: bool = False) -> Console:
    """A console that takes no text for markup or emoji codes: an output may hold `[/b]`."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def plain(text: str) -> str:
    """The text with each character that a terminal would obey replaced by one it shows, so that places stay."""
    return text if text.isprintable() else _UNRULY.sub("\ufffd", _SPACES.sub(" ", text))


def write_what_can_be_written() -> None:
    """On a terminal that lacks a character, such as ✓ or ≤, print another in its place instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
