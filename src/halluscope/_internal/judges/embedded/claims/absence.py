"""Statements that something is not there: "The documents do not mention the price", "No delivery charge is given".

True, such a statement is an abstention and no claim; false, it is wrong. Which it is, the context decides:
here is only said that a sentence speaks of absence.
"""

from __future__ import annotations

import re

from ....text.caseless import Caseless
from ..phrases import pattern, patterns

_ABSENCES = [re.compile(absence, re.IGNORECASE) for absence in patterns("absences")]
_POSSIBLE = Caseless(rf"\b{pattern('negations')}\b|n['’]t\b")
_LONGEST = 400


def speaks_of_absence(sentence: str) -> bool:
    """Whether the sentence says that something is not told.

    "The documents do not mention the price" does. That something does not exist or did not happen ("The hotel
    has no pool", "He was not paid") is an ordinary claim.
    """
    if len(sentence) > _LONGEST or _POSSIBLE.search(sentence) is None:
        return False
    return any(absence.search(sentence) for absence in _ABSENCES)
