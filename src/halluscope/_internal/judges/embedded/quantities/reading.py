"""Every quantity of a text: numbers with their unit, money, percentages, dates and times, with their places.

A quantity is kept as the text states it: its value in a base unit, the precision of its last digit, and
the word that bounds it ("about", "at least", "exactly"). What follows from that is decided in `comparison`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ....text import STOP_WORDS, Span, stem
from ....text.citation_marks import citation_marks
from ....text.words import fold
from ..phrases import pattern
from .dates import dates, times, weekdays
from .numerals import (
    CURRENCY_BEFORE,
    PARTS,
    SCALES,
    Numeral,
    Unit,
    UnitFound,
    currency,
    numerals,
    scale_in,
    unit_at,
    unit_of,
)
from .quantity import Date, Kind, Quantity, bound_of

_ADDRESS = re.compile(r"https?://\S+|\bwww\.\S+|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}")
# What stands for a thing rather than for an amount: AB-123, R4, 10.4.1.11, #3310, addresses.
_IDENTIFIER = re.compile(
    r"(?<![\w.])\d+(?:\.\d+){2,}(?![\w%])"
    r"|#\d+|(?<![\w$€£¥])[A-Za-z]+[-_/]?\d[\w-]*|\b(?:[Vv]ersion|v)\s?\d+(?:\.\w+)*"
    r"|\b\d+(?:\.\d+)*\.x\b|\b\d{1,3}[A-Z]\d\w*|\b\d+(?:-\d+){2,}\b"
)
# A number that tells one thing from its like: Form 1040, Phase 3, No. 4.
_NUMBERED = re.compile(rf"(?<![\w-])({pattern('numbered')})\s$")
_UNIT_GAP = re.compile(r" {2,12}|\s?-\s?|\s?")
_NOUN = re.compile(r"(?:\s+of\s+the\s+[\d,.]+(?=\s))?[\s-]*([^\W\d_][\w'’]*)")
_STOP_NOUN = re.compile(r"\s*[,;:.!?()\[\]]|\s*\n")
_KEY = re.compile(r"[\w ]{0,24}:(?!\d)")  # behind a value, the name of the next field
_PART_OF = re.compile(r"\s+(?:an?|of\s+an?|of\s+one)\s+")
_AND_PART = re.compile(r"\s+and\s+(?:a|one)\s+(half|quarter|third)\b")
_SHORT_SCALE = re.compile(r"\s?(m|b)\b")
_BY = re.compile(r"\s?\d")
_AGED = re.compile(r"\b(?:aged|age|age\s+of|ages|turn|turned|turning)\s+$", re.IGNORECASE)
_HEAVY = re.compile(rf"\b{pattern('heavy')}\b", re.IGNORECASE)
_QUOTED = 400
"""How far back quotation marks are paired, so that 7.4" is told from the end of a quotation."""
_COMPARES = frozenset("less fewer higher lower longer shorter later earlier apart behind ahead".split())
_CITED = stem("passage")  # "according to passage 3" cites, and states nothing
_LATER_UNIT = re.compile(
    r"\s+(?!(?:past|last|previous|fiscal|financial|school|academic)\s+(?:day|week|month|year|hour|minute)\b)"  # a date
    rf"(?:{pattern('later_unit_adjectives')}\s+){{1,2}}(days?|weeks?|months?|years?|hours?|minutes?)\b"
)
_NONE, _YEAR = Unit("", 1.0), Unit("duration", 31557600.0)


def read(text: str) -> list[Quantity]:
    """Every quantity of a text in order, none overlapping another."""
    taken = bytearray(len(text))
    for match in (*_ADDRESS.finditer(text), *citation_marks(text)):
        _take(taken, *match.span())
    found = dated(text, [date for date in dates(text) if _take(taken, date.start, date.end)])
    found += [one for one in (*times(text), *weekdays(text)) if _take(taken, one.start, one.end)]
    for match in _IDENTIFIER.finditer(text):
        _take(taken, *match.span())
    plain: list[Quantity] = []
    reached = 0
    for numeral in numerals(text):
        if numeral.start < reached or any(taken[numeral.start : numeral.end]):
            continue
        quantity = _number_quantity(text, numeral)
        if _no_number(text, quantity):
            continue
        if quantity.start < reached:  # "5$ 6": the sign belongs to the number before it
            quantity = replace(quantity, start=numeral.start, text=text[numeral.start : quantity.end])
        plain.append(quantity)
        reached = quantity.end
    return sorted(found + joined(text, plain), key=lambda quantity: quantity.start)


def _take(taken: bytearray, start: int, end: int) -> bool:
    """Whether the characters were free; they are taken now."""
    free = not any(taken[start:end])
    if free:
        taken[start:end] = b"\x01" * (end - start)
    return free


