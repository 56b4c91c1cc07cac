"""Arguments of tool calls: which values must come from the conversation, and whether they do."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from ...core.case import Case
from ...core.plumbing.json_values import json_text
from ...core.verdict import Claim, Evidence, Support, Verdict

_MOST = 200
"""Most values of one call that are judged."""

_SETTING = re.compile(
    r"(?:^|_)(?:limit|top_?k|k|n|max|min|page|page_?size|per_?page|offset|size|count|num|timeout|retries|temperature|seed"
    r"|version|verbose|depth|radius)(?:_|$)",
    re.IGNORECASE,
)
"""Names of arguments that an agent sets by itself."""

_ADDRESS = r"(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{3,255}|https?://\S{1,2000}"
_IDENTIFIER = re.compile(
    rf"(?:{_ADDRESS}|\+?\d{{5,}}|(?=[\w#/.:-]*[a-z])(?=[\w#/.:-]*\d)[\w#][\w#/.:-]{{3,}})", re.IGNORECASE
)
"""Addresses, long numbers, and words of letters and digits: nobody can derive them, so they are quoted or invented."""
_MOMENT = re.compile(
    r"\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d.*)?|\d{1,2}(?::\d\d)?\s?[ap]m|\d{8}(?:T\d+Z?)?", re.IGNORECASE
)
_DIGITS = r"(?<![\w#])(?=[\w#/.,:-]{0,40}\d)[\w#](?:[\w#/.,:-]{0,60}\w)?"
_SPECIFIC = re.compile(rf"{_ADDRESS}|{_DIGITS}|(?<=[a-z,;:] )[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*")
"""What in a longer text must come from somewhere: addresses, numbers and names."""
_NUMBER = re.compile(r"\d+(?:[.,’']\d{3})*(?:[.,]\d+)?")
_PREPOSITION = 2
"""Length of names such as "to" and "by", which are no nouns."""
_UNIT = re.compile(r"seconds|minutes|hours|days|weeks|months|years|nights|percent|km|meters|miles|kg|grams|eur|usd|gbp")
_COUNTS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_LONG = 300
"""Characters from which on a value is searched for as it is, and for the numbers and names in it."""
_MOST_PIECES = 50
_SHORT = 4
"""Most words of a value that is compared as a whole."""


class Argument(Struct, frozen=True):
    """A value of a tool call: its claim, and the verdict where it follows from the texts alone."""

    claim: Claim
    verdict: Verdict | None


def judged_arguments(case: Case) -> list[Argument]:
    """Compare the values of a tool call with the conversation."""
    assert case.turn is not None
    found: list[Argument] = []
    at = case.output.find("(")
    for path, value in _values(case.turn.arguments):
        shown = json_text(value)
        start = case.output.find(shown, max(at, 0))
        end = start + len(shown)
        at = end if start >= 0 else at
        text = _sentence(path, value if isinstance(value, str) else shown)
        place = (start, end) if start >= 0 else (None, None)
        claim = Claim(f"a{len(found) + 1}", text, place[0], place[1], argument=path)
        found.append(Argument(claim, _verdict(claim, path, value, case.passages)))
    return found


def _verdict(claim: Claim, path: str, value: Any, passages: Sequence[tuple[int, str]]) -> Verdict | None:
    if isinstance(value, str) and (whole := _quoted(value, passages)):
        return Verdict(claim, Support.SUPPORTED, reason=_where(whole), evidence=(whole,))
    pieces = list(_pieces(path, value))
    if not pieces:
        return Verdict(claim, Support.NOT_A_CLAIM, reason="The assistant may choose this value.")
    quotes = {piece: _quoted(piece, passages) or _counted(piece, passages) for piece in pieces}
    missing = [piece for piece, evidence in quotes.items() if evidence is None]
    if not missing:
        evidence = tuple(found for found in quotes.values() if found)
        return Verdict(claim, Support.SUPPORTED, reason=_where(*evidence), evidence=evidence)
    invented = [piece for piece in missing if _IDENTIFIER.fullmatch(piece) and not _MOMENT.fullmatch(piece)]
    if invented:
        named = " and ".join(f"“{piece}”" for piece in invented[:3])
        reason = f"{named} {'appears' if len(invented) == 1 else 'appear'} nowhere in the conversation before the call."
        return Verdict(claim, Support.UNSUPPORTED, reason=reason)
    return None


def _values(arguments: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values in the arguments with their paths, such as `filters.city` and `ids[0]`."""
    stack: list[tuple[str, Any]] = [(path, arguments)]
    count = 0
    while stack and count < _MOST:
        path, value = stack.pop()
        if isinstance(value, dict):
            stack += [(f"{path}.{name}" if path else str(name), held) for name, held in reversed(value.items())]
        elif isinstance(value, list):
            stack += [(f"{path}[{place}]", held) for place, held in reversed(list(enumerate(value)))]
        else:
            count += 1
            yield path, value


