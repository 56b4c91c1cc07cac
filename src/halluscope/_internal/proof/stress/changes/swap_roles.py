"""Swapping who does something and to whom it is done."""

from __future__ import annotations

import re
from random import Random

from .change_name import NATIONAL, inner_names
from .english import PATTERNS
from .mutant import Edit, comparable, sentence_starts

_PAIRS = (
    ("one", "done", "one"),
    ("one", "does", "one"),
    ("name", "than", "name"),
    ("name", "kin", "name"),
    ("one", "gives", "one"),
    ("name", "towards", "name"),
    ("name", "afar", "name"),
)
"""The two sides of a statement, and what stands between them."""
_PATTERNS = tuple(
    re.compile(rf"(?<![\w’'-])(?P<a>{PATTERNS[a]}) (?P<v>{PATTERNS[v]}) (?P<b>{PATTERNS[b]}){PATTERNS['end']}")
    for a, v, b in _PAIRS
)
_ROUTE = re.compile("{moved} (?P<a>{name})(?P<v> to )(?P<b>{name}){end}".format_map(PATTERNS))


def swap_roles(answer: str, context: str, rng: Random) -> Edit | None:
    """Swap one pair in the answer."""
    known = inner_names(context) | inner_names(answer)
    found = [
        match
        for pattern in (*_PATTERNS, _ROUTE)
        for match in pattern.finditer(answer)
        if _fit(match, known) and (pattern is _ROUTE or not re.search(PATTERNS["joined"], answer[: match.start()]))
    ]
    rng.shuffle(found)
    for match in found:
        edit = _swapped(answer, match)
        if comparable(edit.after) not in comparable(context):
            return edit
    return None


def one_way(text: str) -> bool:
    """Whether the words between a pair certainly distinguish its sides."""
    # The last pattern only guesses.
    return any(pattern.fullmatch(text) for pattern in (*_PATTERNS[:-1], _ROUTE))


def _fit(match: re.Match[str], known: frozenset[str]) -> bool:
    one, other = comparable(match["a"]), comparable(match["b"])
    for side in (match["a"], match["b"]):
        capitals = [word for word in side.split() if word[0].isupper() and word != "The"]
        if not all(word in known and not NATIONAL.search(word) for word in capitals):
            return False  # capitalised only at the start of a sentence, or an adjective
    if not re.search(PATTERNS["tells"], match["v"]) and match["v"] != " to ":
        return False
    if one in other or other in one:
        return False
    # "The tenants pays" would be ungrammatical.
    names = [side for side in (match["a"], match["b"]) if side.lower().startswith("the ") and side.split()[1].islower()]
    return len(names) != 1 and (not names or len({name.endswith("s") for name in names}) == 1)


def _swapped(answer: str, match: re.Match[str]) -> Edit:
    one, other = match["a"], match["b"]
    if match.start("a") in sentence_starts(answer):
        other = other[0].upper() + other[1:]
        one = "the" + one[3:] if one.startswith("The ") else one
    middle = answer[match.end("a") : match.start("b")]
    return Edit(match.start("a"), match.end("b"), f"{other}{middle}{one}")
