"""Words and patterns in data files: lists of English words, and named patterns beside the code that uses them.

In a file of patterns, a line is `name = pattern`, and indented lines continue it. `<name>` stands for a pattern above.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

_REFERENCE = re.compile(r"(?<!\?P)<(\w+)>")
_CONTINUED = re.compile(r"\n +")

_LISTS = json.loads(Path(__file__).with_name("word_lists.json").read_text(encoding="utf-8"))


def word_list(name: str) -> list[str]:
    """Return the words of a list; forms of one word are in one entry, with slashes between them."""
    return " ".join(_LISTS[name]).split()


def named_patterns(path: Path) -> dict[str, str]:
    """Return the patterns of a file by their names."""
    found: dict[str, str] = {}
    for line in _CONTINUED.sub("", path.read_text(encoding="utf-8")).splitlines():
        if line and not line.startswith("#"):
            name, _, pattern = line.partition(" = ")
            found[name] = expanded(pattern, found)
    return found


def expanded(pattern: str, known: Mapping[str, str]) -> str:
    """Replace the names in a pattern."""
    return _REFERENCE.sub(lambda name: f"(?:{known[name[1]]})", pattern)
