"""English words and phrases that the embedded judge looks for, which are in a data file.

A phrase is a regular expression in which a blank stands for any white space, parentheses only group, and `{name}`
stands for the phrases of another list.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

_LISTS: dict[str, list[str]] = json.loads(Path(__file__).with_name("phrases.json").read_text(encoding="utf-8"))
_READ = re.compile(r"\\.|\[[^\]]*\]|(?P<blank> )|(?P<group>\()(?!\?)|\{(?P<name>[a-z]\w*)\}")


def words(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(" ".join(_LISTS[name]).split())


def patterns(name: str) -> list[str]:
    """One regular expression for each line of a list."""
    return [_READ.sub(_plain, line) for line in _LISTS[name]]


def pattern(name: str) -> str:
    """A regular expression for any of the phrases of a list."""
    return f"(?:{'|'.join(patterns(name))})"


def _plain(found: re.Match[str]) -> str:
    if found["name"]:
        return pattern(found["name"])
    return r"\s+" if found["blank"] else "(?:" if found["group"] else found.group()
