"""Numbers as they are written: in digits, in words, as fractions, with a scale ("1.5 million", "3k")."""

from __future__ import annotations

import re
from typing import NamedTuple

from .units import SCALES

__all__ = ["ORDINALS", "SMALL", "Numeral", "numerals", "scale_in"]


class Numeral(NamedTuple):
    """A number in a text: its value, and the step of its last stated digit (its precision)."""

    start: int
    end: int
    value: float
    step: float
    form: str  # "digits", "words", "fraction", "ordinal", "pair", or "multiple" for "twice" and "doubled"


_UNITS = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split(),
        range(20),
        strict=True,
    )
)
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
SMALL = {**_UNITS, **_TENS}
"""Numbers of one word."""
ORDINALS = dict(
    zip(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        range(1, 21),
        strict=True,
    )
)
_WHOLE_PARTS = {"quarter": 4, **{word: place for word, place in ORDINALS.items() if 3 <= place <= 10}}
_PARTS = {"half": 2, "halves": 2, **_WHOLE_PARTS, **{f"{word}s": place for word, place in _WHOLE_PARTS.items()}}

_MULTIPLES = {
    "twice": 2.0, "doubled": 2.0, "doubling": 2.0, "thrice": 3.0, "tripled": 3.0, "tripling": 3.0, "quadrupled": 4.0,
    "halved": 0.5, "halving": 0.5,
}  # fmt: skip

_SMALL = "|".join([*_TENS, *sorted(_UNITS, key=len, reverse=True)])
_SCALE_WORDS = r"hundred|thousand|million|billion|trillion|dozen|lakh|crore"
# What "two in 24 hours" is not a share of.
_NO_WHOLE = (
    r"(?:(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|seasons?|games?|matches|quarters?)\b"
    r"|(?:January|February|March|April|May|June|July|August|September|October|November|December)\b)"
)
_PART = "|".join(sorted(_PARTS, key=len, reverse=True))
# Taken apart by some tool: "3, 500 soldiers", "1. 3 billion"; and a decimal comma before a percent sign.
_APART = (
    r"[1-9]\d{0,2}(?:,\ \d00(?!\d|,|\ and\b|\ or\b|\ to\b))+"
    r"|\d{1,3}\.\ \d{1,2}(?=\ (?:million|billion|trillion|m|bn)\b)"
    r"|\d{1,3},\d{1,2}(?=\s?%)"
)
_DIGITS = rf"{_APART}|" + r"\d{1,3}(?:[,\u00a0\u202f\u2009']\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?"
_SMALL_NUMBER = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:one|two|three|four|five|six|seven|eight|nine)\b)?|{_SMALL})"
_WORD_NUMBER = (
    rf"(?:{_SMALL_NUMBER}|(?:a|half\ a)(?=[ -](?:{_SCALE_WORDS})\b))"
    rf"(?:(?:[ -](?:{_SCALE_WORDS})\b){{1,3}}(?:(?:\ and)?\ {_SMALL_NUMBER}\b)?){{0,4}}"
)

