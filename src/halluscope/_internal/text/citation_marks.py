"""Marks that say where something was taken from: "[2]", "(Smith et al., 2020)", "(source: the leaflet)", footnotes.

A mark states nothing: its number is no quantity and its name no person the claim is about. What merely looks
like one is content: "(2020)", "[sic]", "x²", an interval, a list in JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .patterns import named_patterns

_PATTERNS = named_patterns(Path(__file__).with_name("citation_marks.txt"))
_KINDS = ("bracket", "named", "lens", "foot", "works", "source", "raised", "small")
_MARK = "|".join(f"(?P<{kind}>{_PATTERNS[kind]})" for kind in _KINDS)
_POSSIBLE = re.compile(r"[\[(【¹²³⁰⁴⁵⁶⁷⁸⁹]|<sup")
_SURE = re.compile(r"[,;&]|\bet\s+al\b|\sand\s|^\[")
_WORD_BEFORE = re.compile(r"([^\W\d_]+|\d)$")
_UNITS = frozenset("feet foot inch inches yard yards mile miles metre metres meter meters".split())
_LONG_WORD = 4
_LONG = re.compile(rf"(?:[^\W\d_]{{{_LONG_WORD - 1},}}|\d[\d.,]*|[.!?%)\]\"”’])$")


def citation_marks(text: str) -> Iterator[re.Match[str]]:
    """The marks, in order; the group that matched says of which kind each is."""
    if _POSSIBLE.search(text) is None:
        return
    for match in _compiled(_MARK).finditer(text):
        if _is_mark(match, text[max(0, match.start() - 40) : match.start()]):
            yield match


@cache
def _compiled(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Made with the first mark: these take longer than all else that is imported with them."""
    return re.compile(pattern, flags)


def _is_mark(match: re.Match[str], before: str) -> bool:
    kind = match.lastgroup
    stripped = before.rstrip(" \t")
    if kind == "bracket":
        # "[1, 2]" after a colon, a comma or another opening bracket is a list; "x[3]" and "f [0, 1]" are formulas.
        if stripped[-1:] and stripped[-1] in ":=[{(<,/+":
            return False
        if before[-1:].isalnum() and not _LONG.search(before):
            return False
        return not match.group().startswith("[0") and _compiled(_PATTERNS["interval"]).search(before) is None
    if kind == "works":
        cased = _compiled(_PATTERNS["works"], 0).fullmatch(match.group())
        if cased is None or _compiled(_PATTERNS["dated"]).match(match.group()):
            return False
        # "(Paris 2020)" may be an event: with one name, the comma makes the mark.
        return _SURE.search(match.group()) is not None
    if kind in ("raised", "small"):
        if "[" in match.group():
            return True
        word = _WORD_BEFORE.search(before)
        if word is None:
            return bool(stripped)
        return len(word[1]) >= _LONG_WORD and word[1].lower() not in _UNITS
    return True
