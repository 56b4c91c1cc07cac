"""Which word of a clause is its finite verb, found without a parser.

A list of common verbs and the words beside them decide. What is also a noun ("reports", "plans") or a
participle ("removed from the list") counts only where its neighbours leave no other reading.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from ...text.verb_forms import AUXILIARY, BASES, PARTICIPLES, PASTS, SURE_PASTS, SURE_THIRDS, THIRDS

_ARTICLES = frozenset(
    """a an the this that these those its his her their our my your each every all some most many several both no any
    two three four five six seven eight nine ten""".split()
)
_DETERMINERS = _ARTICLES | frozenset("of in on at by for from with to and or".split())
_FOLLOWS = _ARTICLES | frozenset(
    """in on at by for from with to into onto as about under over up out off down between against after before until
    since during within without through across near only also not just nearly almost around roughly more less than one
    half twice it them him us me you there here away back together well least because when where while if who which how
    why what much so too again once aged anything nothing everything something everyone""".split()
)
_STOPS = frozenset("and but or because although though when while if which who that where since so".split())
_WORD = re.compile(r"[\w'’-]+|[$€£,;:()]")
_LOOK, _REACH = 16, 400
"""Words and characters from the start of a clause among which its verb is looked for."""


class Verb(NamedTuple):
    """A finite verb and its place."""

    text: str
    start: int
    end: int


def finite_verb(clause: str, start: int = 0) -> Verb | None:
    """The first finite verb from `start` on."""
    words = list(islice(_WORD.finditer(clause, start, start + _REACH), _LOOK + 2))
    for number, place in enumerate(words[:_LOOK] if len(words) > _LOOK + 1 else words):
        before = words[number - 1].group() if number else ""
        after = words[number + 1].group() if number + 1 < len(words) else ""
        if _is_finite(clause, place, before, after):
            return Verb(place.group(), *place.span())
    return None


def _plain(token: str) -> str:
    return token.replace("’", "'") if "’" in token else token


def _is_finite(clause: str, place: re.Match[str], before: str, after: str) -> bool:
    """Whether the word at this place is a finite verb, given the words on both sides of it ("" at the ends)."""
    word, previous, following = _plain(place.group()), _plain(before).lower(), _plain(after)
    if word in AUXILIARY or word in SURE_PASTS or (not previous and word.lower() in AUXILIARY):
        return True
    if word in THIRDS:
        if previous in _DETERMINERS or not previous:
            return word in SURE_THIRDS and not previous
        if word in SURE_THIRDS:
            return following not in AUXILIARY
        return _goes_on(following)
    if word in BASES and _is_plural(previous) and _goes_on(following):
        return not _verb_follows(clause, place.end())
    if word in PASTS:
        if previous in _DETERMINERS or following == "by" or previous in ("been", "be", "being", ","):
            return not previous and following != "by"
        if not _goes_on(following):
            return following in ("", ",", ";")
        return not (following in _AFTER_PARTICIPLE and _verb_follows(clause, place.end()))
    # A verb that is not listed shows itself by its ending and the object after it.
    return (
        following in _OPENS_OBJECT
        and len(word) > 4
        and word.islower()
        and word.endswith(("s", "ed"))
        and not word.endswith(("ss", "us", "'s"))
        and bool(previous)
        and previous not in _DETERMINERS
        and previous not in _ADVERBIAL
    )


_OPENS_OBJECT = frozenset("the its his her their all no any".split())
_ADVERBIAL = frozenset("last next this per always besides towards".split())


def _is_plural(word: str) -> bool:
    return word in ("they", "we", "you", "i", "people") or (
        word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))
    )


def is_participle(word: str) -> bool:
    """Whether the word can be the participle of a passive."""
    return word in PARTICIPLES or (word.endswith("ed") and len(word) > 4)


_AFTER_PARTICIPLE = frozenset("in on at by for from with to as under over into between during after before".split())


def _goes_on(following: str) -> bool:
    """Whether the next word can follow a verb and not a noun of the same form."""
    following = following.lstrip("'-")
    return bool(following) and (
        following in _FOLLOWS
        or following[0].isdigit()
        or following[0] in "$€£"
        or following[0].isupper()
        or following.endswith("ly")
    )


def _verb_follows(clause: str, start: int) -> bool:
    """Whether a surer verb follows in the clause: then this is a participle ("people removed from the list are")."""
    previous = ""
    for match in islice(_WORD.finditer(clause, start, start + 120), 10):
        word = _plain(match.group())
        if word in _STOPS or word in ",;:()":
            return False
        if word in AUXILIARY or word in SURE_PASTS or (word in SURE_THIRDS and previous not in _DETERMINERS):
            return True
        previous = word
    return False


_ADVERB = re.compile(
    r"(?:also|later|then|now|still|never|always|often|subsequently|eventually|not|therefore|thus|only|soon|so|once"
    r"|again|\w+ly)\s+"
)


def starts_with_verb(clause: str) -> Verb | None:
    """The finite verb that a clause without subject starts with ("was closed in May", "and still costs 5")."""
    adverb = _ADVERB.match(clause)
    start = adverb.end() if adverb else 0
    tokens = list(islice(_WORD.finditer(clause, start, start + 80), 2))
    if not tokens:
        return None
    word = _plain(tokens[0].group())
    following = _plain(tokens[1].group()) if len(tokens) > 1 else ""
    if following in ("of", "and", "or", ",", ";", ""):
        return None
    certain = word in AUXILIARY or word in SURE_PASTS or word in SURE_THIRDS
    doubtful = (word in THIRDS or word in PASTS) and _goes_on(following) and following != "by"
    return Verb(tokens[0].group(), *tokens[0].span()) if certain or doubtful else None
