"""Changes that put one word or phrase in the place of its counterpart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

from .mutant import Edit

Swaps = tuple[tuple[re.Pattern[str], str], ...]


def swaps(rules: Iterable[tuple[str, str]]) -> Swaps:
    """Rules from pattern to counterpart, made ready."""
    return tuple((re.compile(pattern), after) for pattern, after in rules)


def swapped(answer: str, known: Swaps, rng: Random) -> Edit | None:
    """One of the places in the answer where a swap fits, with a capital where there was one."""
    found = [(match, after) for pattern, after in known for match in pattern.finditer(answer)]
    rng.shuffle(found)
    for match, after in found:
        text = after[0].upper() + after[1:] if match.group()[0].isupper() else after
        return Edit(match.start(), match.end(), text)
    return None
