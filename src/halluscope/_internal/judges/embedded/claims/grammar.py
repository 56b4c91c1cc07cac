"""Which word of a clause is its finite verb, found without a parser.

A list of common verbs and the words beside them decide. What is also a noun ("reports", "plans") or a
participle ("removed from the list") counts only where its neighbours leave no other reading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from ....text.caseless import Caseless
from ....text.verb_forms import AUXILIARY, BASES, PARTICIPLES, PASTS, SURE_PASTS, SURE_THIRDS, THIRDS
from ..phrases import pattern, words

_ARTICLES = words("articles")
_DETERMINERS = _ARTICLES | frozenset("of in on at by for from with to and or".split())
_FOLLOWS = _ARTICLES | words("after_verbs")
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


_ADVERB = re.compile(rf"{pattern('adverbs')}\s+")


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


@dataclass(frozen=True, slots=True)
class Subject:
    """The words a clause is about."""

    text: str
    plural: bool
    named: bool
    rivalled: bool = False
    """Whether someone else is named beside it, so that "she" may be either."""


_INTRO = re.compile(rf"^{pattern('introductions')}\b[^,;:.]{{0,80}},\s+", re.IGNORECASE)
_NOUN_PHRASE_STOP = Caseless(rf"[,;:()\[\]\"“”]|\b{pattern('noun_phrase_ends')}\b")
NAME = re.compile(r"^(?:The\s+|the\s+)?[A-Z][\w'’.-]*(?:\s+(?:of|the|de|van|von|and|&|[A-Z0-9][\w'’.-]*))*$")
DETERMINED = re.compile(rf"^{pattern('determiners')}\s+[\w'’ -]{{2,80}}$", re.IGNORECASE)
PRONOUN = re.compile(rf"{pattern('pronouns')}\b", re.IGNORECASE)
_POINTING = frozenset("this that these those his her its their each some many all both one such".split())
_MAX_SUBJECT_WORDS = 9
# A phrase that ends in a preposition or an article has not ended; one with a pronoun inside holds a clause.
_UNFINISHED = re.compile(rf"\b{pattern('unfinished')}$|\s(?:he|she|it|they|we|you|I)$", re.IGNORECASE)
_ADVERB_LAST = re.compile(rf"\s+{pattern('adverbs_before_verbs')}$")


@lru_cache(maxsize=256)  # splitting a sentence and carrying its subject along ask for the same ones
def subject_of(clause: str) -> Subject | None:
    """The subject of a clause: the words before its first finite verb, where they look like one."""
    intro = _INTRO.match(clause)
    start = intro.end() if intro else 0
    verb = finite_verb(clause, start)
    if verb is None or verb.start <= start:
        return None
    text = _ADVERB_LAST.sub("", clause[start : verb.start].rstrip())
    words = text.split()
    if not 0 < len(words) <= _MAX_SUBJECT_WORDS or _NOUN_PHRASE_STOP.search(text) or _UNFINISHED.search(text):
        return None
    if PRONOUN.match(text):
        if len(words) > 1 and words[0].lower() not in _POINTING:
            return None
    elif not (DETERMINED.match(text) or text[0].isupper() or text[0].isdigit()):
        return None
    return _subject(text, verb.text, _is_rivalled(clause, verb.start))


def goes_on_after(head: str, rest: str) -> bool:
    """Whether a sentence whose subject is `head` goes on with `rest`, something about it between commas left out."""
    named = NAME.match(head) or DETERMINED.match(head)
    return bool(named) and len(head.split()) <= _MAX_SUBJECT_WORDS and starts_with_verb(rest) is not None


_NAMED_AFTER = re.compile(r"(?<!\S)([\w'’]+),?\s+[A-Z][\w'’-]+")
_NO_PERSON_AFTER = frozenset(
    "the a an in at on of from near into its his her their this that for during since until after before by".split()
)


def _is_rivalled(clause: str, start: int) -> bool:
    """Whether a name stands after the verb that no article or preposition of place goes before: likely a person."""
    return any(
        match[1] not in _NO_PERSON_AFTER and not match[1][0].isupper() and not match[1][0].isdigit()
        for match in _NAMED_AFTER.finditer(clause, start)
    )


FOR_ONE = frozenset("is was has does isn't wasn't hasn't doesn't".split())
FOR_MANY = frozenset("are were have do aren't weren't haven't don't".split())
_PLURAL_FIRST = frozenset("these those both many several most some they two three four five all".split())


def _subject(text: str, verb: str, rivalled: bool) -> Subject:
    first = text.split(None, 1)[0].lower()
    head = re.split(r"\s+(?:of|in|for|from|at|on|with|by)\s+", text, maxsplit=1)[0]
    last = head.split()[-1].strip("'’").lower() if head.split() else ""
    named = bool(NAME.match(text))
    agreed = verb.replace("’", "'")
    if agreed in FOR_ONE or agreed in FOR_MANY:
        return Subject(text, agreed in FOR_MANY, named, rivalled)
    plural = (
        " and " in head
        or first in _PLURAL_FIRST
        or (last.endswith("s") and not last.endswith(("ss", "us", "is")) and not NAME.match(head))
    )
    return Subject(text, plural, named, rivalled)


_EXPLETIVE = re.compile(pattern("expletives"), re.IGNORECASE)
_PRONOUN_FIRST = re.compile(r"(he|she|it|they|his|her|its|their)\b", re.IGNORECASE)
_POSSESSIVE_HER = re.compile(r"her\s+[a-z]+\s+", re.IGNORECASE)
_KEEPING = frozenset("this that his her its their there i we you".split())


def resolve(text: str, last: Subject | None) -> tuple[str, Subject | None]:
    """The clause with a pronoun subject replaced by the last named one, and the subject to carry on.

    Replaced only where number and sort fit; "it is likely that" refers to nothing and is left alone.
    """
    intro = _INTRO.match(text)
    start = intro.end() if intro else 0
    rest = text[start:]
    pronoun = _PRONOUN_FIRST.match(rest)
    if pronoun is None:
        subject = subject_of(text)
        if subject is None or PRONOUN.match(subject.text):
            # A clause about "this discovery" does not change what "he" will mean after it, but "they" might.
            return text, last if subject is not None and subject.text.split()[0].lower() in _KEEPING else None
        # Two clauses that were not split may have two subjects: neither is safe to carry on.
        return text, None if ";" in text else subject
    word = pronoun.group(1).lower()
    if last is None or _EXPLETIVE.match(rest) or not _fits(word, last):
        return text, last
    possessive = word in ("his", "its", "their") or _POSSESSIVE_HER.match(rest)
    if not possessive and (word == "her" or subject_of(rest) is None):
        return text, last
    name = last.text if not start else lowered(last.text)
    if possessive:
        name += "'" if last.plural and name.endswith("s") else "'s"
    return text[:start] + name + rest[pronoun.end() :], last


def lowered(text: str) -> str:
    """The words as they stand inside a sentence: an article at the front loses its capital."""
    return text[0].lower() + text[1:] if re.match(r"(?:The|A|An|This|Its|His|Her|Their)\b", text) else text


def _fits(word: str, subject: Subject) -> bool:
    if subject.plural or word in ("they", "their"):
        return subject.plural and word in ("they", "their")
    if word in ("he", "his", "she", "her"):
        thing = subject.text.lower().startswith("the ") or len(subject.text.split()) > 4
        return subject.named and not subject.rivalled and not thing
    return True
