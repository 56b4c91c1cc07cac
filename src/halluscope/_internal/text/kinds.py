"""What a sentence of an output is for: a claim, or one of the things people say around claims."""

from __future__ import annotations

import re
from typing import Literal

from .caseless import Caseless
from .sentences import sentences

SentenceKind = Literal[
    "claim", "question", "greeting", "thanks", "refusal", "offer", "lead_in", "heading", "code", "empty"
]

_SOURCE = (
    r"(?:the|this|these|that|your|any|all|both|either|provided|given|above|supplied|retrieved|available"
    r"|following|source|original)\s+"
    r"(?:(?:provided|given|above|supplied|retrieved|available|following|source|original|\w+)\s+){0,2}?"
    r"(?:context|passages?|texts?|documents?|information|articles?|excerpts?|snippets?|sources?|materials?"
    r"|data|content|reviews?|references?|search\s+results?|tool\s+results?|json|table|answer)"
)
_LACKS = (
    r"(?:(?:does|do|did)\s*(?:not|n['’]t)\s+(?:\w+ly\s+)?(?:say|mention|contain|specify|state|provide|include"
    r"|give|tell|discuss|address|offer|cover|indicate"
    r"|reveal|explain|describe|list|clarify|answer|have|directly|elaborate|supply|note|define|detail|refer"
    r"|disclose|go\s+into)"
    r"|(?:is|are|was|were)\s*(?:not|n['’]t)\s+(?:\w+ly\s+)?(?:mentioned|given|provided|stated|specified"
    r"|available|included|clear|enough|sufficient|discussed|indicated)"
    r"|(?:lacks?|makes?\s+no\s+mention|contains?\s+no|provides?\s+no|gives?\s+no|has\s+no|have\s+no"
    r"|offers?\s+no|includes?\s+no|says?\s+nothing|fails?\s+to\s+(?:mention|provide|specify)))"
)
_REFUSAL = re.compile(
    rf"""^\W*(?:(?:well|unfortunately|sorry|however|but|i['’]m\s+sorry|my\s+apologies|i\s+apologi[sz]e
        |based\s+on[^,]*|from[^,]*|according\s+to[^,]*|as\s+(?:such|an\s+ai[^,]*)|therefore|thus|since[^,]*
        |while[^,]*)[\s,.:;]+(?:but\s+|that\s+)?){{0,3}}(?:
      (?:(?:i(?:['’]?m|\ am)|we(?:['’]re|\ are))\s+)?(?:(?:very|so|really)\s+)?(?:sorry|afraid)\b(?=\W*$|[,.!]
        |\s+(?:but|i|we|for|about|that|to)\b)(?!.*\bto\s+hear\b)
    | (?:i|we|one|you)\s+(?:really\s+|simply\s+|just\s+)?(?:do\s+not|don['’]?t|cannot|can\s+not|can['’]?t
        |could\s+not|couldn['’]?t|am\s+unable\s+to|won['’]?t)\s+(?:\w+ly\s+)?
        (?:know|say|tell|answer|find|determine|help|provide|assist|have\s+(?:enough|any|access|the|that|this
        |sufficient|information)|give|confirm|verify|see|comply|respond|be\s+(?:sure|certain|determined
        |answered|found))\b
    | (?:i(?:['’]m|\ am)|we(?:['’]re|\ are))\s+(?:unable|not\s+able|not\s+sure|unsure|not\s+certain|not\s+aware)\b
    | (?:unable|not\s+able|impossible)\s+to\s+(?:answer|determine|say|tell|find|provide)\b
    | (?:there\s+(?:is|are|was|were)\s+(?:no|not\s+(?:enough|sufficient|any)|insufficient
        |nothing)\s+(?:\w+\s+){{0,3}}?(?:information|context|mention|details?|data|answer|evidence|indication
        |specifics?|reference|passages?|in\s+the\s+(?:context|passages?|text))\b)
    | (?:no|not\s+enough|insufficient)\s+(?:\w+\s+)?(?:information|context|answer|mention|data
        |details?)\b(?!\s+(?:loss|centre|center|breach))
    | (?:unknown|n/?a|not\s+(?:available|mentioned|specified|provided|stated|given|known|enough\s+information)
        |no\s+(?:answer|idea)|none\s+(?:given|stated|mentioned))\W*$
    | {_SOURCE}\s+(?:(?:provided|given|above|here|itself|alone|you\s+(?:provided|gave)|only|also|,)\s+)*{_LACKS}
    | (?:it\s+is|it['’]s)\s+(?:not\s+(?:possible|clear|stated|mentioned|specified)|unclear
        |impossible)\b.*\b(?:context|passages?|texts?|documents?|information\s+(?:given|provided)|provided)\b
    | (?:it\s+is|it['’]s)\s+(?:not\s+possible|impossible)\s+to\s+(?:say|tell|determine|answer|know)\b
    | (?:this|that|the\s+(?:answer|question)|which|the\s+(?:exact|specific)\s+[\w\s]{{1,30}}?)\s+(?:is|was|are
        |can|could)\s*(?:not|n['’]t)\s+(?:be\s+)?(?:\w+ly\s+)?(?:mentioned|stated|answered|determined|specified
        |provided|given|in\s+the\s+(?:context|text|passages?))
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_TITLE = re.compile(r"\s*[\"“«][^\"“”»]{1,80}[\"”»],?\s+\w")
"""A title in front of a statement: the song “Sorry, I Can't” declines nothing."""
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|hiya|greetings|welcome|good\s+(?:morning|afternoon|evening|day)"
    r"|dear\s+[\w\s.]{1,40},?|nice\s+to\s+meet\s+you|good\s?bye|bye"
    r"|best(?:\s+(?:wishes|regards))?|kind\s+regards|sincerely|cheers|take\s+care|have\s+a\s+(?:great|nice"
    r"|good|lovely)\s+\w+)"
    r"(?:\s+(?:there|everyone|all|again|back|to\s+\w+|[A-Z]\w+))?\W*$",
    re.IGNORECASE,
)
_ASSENT = re.compile(
    r"^\W*(?:sure|certainly|of\s+course|absolutely|great(?:\s+(?:question|choice|idea|point))?"
    r"|good\s+(?:question|point)|that['’]s\s+a\s+(?:great|good)\s+question"
    r"|ok(?:ay)?|got\s+it|understood|no\s+problem|right|alright|i['’]?d\s+be\s+happy\s+to(?:\s+\w+){0,3}"
    r"|i['’]m\s+happy\s+to\s+help|happy\s+to\s+help|here\s+you\s+go|here\s+it\s+is)\W*$",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^\W*(?:many\s+|no,?\s+)?(?:thanks?\b|thank\s+you\b|you(?:['’]re|\s+are)\s+(?:very\s+)?welcome"
    r"|my\s+pleasure|much\s+appreciated|i\s+appreciate\s+(?:it|your))",
    re.IGNORECASE,
)
_OFFER = Caseless(
    r"\b(?:let\s+me\s+know\s+(?:if|whether|when|how|what)|feel\s+free\s+to|(?:do\s+not"
    r"|don['’]t)\s+hesitate\s+to|(?:please\s+)?(?:ask|contact\s+me|reach\s+out)\s+if\s+you"
    r"|i(?:['’]?ll|\s+will|\s+would|['’]d)\s+be\s+(?:happy|glad|able)\s+to|i(?:['’]m|\s+am)\s+(?:happy|here"
    r"|glad)\s+to\s+(?:help|assist|answer)|happy\s+to\s+help"
    r"|i\s+hope\s+(?:this|that|these|it)\s+(?:helps?|answers?|clarif|was|is|information)|hope\s+(?:this|that"
    r"|it)\s+helps?"
    r"|if\s+you\s+(?:have|need|want|would\s+like|['’]d\s+like)\s+(?:any\s+|more\s+|further\s+|other\s+"
    r"|to\s+know\s+more|additional\s+)+(?:\w+\s+)?(?:questions?|help|information|details?|assistance)?"
    r"|is\s+there\s+anything\s+else|how\s+(?:can|may)\s+i\s+help|would\s+you\s+like\s+me\s+to|just\s+ask\b"
    r"|please\s+(?:provide|share|specify|clarify)\s+(?:more|the|a|your|some|additional))"
)
_LEAD_IN = re.compile(
    r"^\W*(?:(?:sure|certainly|of\s+course|ok(?:ay)?|great)[,.!:]?\s+)?(?:(?:here(?:['’]s|\s+(?:is|are))"
    r"|below\s+(?:is|are)|(?:the\s+)?following\s+(?:is|are))\b.*|"
    r"(?:the\s+)?(?:summary|answer|overview|tl;?dr|key\s+points?|main\s+points?|in\s+summary|to\s+summari[sz]e"
    r"|in\s+conclusion|in\s+short|note|notes|steps?|sources?|references?|output|response|result|claims?"
    r"|details)\b"
    r"(?:\s+(?:of|for|to)\s+[^:]{1,80}(?=:))?)\s*[:.…-]*\W*$",
    re.IGNORECASE | re.DOTALL,
)
_LET_ME = re.compile(
    r"^\W*(?:let\s+me\s+(?:explain|summari[sz]e|break|walk|see|check|think|help)|let['’]s\s+(?:look|see|break"
    r"|start|begin|dive|explore)|i(?:['’]ll|\s+will)\s+(?:explain|summari[sz]e|answer|now|try|provide|help))\b",
    re.IGNORECASE,
)
_BASED_ON = re.compile(
    r"^\W*(?:based\s+on|according\s+to|from|as\s+per|given)\s+(?:the|these|this"
    r"|your)\s+(?:\w+\s+){0,3}(?:context|passages?|texts?|documents?|information|articles?|sources?|data"
    r"|reviews?|results?)(?:\s+\w+){0,2},?:\W*$",
    re.IGNORECASE,
)
_COLON_END = re.compile(r":[\s*_]*$")


def classify(sentence: str) -> SentenceKind:
    """What the sentence is for. Anything that is not plainly something else is a claim."""
    text = sentence.strip()
    if text.startswith(("```", "~~~")):
        return "code"
    if not any(char.isalnum() for char in text):
        return "empty"
    if _is_question(text):
        return "offer" if _OFFER.search(text) else "question"
    if _GREETING.match(text) or _ASSENT.match(text):
        return "greeting"
    if _THANKS.match(text):
        return "thanks"
    if _OFFER.search(text):
        return "offer"
    if len(text) < 600 and _REFUSAL.match(text) and not _TITLE.match(text):
        return "refusal"
    if _LET_ME.match(text) or _BASED_ON.match(text):
        return "lead_in"
    if len(text) < 240 and _LEAD_IN.match(text) and (_COLON_END.search(text) or len(text.split()) <= 12):
        return "lead_in"
    return "claim"


def _is_question(text: str) -> bool:
    bare = text.rstrip("\"'”’)*_ ")
    return bare.endswith("?") and (len(bare) > 1)


def is_refusal(output: str) -> bool:
    """Whether the output declines to answer and states nothing else."""
    kinds = [classify(span.of(output)) for span in sentences(output)]
    return "refusal" in kinds and "claim" not in kinds
