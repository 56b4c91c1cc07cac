"""Units of measure: which words name one, what they measure, and how they convert.

Everything is brought to one base unit per dimension, so that 2.5 hours and 150 minutes are the same
quantity. Months and years are durations too, with their mean lengths: comparing them with weeks is then
a matter of tolerance, which is decided elsewhere.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from ..phrases import pattern


class Unit(NamedTuple):
    """What a unit measures, and `base = value * factor + offset`."""

    dimension: str
    factor: float
    offset: float = 0.0


_DATA: dict[str, Any] = json.loads(Path(__file__).with_name("units.json").read_text(encoding="utf-8"))
"""The units by what they measure, their factors and names; `_` stands for a blank, "(s)" for both numbers."""


def _forms(names: str) -> set[str]:
    """All the names, "day(s)" in both numbers."""
    return {name.replace("(s)", ending).replace("_", " ") for name in names.split() for ending in ("", "s")}


def _units() -> dict[str, Unit]:
    """All units by their names."""
    found: dict[str, Unit] = {}
    for dimension, sign, names, prefixes in _DATA["prefixed"]:
        for prefix in ("", *prefixes.split()):
            before, factor = _DATA["prefixes"][prefix]
            spelled = " ".join(f"{before}{name}(s)" for name in names.split())
            found |= dict.fromkeys(_forms(f"{prefix}{sign} {spelled}"), Unit(dimension, factor))
    for dimension, factors in _DATA["units"].items():
        for factor, names in factors.items():
            found |= dict.fromkeys(_forms(names), Unit(dimension, float(factor)))
    for factor, offset, names in _DATA["temperatures"]:
        found |= dict.fromkeys(_forms(names), Unit("temperature", factor, offset))
    return found


_TABLE = _units()
_CURRENCY = {name: code for code, names in _DATA["currencies"].items() for name in (code.lower(), *_forms(names))}
_MINOR = {"cent": 0.01, "cents": 0.01, "pence": 0.01, "p": 0.01}

SCALES: dict[str, float] = _DATA["scales"]

_AFTER = {n for n in _CURRENCY if n not in ("won", "try", "rs", "rand")} | set(_CURRENCY.values())
_LEAD = re.compile(r"[^\W\d_]+|[^\w\s]")
_SLASH = re.compile(r"\s?/\s?")


def _by_lead() -> dict[str, list[str]]:
    """The names of units under their first word or sign, the longest first."""
    found: dict[str, list[str]] = {}
    for name in sorted({*_TABLE, *_AFTER}, key=lambda name: (-len(name), name)):
        found.setdefault(_LEAD.findall(name)[0].lower(), []).append(name)
    return found


_BY_LEAD = _by_lead()
_LONGEST = 26


class UnitFound(NamedTuple):
    """The name of a unit as the table has it, and where it ends in the text."""

    name: str
    end: int


def unit_at(text: str, place: int) -> UnitFound | None:
    """The longest name of a unit that begins at this place; in short ones, case counts: 5 M is no 5 m."""
    lead = _LEAD.match(text, place)
    names = _BY_LEAD.get(lead.group().lower()) if lead else None
    if not names:
        return None
    piece = text[place : place + _LONGEST]
    tight = _SLASH.sub("/", piece, count=1) if "/" in piece else piece
    for name in names:
        if not (tight.startswith(name) or (len(name) > 3 and tight[: len(name)].lower() == name.lower())):
            continue
        after = tight[len(name) : len(name) + 1]
        if (name[-1].isalnum() or name[-1] in "²³") and (after.isalnum() or after in ("_", "²", "³")):
            continue
        widened = len(piece) - len(tight) if "/" in name else 0
        return UnitFound(name, place + len(name) + widened)
    return None


_UNIT_FOLDED = {name.lower(): unit for name, unit in _TABLE.items() if len(name) > 3}

CURRENCY_BEFORE = re.compile(
    r"(?:US\$|CA?\$|AU?\$|NZ\$|R\$|[$€£¥₹₩₽₺]"
    r"|\b(?:USD|EUR|GBP|JPY|CNY|RMB|INR|CHF|NOK|SEK|DKK|PLN|CZK|CAD|AUD|NZD|KRW|BRL|RUB|ZAR|MXN|HUF|Rs\.?))\s?$"
)


def unit_of(name: str) -> Unit | None:
    """The unit a word or sign names, or None."""
    return _TABLE.get(name) or _UNIT_FOLDED.get(name.lower())


def currency(name: str) -> Unit | None:
    """The currency a word or sign names, cents as a part of it, or None."""
    key = name.strip().rstrip(".").lower()
    code = _CURRENCY.get(key)
    return Unit(code, _MINOR.get(key, 1.0)) if code else None


class Numeral(NamedTuple):
    """A number in a text: its value, and the step of its last stated digit (its precision)."""

    start: int
    end: int
    value: float
    step: float
    form: str  # "digits", "words", "fraction", "ordinal", "pair", or "multiple" for "twice" and "doubled"


_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen".split()
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SMALL = {word: number for number, word in enumerate(_UNITS)} | {word: 20 + 10 * at for at, word in enumerate(_TENS)}
"""Numbers of one word."""
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth".split()
)
ORDINALS = {word: place for place, word in enumerate(_ORDINALS, start=1)}
_WHOLE_PARTS = {"quarter": 4, **{word: place for word, place in ORDINALS.items() if 3 <= place <= 10}}
PARTS = {"half": 2, "halves": 2, **_WHOLE_PARTS, **{f"{word}s": place for word, place in _WHOLE_PARTS.items()}}

_MULTIPLES = {
    "twice": 2.0, "doubled": 2.0, "doubling": 2.0, "thrice": 3.0, "tripled": 3.0, "tripling": 3.0, "quadrupled": 4.0,
    "halved": 0.5, "halving": 0.5,
}  # fmt: skip

_SMALL = "|".join([*_TENS, *sorted(_UNITS, key=len, reverse=True)])
_SCALE_WORDS = r"hundred|thousand|million|billion|trillion|dozen|lakh|crore"
# What "two in 24 hours" is not a share of.
_NO_WHOLE = (
    r"(?:(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|seasons?|games?|matches|quarters?)\b"
    rf"|{pattern('months')}\b)"
)
_PART = "|".join(sorted(PARTS, key=len, reverse=True))
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
    | (?P<ordinal>(?<![\d.,])\d{{1,3}}(?:st|nd|rd|th)\b|\b(?:{"|".join(ORDINALS)})\b(?!\s+centur|[\s-]part(?:y|ies)\b))
    | (?P<digits>(?:(?<![\w.,%°)])(?P<minus>[-−–])(?=\d)|(?<![\w.])(?<!\d,))(?P<figures>{_DIGITS})
        (?P<scale>(?-i:k|[ \u00a0]?(?:K|M|mn|bn|B|tn|T))\b(?!/)|[ \u00a0-]?(?:{_SCALE_WORDS})s?\b)?)
    | (?P<pair>\ba\ (?:couple|pair)\ of\b)
    | (?P<whole>\ban?(?=\ (?:hour|day|week|month|year|decade|century|minute|mile|kilomet(?:re|er)|inch|pound
        |lit(?:re|er))
        \ and\ (?:a|one)\ (?:half|quarter|third)\b)
        |\ban(?=\ hour\ (?:later|earlier|before|after|late|longer|ahead|behind|less|more)\b))
    | (?P<single>\ban?(?=\ (?:hour|day|week|month|year|decade|century|minute)\b(?!\ and\ (?:a|one)\b)))
    | (?P<multiple>\b(?:{"|".join(_MULTIPLES)})\b)
    | (?P<words>\b{_WORD_NUMBER}\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SCALED = re.compile(
    r"[\d.,]+[ -]?(hundred|thousand|million|billion|trillion|[kKMB]|bn|mn|m|b)\b|\b(hundred|thousand|million)\b"
)
_DECIMAL_COMMA = re.compile(r"\d{1,3},\d{1,2}")
_VULGAR = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅕": 0.2, "⅛": 0.125}
_SPLIT = re.compile(r"[\s-]+")
_TOO_LARGE = 1e18
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
_LASTS = re.compile(
    r"\b(?:for|within|takes?|took|lasts?|lasted|over|under|than|about|around|nearly|almost|least|most)\s+$",
    re.IGNORECASE,
)
"""Words after which "a minute" is a length of time, as in "three times a day" it is not."""
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
        if match.lastgroup == "single" and not _LASTS.search(text, max(0, start - 16), start):
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
    kind, raw = match.lastgroup, match.group().casefold()
    start, end = match.span()
    pieces = _SPLIT.split(raw)
    first, last = pieces[0], pieces[-1]
    value, step, form = _small(first), 1.0, "words"
    if kind == "digits":
        value, step, form = *_digits(match), "digits"
    elif kind == "ordinal":
        value, form = float(ORDINALS.get(raw) or raw[:-2]), "ordinal"
    elif kind == "multiple":
        value, form = _MULTIPLES[raw], "multiple"
    elif kind == "pair":
        value, form = 2.0, "pair"
    elif kind == "vulgar":
        value, step, form = float(raw[:-1] or 0) + _VULGAR[raw[-1]], 0.05, "digits" if raw[:-1] else "fraction"
    elif kind == "slash":
        above, below = raw.split("/")
        value, step, form = int(above) / int(below), 0.01, "fraction"
    elif kind == "fraction":
        value, step, form = value / PARTS[last], 0.01, "fraction"
    elif kind == "mixed":
        value, step = value + _small(pieces[2]) / PARTS[last], 0.1
    elif kind == "partof":  # a quarter of a million
        value = (0.75 if first == "three" else 0.25) * SCALES[last]
        step = value / 5
    elif kind == "words":
        value = _words(pieces)
        step = _last_digit(f"{int(value)}") if value >= 20 else 1.0
    elif kind == "oneof":
        whole = _small(last)
        if 0 < value < whole and (whole <= 10 or whole in _WHOLES):
            value, step, form = value / whole, 0.01, "fraction"
        else:
            end, form = start + len(first), "words" if first.isalpha() else "digits"
    return Numeral(start, end, value, step, form) if abs(value) < _TOO_LARGE else None


def _small(word: str) -> float:
    """One number in digits or of one word; "a" and "half" are one."""
    return float(word) if word.isdigit() else float(SMALL.get(word, 1))


def _digits(match: re.Match[str]) -> tuple[float, float]:
    figures, scale = match["figures"], (match["scale"] or "").strip(" \u00a0-")
    if _DECIMAL_COMMA.fullmatch(figures):
        figures = figures.replace(",", ".")
    plain = re.sub(r"[^\d.]", "", figures)
    factor = SCALES.get(scale) or SCALES.get(scale.lower(), 1.0)
    return float(plain) * (-factor if match["minus"] else factor), _last_digit(plain) * factor


def _last_digit(plain: str) -> float:
    """The size of the last digit that counts: 100 in "1200", 0.1 in "3.5"."""
    if "." in plain:
        return 10.0 ** -len(plain.split(".")[1])
    return 10.0 ** (len(plain) - len(plain.rstrip("0"))) if plain.strip("0") else 1.0


def _words(pieces: list[str]) -> float:
    total = current = 0.0
    for piece in pieces:
        if piece in SMALL:
            current += SMALL[piece]
        elif piece in ("hundred", "dozen"):
            current = (current or 1) * SCALES[piece]
        elif piece in SCALES:
            total += (current or 1) * SCALES[piece]
            current = 0
    return (total + current) * (0.5 if pieces[0] == "half" else 1.0)


def scale_in(text: str) -> float:
    """The scale that a number says itself: a million in "4.2 million euros", else one."""
    found = _SCALED.search(text)
    return SCALES[found.group(1) or found.group(2)] if found else 1.0
