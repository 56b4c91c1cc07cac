"""What a participle says beside its sentence: "The mill, built in 1890, is closed", "Founded in 1995, it grew"."""

from __future__ import annotations

import re
from typing import NamedTuple

from .subjects import Subject, goes_on_after, subject_of


class Aside(NamedTuple):
    """The statement that a participle makes, where in the sentence it ends, and the sentence without it."""

    text: str
    end: int
    subject: str
    """What the rest is read with in front of it, where the participle stood between the two."""
    rest: int
    """Where the rest begins."""


_LASTING = frozenset("located situated headquartered priced known owned".split())
"""Participles that say how a thing is, not what once happened to it."""
_ONCE = frozenset(
    """
    acquired announced appointed approved awarded born bought built commissioned completed composed constructed created
    dedicated designed destroyed developed directed discovered elected established filmed formed founded hired
    inaugurated introduced invented launched named opened organised organized painted passed produced published
    rebuilt recorded released renamed renovated restored signed sold unveiled written
    """.split()
)
"""Participles that are never only a circumstance ("compared with last year", "asked by a reporter")."""
_PARTICIPLES = _ONCE | _LASTING
_PHRASE = r"((?:first\s+|\w+ly\s+)?([\w-]+)\s+(?:in|by|on|at|from|near|as|for|to|after|between)\s[^,;:()]*)"
_BETWEEN = re.compile(rf"([^,;:()]{{2,80}}),\s+{_PHRASE},\s+")
_FRONTED = re.compile(rf"{_PHRASE},\s+")


def aside(sentence: str) -> Aside | None:
    """The participle at the front of a sentence or after its subject; None where there is none to cut safely."""
    return _between(sentence) or _fronted(sentence)


def _between(sentence: str) -> Aside | None:
    match = _BETWEEN.match(sentence)
    if match is None or match[3] not in _PARTICIPLES:
        return None
    head, rest = match[1], sentence[match.end() :]
    subject = subject_of(f"{head} {rest}") if goes_on_after(head, rest) else None
    if subject is None or subject.text != head:
        return None
    return Aside(f"{head} {_was(match[3], subject)} {match[2]}", match.end(2), f"{head} ", match.end())


def _fronted(sentence: str) -> Aside | None:
    match = _FRONTED.match(sentence)
    if match is None or match[2].lower() not in _PARTICIPLES:
        return None
    subject = subject_of(sentence[match.end() :])
    if subject is None or not sentence.startswith(subject.text, match.end()):
        return None
    phrase = match[1][0].lower() + match[1][1:]
    text = f"{subject.text} {_was(match[2].lower(), subject)} {phrase}"
    return Aside(text[0].upper() + text[1:], match.end(1), "", match.end())


def _was(participle: str, subject: Subject) -> str:
    if participle in _LASTING:
        return "are" if subject.plural else "is"
    return "were" if subject.plural else "was"
