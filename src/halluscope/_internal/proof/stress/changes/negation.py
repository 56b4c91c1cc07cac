"""Negating a statement."""

from __future__ import annotations

import re
from random import Random

from ....text import sentences
from .mutant import Edit

_NEGATIVE = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|hardly|rarely|seldom|unless|cannot|unlikely|unable|\w+n['’]t)\b",
    re.IGNORECASE,
)
_WEAK = re.compile(r"\b(?:any|anyone|anything|yet|either|until|only|but|necessarily|at all|alone)\b", re.IGNORECASE)
_VERB = "is|are|was|were|has|have|had|would|must|should|did|does|do|could"
_REMOVALS = (
    (re.compile(rf"\b({_VERB}|will|shall) not (?!only\b)"), r"\1 "),
    (re.compile(r"\bcannot\b"), "can"),
    (re.compile(rf"\b({_VERB})n['’]t\b"), r"\1"),
    (re.compile(r"\b(has|have|had|was|were|is|are) never "), r"\1 "),
)  # fmt: skip
_AUXILIARY = re.compile(
    r"(?P<before>\w+)(?P<gap>\)?,? )(?P<aux>is|are|was|were|has|have|had|will|must|shall|can|does|did) "
    r"(?=(?P<after>\w*))"
)
_OPENERS = frozenset(
    """
    who which that if whether when where because while as what how why and or but there here this it so than
    would could should may might must will can shall to
    """.split()
)
_SKIP_AFTER = frozenset("to a all not only also both either neither never no one just now still".split())
_PARTICIPLE = re.compile(r"\w+(?:ed|en|wn|ung|ilt|ld|nt|ght|ade|ut|me|id|ft|ost|eft)\b")


def negate(answer: str, context: str, rng: Random) -> Edit | None:
    """Remove a "not" from a sentence, or add one."""
    spans = sentences(answer)
    rng.shuffle(spans)
    for span in spans:
        sentence = span.of(answer)
        if sentence.endswith("?"):
            continue
        edit = _removed(sentence) if _NEGATIVE.search(sentence) else _inserted(sentence)
        if edit is not None:
            return Edit(edit.start + span.start, edit.end + span.start, edit.after)
    return None


def _removed(sentence: str) -> Edit | None:
    if len(_NEGATIVE.findall(sentence)) != 1 or _WEAK.search(sentence):
        return None
    for pattern, replacement in _REMOVALS:
        match = pattern.search(sentence)
        if match:
            return Edit(match.start(), match.end(), match.expand(replacement))
    return None


def _inserted(sentence: str) -> Edit | None:
    """Add "not" after the auxiliary verb of the main clause."""
    if _WEAK.search(sentence):
        return None
    for match in _AUXILIARY.finditer(sentence):
        after = match["after"].lower()
        if match["before"].lower() in _OPENERS or after in _SKIP_AFTER:
            continue
        if match["aux"] in ("has", "have", "had") and not _PARTICIPLE.match(after):
            continue  # "had three ships" takes no bare "not"
        end = match.end("aux")
        return Edit(end, end, " not")
    return None
