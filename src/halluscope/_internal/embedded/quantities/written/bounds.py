"""The words that bound a number: "about 1,200", "at least 6", "12 or more", "exactly 40"."""

from __future__ import annotations

import re
from typing import Literal

__all__ = ["LIMITS", "LOWER", "ROUGHLY", "UPPER", "Bound", "bound_of"]

Bound = Literal["plain", "exactly", "about", "nearly", "just over", "over", "at least", "under", "at most"]
LIMITS: tuple[Bound, ...] = ("over", "at least", "under", "at most")
LOWER: tuple[Bound, ...] = ("over", "at least", "just over")
UPPER: tuple[Bound, ...] = ("under", "at most", "nearly")
ROUGHLY: tuple[Bound, ...] = ("about", "nearly", "just over")

_LEFT_WINDOW = 34
_BOUNDS: dict[str, Bound] = {
    r"not\s+exactly|not\s+quite|(?:almost|nearly|about|virtually)\s+exactly": "about",
    r"exactly|precisely|exact(?:\s+\w+)?\s+of|no\s+more\s+and\s+no\s+less\s+than": "exactly",
    r"at\s+(?:the\s+)?most|up\s+to|(?:a\s+)?maximum(?:\s+\w+)?(?:\s+of)?|max\.?|within|capped\s+at"
    r"|limited\s+to|≤|<=|as\s+many\s+as|as\s+much\s+as": "at most",
    r"at\s+(?:the\s+(?:very\s+)?)?least|(?:a\s+)?minimum(?:\s+\w+)?(?:\s+of)?|≥|>=|from\s+at\s+least": "at least",
    r"(?:just|slightly|a\s+little|a\s+bit|marginally)\s+(?:over|above|more\s+than|higher\s+than)": "just over",
    r"nearly|almost|close\s+to|(?:just|slightly|a\s+little|a\s+bit|marginally)\s+(?:under|below"
    r"|less\s+than|short\s+of|fewer\s+than)|approaching|practically|not\s+far\s+(?:from|off)": "nearly",
    r"(?:well\s+|far\s+)?(?:over|above|beyond)|(?:much\s+|far\s+|significantly\s+)?(?:more|greater|longer"
    r"|higher|larger|older|heavier|taller|bigger|later|better)\s+than|exceed(?:s|ed|ing)?"
    r"|(?:in\s+)?excess\s+of|upwards?\s+of|north\s+of|surpass(?:es|ed|ing)?|>": "over",
    r"(?:well\s+|far\s+)?(?:under|below)|(?:much\s+|far\s+|significantly\s+)?(?:less|fewer|shorter|lower"
    r"|smaller|younger|lighter|earlier|sooner|cheaper)\s+than|short\s+of|<": "under",
    r"about|around|approximately|approx\.?|roughly|some|circa|ca\.?|c\.|~|≈|somewhere\s+(?:around|near)"
    r"|in\s+the\s+(?:region|order|neighbou?rhood)\s+of|estimated(?:\s+at)?|an\s+estimated|or\s+so"
    r"|on\s+the\s+order\s+of|more\s+or\s+less": "about",
}
_EITHER = "|".join(f"({words})" for words in _BOUNDS)
_BEFORE = re.compile(
    rf"(?:(?<=\W)|^)(?:{_EITHER})\s*(?:(?:the|a|an|just|only|another|every|the\s+age\s+of|about)\s+)?"
    r"(?:[$€£¥₹]|US\$|[A-Z]{3}\s)?\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:(?P<atleast>\+(?!\s?\d)|or\s+(?:more|over|above|older|longer|higher|greater|later|better)\b"
    r"|and\s+(?:older|above|up)\b(?!\s+to\b)|(?:at|as\s+a)\s+(?:the\s+)?(?:least|minimum)\b)"
    r"|(?P<atmost>or\s+(?:less|fewer|under|below|younger|shorter|lower|earlier)\b|and\s+younger\b"
    r"|(?:at|as\s+a)\s+(?:the\s+)?(?:most|maximum)\b|at\s+most\b|maximum\b|max\b)"
    r"|(?P<about>or\s+so\b|or\s+thereabouts\b|approximately\b))",
    re.IGNORECASE,
)

# "Five percent more than ten years earlier" compares; it does not say that the years are more than ten.
_COMPARES = re.compile(r"\s*\w+\s+than\b")
_BY_HOW_MUCH = re.compile(
    r"(?:\d%?|percent|per\s+cent|points|times|years|months|weeks|days|hours|minutes|euros|dollars|pounds|twice|lot"
    r"|many|one|two|three|four|five|six|seven|eight|nine|ten)\s+$",
    re.IGNORECASE,
)

_DENIED = re.compile(
    r"^\s*(?:no|none|nothing|nobody)\b[^,]*$"
    r"|\b(?:not?|never|cannot|without|[a-z]+n['’]t)\s+"
    r"(?:(?:be|been|to|go|get|rise|fall|drop|last|take|cost|weigh|spend|pay|use|stay|have|any|much)\s+){0,2}$",
    re.IGNORECASE,
)
"""What turns "more than" into "at most": "is not to exceed", "no dish costs more than"."""
_TURNED: dict[Bound, Bound] = {"over": "at most", "under": "at least"}


def bound_of(text: str, start: int, end: int) -> Bound:
    """What the words around `text[start:end]` make of it."""
    after = _AFTER.match(text, end)
    if after:
        return "at least" if after.group("atleast") else "at most" if after.group("atmost") else "about"
    window = text[max(0, start - _LEFT_WINDOW) : start]
    # Only the words of the same clause bound a number.
    cut = max(window.rfind("."), window.rfind(";"), window.rfind("("), window.rfind("\n"))
    if cut >= 0 and not window[max(0, cut - 6) : cut + 1].lower().endswith(("approx.", "ca.", " c.", "max.")):
        window = window[cut + 1 :]
    before = _BEFORE.search(window)
    if not before or (_COMPARES.match(before.group()) and _BY_HOW_MUCH.search(window, 0, before.start())):
        return "plain"
    bound = tuple(_BOUNDS.values())[(before.lastindex or 1) - 1]
    return _TURNED.get(bound, bound) if _DENIED.search(window, 0, before.start()) else bound
