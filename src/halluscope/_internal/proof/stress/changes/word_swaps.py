"""Replacing words with their counterparts: the order of events, and quantities."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

from .mutant import Edit

_AFTER_IDIOM = (
    r"(?<![\w-])(?<!named )(?<!looks )(?<!looked )(?<!look )(?<!looking )(?<!sought )(?<!modelled )"
    r"(?<!modeled )(?<!takes )(?<!took )(?<!called )(?<!asked )(?<![Dd]ay )(?<![Yy]ear )"
    r"(?<!time )(?<!one )(?<!soon )(?<!shortly )(?<!care )"
)
_BEFORE_IDIOM = (
    r"(?<![\w-])(?<!appeared )(?<!appear )(?<!brought )(?<!came )(?<!put )(?<!never )(?<!ever )(?<![Dd]ay )(?<!case )"
)
_COUNT = r"(?:\d|two|three|four|five|six|seven|eight|nine|ten|a |an |some |several |many |all\b|being\b|long\b)"
_N = r"(?= (?:about |around |roughly )?(?:[$€£]|[A-Z]{3} )?(?:\d|two|three|four|five|six|seven|eight|nine|ten|half|a ))"
_NO_NOUN = (
    "this his is was its us as less across various previous famous the of these those their her our your my but and or"
)
_PLURAL = rf"(?= (?!(?:{'|'.join(_NO_NOUN.split())})\b)(?:[a-z]{{3,}} )?[a-z]+[^s\W]s\b)"
# "The most of the three", "the 2 most recent ones": a superlative, no share.
_NO_SUPERLATIVE = (
    r"(?<!\bthe )(?<!\d )(?<!\btwo )(?<!\bthree )(?<!\bits )(?<!\bhis )(?<!\bher )(?<!their )(?<!\bour )(?<!your )"
)
_NAMED = {
    "<after>": _AFTER_IDIOM,
    "<before>": _BEFORE_IDIOM,
    "<count>": _COUNT,
    "<number>": _N,
    "<plural>": _PLURAL,
    "<share>": _NO_SUPERLATIVE,
}


@cache
def _swaps(section: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The patterns of a section of the file, each with its counterpart."""
    text = Path(__file__).with_name("word_swaps.txt").read_text(encoding="utf-8")
    for name, pattern in _NAMED.items():
        text = text.replace(name, pattern)
    lines = text.partition(f"[{section}]\n")[2].partition("\n\n")[0].splitlines()
    rules = (line.split(" -> ") for line in lines)
    return tuple((re.compile(pattern), counterpart) for pattern, counterpart in rules)


def change_order(answer: str, context: str, rng: Random) -> Edit | None:
    """Replace one word that states an order."""
    return _swapped(answer, "order", rng)


def change_quantity(answer: str, context: str, rng: Random) -> Edit | None:
    """Replace one quantity word."""
    return _swapped(answer, "quantities", rng)


def _swapped(answer: str, section: str, rng: Random) -> Edit | None:
    """Replace one random match, keeping its capital letter."""
    matches = [(match, after) for pattern, after in _swaps(section) for match in pattern.finditer(answer)]
    if not matches:
        return None
    rng.shuffle(matches)
    match, after = matches[0]
    text = after[0].upper() + after[1:] if match.group()[0].isupper() else after
    return Edit(match.start(), match.end(), text)
