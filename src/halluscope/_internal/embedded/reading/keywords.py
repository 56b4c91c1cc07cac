"""What the keys and values of records mean: which values say yes or no, which words of a key tell what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from .evidence import STOP_WORDS, stem

Value = Literal["yes", "no", "unknown", "other"]

_SPELLINGS: dict[Value, str] = {
    "yes": """yes|true|y|enabled|on|available|included|allowed|accepted|supported|permitted|offered|provided|free|paid
    |complimentary|free of charge""",
    "no": """no|false|n|disabled|off|unavailable|not available|not included|excluded|not allowed|not accepted
    |not supported|unsupported|not permitted|not offered|not provided|prohibited|forbidden|out of order""",
    "unknown": """none|null|n/a|na|nil|nan|undefined|unknown|unspecified|not specified|not stated|not given|not known
    |not mentioned|tbd|tba|to be confirmed""",
}
VALUES = {word.strip(): value for value, words in _SPELLINGS.items() for word in words.split("|")}
"""Values that say yes, no or nothing. A flattened null reads `none`, so `none` is nothing, not no."""

_OPPOSED = """
open / closed shut
active / inactive suspended
free complimentary / paid
public / private
quiet / loud noisy
casual / formal
approved accepted / rejected declined refused
passed / failed
online / offline
optional / mandatory compulsory
resolved / unresolved
confirmed / unconfirmed cancelled canceled
valid / invalid
complete / incomplete
"""
SAME = {
    "ambianc": "ambienc",
    "atmospher": "ambienc",
    "vib": "ambienc",
    "takeaway": "takeout",
    "carryout": "takeout",
    "reserv": "reservation",
    "wlan": "wifi",
}
"""Roots that mean another."""


@lru_cache(maxsize=16_384)
def root(word: str) -> str:
    """The stem of a word, but `touristy` is no tourist."""
    if word.endswith("y"):
        return word
    found = f"{word[:-3]}y" if word.endswith("ies") else stem(word)
    return SAME.get(found, found)


def _roots(words: str) -> frozenset[str]:
    return frozenset(map(root, words.split()))


FLAGS = frozenset("is has have can".split())
"""A key that begins so is a question: 0 is no there, and 1 is yes."""
_LIGHT = frozenset(
    """is has have can does do good for accepts accept accepted offers offer offered allows allow allowed available
    availability supports support supported provides provide provided includes include included enable enabled of
    the a an suitable service services status state result outcome option options""".split()
)
"""Words of a key that a claim may put otherwise: `Dogs Allowed` is "dogs are welcome"."""
_PARTICLES = frozenset("in out up off on over by to".split())
GENERIC = _roots(
    """business restaurant store shop hotel company customer user product item order property venue place account
    attribute info details data general listing result summary flags settings metadata record entry server config
    configuration system service app application default"""
)
"""Kinds of records: a claim about one need not say so."""
LOOSE = _roots("ambience style type category feature amenity tag theme mood")
"""Names of groups that say what their members are; the members stand without them, and they say little alone."""
FACTS = _roots(
    """hour address phone price date time name description location email website id country language region
    code value currency unit note comment count number size amount total due"""
)
"""Things that are given or not, never yes or no: `country: NO` is Norway, `hours: none` may be any hours."""


def _states() -> dict[str, tuple[str, frozenset[str]]]:
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for line in _OPPOSED.strip().splitlines():
        left, right = line.split("/")
        for side, other in ((left, right), (right, left)):
            found |= {word: (root(word), _roots(other)) for word in side.split()}
    return found


STATES = _states()
"""Values that rule out others: the root of each, and the roots of its opposites."""
TURNED = dict(STATES.values())
LIKELY = re.compile(
    r"[:=][\s*\"']*(?:{|[01]\b|(?:"
    + "|".join(map(re.escape, sorted({**VALUES, **STATES})))
    + r")[\s*\"',.]*(?:$|[;|·}#\n]))",
    re.IGNORECASE,
)
"""Found in every text with a field worth reading, and in little else."""


def telling(key: Sequence[str]) -> tuple[str, ...]:
    """Roots of the words of a key that a claim about it has to hold; two short ones are one: `Wi Fi`, `Take Out`."""
    words = [word for word in key if word not in _LIGHT]
    while len(words) > 1 and root(words[0]) in GENERIC:
        del words[0]
    if len(words) == 2 and (min(map(len, words)) <= 2 or words[1] in _PARTICLES):
        return (root("".join(words)),)
    return tuple(root(word) for word in words if word not in STOP_WORDS and word not in _PARTICLES)
