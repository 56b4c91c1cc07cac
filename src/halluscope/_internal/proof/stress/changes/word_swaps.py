"""Replacing words with their counterparts: the order of events, and quantities."""

from __future__ import annotations

import re
from functools import cache, partial
from pathlib import Path
from random import Random

from ....text.patterns import expanded
from .english import PATTERNS
from .mutant import Edit


@cache
def _swaps(section: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The patterns of a section of the file, each with its counterpart."""
    text = Path(__file__).with_name("word_swaps.txt").read_text(encoding="utf-8")
    lines = text.partition(f"[{section}]\n")[2].partition("\n\n")[0].splitlines()
    rules = (line.split(" -> ") for line in lines)
    return tuple((re.compile(expanded(pattern, PATTERNS)), counterpart) for pattern, counterpart in rules)


def _swapped(section: str, answer: str, context: str, rng: Random) -> Edit | None:
    """Replace one random match, keeping its capital letter."""
    matches = [(match, after) for pattern, after in _swaps(section) for match in pattern.finditer(answer)]
    if not matches:
        return None
    rng.shuffle(matches)
    match, after = matches[0]
    text = after[0].upper() + after[1:] if match.group()[0].isupper() else after
    return Edit(match.start(), match.end(), text)


change_order = partial(_swapped, "order")
change_quantity = partial(_swapped, "quantities")
