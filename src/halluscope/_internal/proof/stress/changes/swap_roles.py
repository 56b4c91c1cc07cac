"""Swapping who does something and to whom it is done."""

from __future__ import annotations

import re
from random import Random

from .change_name import NATIONAL, inner_names
from .mutant import WORDS, Edit, comparable, starts_sentence

_VERBS = " ".join(WORDS["role_verbs"]).split()
_CAPITAL = (
    r"(?!(?:If|When|While|Although|Though|After|Before|Since|Because|In|On|At|By|For|From|With|As|But|And|Once|He|She|It"
    r"|They|We|You|This|That|These|Those|His|Her|Its|Their|The|A|An|January|February|March|April|May|June|July|August|September"
    r"|October|November|December|\w+day)\b)[A-Z][\w-]*[a-z]"
)
_NAME = rf"(?:[Tt]he )?{_CAPITAL}(?: (?:of |the |de |van |von |al-)?{_CAPITAL}){{0,3}}"
_PLAIN = r"[Tt]he (?!the\b)[a-z]{3,}(?![\w-])"
_ONE = rf"(?:{_NAME}|{_PLAIN})"
_DOES = rf"(?:(?:had|has|have|will|would|must|may|can|shall|later|then|also|first|soon|never) )*(?:{'|'.join(_VERBS)})"
_DONE = (
    rf"(?:was|were|is|are|had been|has been|have been)(?: later| then| also| first| soon)? (?:{'|'.join(_VERBS)}) by"
)
_THAN = r"(?:is|was|are|were|has|had|became|grew|remains?|scored|earned|costs?|sold) [^.,;:!?]{0,40}? than"
_KIN = r"(?:is|was) the (?:son|daughter|father|mother|successor|predecessor|teacher|student|author|founder|capital) of"
# More words between the names: a verb or preposition that distinguishes them, and none that makes them equal.
_EQUALS = (
    "and|or|with|both|between|met|meets|married|marries|versus|vs|like|near|joined|known|called|named|as|also|the same"
    "|borders|resembles|nor|include|includes|including|if|not|no|either|any"
)
_TELLS = re.compile(
    rf"\b(?:{'|'.join(_VERBS)}|by|against|over|for|to|from|than|under|after|before|into|through|towards?|of)\b"
)
_WORD_BETWEEN = rf"(?!(?:{_EQUALS})\b)[a-z0-9%$-]+"
_ACTS = (
    rf"(?:was|were|is|are|has|had|have|will|would|did|does|can|could|may|must|also|later|then|{'|'.join(_VERBS)}|[a-z]+ed"
    r"|won|took|gave|made|came|got|went|became|said|held|kept|lost|ran|sent|sold|spent|flows|drew|grew|saw|found) "
)
_AFAR = rf"{_ACTS}(?:{_WORD_BETWEEN} ){{0,8}}{_WORD_BETWEEN}(?<! the)(?<! a)(?<! an)"
# What may follow: no noun that the name only describes ("a Native American audience").
_END = (
    r"(?=[.,;:!?)]|$| (?:in|on|at|by|for|from|to|as|after|before|during|over|under|because|when|while|who|which|that"
    r"|was|were|is|are|had|has|into|through|despite|about|near|once|whose|until|against|without|\d)\b"
    r"| (?:and|but) (?![A-Z]))"
)
_GIVES = (
    r"(?:sold|sells|gave|gives|sent|sends|lent|donated|awarded|granted|leased|licensed|offered|transferred|delivers?"
    r"|delivered|reports?|reported) [^.,;:!?]{1,40}? to"
)
_TOWARDS = (
    r"(?:(?:later|then|also|first|still|now) )*(?:"
    r"(?:wrote|replied|reports?|reported|answers?|answered|appealed|complained|lost|belongs|spoke|gave way|deferred) to"
    r"|(?:took over|inherited|bought|borrowed|learn(?:ed|t)|split off|broke away) from"
    r"|(?:works?|worked|stood in|filled in|deputised|voted|covered) for|(?:works|worked|served|studied) under"
    r"|(?:finished|came|ranks?|ranked|placed|was|is|are|were) (?:just |well |far )?(?:ahead of|behind|above|below))"
)
_PATTERNS = tuple(
    re.compile(rf"(?<![\w’'-])(?P<a>{a}) (?P<v>{v}) (?P<b>{b}){_END}")
    for a, v, b in (
        (_ONE, _DONE, _ONE),
        (_ONE, _DOES, _ONE),
        (_NAME, _THAN, _NAME),
        (_NAME, _KIN, _NAME),
        (_ONE, _GIVES, _ONE),
        (_NAME, _TOWARDS, _NAME),
        (_NAME, _AFAR, _NAME),
    )
)
# Only for movements: a distance between two places is the same in both directions.
_ROUTE = re.compile(
    r"\b(?:moved|travell?ed|flew|sailed|transferred|relocated|marched|fled|emigrated|returned|shipped|went|exported|switched)"
    rf"\b[^.,;:!?]{{0,30}}? from (?P<a>{_NAME})(?P<v> to )(?P<b>{_NAME}){_END}"
)
_JOINED = re.compile(r"(?:['’]s|\b(?:and|or|by|of|with|from|to|for|in|at|than|between|that|who|which)|,) $")


def swap_roles(answer: str, context: str, rng: Random) -> Edit | None:
    """Swap one pair in the answer."""
    known = inner_names(context) | inner_names(answer)
    found = [
        match
        for pattern in (*_PATTERNS, _ROUTE)
        for match in pattern.finditer(answer)
        if _fit(match, known) and (pattern is _ROUTE or not _JOINED.search(answer[: match.start()]))
    ]
    rng.shuffle(found)
    for match in found:
        edit = _swapped(answer, match)
        if comparable(edit.after) not in comparable(context):
            return edit
    return None


def one_way(text: str) -> bool:
    """Whether the words between a pair certainly distinguish its sides."""
    # The last pattern only guesses.
    return any(pattern.fullmatch(text) for pattern in (*_PATTERNS[:-1], _ROUTE))


def _fit(match: re.Match[str], known: frozenset[str]) -> bool:
    one, other = comparable(match["a"]), comparable(match["b"])
    for side in (match["a"], match["b"]):
        capitals = [word for word in side.split() if word[0].isupper() and word != "The"]
        if not all(word in known and not NATIONAL.search(word) for word in capitals):
            return False  # capitalised only at the start of a sentence, or an adjective
    if not _TELLS.search(match["v"]) and match["v"] != " to ":
        return False
    if one in other or other in one:
        return False
    # "The tenants pays" would be ungrammatical.
    names = [side for side in (match["a"], match["b"]) if side.lower().startswith("the ") and side.split()[1].islower()]
    return len(names) != 1 and (not names or len({name.endswith("s") for name in names}) == 1)


def _swapped(answer: str, match: re.Match[str]) -> Edit:
    one, other = match["a"], match["b"]
    if starts_sentence(answer, match.start("a")):
        other = other[0].upper() + other[1:]
        one = "the" + one[3:] if one.startswith("The ") else one
    middle = answer[match.end("a") : match.start("b")]
    return Edit(match.start("a"), match.end("b"), f"{other}{middle}{one}")
