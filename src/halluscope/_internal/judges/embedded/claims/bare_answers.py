"""A bare answer is read with its question: "Yes", "Paris", "42", "the vice-chair"."""

from __future__ import annotations

import re

from ..phrases import pattern
from .clauses import Stated
from .grammar import finite_verb, subject_of

_SHORT = 9
_ASKS = re.compile(rf"{pattern('asking')}\b", re.IGNORECASE)
_HANGING = re.compile(rf"\b{pattern('hanging')}\b", re.IGNORECASE)
_LABELLED = re.compile(r"[^:]{2,60}:\s+\S")


def with_question(found: list[Stated], question: str) -> list[Stated]:
    """The statements of an answer; those that say nothing without the question are joined with it."""
    asked = question_in(question)
    if not asked or not found:
        return found
    alone = len(found) == 1
    bare = [is_bare(stated.text) and (alone or not _LABELLED.match(stated.text)) for stated in found]
    whole = all(bare)
    return [
        stated._replace(text=_joined(asked, stated.text)) if one and (whole or not number) else stated
        for number, (one, stated) in enumerate(zip(bare, found, strict=True))
    ]


def _joined(asked: str, answer: str) -> str:
    return f"{asked} {answer.strip().rstrip('.! ')}."


def is_bare(answer: str) -> bool:
    """Whether an answer says nothing without its question: few words and no subject with its verb."""
    if len(answer.split()) > _SHORT or subject_of(answer) is not None:
        return False
    verb = finite_verb(answer)
    return verb is None or _HANGING.search(answer, 0, verb.start) is not None


_SENTENCE_END = re.compile(r"[.!?]\s+")


def question_in(question: str) -> str | None:
    """The question proper: the last sentence of the input that asks."""
    text = " ".join(question.split())
    parts = [part for part in _SENTENCE_END.sub("\\g<0>\n", text[-2000:]).split("\n") if part.strip()]
    asking = [part.strip() for part in parts if part.rstrip().endswith("?")]
    if asking:
        return asking[-1]
    last = parts[-1].strip() if parts else ""
    return last if _ASKS.match(last) else None
