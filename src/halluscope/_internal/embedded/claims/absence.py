"""Statements that something is not there: "The documents do not mention the price", "No delivery charge is given".

True, such a statement is an abstention and no claim; false, it is wrong. Which it is, the context decides:
here is only said that a sentence speaks of absence.
"""

from __future__ import annotations

import re

from ...text.caseless import Caseless

__all__ = ["speaks_of_absence"]

_SOME = (
    r"(?:(?:the|this|these|that|those|your|our|any|all|both|either|neither|none\s+of\s+the|no|its|their)\s+)?"
    r"(?:[\w'’-]+\s+){0,4}?"
)
_CONTEXT = (
    rf"{_SOME}(?:context|passages?|texts?|documents?|documentation|information|articles?|excerpts?|snippets?|sources?"
    r"|materials?|data|references?|results?|json|records?|database)"
)
"""What can only be read: all that it "has" is what it tells."""
_PAPER = (
    rf"(?:{_CONTEXT}|{_SOME}(?:reviews?|table|notes?|reports?|pages?|policy|manual|leaflet|guide|letter|e-?mail|message"
    r"|minutes|contract|agreement|handbook|release|notice|study|paper|summary|files?|listing|sheet|brochure"
    r"|transcript|thread|ticket|logs?|statement|terms|website|site|list|entry|entries|schedule|chart|form)|it|they"
    r"|nothing)"
)
_TELL = (
    r"(?:say|mention|specify|state|give|tell|discuss|indicate|reveal|explain|describe|list|clarify|elaborate\s+on|note"
    r"|define|detail|refer\s+to|disclose|go\s+into|name|record|set\s+out|identify|quote|speak\s+of|touch\s+on"
    r"|make\s+clear|spell\s+out|report|address)"
)
_HOLD = r"(?:contain|provide|include|offer|cover|answer|have|supply|show|hold)"
# "Breakfast is not included" and "Red is not available" are about the thing and not about what is told of it.
_SAID = (
    r"(?:mentioned|given|provided|stated|specified|discussed|indicated|listed|named|recorded|described|disclosed"
    r"|explained|addressed|set\s+out|quoted|detailed|known|clear|identified|said|reported|supplied|spelled\s+out)"
)
_TOLD = (
    r"(?:included|available|covered|found|shown)\s+(?:in|by|from)\s+(?:the|this|these|any|your|either)\s+(?:\w+\s+)?"
    r"(?:context|documents?|passages?|texts?|sources?|information|material|excerpts?)"
)
_ABOUT = r"(?:about|on|of|regarding|concerning)"
_BEGINS = r"(?:^|[,;:.]\s+)(?:(?:and|but|while|although|though|so|as|since|because)\s+)?"


_NOT = r"(?:\s*n['’]t|\s+not)\s+(?:\w+ly\s+|actually\s+|yet\s+|even\s+)?"
_LACKING = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # The leaflet does not give a price. The documents do not contain a price.
        rf"\b{_PAPER}\s+(?:(?:does|do|did){_NOT}|(?:can)?not\s+){_TELL}\s",
        rf"\b{_CONTEXT}\s+(?:(?:does|do|did){_NOT}|(?:can)?not\s+){_HOLD}\s",
        # The leaflet gives no price; it says nothing about the price.
        rf"\b{_PAPER}\s+(?:makes?\s+no\s+mention\s+of|(?:mentions?|lists?|names?|states?|gives?|specif(?:y|ies))"
        rf"\s+(?:no|nothing\s+{_ABOUT})|(?:says?|shows?)\s+nothing\s+{_ABOUT}|(?:is|are|was|were)\s+silent\s+(?:about|on)"
        rf"|fails?\s+to\s+{_TELL}|leaves?\s+open|omits?)\s",
        rf"\b{_CONTEXT}\s+(?:lacks?|(?:contains?|provides?|has|have|offers?|includes?|holds?|shows?)"
        rf"\s+(?:no|nothing\s+{_ABOUT}))\s",
        # None of the documents mentions a price; nothing is said about the price.
        rf"\b(?:none|neither)\s+of\s+[\w\s'’-]{{2,40}}?\s+{_TELL}s?\s",
        rf"\bnothing\s+(?:is|was|has\s+been)\s+(?:said|stated|mentioned|given|written|known)\s+{_ABOUT}\s",
        # There is no information about the price.
        r"\b(?:no|not\s+(?:any|enough)|insufficient)\s+(?:\w+\s+)?"
        r"(?:information|mention|details?|data|indication|reference|word|record)\s+"
        r"(?:is\s+(?:given|provided)\s+|available\s+)?"
        r"(?:about|on|of|regarding|concerning|to|for|as\s+to|in\s+\w+\s+\w+\s+(?:about|on|of))\s",
        # It is unclear who paid. It isn't said who paid.
        r"(?:\b(?:unclear|unknown|not\s+(?:clear|known|stated|specified|mentioned|said))"
        r"|n['’]t\s+(?:clear|known|stated|said))\s+(?:who|what|when|where|why|which|how|whether|if)\b",
        # The price is not mentioned. A price for delivery can't be given.
        rf"{_BEGINS}[\w'’$€£% -]{{2,120}}?(?:\s+(?:is|are|was|were){_NOT}|\s+(?:has|have){_NOT}been\s+"
        rf"|\s+(?:can|could){_NOT}be\s+|\s+cannot\s+be\s+)(?:\w+ly\s+)?(?:{_SAID}|{_TOLD})\b",
        # No price is given. No price given.
        rf"\bno\s+[\w'’ -]{{2,80}}?\s+(?:(?:is|are|was|were|has\s+been|have\s+been)\s+)?{_SAID}\b",
        # Delivery not mentioned. Price: not stated.
        rf"{_BEGINS}[\w'’ -]{{2,80}}?\s*:?\s+(?:not|never)\s+{_SAID}\b(?=\W*$|\s+(?:in|by|here|anywhere))",
        # I cannot tell the price.
        r"\b(?:i|we|one|you)\s+(?:can(?:not|['’]t)|could\s*n['’]t|could\s+not|do\s*n['’]t|do\s+not"
        r"|am\s+unable\s+to|are\s+unable\s+to)\s+(?:\w+ly\s+)?"
        r"(?:tell|say|find|determine|see|know|confirm|verify|give)\s",
    )
)
_POSSIBLE = Caseless(
    r"\b(?:not|no|nothing|none|neither|never|lacks?|unclear|unknown|silent|omits?|fails?|insufficient|cannot"
    r"|leaves?|unable)\b|n['’]t\b"
)
_LONGEST = 400


def speaks_of_absence(sentence: str) -> bool:
    """Whether the sentence says that something is not told.

    "The documents do not mention the price" does. That something does not exist or did not happen ("The hotel
    has no pool", "He was not paid") is an ordinary claim.
    """
    if len(sentence) > _LONGEST or _POSSIBLE.search(sentence) is None:
        return False
    return any(pattern.search(sentence) for pattern in _LACKING)