def _pieces(path: str, value: Any) -> Iterator[str]:
    """What in a value must come from the conversation."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        if not _SETTING.search(path):
            yield json_text(value)
        return
    text = str(value).strip()
    words = len(text.split())
    if words > _SHORT or len(text) > _LONG or (words > 1 and _IDENTIFIER.search(text)):
        found = dict.fromkeys(match[0].strip(".,;:!?") for match in _SPECIFIC.finditer(text))
        yield from itertools.islice(found, _MOST_PIECES)
    elif re.search(r"[\d@]|://", text) or (text[:1].isupper() and not (text.isupper() and len(text) < 6)):
        yield text


def _quoted(piece: str, passages: Sequence[tuple[int, str]]) -> Evidence | None:
    """The first place where the passages have the piece, as words of their own. Of identifiers only the signs count."""
    if len(piece) > _LONG:
        found = ((index, text.find(piece)) for index, text in passages)
        return next((Evidence(index, at, at + len(piece), piece) for index, at in found if at >= 0), None)
    signs = re.findall(r"\w" if _IDENTIFIER.fullmatch(piece) else r"\w+", piece)
    if not signs:
        return None
    before = r"(?<![\w.,])" if piece[0].isdigit() else r"(?<!\w)" if signs[0].isascii() else ""
    after = r"(?!\w|[.,]\d)" if signs[-1].isascii() else ""
    pattern = re.compile(before + r"[^\w]{0,3}".join(map(re.escape, signs)) + after, re.IGNORECASE)
    for index, text in passages:
        if match := pattern.search(text):
            return Evidence(index, *match.span(), match[0])
    return None


def _counted(piece: str, passages: Sequence[tuple[int, str]]) -> Evidence | None:
    """The first place where the passages have the number, however it is written."""
    wanted = _number(piece)
    if wanted is None:
        return None
    word = f"|\\b{_COUNTS[int(wanted)]}\\b" if wanted in range(len(_COUNTS)) else ""
    for index, text in passages:
        for match in re.finditer(_NUMBER.pattern + word, text, re.IGNORECASE):
            if _number(match[0]) in (wanted, None):
                return Evidence(index, *match.span(), match[0])
    return None


def _number(text: str) -> float | None:
    if not _NUMBER.fullmatch(text):
        return None
    whole = re.sub(r"[.,’'](?=\d{3}(?:\D|$))", "", text).replace(",", ".")
    return float(whole) if whole.count(".") < 2 else None


def _where(*evidence: Evidence) -> str:
    places = dict.fromkeys(f"passage {found.passage + 1}" for found in evidence)
    return f"The conversation has it in {' and '.join(places)}."


def _sentence(path: str, value: str) -> str:
    """An argument as a sentence: "The order id is A-1043." for `orderId` and `order_id`."""
    words = re.sub(r"\[\d+\]", "", re.sub(r"(?<=[a-z])(?=[A-Z])|[_.\-]+", " ", path)).strip().lower()
    name, _, unit = words.rpartition(" ")
    if name and _UNIT.fullmatch(unit) and _NUMBER.fullmatch(value):
        words, value = name, f"{value} {unit}"
    named = words if len(words) > _PREPOSITION else f"value of “{words}”"
    return f"The {named} is {value.rstrip('.')}."
