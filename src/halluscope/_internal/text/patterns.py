"""Named patterns, which are in text files beside the code that uses them.

A line is `name = pattern`, and indented lines continue it. `<name>` stands for a pattern above it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_REFERENCE = re.compile(r"(?<!\?P)<(\w+)>")
_CONTINUED = re.compile(r"\n +")


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
