"""Why a claim was judged as it was, in a plain sentence that quotes what decided."""

from __future__ import annotations

from collections.abc import Sequence

from ...verdict import Support
from .reader import ClaimReading

_LONGEST = 160
_MOST_QUOTED = 3
_NAMED = {
    "number": "Wrong number",
    "date": "Wrong date",
    "name": "Wrong name",
    "role": "Swapped roles",
    "binding": "Tied to the wrong item",
    "status": "Wrong status",
    "negation": "Turned round",
    "order": "Wrong order or comparison",
    "cause": "Cause not stated",
    "generalised": "Generalised",
    "invented": "Not in the context",
    "premise": "Taken from the question",
}
"""The kinds of error as a reader would name them."""


def reason_of(reading: ClaimReading, support: Support) -> str:
    """The reason for a verdict; made from the verdict, so it cannot disagree with it.

    A verdict against a claim begins with the kind of error.
    """
    if support is Support.NOT_A_CLAIM:
        return "An abstention: the context does not tell it."
    told = _told(reading, support)
    return told if support is Support.SUPPORTED else f"{_NAMED[reading.kind]}: {told[0].lower()}{told[1:]}"


def _told(reading: ClaimReading, support: Support) -> str:
    quote = f"“{_shortened(reading.quote)}”" if reading.quote else ""
    if support is Support.SUPPORTED:
        return f"The context says {quote}." if quote else "The context says so."
    if support is Support.CONTRADICTED:
        return _against(reading, quote)
    if reading.subjective:
        return "This is a judgement of taste that the context does not state."
    if reading.open:
        return f"The context leaves this open: it says “{reading.open[0]}”."
    if reading.missing:
        return f"The context does not mention {_quoted(reading.missing)}."
    told = f"The context does not say {_failing(reading)}"
    return f"{told}; the nearest it has is {quote}." if quote else f"{told}."


def _against(reading: ClaimReading, quote: str) -> str:
    if reading.conflicts:
        said = reading.conflicts[0]
        return f"{said[0].upper()}{said[1:]}." if not said.endswith(".") else said
    if not quote:
        return "The context says otherwise."
    return f"The context says {quote}, which does not go together with {_failing(reading)}."


def _failing(reading: ClaimReading) -> str:
    """The words that fail, where they are not the whole claim."""
    return _quoted([_shortened(words) for words in reading.doubted]) or "this"


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts[:_MOST_QUOTED])


def _shortened(text: str) -> str:
    flat = " ".join(text.split()).rstrip(".")
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST].rstrip()}…"
