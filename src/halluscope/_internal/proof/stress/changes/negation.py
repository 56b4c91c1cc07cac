"""Negating a statement."""

from __future__ import annotations

import re
from random import Random

from ....text import sentences
from .english import has, pattern
from .mutant import Edit

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


def negate(answer: str, context: str, rng: Random) -> Edit | None:
    """Remove a "not" from a sentence, or add one."""
    spans = sentences(answer)
    rng.shuffle(spans)
    for span in spans:
        sentence = span.of(answer)
        if sentence.endswith("?"):
            continue
        edit = _removed(sentence) if has("negative", sentence) else _inserted(sentence)
        if edit is not None:
            return Edit(edit.start + span.start, edit.end + span.start, edit.after)
    return None


def _removed(sentence: str) -> Edit | None:
    if len(pattern("negative").findall(sentence)) != 1 or has("weak", sentence):
        return None
    for verb, replacement in _REMOVALS:
        match = verb.search(sentence)
        if match:
            return Edit(match.start(), match.end(), match.expand(replacement))
    return None


def _inserted(sentence: str) -> Edit | None:
    """Add "not" after the auxiliary verb of the main clause."""
    if has("weak", sentence):
        return None
    for match in _AUXILIARY.finditer(sentence):
        after = match["after"]
        if pattern("no_subject").fullmatch(match["before"]) or pattern("no_not").fullmatch(after):
            continue
        if match["aux"] in ("has", "have", "had") and not pattern("participle").match(after):
            continue  # "had three ships" takes no bare "not"
        end = match.end("aux")
        return Edit(end, end, " not")
    return None