def _no_number(text: str, quantity: Quantity) -> bool:
    """ "The 2006 one", "no one", "one of them": the word counts nothing there."""
    if quantity.kind != "number" or quantity.low != 1 or not quantity.in_words:
        return False
    if not quantity.nouns or quantity.nouns[0] == "another":
        return True
    before, after = text[max(0, quantity.start - 3) : quantity.start], text[quantity.end : quantity.end + 4]
    return before.lower() == "no " or after.lower() == " of "


def _number_quantity(text: str, numeral: Numeral) -> Quantity:
    numbered = _NUMBERED.search(text, max(0, numeral.start - 12), numeral.start)
    if numbered and numeral.form in ("digits", "words"):
        label = stem(fold(numbered.group(1)).rstrip("."))
        return Quantity(
            *numeral[:2], text[numeral.start : numeral.end], "ordinal", "", numeral.value, numeral.value, numeral.step,
            nouns=(label,), unit=label, figure=numeral.value, slight=label == _CITED,
        )  # fmt: skip
    kind, unit, name, start, end = _unit(text, numeral)
    value = numeral.value * unit.factor + unit.offset
    step = 1.0 if kind == "percent" and not name else numeral.step * unit.factor
    slight = numeral.form in ("multiple", "pair") or (numeral.value == 1 and numeral.form in ("words", "ordinal"))
    rest = _AND_PART.match(text, end) if name and end > numeral.end else None
    if rest:
        value, end, slight = value + unit.factor * (1 / PARTS[rest.group(1)]), rest.end(), False
    return Quantity(
        start, end, text[start:end], kind, unit.dimension, value, value, step, bound_of(text, start, end), None,
        _nouns(text, end), numeral.form in ("words", "fraction", "pair"), name, numeral.value, slight,
    )  # fmt: skip


def _unit(text: str, numeral: Numeral) -> tuple[Kind, Unit, str, int, int]:
    """What a number is of: its kind, its unit and the name of that, and where it starts and ends with them."""
    start, end = numeral.start, numeral.end
    before = CURRENCY_BEFORE.search(text, max(0, start - 5), start)
    money = currency(before.group()) if before else None
    if before and money:
        scale = _SHORT_SCALE.match(text, end)
        factor, end = (SCALES[scale.group(1)], scale.end()) if scale else (1.0, end)
        return "money", Unit(money.dimension, factor), "", before.start(), end
    if numeral.form == "ordinal":
        return "ordinal", _NONE, "", start, end
    if numeral.form == "multiple":
        return "measure", Unit("times", 1.0), "times", start, end
    found = _unit_after(text, numeral)
    money = currency(found.name) if found else None
    unit = unit_of(found.name) if found else None
    if found and found.name in ("pound", "pounds") and _HEAVY.search(text, max(0, start - 60), found.end + 30):
        money, unit = None, unit_of("lb")
    if found and money:
        return "money", money, "", start, found.end
    if found and unit:
        return "percent" if unit.dimension == "percent" else "measure", unit, found.name, start, found.end
    if numeral.form == "fraction":
        return "percent", Unit("percent", 100.0), "", start, end
    if numeral.value < 125 and _AGED.search(text, max(0, start - 9), start):
        return "measure", _YEAR, "years", start, end
    return "number", _NONE, "", start, end


def _unit_after(text: str, numeral: Numeral) -> UnitFound | None:
    """The unit behind a number: "5 km", "three-day", "half an hour", "3 additional leave days", 7.4\"."""
    end = numeral.end
    opened = text.count('"', max(0, end - _QUOTED), end) % 2
    if text[end : end + 1] in ('"', "″") and numeral.form == "digits" and not opened:
        return UnitFound("inch", end + 1)
    if text.startswith("-time", end) and not text[end + 5 : end + 6].isalpha():
        return UnitFound("times", end + 5)  # a four-time winner
    part = _PART_OF.match(text, end) if numeral.form == "fraction" else None
    gap = part or _UNIT_GAP.match(text, end)
    place = gap.end() if gap else end
    found = unit_at(text, place)
    if found is None or (place - end > 1 and not part and not found.name.isalpha()):
        later = _LATER_UNIT.match(text, end)
        return unit_at(text, later.start(1)) if later else None
    no_unit = (
        (len(found.name) == 1 and "\n" in text[end:place])  # the letter of the next point of a list
        or (found.name in ("x", "×") and _BY.match(text, found.end))  # 1280 x 800
        or (found.name == "p" and (place > end or numeral.value >= 100))  # 1080p, and the p of "4 p.m."
    )
    return None if no_unit else found


