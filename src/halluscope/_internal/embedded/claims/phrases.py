"""Statements that share a verb: "has 16 GB of RAM and a 256 GB SSD", "was founded in 1995 by John Smith"."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...text.caseless import Caseless
from ...text.verb_forms import BE
from .verbs import finite_verb, is_participle


class Stated(NamedTuple):
    """The words of a statement, and the stretch of the text around it (sentence, clause or output) that is its own."""

    text: str
    start: int
    end: int


def phrases(clause: str) -> list[Stated] | None:
    """The clause as statements that share its subject and verb; None when it is one."""
    if ";" in clause or _TOGETHER.search(clause):
        return None
    return _objects(clause) or _agent(clause) or _places(clause)


# What is said of the things together cannot be said of each.
_TOGETHER = Caseless(
    r"\b(?:respectively|between|both|either|neither|each|together|combined|in\s+total|altogether|from\s+\S+\s+to|mix"
    r"|mixture|combination|blend|sum|difference|choice|compar\w+|ratio|versus|vs|relationship|link|average|mean|cross"
    r"|balance|pair|couple|merge\w*|combine\w*|separat\w+|divid\w+|distinguish\w*|marri\w+|marry|exchang\w+|swap\w*"
    r"|alternat\w+|respective|or|if|that|whether|than|only|just|solely|exclusively|nothing|not|n['’]t|never|without|per"
    r"|every|same|equal\w*|difference\w*)\b"
)
_NUMBER = (
    r"(?:[$€£]\s?)?\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty)\b"
)
_ABOUT = (
    r"(?:(?:about|around|roughly|nearly|almost|over|under|at\s+least|up\s+to|another|a\s+further|a\s+total\s+of"
    r"|more\s+than|less\s+than|some|approximately|an?\s+additional)\s+)?"
)
_COUNTED = re.compile(rf"{_ABOUT}(?:{_NUMBER})")
_DETERMINED = re.compile(
    r"(?:an?|the|its|his|her|their)\s+(?!half\b|quarter\b|third\b|few\b|little\b|bit\b|lot\b|while\b|day\b|year\b)"
)
_ARTICLE = re.compile(r"an?\s")
_JOINT = re.compile(r",?\s+(?:and|plus)\s+(?:also\s+)?|,?\s+as\s+well\s+as\s+|,\s+")
_AFTER_VERB = re.compile(r"\s+(?:(?:also|now|only|still|already)\s+)?(?:with\s+)?")
# A phrase that these begin may take the next noun along: "to a man and a woman".
_ATTACHED = re.compile(
    r"\b(of|in|to|with|for|from|by|on|at|into|about|against|under|over|near)\s+(?:an?|the|its|his|her|their|[A-Z]|\d)"
)
_PREPOSITION = re.compile(r"\s(for|in|on|at|to|from|with|by|of)\s")
_MEASURE = re.compile(
    r"(?:hours?|minutes?|mins?|seconds?|secs?|days?|weeks?|months?|years?|feet|foot|inch(?:es)?|yards?|miles?|pounds?"
    r"|ounces?|lbs?|oz|stones?|dollars?|cents?|euros?|pence|h|m|s|half|halves|thirds?|quarters?|metres?|centimetres?|kg"
    r"|g|degrees?|million|thousand|hundred)\b"
)


def _objects(clause: str) -> list[Stated] | None:
    """ "has 16 GB of RAM and a 256 GB SSD" says two things of what it has."""
    verb = finite_verb(clause)
    gap = _AFTER_VERB.match(clause, verb.end) if verb else None
    if verb is None or gap is None or (verb.text in BE and not _ARTICLE.match(clause, gap.end())):
        return None
    begin = gap.end()
    cuts = _cuts(clause, begin, list(_JOINT.finditer(clause, begin)))
    if not cuts:
        return None
    made = [Stated(clause[: cuts[0].start()], 0, cuts[0].start())]
    ends = [joint.start() for joint in cuts[1:]] + [len(clause)]
    made += [Stated(clause[:begin] + clause[j.end() : end], j.end(), end) for j, end in zip(cuts, ends, strict=True)]
    return made


def _kind(clause: str, place: int) -> str | None:
    if _COUNTED.match(clause, place):
        return "counted"
    return "determined" if _DETERMINED.match(clause, place) else None


def _cuts(clause: str, begin: int, joints: list[re.Match[str]]) -> list[re.Match[str]]:
    """The joints at which a noun phrase of its own begins, if the last of all and of these is one with "and"."""
    if not joints or joints[-1].group() == ", ":
        return []
    cuts: list[re.Match[str]] = []
    left = begin
    for number, joint in enumerate(joints):
        end = joints[number + 1].start() if number + 1 < len(joints) else len(clause)
        if joint.group() == ", " and not all(_kind(clause, later.end()) for later in joints[number:]):
            continue
        if not _stands(clause[left : joint.start()], clause[joint.end() : end], clause[joint.end() :]):
            continue
        cuts.append(joint)
        left = joint.end()
    return cuts if cuts and cuts[-1].group() != ", " else []


def _stands(left: str, right: str, rest: str) -> bool:
    kinds = _kind(left, 0), _kind(right, 0)
    if None in kinds or finite_verb(rest) is not None:
        return False
    words = re.findall(r"[^\W\d_]{2,}", left)
    if not words or len(right.split()) < 2:
        return False
    if kinds == ("counted", "counted") and _MEASURE.match(words[0]) and _MEASURE.search(right):
        # "2 hours and 30 minutes" is one measure; "2 hours for boys and 3 hours for girls" are two.
        return _alike(left, right)
    if any(tie[1] != "of" or kinds[0] != "counted" for tie in _ATTACHED.finditer(left)):
        return _alike(left, right)
    return True


def _alike(left: str, right: str) -> bool:
    """Whether both go on with the same preposition, which ties what follows to each of them."""
    first, second = _PREPOSITION.search(left), _PREPOSITION.search(right)
    return first is not None and second is not None and first[1] == second[1] != "of"


_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_TIME = (
    rf"(?:in|on)\s+(?:(?:early|late|mid)[\s-])?(?:\d{{1,2}}\s+)?(?:{_MONTH}\s+)?(?:\d{{1,2}},?\s+)?(?:1\d{{3}}"
    rf"|20\d\d)\b"
)
_BY = r"by\s+(?!\d|the\s+(?:end|time)\b|\w+ing\b)"
_TIME_AGENT = re.compile(rf"(?P<one>{_TIME})\s+(?P<two>{_BY}[^,;:()]+)")
_AGENT_TIME = re.compile(rf"(?P<one>{_BY}[^,;:()]{{2,60}}?)\s+(?P<two>{_TIME}[^,;:()]*)")
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|be)\s+(?:\w+ly\s+|also\s+|first\s+)?([\w-]+)\s+")


def _agent(clause: str) -> list[Stated] | None:
    """ "was founded in 1995 by John Smith" says when, and by whom."""
    for passive in _PASSIVE.finditer(clause):
        if not is_participle(passive[1]):
            continue
        match = _TIME_AGENT.match(clause, passive.end()) or _AGENT_TIME.match(clause, passive.end())
        if match is None:
            return None
        named = match["one"] if match["one"].startswith("by") else match["two"]
        if any(is_participle(word) or word in ("who", "which", "whose") for word in named.split()):
            return None  # "by a company founded in 1995": the year may be the company's
        two = match.start("two")
        return [
            Stated(clause[: match.end("one")], 0, match.end("one")),
            Stated(clause[: passive.end()] + clause[two:], two, len(clause)),
        ]
    return None


_PLACE = re.compile(
    r"(.*?\b(?:is|are|was|were|lies|sits|stands|located|based|situated|headquartered)\s+)(?:in|at|on|near)\s+[^,;:()]+"
    r"(,\s+)(?=(?:in|at|on|near|by|beside|opposite|behind)\s+(?:the|an?|its|[A-Z])[^,;:()]+$)"
)


def _places(clause: str) -> list[Stated] | None:
    """ "is in London, in the financial district" says where, and where there."""
    match = _PLACE.match(clause)
    if match is None:
        return None
    two = match.end(2)
    return [Stated(clause[: match.start(2)], 0, match.start(2)), Stated(match[1] + clause[two:], two, len(clause))]
