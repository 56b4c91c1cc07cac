"""Marks that say where something was taken from: "[2]", "(Smith et al., 2020)", "(source: the leaflet)", footnotes.

A mark states nothing: its number is no quantity and its name no person the claim is about. What merely looks
like one is content: "(2020)", "[sic]", "x²", an interval, a list in JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

NUMBERS = r"\d{1,3}[a-z]?(?:\s*(?:[,;–-]|and|&)\s*\d{1,3}[a-z]?)*"
_PART = (
    r"(?:sources?|docs?|documents?|passages?|refs?|references?|context|chunks?|excerpts?|snippets?|results?|citations?"
    r"|articles?|footnotes?|notes?)"
)
_PAGE = r"(?:,?\s+(?:pp?|para|sec|ch)\.?\s*\d+(?:\s*[–-]\s*\d+)?)?"
_PERSON = r"(?:(?:van|von|de|der|den|la|le|di|da|al-)\s+){0,2}[A-Z][\w'’-]+"
_PEOPLE = rf"{_PERSON}(?:,?\s+(?:[A-Z]\.\s*)+)?(?:(?:,\s+{_PERSON}){{0,5}},?\s+(?:&|and)\s+{_PERSON}|\s+et\s+al\.?)?"
_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?"
_WORK = rf"(?:(?:see|cf\.?|e\.g\.,?|see\s+also)\s+)?{_PEOPLE},?\s+(?:{_YEAR}|n\.d\.|in\s+press|forthcoming){_PAGE}"
_MARK = rf"""(?xi)
      (?P<bracket>\[(?:{_PART}[\s_#-]*)?{NUMBERS}{_PAGE}\](?!\())
    | (?P<named>\[(?:{_PART}|citation\s+needed|ibid\.?)(?:\s*[:#]\s*[^\[\]\n]{{1,120}})?\](?!\(|:))
    | (?P<lens>【[^【】\n]{{1,60}}】)
    | (?P<foot>\[\^[^\]\s]{{1,40}}\]:?)
    | (?P<works>[(\[]{_WORK}(?:\s*;\s*{_WORK})*[)\]])
    | (?P<source>\((?:(?:see|per|from|cf\.?)\s+)?(?:{_PART}\s*:\s*[^()\n]{{1,160}}
        |(?:sources?|docs?|documents?|passages?|refs?|references?|footnotes?|citations?)\.?\s*\#?{NUMBERS})\))
    | (?P<raised><sup[^<>\n]{{0,80}}>\s*(?:<a\b[^<>\n]{{0,200}}>)?\s*
        \[?(?P<inside>[\d,;\s–-]{{1,16}}|[a-z*†‡])\]?\s*(?:</a>)?\s*</sup>)
    | (?P<small>[¹²³⁰⁴⁵⁶⁷⁸⁹⁽⁾˒ʼ⁻]+)
    """
_POSSIBLE = re.compile(r"[\[(【¹²³⁰⁴⁵⁶⁷⁸⁹]|<sup")
_CASED = rf"[(\[]{_WORK}(?:\s*;\s*{_WORK})*[)\]]"
_SURE = re.compile(r"[,;&]|\bet\s+al\b|\sand\s|^\[")
_WORD_BEFORE = re.compile(r"([^\W\d_]+|\d)$")
# A year after one of these is a date, and after these a number in brackets is an interval.
_DATED = re.compile(
    r"[(\[](?:early\s+|mid\s+|late\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn"
    r"|fall|winter"
    r"|easter|christmas|since|until|from|in|by|circa|q[1-4]|fy|year|est|version|windows|office|before"
    r"|after)[a-z]*\.?,?\s",
    re.IGNORECASE,
)
_INTERVAL = re.compile(
    r"\b(?:interval|range|ranges|between|index|scale|array|list|vector|tuple|values?)\s*$", re.IGNORECASE
)
_UNITS = frozenset("feet foot inch inches yard yards mile miles metre metres meter meters".split())
_LONG_WORD = 4


def citation_marks(text: str) -> Iterator[re.Match[str]]:
    """The marks, in order; the group that matched says of which kind each is."""
    if _POSSIBLE.search(text) is None:
        return
    for match in _compiled(_MARK).finditer(text):
        if _is_mark(match, text[max(0, match.start() - 40) : match.start()]):
            yield match


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Made with the first mark: these two take longer than all else that is imported with them."""
    return re.compile(pattern)


def _is_mark(match: re.Match[str], before: str) -> bool:
    kind = match.lastgroup if match.lastgroup != "inside" else "raised"
    stripped = before.rstrip(" \t")
    if kind == "bracket":
        # "[1, 2]" after a colon, a comma or another opening bracket is a list; "x[3]" and "f [0, 1]" are formulas.
        if stripped[-1:] and stripped[-1] in ":=[{(<,/+":
            return False
        if before[-1:].isalnum() and not _LONG.search(before):
            return False
        return not match.group().startswith("[0") and _INTERVAL.search(before) is None
    if kind == "works":
        if _compiled(_CASED).fullmatch(match.group()) is None or _DATED.match(match.group()):
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


_LONG = re.compile(rf"(?:[^\W\d_]{{{_LONG_WORD - 1},}}|\d[\d.,]*|[.!?%)\]\"”’])$")
