"""What a sentence of an output is for: a claim, or one of the things people say around claims."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from .caseless import Caseless
from .patterns import named_patterns
from .sentences import sentences

SentenceKind = Literal["claim", "question", "greeting", "thanks", "refusal", "offer", "lead_in", "code", "empty"]

_PATTERNS = {
    name: pattern.replace(" ", r"\s+")
    for name, pattern in named_patterns(Path(__file__).with_name("kinds.txt")).items()
}
_ANY_CASE = {
    name: re.compile(_PATTERNS[name], re.IGNORECASE)
    for name in ("refusal", "title", "greeting", "assent", "thanks", "lead_in", "announcement")
}
_OFFER = Caseless(_PATTERNS["offer"])
_COLON_END = re.compile(r":[\s*_]*$")


def classify(sentence: str) -> SentenceKind:
    """What the sentence is for. Anything that is not plainly something else is a claim."""
    text = sentence.strip()
    if text.startswith(("```", "~~~")):
        return "code"
    if not any(char.isalnum() for char in text):
        return "empty"
    bare = text.rstrip("\"'”’)*_ ")
    if bare.endswith("?") and len(bare) > 1:
        return "offer" if _OFFER.search(text) else "question"
    if _is("greeting", text) or _is("assent", text):
        return "greeting"
    if _is("thanks", text):
        return "thanks"
    if _OFFER.search(text):
        return "offer"
    if len(text) < 600 and _is("refusal", text) and not _is("title", text):
        return "refusal"
    if _is("announcement", text):
        return "lead_in"
    if len(text) < 240 and _is("lead_in", text) and (_COLON_END.search(text) or len(text.split()) <= 12):
        return "lead_in"
    return "claim"


def _is(name: str, text: str) -> bool:
    return _ANY_CASE[name].match(text) is not None


def is_refusal(output: str) -> bool:
    """Whether the output declines to answer and states nothing else."""
    kinds = [classify(span.of(output)) for span in sentences(output)]
    return "refusal" in kinds and "claim" not in kinds