_NUMERAL = re.compile(
    rf"""
    (?P<mixed>\b(?:{_SMALL}|\d+)\s+and\s+(?:(?:a|one)[\s-]+(?:half|quarter|third)|(?:two|three)[\s-]+(?:thirds?|quarters?))\b)
    | (?P<oneof>\b(?:{_SMALL}|\d+)\s+(?:in|out\ of)\s+(?:every\s+)?(?:{_SMALL}|\d{{1,3}}|10{{3,6}})\b
        (?![,.]?\d|\s*(?:{_SCALE_WORDS})|[\s-]+(?:{_NO_WHOLE})))
    | (?P<partof>\b(?:a|one|three)[ -]quarters?\ of\ an?\ (?:{_SCALE_WORDS})\b)
    | (?P<fraction>\b(?:(?:a|an|one|two|three|four|five|seven|nine)[ -](?:{_PART})\b(?!\s+(?:of\s+20|20)\d\d)
        |half\b(?!\s+(?:marathon|time|year|-)|\ a\ (?:{_SCALE_WORDS})
        |-(?!hour|day|year|mile|inch|pound|pint|price)[a-z])|three-quarters\b))
    | (?P<slash>(?<![\d/.])[1-9]/[2-9]\d?(?![\d/"”])) | (?P<vulgar>\d*[½¼¾⅓⅔⅕⅛])
    | (?P<th>(?<![\d.,])\d{{1,3}}(?:st|nd|rd|th)\b)
    | (?P<digits>(?:(?<![\w.,%°)])[-−–](?=\d)|(?<![\w.])(?<!\d,))(?:{_DIGITS})
        (?:(?-i:k|[ \u00a0]?(?:K|M|mn|bn|B|tn|T))\b(?!/)|[ \u00a0-]?(?:{_SCALE_WORDS})s?\b)?)
    | (?P<pair>\ba\ (?:couple|pair)\ of\b)
    | (?P<whole>\ban?(?=\ (?:hour|day|week|month|year|decade|century|minute|mile|kilomet(?:re|er)|inch|pound
        |lit(?:re|er))
        \ and\ (?:a|one)\ (?:half|quarter|third)\b)
        |\ban(?=\ hour\ (?:later|earlier|before|after|late|longer|ahead|behind|less|more)\b))
    | (?P<multiple>\b(?:{"|".join(_MULTIPLES)})\b)
    | (?P<ordinal>\b(?:{"|".join(ORDINALS)})\b(?!\s+centur|[\s-]part(?:y|ies)\b))
    | (?P<words>\b{_WORD_NUMBER}\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SCALED = re.compile(
    r"[\d.,]+[ -]?(hundred|thousand|million|billion|trillion|[kKMB]|bn|mn|m|b)\b|\b(hundred|thousand|million)\b"
)
_DIGIT_PARTS = re.compile(r"([-−–]?)(\d[\d.,'\s]*\d|\d)[\s-]?(.*)", re.DOTALL)
_DECIMAL_COMMA = re.compile(r"\d{1,3},\d{1,2}")
_VULGAR = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅕": 0.2, "⅛": 0.125}
_SPLIT = re.compile(r"[\s-]+")
_WHOLES = frozenset((12.0, 20.0, 25.0, 50.0, 1e2, 1e3, 1e4, 1e5, 1e6))
"""What a share is given of, besides small numbers: "37 out of 486" are two counts."""


# Matching is tried only where a number can start: one dictionary look-up per word instead of a dozen
# patterns per character.
_TOKEN = re.compile(r"[^\W_]+")
_FIRST = frozenset(("a", "an", "half", "three", *_UNITS, *_TENS, *ORDINALS, *_MULTIPLES))
_NO_NUMBER_AFTER = {
    "words": re.compile(r"[^\W\d_]-$"),  # the second part of "Take-Two"
    "ordinal": re.compile(r"\bper\s+$", re.IGNORECASE),
    "fraction": re.compile(r"\b(?:first|second|latter|other|last|top|bottom|back|final)[\s-]+$", re.IGNORECASE),
}
_AGAIN = re.compile(r"\s\(\s?(\d{1,9})\s?\)")  # contracts write "thirty (30) days"


def numerals(text: str) -> list[Numeral]:
    """Every number written in the text, in order, none overlapping another."""
    found: list[Numeral] = []
    reached = 0
    for token in _TOKEN.finditer(text):
        start = token.start()
        if start < reached or not (text[start].isnumeric() or token.group().lower() in _FIRST):
            continue
        match = _NUMERAL.match(text, start)
        before = _NO_NUMBER_AFTER.get(match.lastgroup or "") if match else None
        if match is None or (before and before.search(text, max(0, start - 8), start)):
            continue
        if match.lastgroup == "digits" and start > reached and text[start - 1] in "-−–":
            match = _NUMERAL.match(text, start - 1) or match
        numeral = _read(match)
        if numeral is not None:
            again = _AGAIN.match(text, numeral.end) if numeral.form == "words" else None
            if again and float(again.group(1)) == numeral.value:
                numeral = numeral._replace(end=again.end())
            found.append(numeral)
            reached = numeral.end
    return found


def _read(match: re.Match[str]) -> Numeral | None:
    kind = match.lastgroup or ""
    raw = match.group()
    start, end = match.span()
    if kind == "digits":
        return _digits(raw, start, end)
    if kind == "th":
        value = float(re.sub(r"\D", "", raw))
        return Numeral(start, end, value, 1, "ordinal")
    if kind == "ordinal":
        return Numeral(start, end, float(ORDINALS[raw.lower()]), 1, "ordinal")
    if kind == "pair":
        return Numeral(start, end, 2, 1, "pair")
    if kind == "whole":
        return Numeral(start, end, 1, 1, "words")
    if kind == "multiple":
        return Numeral(start, end, _MULTIPLES[raw.lower()], 1, "multiple")
    if kind == "vulgar":
        value = float(raw[:-1] or 0) + _VULGAR[raw[-1]]
        return Numeral(start, end, value, 0.05, "digits" if raw[:-1] else "fraction")
    if kind == "slash":
        above, below = raw.split("/")
        return Numeral(start, end, int(above) / int(below), 0.01, "fraction")
    if kind == "oneof":
        pieces = _SPLIT.split(raw.lower())
        above_value, below_value = _small(pieces[0]), _small(pieces[-1])
        if not above_value or above_value >= below_value or not (below_value <= 10 or below_value in _WHOLES):
            first = _SPLIT.split(raw)[0]
            return Numeral(start, start + len(first), above_value or 0, 1, "words" if first.isalpha() else "digits")
        return Numeral(start, end, above_value / below_value, 0.01, "fraction")
    if kind == "mixed":
        pieces = _SPLIT.split(raw.lower())
        whole, parts = _small(pieces[0]), _small(pieces[2]) or 1.0
        return Numeral(start, end, whole + parts / _PARTS[pieces[-1]], 0.1, "words")
    if kind == "partof":  # a quarter of a million
        first, *_, scale = raw.lower().split(" ")
        value = (0.75 if first.startswith("three") else 0.25) * SCALES[scale]
        return Numeral(start, end, value, value / 5, "words")
    if kind == "fraction":
        pieces = _SPLIT.split(raw.lower())
        above_value = 1.0 if len(pieces) == 1 or pieces[0] in ("a", "an") else _small(pieces[0])
        return Numeral(start, end, above_value / _PARTS[pieces[-1]], 0.01, "fraction")
    return _words(raw, start, end)


def _digits(raw: str, start: int, end: int) -> Numeral | None:
    parts = _DIGIT_PARTS.match(raw)
    if parts is None:
        return None
    sign, digits, scale = parts.groups()
    if _DECIMAL_COMMA.fullmatch(digits):
        digits = digits.replace(",", ".")
    plain = re.sub(r"[^\d.]", "", digits)
    if len(plain) > 18:
        return None
    factor = SCALES.get(scale) or SCALES.get(scale.lower().strip(), 1.0)
    value = float(plain) * factor
    if "." in plain:
        step = 10.0 ** -len(plain.split(".")[1]) * factor
    else:
        zeros = len(plain) - len(plain.rstrip("0")) if plain.strip("0") else 0
        step = 10.0**zeros * factor
    return Numeral(start, end, -value if sign else value, step, "digits")


def _small(word: str) -> float:
    if word.isdigit():
        return float(word)
    return float(SMALL.get(word, 0))


def _words(raw: str, start: int, end: int) -> Numeral | None:
    total = current = 0.0
    half = raw.lower().startswith("half a")
    pieces = [piece for piece in _SPLIT.split(raw.lower().replace(",", " ")) if piece not in ("and", "half", "")]
    for piece in pieces:
        if piece == "a":
            current = 1
        elif piece in SMALL:
            current += SMALL[piece]
        elif piece in ("hundred", "dozen"):
            current = (current or 1) * SCALES[piece]
        elif piece in SCALES:
            total += (current or 1) * SCALES[piece]
            current = 0
    value = total + current
    if value > 1e15:
        return None
    if half:
        value *= 0.5
    step = 1.0
    if value >= 20:
        digits = f"{int(value)}"
        step = 10.0 ** (len(digits) - len(digits.rstrip("0")))
    return Numeral(start, end, value, step, "words")


def scale_in(text: str) -> float:
    """The scale that a number says itself: a million in "4.2 million euros", else one."""
    found = _SCALED.search(text)
    return SCALES[found.group(1) or found.group(2)] if found else 1.0
