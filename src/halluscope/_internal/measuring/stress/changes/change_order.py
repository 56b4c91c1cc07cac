"""Turning the order of events round."""

from __future__ import annotations

from random import Random

from .mutant import Edit
from .word_swaps import swapped, swaps

_AFTER_IDIOM = (
    r"(?<![\w-])(?<!named )(?<!looks )(?<!looked )(?<!look )(?<!looking )(?<!sought )(?<!modelled )"
    r"(?<!modeled )(?<!takes )(?<!took )(?<!called )(?<!asked )(?<![Dd]ay )(?<![Yy]ear )"
    r"(?<!time )(?<!one )(?<!soon )(?<!shortly )(?<!care )"
)
_BEFORE_IDIOM = (
    r"(?<![\w-])(?<!appeared )(?<!appear )(?<!brought )(?<!came )(?<!put )(?<!never )(?<!ever )(?<![Dd]ay )(?<!case )"
)
_COUNT = r"(?:\d|two|three|four|five|six|seven|eight|nine|ten|a |an |some |several |many |all\b|being\b|long\b)"
_RULES = (
    (rf"{_AFTER_IDIOM}\b[Aa]fter\b(?= (?!{_COUNT})\w)(?! the (?:court|judge))", "before"),
    (r"\b[Aa]fter\b(?= (?:1\d{3}|20\d{2})\b)", "before"),
    (
        rf"{_BEFORE_IDIOM}\b[Bb]efore\b(?= (?!{_COUNT})\w)(?! the (?:court|judge|board|committee|council|tribunal))",
        "after",
    ),
    (r"\b[Bb]efore\b(?= (?:1\d{3}|20\d{2})\b)", "after"),
    (r"\b[Pp]rior to\b", "following"),
    (r"\b[Ff]ollowing the\b", "prior to the"),
    (r"\bfollowed by\b", "preceded by"),
    (r"\bpreceded by\b", "followed by"),
    (r"\b(?<=was )succeeded by\b", "preceded by"),
    (r"\bthe following (?=day|week|month|year|season)", "the previous "),
    (r"\bthe previous (?=day|week|month|year|season)", "the following "),
    (r"\bthe next (?=day|week|month|year|season)", "the previous "),
    (r"\b(?<=(?:day|ear|eek|nth|ays|ars|eks|ths) )(?:later)\b", "earlier"),
    (r"\b(?<=(?:day|ear|eek|nth|ays|ars|eks|ths) )earlier\b", "later"),
    (r"\b[Ss]ubsequently\b", "previously"),
    (r"\b[Pp]reviously\b", "subsequently"),
    (r"\b(?<=the )first(?= to\b)", "last"),
)
_SWAPS = swaps(_RULES)


def change_order(answer: str, context: str, rng: Random) -> Edit | None:
    """One word that says what came first."""
    return swapped(answer, _SWAPS, rng)
