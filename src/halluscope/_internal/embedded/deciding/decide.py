"""From the reading of a claim to its verdict and the reason for it, and from verdicts to the whole output."""

from __future__ import annotations

from collections.abc import Sequence

from ...text.caseless import Caseless
from ...verdict import Support, Verdict
from .reader import ClaimReading

THRESHOLD = 0.5
"""A claim is supported from this probability on; probabilities are calibrated so that it is the same for all."""
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
_OPINION = Caseless(
    r"\b(?:i|we)\s+(?:think|believe|feel|find|love|like|hate|recommend|prefer)\b|\bin\s+my\s+(?:opinion|view)\b"
    r"|\b(?:admired|amazing|attractive|awesome|beautiful|beloved|boring|brilliant|captivating|charming|delicious"
    r"|delightful|deserves?|disappointing|elegant|excellent|exceptional|extraordinary|fantastic|generous|great|iconic"
    r"|ideal|impressive|incredible|influential|innovative|inspiring|legendary|lovely|magnificent|outstanding|perfect"
    r"|pioneering|pleasant|prestigious|remarkable|renowned|respected|revolutionary|stunning|stylish|superb|terrible|terrific"
    r"|unfortunately|surprisingly|vibrant|wonderful|world-class|worthwhile|role\s+model|good\s+value|value\s+for\s+money)\b"
    r"|\b(?:one\s+of|among)\s+the\s+(?:most|best|finest|greatest|leading|top|worst|least)\b"
    r"|\bthe\s+(?:best|worst|finest|greatest|most\s+\w+(?:ful|ing|ive|ous|ant|ent|able))\b"
)


def decide(reading: ClaimReading) -> tuple[Support, float]:
    """The verdict on a claim and the probability that it is right.

    What is not supported and clashes with the context by rule (a number) is contradicted,
    even where the rest of the claim is not in the context at all; what is likeliest made up is not. That the context
    does not tell something is no claim where it is so, and a wrong one where the context does tell it.
    """
    if reading.supported >= THRESHOLD:
        return Support.NOT_A_CLAIM if reading.absence else Support.SUPPORTED, reading.supported
    clashes = reading.contradicted >= reading.unsupported and reading.kind != "invented"
    wrong = reading.absence or clashes or reading.conflicts
    return Support.CONTRADICTED if wrong else Support.UNSUPPORTED, 1 - reading.supported


def hallucination_probability(verdicts: Sequence[Verdict]) -> float:
    """That of the least supported claim: an output with one wrong claim is wrong."""
    return max(
        ((1 - (v.confidence or 0.0)) if v.support.holds else (v.confidence or 0.0) for v in verdicts), default=0.0
    )


def reason_of(reading: ClaimReading, support: Support) -> str:
    """Why, in a plain sentence that quotes what decided. A reason against a claim begins with the kind of error."""
    if support is Support.NOT_A_CLAIM:
        return "An abstention: the context does not tell it."
    quote = f"“{_shortened(reading.evidence.quote)}”" if reading.evidence else ""
    if support is Support.SUPPORTED:
        return f"The context says {quote or 'so'}."
    told = _against(reading, quote) if support is Support.CONTRADICTED else _unsaid(reading, quote)
    return f"{_NAMED[reading.kind]}: {told}"


def _against(reading: ClaimReading, quote: str) -> str:
    if reading.conflicts:
        return f"{reading.conflicts[0].rstrip('.')}."
    if reading.missing and reading.kind in ("number", "date"):
        return f"the context has no {_quoted(reading.missing)}, and its numbers do not make it."
    if not quote:
        return "the context says otherwise."
    return f"the context says {quote}, which does not go together with {_failing(reading)}."


def _unsaid(reading: ClaimReading, quote: str) -> str:
    if is_subjective(reading.stated):
        return "this is a judgement of taste that the context does not state."
    if reading.missing:
        return f"the context does not mention {_quoted(reading.missing)}."
    nearest = f"; the nearest it has is {quote}" if quote else ""
    return f"the context does not say {_failing(reading)}{nearest}."


def is_subjective(text: str) -> bool:
    """Whether the text voices a taste, an opinion or praise, which no context can hold up."""
    return _OPINION.search(text) is not None


def _failing(reading: ClaimReading) -> str:
    """The words that fail, where they are not the whole claim."""
    return _quoted([_shortened(words) for words in reading.doubted]) or "this"


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts[:_MOST_QUOTED])


def _shortened(text: str) -> str:
    flat = " ".join(text.split()).rstrip(".")
    return flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST].rstrip()}…"
