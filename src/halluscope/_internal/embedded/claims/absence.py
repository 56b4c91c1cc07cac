"""Statements that something is not there: "The documents do not mention the price", "No delivery charge is given".

True, such a statement is an abstention and no claim; false, it is wrong. Which it is, the context decides:
here is only said that a sentence speaks of absence, and of what.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...text.caseless import Caseless

__all__ = ["Absence", "absence_in"]


class Absence(NamedTuple):
    """What a sentence says is missing, and where in the sentence it is named. `what` is "" where nothing is named."""

    what: str
    start: int
    end: int


_SOURCE = (
    r"(?:(?:the|this|these|that|those|your|our|any|all|both|either|neither|none\s+of\s+the|no|its"
    r"|their)\s+)?(?:[\w'’-]+\s+){0,4}?"
    r"(?:context|passages?|texts?|documents?|documentation|information|articles?|excerpts?|snippets?|sources?"
    r"|materials?|data|content"
    r"|reviews?|references?|results?|json|table|records?|notes?|reports?|page|pages|policy|manual|leaflet|guide"
    r"|letter|email|e-mail"
    r"|message|minutes|contract|agreement|handbook|release|notice|study|paper|summary|file|files|listing|sheet"
    r"|brochure|transcript"
    r"|thread|ticket|log|logs|statement|terms|website|site|list|entry|entries|schedule|chart|form|it|they|nothing)"
)
_SAY = (
    r"(?:say|mention|contain|specify|state|provide|include|give|tell|discuss|address|offer|cover|indicate|reveal"
    r"|explain|describe|list"
    r"|clarify|answer|have|elaborate\s+on|supply|note|define|detail|refer\s+to|disclose|go\s+into|name|record"
    r"|set\s+out|identify|quote"
    r"|speak\s+of|show|touch\s+on|make\s+clear|spell\s+out|report)"
)
_SAID = (
    r"(?:mentioned|given|provided|stated|specified|available|included|discussed|indicated|listed|named|recorded"
    r"|described|disclosed"
    r"|explained|covered|addressed|set\s+out|quoted|detailed|known|clear|found|identified|said|shown|reported"
    r"|supplied|spelled\s+out)"
)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_NOT = r"(?:\s*n['’]t|\s+not)\s+(?:\w+ly\s+|actually\s+|yet\s+|even\s+)?"
_WHERE = (
    r"(?:\s+(?:in|by|on|within|from|anywhere\s+in)\s+(?:the|this|these|any|your|all)\b[^,;]*|\s+(?:here|there"
    r"|anywhere|at\s+all|yet))?"
)
_LACKING = (
    # The leaflet does not give a price.
    _pattern(rf"\b{_SOURCE}\s+(?:(?:does|do|did){_NOT}|(?:can)?not\s+){_SAY}\s+(?P<what>[^;]+)"),
    # The leaflet gives no price; it says nothing about the price.
    _pattern(
        rf"\b{_SOURCE}\s+(?:lacks?|makes?\s+no\s+mention\s+of|(?:contains?|provides?|gives?|has|have|offers?"
        rf"|includes?|mentions?|lists?|shows?"
        rf"|names?|states?|specif(?:y|ies))\s+(?:no|nothing\s+(?:about|on|of|regarding))"
        rf"|says?\s+nothing\s+(?:about|on|of|regarding)"
        rf"|(?:is|are|was|were)\s+silent\s+(?:about|on)|fails?\s+to\s+{_SAY}|leaves?\s+open|omits?)\s+(?P<what>[^;]+)"
    ),
    # None of the documents mentions a price; nothing is said about the price.
    _pattern(rf"\b(?:none|neither)\s+of\s+[\w\s'’-]{{2,40}}?\s+{_SAY}s?\s+(?P<what>[^;]+)"),
    _pattern(r"\bnothing\s+(?:is|was|has\s+been)\s+(?:said|stated|mentioned|given|written|known)\s+(?:about|on|of"
             r"|regarding)\s+(?P<what>[^;]+)"),
    # There is no information about the price.
    _pattern(
        r"\b(?:there\s+(?:is|are|was|were)\s+|i\s+(?:see|find|found|have)\s+|we\s+(?:see|find|have)\s+)?(?:no"
        r"|not\s+(?:any|enough)|insufficient)"
        r"\s+(?:\w+\s+)?(?:information|mention|details?|data|indication|reference|word|record)\s+(?:is\s+(?:given"
        r"|provided)\s+|available\s+)?"
        r"(?:about|on|of|regarding|concerning|to|for|as\s+to|in\s+\w+\s+\w+\s+(?:about|on|of))\s+(?P<what>[^;]+)"
    ),
    # The price is not mentioned. A price for delivery can't be given.
    _pattern(rf"(?P<what>[\w'’$€£%., -]{{2,120}}?)\s+(?:(?:is|are|was|were){_NOT}|(?:has|have){_NOT}been\s+|(?:can"
             rf"|could){_NOT}be\s+|cannot\s+be\s+)"
             rf"(?:\w+ly\s+)?{_SAID}\b"),
    # No price is given. No price given.
    _pattern(rf"\bno\s+(?P<what>[\w'’ -]{{2,80}}?)\s+(?:(?:is|are|was|were|has\s+been|have\s+been)\s+)?{_SAID}\b"),
    # Delivery not mentioned. Price: not stated.
    _pattern(rf"(?P<what>[\w'’ -]{{2,80}}?)\s*:?\s+(?:not|never)\s+{_SAID}\b(?=\W*$|\s+(?:in|by|here|anywhere))"),
    # I cannot tell the price. It is unclear who paid.
    _pattern(
        r"\b(?:i|we|one|you)\s+(?:can(?:not|['’]t)|could\s*n['’]t|could\s+not|do\s*n['’]t|do\s+not"
        r"|am\s+unable\s+to|are\s+unable\s+to)\s+(?:\w+ly\s+)?"
        r"(?:tell|say|find|determine|see|know|confirm|verify|give)\s+(?:you\s+)?(?P<what>[^;]+)"
    ),
    _pattern(r"\b(?:it\s+(?:is|was|remains)\s+)?(?:unclear|unknown|not\s+(?:clear|known|stated|specified|mentioned"
             r"|said))\s+(?P<what>(?:who|what|when|where|why|which|how|whether|if)\b[^;]+)"),
)  # fmt: skip
_CUT = Caseless(
    r"\s*(?:[.!?…]+\W*$|,\s+(?:so|but|and|as|because|although|though|however|only|which)\b.*|\s+(?:in|from"
    r"|within)\s+(?:the|this|these|any|your)"
    r"\s+(?:\w+\s+){0,2}?(?:context|passages?|texts?|documents?|sources?|information|material)\b.*|\s+so\s+(?:i"
    r"|we)\b.*)"
)
_FRONT = Caseless(
    r"(?:(?:whether|if|any|a|an|the|its|his|her|their|what|how\s+(?:much|many|long)|information|details?|anything"
    r"|specific|explicit|exact)\s+"
    r"(?:(?:about|on|of|regarding)\s+)?|(?:about|on|of|regarding)\s+)+"
)
_POSSIBLE = Caseless(
    r"\b(?:not|no|nothing|none|neither|never|lacks?|unclear|unknown|silent|omits?|fails?|insufficient|cannot"
    r"|leaves?|unable)\b|n['’]t\b"
)
_LONGEST = 400


def absence_in(sentence: str) -> Absence | None:
    """What the sentence says is not told, or None when it does not speak of absence.

    "The documents do not mention the price" is about "price". That something does not exist or did not
    happen ("The hotel has no pool", "He was not paid") is an ordinary claim.
    """
    if len(sentence) > _LONGEST or _POSSIBLE.search(sentence) is None:
        return None
    for pattern in _LACKING:
        match = pattern.search(sentence)
        if match is None:
            continue
        start, end = match.span("what")
        cut = _CUT.search(sentence, start, end)
        end = cut.start() if cut is not None and cut.start() > start else end
        front = _FRONT.match(sentence, start)
        if front is not None and front.end() < end:
            start = front.end()
        while end > start and not sentence[end - 1].isalnum():
            end -= 1
        return Absence(sentence[start:end], start, end)
    return None