def _nouns(text: str, end: int) -> tuple[str, ...]:
    """The stems of the words counted: up to four words, stopping where the phrase does."""
    found: list[str] = []
    position = end
    if ":" in text[end : end + 26] and _KEY.match(text, end):
        return ()
    for _ in range(4):
        if _STOP_NOUN.match(text, position):
            break
        match = _NOUN.match(text, position)
        if not match:
            break
        word = fold(match.group(1))
        if word in _COMPARES:
            break
        if word in STOP_WORDS:
            if found or word not in ("of", "the", "more", "other", "additional"):
                break
        else:
            found.append(stem(word))
        position = match.end()
    return tuple(found)


_FARTHEST = 14
_RANGE_GAP = re.compile(r"\s?(?:-{1,2}|[–—]|to|and|or)\s?(?:up\s+to\s+)?(?:[$€£¥₹]|US\$|[A-Z]{3}\s)?\s?", re.IGNORECASE)
_COMPOUND_GAP = re.compile(r",?\s?(?:and\s)?\s?$")
_FROM = re.compile(r"\b(?:from|fell|rose|grew|down|up|increased|decreased|dropped)\s*\S?$", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s*\S{0,3}$", re.IGNORECASE)
_LIST_GAP = re.compile(
    r"(?:\s?[-–—/x×]\s?|,?\s(?:or|and|to|by|versus|vs\.?)\s)(?:(?:about|around|nearly|almost|over|up\sto|only|just)\s)?"
)
_COMMA = re.compile(r",\s")
_DATE_GAP = re.compile(r"\s?,?\s?(?:and|to|until|till|through|[-–—])\s(?:the\s|late\s|early\s|mid-)?|\s?[-–—]\s?")


def joined(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """The quantities with those that belong together made one, or given the unit they share."""
    out: list[Quantity] = []
    for quantity in quantities:
        if out and quantity.start - out[-1].end <= _FARTHEST:
            made = _one(text, out[-1], quantity)
            if made is not None:
                out[-1] = made
                continue
            _share(text, out, quantity)
        out.append(quantity)
    return out


def dated(text: str, dates: list[Quantity]) -> list[Quantity]:
    """The dates, each told the time it is an end of: "between June 2018 and February 2020"."""
    out = list(dates)
    for place, (left, right) in enumerate(pairwise(dates)):
        if left.date is None or right.date is None or right.start - left.end > _FARTHEST:
            continue
        if _DATE_GAP.fullmatch(text, left.end, right.start):
            out[place] = replace(out[place], within=(left.date, right.date))
            out[place + 1] = replace(right, within=(left.date, right.date))
    return out


def _one(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    gap = text[left.end : right.start]
    minutes = 60.0 if left.unit in ("hour", "hours") and gap == " " and right.bare and right.low < 60 else 0.0
    if minutes or (_compound(left, right) and _COMPOUND_GAP.fullmatch(gap)):
        total = left.low + right.low * (minutes or 1.0)  # "two hours twenty"
        return replace(left, end=right.end, text=text[left.start : right.end], low=total, high=total, step=right.step)
    if left.low != left.high or "ordinal" in (left.kind, right.kind) or not _RANGE_GAP.fullmatch(gap):
        return None
    word = gap.strip(" $€£¥₹").lower()
    strict = word in ("-", "--", "–", "—") or word.startswith("to")
    before = text[max(0, left.start - 14) : left.start]
    if not strict and not (word == "and" and _BETWEEN.search(before)):
        return None
    if word == "to" and _FROM.search(before):
        return None  # "from 38 ms to 24 ms" is a change, not a range
    if left.kind == "money" and right.kind == "number" and strict:
        right = replace(right, kind="money", dimension=left.dimension)  # "£54–57 million"
    low = _low_end(left, right)
    if low is None or low >= right.high:
        return None
    step = min(left.step, right.step)
    return replace(right, start=left.start, text=text[left.start : right.end], low=low, bound=left.bound, step=step)


def _compound(left: Quantity, right: Quantity) -> bool:
    if left.dimension != right.dimension or left.low <= right.low or left.unit == right.unit:
        return False
    return left.dimension == "duration" or (left.unit in ("foot", "feet", "ft") and right.unit.startswith("inch"))


def _low_end(left: Quantity, right: Quantity) -> float | None:
    """The lower end of a range in the unit of its upper end; None where the two do not go together."""
    low, dimension = left.low, left.dimension
    if dimension == "percent" and left.in_words and right.dimension != "percent":
        low, dimension = left.figure, ""  # "a quarter to half an inch"
    scale = scale_in(right.text)
    shared = scale > 1 and scale_in(left.text) == 1 and low < right.figure / scale
    if shared and (not dimension or left.kind == "money"):
        low *= scale  # "30 to 50 thousand"
    if dimension == right.dimension:
        return low
    if dimension or right.kind not in ("measure", "percent", "money"):
        return None
    unit = unit_of(right.unit) if right.unit else None
    return low * unit.factor + unit.offset if unit else low


def _share(text: str, out: list[Quantity], right: Quantity) -> None:
    """Give the bare numbers before `right` its unit: "from 38 to 24 ms", "0.5, 5 or 50 mg"."""
    unit = unit_of(right.unit) if right.unit else None
    if right.kind not in ("measure", "percent") or right.low != right.high or unit is None:
        return
    gap, next_start = _LIST_GAP, right.start
    for place in range(len(out) - 1, -1, -1):
        left = out[place]
        if left.kind != "number" or left.low != left.high or not gap.fullmatch(text, left.end, next_start):
            return
        low = left.low * unit.factor + unit.offset
        out[place] = replace(
            left, kind=right.kind, dimension=right.dimension, low=low, high=low, step=left.step * unit.factor,
            unit=right.unit, nouns=right.nouns,
        )  # fmt: skip
        next_start, gap = left.start, _COMMA


_WORDS = "thousand|million|billion|trillion"
_SCALE = re.compile(
    rf"\b[Ii]n\s+(?:[A-Z]{{3}}\s+|[^\W\d]{{0,3}}[$€£¥]\s?)?(?P<in>{_WORDS})s\b"
    rf"|\b[Ii]n\s+(?P<of>{_WORDS})s?\s+(?:of\s+)?[^\W\d]"
    rf"|\((?P<alone>{_WORDS})s?(?:\s[^()\d]{{1,16}})?\d?\)"
    rf"|(?<![\d.,])(?<!\d\s)(?:\b[A-Z]{{3}}\s|[$€£¥]\s?)(?P<money>{_WORDS}|mn|m|bn|k)s?\b"
    r"|['’(](?P<zeros>000)s?\b"
)
_YEAR_ALONE = re.compile(r"1[5-9]\d\d|20\d\d")
_NEXT_YEAR = 6
"""Months that a day lies before the one last named, from which on it is one of the year after."""


class SaidOnce:
    """The scales and years of a text, by their places."""

    def __init__(self, text: str, found: Sequence[Quantity]) -> None:
        scales = list(_SCALE.finditer(text))
        self._scale_ends = [match.end() for match in scales]
        self._scales = [SCALES.get(match.group(match.lastgroup or 0), 1e3) for match in scales]
        listed = [(one.end, scale_in(one.text)) for one in found if one.kind in ("number", "money")]
        self._listed = [(end, scale) for end, scale in listed if scale != 1.0]
        dated = [(one.end, date) for one in found if (date := _with_year(one)) is not None]
        self._date_ends, self._dates = [end for end, _ in dated], [date for _, date in dated]

    def meant(self, quantity: Quantity, sentence: Span) -> Quantity | None:
        """The quantity with what was said before it; None where that adds nothing."""
        if quantity.date is not None:
            return self._in_year(quantity, quantity.date)
        if quantity.kind not in ("number", "money") or quantity.in_words or scale_in(quantity.text) != 1.0:
            return None
        scale = self._scale_of(quantity, sentence)
        if scale == 1.0:
            return None
        low, high, step = quantity.low * scale, quantity.high * scale, quantity.step * scale
        return replace(quantity, low=low, high=high, step=step, figure=quantity.figure * scale)

    def _scale_of(self, quantity: Quantity, sentence: Span) -> float:
        place = bisect_right(self._scale_ends, quantity.start) - 1
        if place >= 0:
            return self._scales[place]
        if quantity.step >= 1 or quantity.nouns:
            return 1.0
        # A list of shares gives the scale of their sum alone: "4.2 million euros – Fund 2.5; Ministry 1.7".
        place = bisect_right(self._listed, (quantity.start, 0.0)) - 1
        return self._listed[place][1] if place >= 0 and self._listed[place][0] > sentence.start else 1.0

    def _in_year(self, quantity: Quantity, date: Date) -> Quantity | None:
        if date.years or not date.day or not date.months or not self._dates:
            return None
        place = bisect_right(self._date_ends, quantity.start) - 1
        named = self._dates[max(0, place)]
        year = named.years[0] if named.years else 0
        if place >= 0 and named.months and named.months[0] - date.months[0] >= _NEXT_YEAR:
            year += 1
        return replace(quantity, date=date._replace(years=(year, year)), low=year, high=year, figure=float(year))


def _with_year(quantity: Quantity) -> Date | None:
    """A date that states one year, also where it stands alone: "baptisms 1871"."""
    if quantity.kind == "number" and _YEAR_ALONE.fullmatch(quantity.text):
        return Date(years=(int(quantity.low), int(quantity.low)))
    return quantity.date if quantity.date and quantity.date.years and quantity.low == quantity.high else None
