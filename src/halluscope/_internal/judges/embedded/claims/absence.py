"""Statements that something is not there: "The documents do not mention the price", "No delivery charge is given".

True, such a statement is an abstention and no claim; false, it is wrong. Which it is, the context decides:
here is only said that a sentence speaks of absence.
"""

from __future__ import annotations

import re

from ....text.caseless import Caseless

_SOME = (
    r"(?:(?:the|this|these|that|those|your|our|any|all|both|either|neither|none\s+of\s+the|no|its|their)\s+)?"
    r"(?:[\w'’-]+\s+){0,4}?"
)
_CONTEXT = (
    rf"{_SOME}(?:context|passages?|texts?|documents?|documentation|information|articles?|excerpts?|snippets?|sources?"
    r"|materials?|data|references?|results?|json|records?|database)"
)
"""What can only be read: all that it "has" is what it tells."""
_READ = (
    r"(?:reviews?|tables?|notes?|reports?|pages?|policy|manual|leaflet|guide|letter|e-?mail|message|minutes|contract"
    r"|agreement|handbook|release|notice|study|paper|newspaper|summary|files?|listing|sheet|brochure|transcript|thread"
    r"|ticket|logs?|statement|terms|website|site|list|entry|entries|schedule|chart|form|obituary|interview|piece"
    r"|history|blog|post|almanac|catalogue|catalog|programme|announcement|column|feature|timeline|cards?|register"
    r"|reservation|notebook|changelog|bulletin|memo|invoice|receipt|label|recipe|survey|profile|biography|story"
    r"|description|advert|advertisement|newsletter|warranty|conditions|instructions|rules|corrections|answers?"
    r"|q&a|faq|spec|specification|data\s*sheet|agenda|diary|lease|chat|account|chronicle|book|chapter|author|writer"
    r"|gazette|herald|courier|blogger|reviewer)"
)
_PAPER = rf"(?:{_CONTEXT}|{_SOME}{_READ}|it|they|nothing)"
_TELL = (
    r"(?:say|mention|specify|state|give|tell|discuss|indicate|reveal|explain|describe|list|clarify|elaborate\s+on|note"
    r"|define|detail|refer\s+to|disclose|go\s+into|name|record|set\s+out|identify|quote|speak\s+of|touch\s+on"
    r"|make\s+clear|spell\s+out|report|address|quantify|account\s+for|pass\s+on|divulge|let\s+(?:on|slip)|bring\s+up)"
)
_HOLD = r"(?:contain|provide|include|offer|cover|answer|have|supply|show|hold)"
# "Breakfast is not included" and "Red is not available" are about the thing and not about what is told of it.
_SAID = (
    r"(?:mentioned|given|provided|stated|specified|discussed|indicated|listed|named|recorded|described|disclosed"
    r"|explained|addressed|set\s+out|quoted|detailed|known|clear|identified|said|reported|supplied|spelled\s+out"
    r"|revealed|noted|laid\s+(?:down|out)|documented|set\s+down|made\s+known|touched\s+(?:up)?on)"
)
_GIVEN = r"(?:context|documents?|passages?|texts?|sources?|information|material|excerpts?)"
_OF_IT = r"(?:the|this|these|any|your|either)\s+(?:\w+\s+)?"
_TOLD = (
    rf"(?:(?:included|available|covered|found|shown)\s+(?:in|by|from)\s+{_OF_IT}{_GIVEN}"
    r"|(?:found|published|dealt\s+with|told|read|gathered|learn(?:ed|t)|determined|made\s+out)\s+(?:anywhere\s+)?"
    rf"(?:in|on|from)\s+{_OF_IT}(?:{_GIVEN}|{_READ}))"
)
_UNTOLD = r"un(?:said|stated|specified|mentioned|reported|addressed|answered|quantified|described|explained|disclosed)"
_ABOUT = r"(?:about|on|of|regarding|concerning)"
_ASKED = (
    r"(?:who|whom|whose|what|when|where|why|which|how|whether|if|(?:in|on|at|by|to|from|for)\s+(?:what|which|whom))\b"
)
_WHAT = (
    rf"(?:^|[;:.]\s+)(?:(?:and|but|as\s+for|as\s+to)\s+)?(?!if\b|what['’]s\s+more)(?:(?:by|against|with)\s+)?{_ASKED}"
)
_BEGINS = r"(?:^|[,;:.]\s+)(?:(?:and|but|while|although|though|so|as|since|because)\s+)?"
_NEWS = r"(?:information|mention|details?|data|indication|reference|word|record|figures?|explanation)"
_FACTS = rf"(?:{_NEWS}|statement|reason|entry|estimate|clue|answer|numbers?|cause|amount)"
_THERE_IS = r"\bthere\s*(?:is|are|was|['’]s)"
_NOT = r"(?:\s*n['’]t|\s+not)\s+(?:\w+ly\s+|actually\s+|yet\s+|even\s+)?"
_LACKING = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # The leaflet does not give a price. The documents do not contain a price. It doesn't say.
        rf"\b{_PAPER}\s+(?:(?:does|do|did){_NOT}|(?:can)?not\s+)(?:{_TELL}\s|(?:say|tell|specify|explain|state)\W*$)",
        rf"\b{_CONTEXT}\s+(?:(?:does|do|did){_NOT}|(?:can)?not\s+){_HOLD}\s",
        # Whoever it is that does not say who, when or how: "Section 3 does not specify how long".
        rf"(?<!\bhe )(?<!\bshe )(?<!\bwho )\b(?:does|do){_NOT}(?:say|mention|specify|state|tell|indicate|reveal|record"
        rf"|show|explain|disclose|make\s+clear)\s+{_ASKED}",
        rf"\bneither\b[^.;]{{2,60}}?\bnor\b[^.;]{{2,40}}?\s{_TELL}s?\s+{_ASKED}",
        # The leaflet gives no price; it says nothing about the price.
        rf"\b{_PAPER}\s+(?:makes?\s+no\s+mention\s+of|(?:mentions?|lists?|names?|states?|gives?|specif(?:y|ies)|bears?)"
        rf"\s+(?:no|nothing\s+{_ABOUT})|(?:says?|shows?|tells?|has|have|contains?)\s+nothing\s+{_ABOUT}"
        rf"|(?:is|are|was|were)\s+silent\s+(?:about|on)|(?:contains?|offers?|provides?|has|have)\s+no\s+{_FACTS}"
        rf"|(?:suppl(?:y|ies)|puts?)\s+no\s+{_FACTS}|sheds?\s+no\s+light|never\s+(?:says?|mentions?|tells?|states?)\s+{_ASKED}"
        rf"|fails?\s+to\s+{_TELL}|leaves?\s+(?:it\s+)?open|leaves?\s+out\s+{_ASKED}|omits?)\b",
        rf"\b(?:{_CONTEXT}|{_SOME}{_READ})\s+(?:(?:is|are)\s+mute\s+on|pass(?:es)?\s+over)\s",
        rf"\b(?:{_CONTEXT}|{_SOME}tables?)\s+(?:lacks?|(?:contains?|provides?|has|have|offers?|includes?|holds?|shows?)"
        rf"\s+(?:no|nothing\s+{_ABOUT}))\s",
        rf"\bsilent\s+(?:about|on)\s+{_ASKED}",
        # None of the documents mentions a price; nothing is said about the price; I found nothing about it.
        rf"\b(?:none|neither)\s+of\s+[\w\s'’-]{{2,40}}?\s+{_TELL}s?\s",
        rf"\bnothing\s+(?:in\s+[\w\s'’-]{{2,40}}?\s+)?(?:(?:is|was|has\s+been|can\s+be|could\s+be)\s+(?:said|stated"
        rf"|mentioned|given|written|known|noted|reported|found|learn(?:ed|t)|told)"
        rf"|(?:says?|indicates?|explains?|tells?|states?|shows?|reveals?))\s+(?:from\s+the\s+\w+\s+)?(?:{_ABOUT}\s|{_ASKED})",
        rf"(?:{_THERE_IS}|\b(?:finds?|found|sees?|saw|have|contains?))\s+nothing\s+(?:in\s+[\w\s'’-]{{2,40}}?\s+)?"
        r"(?:about|on|regarding|concerning)\s",
        # There is no information about the price; there's no price in the leaflet.
        rf"(?:\b(?:no|not\s+(?:any|enough)|insufficient)|n['’]t\s+have\s+any)\s+(?:\w+\s+)?{_NEWS}\s+"
        r"(?:(?:is|are|can\s+be)\s+(?:given|provided|made|offered|found)\s+|available\s+)?"
        r"(?:about|on|of|regarding|concerning|to|for|as\s+to|in\s+\w+\s+\w+\s+(?:about|on|of))\s",
        rf"{_THERE_IS}\s+no\s+{_FACTS}\s+(?:about|on|of|for|as\s+to)\s",
        rf"{_THERE_IS}\s+no\s+[\w'’ -]{{2,60}}?\s+in\s+(?:the|this|these)\s+(?:\w+\s+)?(?:{_GIVEN}|{_READ})\b",
        # It is unclear who paid. It isn't said who paid. It is impossible to say who paid. We are not told who paid.
        r"(?:\b(?:unclear|unknown|left\s+open|impossible\s+to\s+(?:say|tell|know)"
        r"|not\s+(?:clear|known|stated|specified|mentioned|said|told|revealed)|not\s+learn)"
        r"|n['’]t\s+(?:clear|known|stated|said|told|learn))\s+(?:from\s+[\w'’ &-]{2,30}?\s+)?"
        rf"{_ASKED}",
        # Who paid is left open. How large it is cannot be told. What it cost, the page doesn't let on.
        rf"{_WHAT}[^.;,]{{2,120}}?\s(?:(?:is|are|remains?|stays?)\s+(?:something\s+[\w\s'’]{{2,30}}?\s+)?"
        rf"(?:left\s+(?:open|out|{_UNTOLD})|leaves?\s+open|open|unclear|unknown|{_UNTOLD}|impossible\s+to|nowhere\s+\w+ed)"
        rf"|(?:(?:is|are|was|were|ca(?=n['’]t)|can|could){_NOT}|cannot\s+)(?:be\s+)?(?:{_SAID}|shown|told|found|read|seen|made\s+out|deduced"
        r"|worked\s+out|gleaned|gathered|determined|established|inferred|apparent|among\s+the|part\s+of\s+the)\b)",
        rf"{_WHAT}[^.;]{{2,120}}?\s(?:does|do){_NOT}(?:{_TELL}|{_HOLD}|find\s+out|come\s+(?:out|across)|emerge"
        r"|become\s+clear)\W*$",
        rf"\b(?:is|are|was|were|left|remains?|stays?)\s+(?:left\s+)?(?:{_UNTOLD})\b(?:\W*$|\s+{_ASKED})",
        rf"\bnowhere\s+(?:{_SAID}|found)\b",
        r"\bno\s+(?:way\s+(?:to|of)\s+(?:know|tell|say)|(?:know|tell|say))ing\b|\bno\s+way\s+to\s+(?:know|tell|say)\b",
        rf"\b(?:is|are){_NOT}(?:among|part\s+of|a\s+subject\s+of)\s+(?:the|these)\s+(?:\w+\s+)?"
        rf"(?:{_GIVEN}|{_READ}|facts|figures|results|things)\b",
        # The price is not mentioned. A price for delivery can't be given. The price does not appear in the list.
        rf"{_BEGINS}[\w'’$€£%& -]{{2,120}}?(?:\s+(?:is|are|was|were){_NOT}|\s+(?:has|have){_NOT}been\s+"
        rf"|\s+(?:ca(?=n['’]t)|can|could){_NOT}be\s+|\s+cannot\s+be\s+)(?:\w+ly\s+)?(?:{_SAID}|{_TOLD})\b",
        rf"\b(?:does|do){_NOT}(?:appear|feature|figure)\s+(?:anywhere\s+)?(?:in|on)\s+(?:the|this|these)\s+",
        # No price is given. No price given.
        rf"\bno\s+[\w'’ -]{{2,80}}?\s+(?:(?:is|are|was|were|has\s+been|have\s+been)\s+)?{_SAID}\b",
        # Delivery not mentioned. Price: not stated. One thing missing from the page is the price.
        rf"{_BEGINS}[\w'’ -]{{2,80}}?\s*:?\s+(?:not|never)\s+{_SAID}\b(?=\W*$|\s+(?:in|by|here|anywhere))",
        rf"\bthing\s+(?:missing|absent)\s+from\s+{_OF_IT}(?:{_GIVEN}|{_READ})\b",
        # I cannot tell the price.
        r"\b(?:i|we|one|you)\s+(?:can(?:not|['’]t)|could\s*n['’]t|could\s+not|do\s*n['’]t|do\s+not|does\s+not"
        r"|am\s+unable\s+to|are\s+unable\s+to)\s+(?:\w+ly\s+)?"
        r"(?:tell|say|find|determine|see|know|confirm|verify|give|learn|find\s+out)\s",
        r"\b(?:i|we|one|you|readers?)\s+(?:find|see|get)s?\s+no\s+(?:\w+\s+)?(?:explanation|information|mention|details?"
        r"|date|price|figure|name|reason\s+(?:for|why))\b",
    )
)
_POSSIBLE = Caseless(
    r"\b(?:not|no|nothing|none|neither|never|lacks?|unclear|unknown|silent|omits?|fails?|insufficient|cannot"
    r"|leaves?|left|unable|missing|absent|impossible|nowhere|mute|pass(?:es)?|un\w+)\b|n['’]t\b"
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
