"""Which stretches of a sentence are phrases or clauses that can be missed."""

from __future__ import annotations

import re

from ....text.verb_forms import BASES, PASTS, THIRDS
from ..claims.grammar import finite_verb
from .denials import DENIES
from .remainders import SUBORDINATE, may_be_verb

NARROWED = re.compile(
    rf"\b(?:only|any|few|fewer|less|least|most|unless|until|before|if|than|lacks?|lacked)\b|{DENIES}|\w{{2}}est\b",
    re.IGNORECASE,
)
"""Words beside which a claim without one of its phrases may say more than with it."""
MODAL = ("can", "could", "may", "might", "must", "shall", "should", "will", "would")
_INNER = re.compile(
    r",|;|\b(?:and|but|or|because|since|which|who|whereas|while|where|when|if|unless|although|though)\b"
)
_RELATIVE = re.compile(
    r"(?:which|who|whose|where)\b|(?:[a-z]+\s){0,3}(?:of|in|on|at|by|for|from|to|with)\s(?:which|whom|whose)\b"
)
"""What a relative clause begins with: "who", "in which", "most of whom"."""
_CLAUSE = re.compile(
    r"[–—(]|(?:and|but|so|because|since|as|after|before|when|while|whereas|although|though|which|who|where)\b"
)
_CONDITION = re.compile(
    r"(?:if|unless|provided|when|until|only|except|as\s+long\s+as|without|within|before|after|from(?!\s+(?:the|an?|its|their)\b)|up\s+to"
    r"|at\s+(?:least|most))\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"(?:after|before|when|within|from|until)\b")
_VERB_LAST = re.compile(r"\b(?:put|set|made|took|taken|given|kept|held|left|brought|sent|came|went|\w{2,}ed)$")
_COMPLEMENT = re.compile(r"(?:on|in|of|at|from|about)\s+\w+ing\b")
"""What completes a verb: "went on rejecting it"."""
_SHARED_HEAD = re.compile(r"(?:and|or)\b")
"""What goes on with things that belong to the stretch: "because of cracks in the swings" and "the slide"."""
_LAST_ITEMS = re.compile(r"(?!and\b|or\b)[^,;]{1,60}\b(?:and|or)\s[^,;]*$")
_ITEM_LAST = re.compile(r",\s[^,;]{1,40}$")
"""The last two items of a list, and what stands before them: no list ends without its "and"."""
_NEEDED = re.compile(r"(?:for|of|to|with|as|into)\b")
"""What a verb needs that stands right before it: "asks for"."""
_TAKES_MORE = THIRDS | PASTS | BASES
_MAY_LAST = re.compile(rf"\b(?:{'|'.join(MODAL)})\s+(?:not\s+)?[a-z]+$")
"""A verb that may need what follows: "travellers may bring"."""
_PASSIVE_LAST = re.compile(r"\b(?:is|are)\s+\w+$")
"""What says nothing without who does it: "is run by"."""
_SAID_OF = re.compile(
    r"\w+ed\b|(?:is|are|was|were|has|have|had)\b"
    r"|(?!(?:and|but|which|who|whose|where)\b)\w+\s+(?:the|its|his|her|their)\b"
)
"""What may be said of the words before a comma, by a verb that is not known."""
_ATTACHED = re.compile(r"(?:that|which|who|whose|where|of|than|as\s+(?:well|much|many|long|soon|far)\s+as)\b")
INSIDE = re.compile(r"\s(?:that|which|who|whose|where)\s")
_DONE = re.compile(r"\b(?:do|does|did|doing|done)$")
_COMPARING = re.compile(r"\bas\s+\w+$|\b(?:such|same)\b[^,;]*$")
_GOES_ON = re.compile(r"[,;–—]|(?:and|or|but|so|while|whereas)\b")
_LOOSE = re.compile(
    r"\b(?:up|out|of|to|as|in|on|at|by|for|from|with|the|an?|than|about|under|over|into|onto|between|per|without|until|shortly|immediately"
    r"|as\s+(?:well|much|many|long|soon|far))$"
)


def is_phrase(said: str, start: int, stop: int, end: int, *, marked: bool = False) -> bool:
    """Whether a stretch is a clause or a phrase of its own, and no condition, without which more would be claimed.

    One that is `marked` as it stands may have commas inside.
    """
    before, inner, following = said[:start], said[start:stop].lstrip(" ,;"), said[stop:].lstrip()
    verb_before, verb_inside = finite_verb(before), finite_verb(inner)
    set_off, last = said[start] in ",;", stop == end
    aside = said[start] == "," and inner.startswith("when ")
    if _COMPLEMENT.match(inner) and not set_off:
        return False
    shared = not last and _SHARED_HEAD.match(following) and finite_verb(following) is None
    if shared and not set_off and not marked:
        return False
    if said[start] == "," and last and _LAST_ITEMS.match(inner) and _ITEM_LAST.search(before):
        return False
    if not set_off and _NEEDED.match(inner) and (before.split() or [""])[-1] in _TAKES_MORE:
        return False
    if last and _MAY_LAST.search(before):
        return False
    relative = SUBORDINATE.search(said)
    if last and relative is not None and relative.start() < start and not set_off:
        own = _CLAUSE.match(inner) is None or _SHARED_HEAD.match(inner) is not None
        if own and finite_verb(said[: relative.start()]) is None and not _verbs_between(said, relative.end(), start):
            return False  # the verb of the sentence would go: "runners who came / follow the balloon"
    if inner.startswith("by ") and _PASSIVE_LAST.search(before):
        return False
    if said[start] == "," and last and _SAID_OF.match(inner) and verb_before is None:
        return False
    if (
        (_CONDITION.match(inner) and not aside and not _tells_when(said, start, stop))
        or inner.startswith("that ")
        or (inner.startswith("to ") and not set_off)
    ):
        return False
    if not last and (
        _ATTACHED.match(following)
        or _RELATIVE.match(following.lstrip(", "))
        or (INSIDE.search(inner) and not _GOES_ON.match(following))
    ):
        return False
    if _COMPARING.search(before.rstrip()) and inner.startswith("as "):
        return False
    if not set_off and _CLAUSE.match(inner) is None and finite_verb(said) is None and may_be_verb(inner):
        return False
    between = said[start] == "," and following[:1] == ","
    if _RELATIVE.match(inner) and verb_inside is None and not between:
        return False
    if not start:  # what followed from it does not stand alone
        return _GOES_ON.match(following) is not None and not following.lstrip(", ").startswith("so ")
    if _LOOSE.search(before.rstrip()) or _LOOSE.search(inner):
        return False
    if inner.startswith("so ") and _DONE.search(before):
        return False
    own = set_off or _CLAUSE.match(inner) is not None
    if between and (marked or (_RELATIVE.match(inner) and "," not in inner)):
        return True
    if marked and _GOES_ON.match(following) and verb_inside is None and verb_before is not None:
        return True
    if not last and (_VERB_LAST.search(before) or (verb_inside and verb_before is None)):
        return own and between and not verb_inside
    if not last and own:
        return ("," not in inner or _RELATIVE.match(inner) is not None) and _GOES_ON.match(following) is not None
    return own or (_INNER.search(inner) is None and verb_inside is None)


def _verbs_between(said: str, start: int, stop: int) -> bool:
    """Whether a clause inside a sentence and the sentence itself both have their verb before a place."""
    first = finite_verb(said[:stop], start)
    return first is not None and finite_verb(said[:stop], first.end) is not None


def _tells_when(said: str, start: int, stop: int) -> bool:
    """Whether a stretch tells when or how something happened, once: without it, less is claimed."""
    verb = finite_verb(said)
    if verb is None or not (verb.text in PASTS or verb.text in ("was", "were", "had")):
        return False
    inner = said[start:stop].lstrip(" ,;")
    return _WHEN.match(inner) is not None and NARROWED.search(said[:start] + said[stop:]) is None


def is_set_in(said: str, start: int, stop: int) -> bool:
    """Whether a stretch between commas stands between a subject and its verb, so that both commas go.

    One goes where the subject has another comma: "Ludo, a moray, which is an eel, eats".
    """
    if said[start] != "," or said[stop : stop + 1] != "," or "," in said[:start]:
        return False
    return _RELATIVE.match(said[start:].lstrip(" ,")) is not None or finite_verb(said[:start]) is None
