"""The English names, sentences, words and phrases that the changes use, which are in data files."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from ....text.patterns import named_patterns

WORDS: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
"""The names, sentences and units that the changes use."""

PATTERNS = named_patterns(Path(__file__).with_name("patterns.txt"))
"""The words and phrases that decide which changes are possible."""


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern by its name, for text in any case."""
    return re.compile(PATTERNS[name], re.IGNORECASE)


def has(name: str, text: str) -> bool:
    """Whether a pattern occurs in a text, in any case."""
    return pattern(name).search(text) is not None
