"""A question and its bare answer as one statement."""

from __future__ import annotations

import re

__all__ = ["joined"]

_BE = re.compile(
    r"^(?:what|who|which\s+[\w\s-]{1,40}?)\s+(?P<verb>is|was|are|were)\s+(?P<subject>(?:the|a|an|his|her|its|their|[A-Z])[^?,]{2,160}?)\s*\?$",
    re.IGNORECASE,
)
_WHO_VERB = re.compile(
    r"^who\s+(?P<rest>(?!is\b|was\b|are\b|were\b|did\b|do\b|does\b|has\b|have\b|will\b|would\b|can\b|could\b)\w+(?:ed|t|d|w|s|n|k|e)\s[^?]{2,200}?)\s*\?$",
    re.IGNORECASE,
)
_STRANDED = re.compile(r"\b(?:of|in|for|from|by|with|to|at|on|called|named|known)\s*$", re.IGNORECASE)


def joined(question: str, answer: str) -> str:
    """A statement that holds exactly what the answer says to the question.

    Only the plainest questions are turned into a sentence ("What is the capital of France?" and "Paris").
    Every other is put in front of its answer, which loses nothing and invents nothing.
    """
    asked = " ".join(question.split())
    bare = answer.strip().rstrip(".")
    match = _BE.match(asked)
    if match and not _STRANDED.search(match["subject"]):
        subject = match["subject"]
        return f"{subject[0].upper()}{subject[1:]} {match['verb'].lower()} {bare}."
    match = _WHO_VERB.match(asked)
    if match:
        return f"{bare} {match['rest']}."
    return f"{asked} {bare}."
