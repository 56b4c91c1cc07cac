"""Telling an answer from a refusal to answer."""

from __future__ import annotations

import re

_REFUSAL = re.compile(
    r"""^\W*(?:
      (?:(?:I(?:['’]?m|\ am)|we(?:['’]re|\ are))\s+)?(?:(?:very|so|really)\s+)?(?:sorry|afraid)\b
    | (?:I|we)\s+(?:really\s+|simply\s+|just\s+)?(?:do\s+not|don['’]?t|cannot|can['’]?t|could\s+not|couldn['’]?t)\s+
        (?:know|say|tell|answer|find|determine|help|provide|assist|have)\b
    | (?:I(?:['’]m|\ am))\s+(?:unable|not\s+able|not\s+sure|unsure)\b
    | (?:no|not\s+enough|insufficient)\s+(?:information|context|answer)\b
    | (?:unknown|n/?a|not\s+(?:available|mentioned|specified|provided|stated))\W*$
    | (?:the|this|that)?\s*(?:provided\s+|given\s+)?(?:context|passages?|text|documents?|information|answer)\s+
        (?:provided\s+|given\s+)?(?:(?:does|do|did)\s*(?:not|n['’]t)\s+(?:say|mention|contain|specify|state|provide|include|give|tell)
        |is\s+(?:not|n['’]t)\s+(?:mentioned|given|provided|stated|specified|available|in))
    )""",
    re.IGNORECASE | re.VERBOSE,
)

_LONGEST = 60
"""Words: a longer text says more than that it declines."""


def is_refusal(output: str) -> bool:
    """Whether the output declines to answer and says little else."""
    return len(output.split()) <= _LONGEST and _REFUSAL.match(output) is not None
