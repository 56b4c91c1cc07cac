"""A claim with a "not", or without the one it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ....text.verb_forms import asserted, denied
from ..claims.grammar import Verb, finite_verb, is_participle
from ..network.model import Place
from .candidate import Candidate, Source

DENIES = r"\b(?:not?|never|none|nobody|nothing|neither|nor|cannot|without)\b|n['’]t\b"
_DENIES = re.compile(DENIES, re.IGNORECASE)
_RESTRICTS = re.compile(r"\bonly\b", re.IGNORECASE)
_DENIED = re.compile(r"\s+not\b")
_UNDONE = re.compile(r"(?:do|does|did)(?:\s+not|n['’]t)\s+(\w+)")
_UNIVERSAL = re.compile(r"(?:all|every|everyone|everybody|everything)\b", re.IGNORECASE)
_NEGATABLE = frozenset("is are was were can could may might must should will would".split())
_DENIED_BY = {"can": "cannot", "must": "need not"}
_HAVE = frozenset("has have had".split())
_ANSWER = re.compile(r"(?:yes|no)\b(?=,)", re.IGNORECASE)
_DEPENDS = re.compile(
    r"\b(?:(?:who|which|that|whose|where|whom)\s+(?:[\w-]+\s+)?"
    r"|(?:when|if|unless|since|because|as|although|though|until|before|after|once)\s+(?:[\w-]+\s+){1,4})$",
    re.IGNORECASE,
)
"""What stands before the verb of a clause that depends on another one."""
_JOINT = re.compile(r"[,;:–]|\b(?:and|but|or|as|because|since|so|while|whereas|although|though|when|if|until)\b")
"""What stands between two clauses."""
_MOST_VERBS = 3


def denials(
    output: str, place: Place, marks: Sequence[Place], sources: Sequence[Source], *, contradicted: bool
) -> list[Candidate]:
    """The claim with "not" beside each of its verbs, or without the one it has, those of the marked words first.

    They need a claim that is contradicted, or a sentence that decides and denies where the claim does not.
    """
    said = output[slice(*place)]
    source = next((source for source in sources if source.decides), None)
    denies = _DENIES.search(said) is not None
    if source is None or not (contradicted or denies != bool(_DENIES.search(source.text))):
        return []
    if _RESTRICTS.search(source.text) and not denies:  # "No, only two of them" does not deny it all
        return []
    last = max((end for _, end in marks), default=place[1]) - place[0]
    verbs = sorted(_verbs(said), key=lambda verb: (verb.start >= last, -verb.start))
    turned = _unnegated if denies else _negated
    found = [_answering(said, one) for verb in verbs for one in turned(said, verb, source)]
    return [one._replace(start=place[0] + one.start, end=place[0] + one.end) for one in dict.fromkeys(found)]


def _verbs(said: str) -> list[Verb]:
    """The first finite verbs of a claim, without participles ("closed" of "has closed") and those of clauses inside.

    "It was not Ann who left" denies that it was Ann, "it was Ann who did not leave" says that she stayed.
    """
    found: list[Verb] = []
    at = 0
    while len(found) < _MOST_VERBS and (verb := finite_verb(said, at)):
        at = verb.end
        inside = found and not _JOINT.search(said, found[-1].end, verb.start)
        if not inside and not _DEPENDS.search(said, 0, verb.start):
            found.append(verb)
    return found


def _answering(said: str, one: Candidate) -> Candidate:
    """An edit that turns what is said, with the "yes" or "no" before it turned too."""
    answer = _ANSWER.match(said)
    if answer is None:
        return one
    other = {"yes": "No", "no": "Yes"}[answer.group().lower()]
    return one._replace(start=0, after=other + said[answer.end() : one.start] + one.after)


def _negated(said: str, verb: Verb, source: Source) -> Iterator[Candidate]:
    """A claim with "not"."""
    if whole := _UNIVERSAL.match(said):
        yield source.edit(0, whole.end(), f"Not {whole.group().lower()}")
    elif verb.text in _DENIED_BY and f"{verb.text} not" not in source.text:
        yield source.edit(verb.start, verb.end, _DENIED_BY[verb.text])
    elif verb.text.lower() in _NEGATABLE or (verb.text in _HAVE and _before_participle(said, verb.end)):
        yield source.edit(verb.start, verb.end, f"{verb.text} not")
    elif verb.start and (denial := denied(verb.text)):
        yield source.edit(verb.start, verb.end, denial)


def _before_participle(said: str, at: int) -> bool:
    following = re.match(r"\s+(\w+)", said[at:])
    return following is not None and is_participle(following[1])


def _unnegated(said: str, verb: Verb, source: Source) -> Iterator[Candidate]:
    """A claim without its "not"."""
    if verb.text == "cannot":
        yield source.edit(verb.start, verb.end, "can")
    elif (undone := _UNDONE.match(said, verb.start)) and (done := asserted(verb.text, undone[1])):
        yield source.edit(verb.start, undone.end(), done)
    elif verb.text.lower() in _NEGATABLE and (negated := _DENIED.match(said, verb.end)):
        yield source.edit(verb.start, negated.end(), verb.text)
