"""Opinions, which no context can hold up."""

from __future__ import annotations

from ...text.caseless import Caseless

__all__ = ["is_subjective"]

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


def is_subjective(text: str) -> bool:
    """Whether the text voices a taste, an opinion or praise rather than a fact."""
    return _OPINION.search(text) is not None
