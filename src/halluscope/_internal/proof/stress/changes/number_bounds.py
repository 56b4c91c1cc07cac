"""Words that make a number or a date a bound. They decide which changes make it wrong.

"More than 10" implies "more than 8", so such a number may only be increased. "About 3,000" may be 3,100.
"""

from __future__ import annotations

import re
from typing import Literal

Bound = Literal["none", "lower", "upper", "about"]

_LOWER = (
    r"(?:more|greater|longer|higher|larger|older|better|later) than|over|above|at least|exceed(?:s|ed|ing)?"
    r"|no (?:fewer|less|earlier) than|not less than|(?:a )?minimum(?: of)?|upwards of|in excess of|after|beyond"
)
_UPPER = (
    r"(?:less|fewer|shorter|lower|smaller|younger|earlier|sooner) than|under|below|up to|at most|within"
    r"|as (?:many|much) as|no (?:more|later|longer|higher) than|not (?:more than|exceed(?:ing)?)|(?:a )?maximum(?: of)?"
    r"|before|by|until|till"
)
_ABOUT = (
    r"about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca\.|c\.|~|close to"
    r"|an estimated|estimated at|early|late|mid|mid-"
)
_BEFORE = re.compile(
    rf"(?:^|[\s(])(?:(?P<about>{_ABOUT})|(?P<upper>{_UPPER})|(?P<lower>{_LOWER}))"
    r"[\s-]*(?:the |a |an )?(?:[$€£¥]|[A-Z]{3} )?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:\s+[a-z]+){0,2}?\s*(?:(?P<lower>\+|or (?:more|over|older|above|later|longer|higher)\b|at least\b)"
    r"|(?P<upper>or (?:less|fewer|under|younger|below|earlier|lower)\b|at most\b)|(?P<about>or so\b|or thereabouts\b))",
    re.IGNORECASE,
)


def bound(text: str, start: int, end: int) -> Bound:
    """Return how the words around `text[start:end]` bound it."""
    found = _AFTER.match(text, end) or _BEFORE.search(text[max(0, start - 30) : start])
    if found is None:
        return "none"
    kinds: tuple[Bound, ...] = ("about", "upper", "lower")
    return next(kind for kind in kinds if found.group(kind))
