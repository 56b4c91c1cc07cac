"""Lists of English words, which are in a data file."""

from __future__ import annotations

import json
from pathlib import Path

_LISTS = json.loads(Path(__file__).with_name("word_lists.json").read_text(encoding="utf-8"))


def word_list(name: str) -> list[str]:
    """Return the words of a list; forms of one word are in one entry, with slashes between them."""
    return " ".join(_LISTS[name]).split()
