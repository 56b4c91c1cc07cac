"""A question and its bare answer as one statement: "Yes", "Paris", "42", "the vice-chair"."""

from __future__ import annotations

import re

from ....text.verb_forms import AUXILIARY, BASES
from ..phrases import pattern
from .clauses import Stated
from .grammar import DETERMINED, NAME, finite_verb, is_participle, subject_of

_SHORT = 9
_YES_NO = re.compile(r"\W*(?P<word>yes|no|yep|nope|yeah|true|false|correct|incorrect)\b\W*$", re.IGNORECASE)
_DENYING = frozenset(("no", "nope", "false", "incorrect"))
_ASKS = re.compile(rf"{pattern('asking')}\b", re.IGNORECASE)
_HANGING = re.compile(rf"\b{pattern('hanging')}\b", re.IGNORECASE)
_LABELLED = re.compile(r"[^:]{2,60}:\s+\S")


def with_question(found: list[Stated], question: str) -> list[Stated]:
    """The statements of an answer; those that say nothing without the question are joined with it."""
    asked = _asked(question)
    if asked is None or not found:
        return found
    alone = len(found) == 1
    bare = [is_bare(stated.text) and (alone or not _LABELLED.match(stated.text)) for stated in found]
    whole = all(bare)
    return [
        stated._replace(text=joined(asked, stated.text)) if one and (whole or not number) else stated
        for number, (one, stated) in enumerate(zip(bare, found, strict=True))
    ]


def is_bare(answer: str) -> bool:
    """Whether an answer says nothing without its question: few words and no subject with its verb."""
    if len(answer.split()) > _SHORT or subject_of(answer) is not None:
        return False
    verb = finite_verb(answer)
    return verb is None or _HANGING.search(answer, 0, verb.start) is not None


_SENTENCE_END = re.compile(r"[.!?]\s+")
_OPENING = re.compile(r"(?:and|so|but|or|then|ok(?:ay)?|also|well|please|hi|hello|thanks)[,:]?\s+", re.IGNORECASE)


def _asked(question: str) -> str | None:
    """The question proper: the last sentence of the input that asks."""
    text = " ".join(question.split())
    parts = [part for part in _SENTENCE_END.sub("\\g<0>\n", text[-2000:]).split("\n") if part.strip()]
    asking = [part.strip() for part in parts if part.rstrip().endswith("?")]
    if asking:
        return asking[-1]
    last = parts[-1].strip() if parts else ""
    return last if _ASKS.match(last) else None


_CONTRACTED = re.compile(r"^(who|what|where|when|how)['’]s\b", re.IGNORECASE)
_BE = re.compile(
    r"(?:what|who|which\s+[\w\s-]{1,40}?)\s+(?P<verb>is|was|are|were)\s+(?P<subject>(?:the|an?|his|her|its|their"
    r"|my|your|our|(?-i:[A-Z]))[^?,]{2,160}?)\s*\?$",
    re.IGNORECASE,
)
_STRANDED = re.compile(r"\b(?:of|in|for|from|by|with|to|at|on|called|named|known)\s*$", re.IGNORECASE)
# "Who is the chair meeting": the words after the verb hold another one.
_ONGOING = re.compile(r"\b\w+ing\b")
_WHO = re.compile(r"(?:who|what|which)\b", re.IGNORECASE)
_PLAIN = re.compile(r"[^,;:()?]+$")
_INVERTED = re.compile(
    r"(?:i|you|he|she|it|we|they|there|this|that|the|an?|my|your|his|her|its|our|their)\b", re.IGNORECASE
)


def joined(question: str, answer: str) -> str:
    """A statement that holds exactly what the answer says to the question.

    Questions whose parts are plain are turned into a sentence ("Who signed the accounts?" and "The chair"). Every
    other is put in front of its answer, which loses nothing and invents nothing.
    """
    asked = " ".join(question.split())
    bare = answer.strip().rstrip(".").strip()
    plain = asked[opening.end() :] if (opening := _OPENING.match(asked)) else asked
    made = _told(_CONTRACTED.sub(r"\1 is", plain), bare)
    return f"{made[0].upper()}{made[1:]}." if made else f"{asked} {bare}."


def _told(asked: str, bare: str) -> str | None:
    said = _YES_NO.match(bare)
    if said is not None:
        return _granted(asked, said["word"].lower() not in _DENYING)
    if _PLAIN.match(bare) is None:
        return None
    match = _BE.match(asked)
    subject = match["subject"] if match else ""
    if match and not _STRANDED.search(subject) and not _ONGOING.search(subject.split(" of ")[0]):
        return f"{subject} {match['verb'].lower()} {bare}"
    return _as_subject(asked.rstrip("? "), bare)


def _as_subject(asked: str, bare: str) -> str | None:
    """ "Which stations have no generator" and "Callow Hill": the answer takes the place of the words that ask."""
    wh = _WHO.match(asked)
    if wh is None or "," in asked or " and " in asked:
        return None
    verb = finite_verb(asked)
    if verb is None or verb.start < wh.end() or verb.text in ("do", "does", "did"):
        return None
    rest = asked[verb.end :].lstrip()
    # "What will we pay": the subject comes after the verb, and the answer is not it.
    if not rest or (verb.text in AUXILIARY and verb.text not in ("has", "have", "had") and _INVERTED.match(rest)):
        return None
    if verb.text in AUXILIARY and NAME.match(rest.split()[0]):
        return None
    if " and " in f" {bare} " and (verb.text.endswith("s") or verb.text == "was"):
        return None
    return f"{bare} {asked[verb.start :]}"


_ASKED_FIRST = re.compile(
    r"(?P<verb>is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may"
    r"|must)\s+(?P<rest>[^?]+?)\s*\?*$",
    re.IGNORECASE,
)
_AFTER_SUBJECT = ("been", "in", "on", "at")
_PRONOUN = re.compile(r"(?:i|you|he|she|it|we|they|there|this|that)\b", re.IGNORECASE)


def _granted(asked: str, yes: bool) -> str | None:
    """ "Was the pump replaced in May?" and "No": the pump was not replaced in May."""
    match = _ASKED_FIRST.match(asked)
    if match is None or " or " in asked or re.search(r",\s+and\b", asked):
        return None
    verb, words = match["verb"].lower(), match["rest"].split(" ")
    end = _subject_end(verb, words)
    if end is None:
        return None
    subject, rest = " ".join(words[:end]), " ".join(words[end:])
    return f"{subject} {verb} {'' if yes else 'not '}{rest}".replace(" can not ", " cannot ")


def _subject_end(verb: str, words: list[str]) -> int | None:
    """How many words the subject has, where that is plain: up to the verb that belongs to the auxiliary."""
    if _PRONOUN.match(words[0]):
        return 1 if len(words) > 1 else None
    named = next((number for number, word in enumerate(words) if not word[:1].isupper()), len(words))
    bases = verb not in ("is", "are", "was", "were", "has", "have", "had")
    if bases and 0 < named < len(words) and words[named].islower() and words[named] not in ("and", "or", "of"):
        return named
    for number, word in enumerate(words[1:], start=1):
        helped = word.islower() and (is_participle(word) or word.endswith("ing") or word in _AFTER_SUBJECT)
        if word in BASES if bases else helped:
            subject = " ".join(words[:number])
            return number if NAME.match(subject) or DETERMINED.match(subject) else None
    if verb in ("is", "are", "was", "were"):
        # "Is Oslo a capital": a name, then what it is.
        for number in range(1, min(5, len(words))):
            if NAME.match(" ".join(words[:number])) and words[number] in ("a", "an", "the", "still", "now", "not"):
                return number
    return None
