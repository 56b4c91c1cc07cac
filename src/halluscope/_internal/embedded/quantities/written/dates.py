"""Dates as they are written, each with only what it states.

"2007" states a year and no more. Keeping the unstated parts empty is what lets a less precise date agree
with a more precise one.
"""

from __future__ import annotations

import datetime
import re
from typing import NamedTuple

from .numerals import ORDINALS
from .units import unit_at

__all__ = ["Date", "DateFound", "dates", "weekdays"]

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH_NUMBER = {name: place for place, name in enumerate(_MONTHS, start=1)}
_MONTH_NUMBER.update({name[:3]: place for place, name in enumerate(_MONTHS, start=1)})
_MONTH_NUMBER["sept"] = 9
_SEASONS = {"spring": (3, 6), "summer": (6, 9), "autumn": (9, 12), "fall": (9, 12)}
_PARTS = {"early": (1, 4), "mid": (4, 9), "late": (9, 12)}
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4, "final": 4}


class Date(NamedTuple):
    """The parts a date states; ranges for decades, quarters and seasons."""

    years: tuple[int, int] | None = None
    months: tuple[int, int] | None = None
    day: int | None = None
    last: int | None = None
    """The last day, of several: "17 and 18 February"."""

    @property
    def weekday(self) -> int | None:
        """0 for Monday to 6 for Sunday, where the date states one day of one year."""
        if self.day is None or self.last is not None or not self.years or not self.months:
            return None
        if self.years[0] != self.years[1] or self.months[0] != self.months[1]:
            return None
        try:
            return datetime.date(self.years[0], self.months[0], self.day).weekday()
        except ValueError:  # 30 February
            return None


class DateFound(NamedTuple):
    """A date and its place."""

    start: int
    end: int
    date: Date


# In lower case "may" and the short names are other words, or too likely to be.
_MONTH = (
    r"(?:May|(?:(?<=\bon\s)|(?<=\bin\s)|(?<=\bby\s))may|(?i:January|February|March|April|June|July|August|September|October|November|December)"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\b\.?"
)
_YEAR = r"(?:1\d{3}|20\d{2})"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_COUNTED = (
    r"(?!\s+(?:people|persons|employees|workers|students|users|customers|homes|households|jobs|copies|units|men|women"
    r"|children|members|patients|participants|visitors|vehicles|cars|seats|words|pages|votes|items|times|points|rows"
    r"|tickets|runners|adults|soldiers|troops|residents|inhabitants|trees|million|billion|thousand)\b)"
)
_CENTURIES = {word: number for word, number in ORDINALS.items() if number >= 6} | {"twenty-first": 21}
_CENTURY = "|".join(f"(?i:{name})" for name in _CENTURIES)
_TH = r"(?:st|nd|rd|th)?"
_TO = r"\s?(?:-{1,2}|–|—|to|and|or|until|through)\s?"

_DATE = re.compile(
    rf"""
    (?P<iso>(?<![\d-])(?P<iso_y>{_YEAR})-(?P<iso_m>0[1-9]|1[0-2])(?:-(?P<iso_d>{_DAY}))?(?![\d-]))
    | (?P<dotted>(?<![\d.])(?P<dot_d>{_DAY})\.(?P<dot_m>0?[1-9]|1[0-2])\.(?P<dot_y>{_YEAR})(?!\d))
    | (?P<slashed>(?<![\d/])(?P<sl_a>\d\d?)/(?P<sl_b>\d\d?)/(?P<sl_y>{_YEAR})(?![\d/]))
    | (?P<dmy>(?<![\d.,])(?:(?P<dmy_f>{_DAY}){_TH}{_TO})?(?P<dmy_d>{_DAY}){_TH}(?:\s+of)?\s+(?P<dmy_m>{_MONTH})
        (?:\s?,?\s+(?P<dmy_y>{_YEAR})\b(?!,\d))?)
    | (?P<mdy>\b(?P<mdy_m>{_MONTH})\s+(?:the\s+)?(?P<mdy_d>{_DAY}){_TH}\b(?![.,:]\d)
        (?:{_TO}(?P<mdy_l>{_DAY}){_TH}\b(?=\s*(?:[,.;:)]|$)|\s+(?:{_YEAR}|as|at|in|on|for|with|and|of)\b)(?![.:]\d))?
        (?:(?:\s?,\s*|\s+)(?P<mdy_y>{_YEAR})\b(?!,\d))?)
    | (?P<my>\b(?:(?P<my_p>[Ee]arly|[Mm]id|[Ll]ate)[\s-]+)?(?P<my_m>{_MONTH})\s?,?\s+(?:of\s+)?(?P<my_y>{_YEAR})\b)
    | (?P<quarter>\b(?:Q(?P<q_n>[1-4])(?:\s+(?:of\s+)?|/)|(?P<q_w>first|second|third|fourth|last
        |final)\s+quarter\s+of\s+)(?P<q_y>{_YEAR})\b)
    | (?P<halfyear>\b(?P<h_w>first|second)\s+half\s+of\s+(?P<h_y>{_YEAR})\b)
    | (?P<season>\b(?P<s_w>[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter)\s+(?:of\s+)?(?P<s_y>{_YEAR})\b)
    | (?P<decade>\b(?:(?P<d_p>[Ee]arly|[Mm]id|[Ll]ate)[\s-]+)?(?:the\s+)?(?P<d_y>(?:1\d|20)\d0)
        (?:['’]|\s['’]\s?)?s\b)
    | (?P<century>\b(?:(?P<c_p>[Ee]arly|[Mm]id|[Ll]ate)[\s-]+)?(?:(?P<c_n>\d{{1,2}})(?:st|nd|rd|th)|(?P<c_w>{_CENTURY}))
        [\s-]+centur(?:y|ies)\b)
    | (?P<slmy>(?<![\d/])(?P<sm_m>0?[1-9]|1[0-2])/(?P<sm_y>(?:19|20)\d\d)(?![\d/]))
    | (?P<part>\b(?P<p_w>[Ee]arly|[Mm]id|[Ll]ate)[\s-]+(?:in\s+)?(?P<p_y>{_YEAR})\b)
    | (?P<span>\b(?P<sp_a>(?:1[5-9]|20|(?<=[(])1[0-4]|(?<=ruled\s)1[0-4]|(?<=reigned\s)1[0-4])\d\d)\s?[-–—/]
        \s?(?P<sp_b>(?:1\d|20)?\d\d)\b(?![-.,%]\d))
    | (?P<year>(?:(?<![\w.,/$€£¥#-])|(?<=\b[Pp]ost-)|(?<=\b[Pp]re-))(?P<y>(?:19|20)\d\d)\b
        (?![.,]\d|[%:°/]|-\d{{3}})(?!\s?[%°]){_COUNTED})
    | (?P<old>\b(?P<o>1[0-8]\d\d)\b(?![.,]\d|[%:°])(?!\s?[%°]){_COUNTED})
    | (?P<monthonly>\b(?P<m_m>{_MONTH})(?!\s+\d))
    """,
    re.VERBOSE,
)

_WEEKDAY = re.compile(r"\b(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Mon|Tue|Wed|Thu|Fri|Sat|Sun)s?\b")


_TOKEN = re.compile(r"[^\W_]+")
_FIRST = frozenset(
    (*_MONTH_NUMBER, *_SEASONS, *_PARTS, *_QUARTERS, *_CENTURIES, "twenty", "winter", "q1", "q2", "q3", "q4")
)
# An early year and a bare month are read as dates only behind a word that leads to one: "in 1066", "by May".
_BEFORE_YEAR = re.compile(
    r"\b(?:in|since|from|by|until|till|circa|between|before|after|around|about|year|of|and|to|during)\s+$",
    re.IGNORECASE,
)
_TO_MONTH = re.compile(rf"{_TO}{_MONTH}")
_CLEAR_MONTHS = frozenset("January February July September October November December".split())
_OTHER_WORDS = frozenset("a b s x second seconds times bar stone foot quarters night nights".split())
_CUTS = (";", "|", ",", "\t")
_BEFORE_MONTH = re.compile(
    r"\b(?:in|since|by|until|till|from|during|each|every|last|next|late|early|mid|to|and|of|before|after)[\s-]+$",
    re.IGNORECASE,
)


def dates(text: str) -> list[DateFound]:
    """Every date in the text, in order. A bare number counts as a year only where it reads as one."""
    found = []
    reached = 0
    for token in _TOKEN.finditer(text):
        start = token.start()
        if start < reached or not (text[start].isdigit() or token.group().lower() in _FIRST):
            continue
        match = _DATE.match(text, start)
        if match is None or ("\n" in match.group() and text[start - 1 : start] in _CUTS):
            continue  # the last cell of one row and the first of the next
        if match.group("old") and not _BEFORE_YEAR.search(text, max(0, start - 9), start):
            continue
        if match.group("monthonly") and not _is_month(text, match):
            continue
        if (match.group("old") or match.group("year")) and _measures(text, match.end()):
            continue
        date = _date(match)
        if date is not None:
            found.append(DateFound(start, match.end(), date))
            reached = match.end()
    return found


def _is_month(text: str, match: re.Match[str]) -> bool:
    """Whether a month's name alone is a month: May, March, April, June and August are other words and names too."""
    if match.group("m_m").rstrip(".") in _CLEAR_MONTHS:
        return True
    start = match.start()
    return bool(_BEFORE_MONTH.search(text, max(0, start - 9), start) or _TO_MONTH.match(text, match.end()))


def _measures(text: str, end: int) -> bool:
    """Whether a unit follows: "1599 cc" is no year. Units that are also other words do not tell."""
    gap = text[end : end + 1]
    unit = unit_at(text, end + 1 if gap in (" ", "-", "\u00a0") else end) if gap else None
    return unit is not None and unit.name.lower() not in _OTHER_WORDS


def _month(name: str) -> tuple[int, int]:
    number = _MONTH_NUMBER[name.rstrip(".").lower()]
    return number, number


def _year(text: str | None) -> tuple[int, int] | None:
    return (int(text), int(text)) if text else None


def _days(years: tuple[int, int] | None, months: tuple[int, int], first: str | None, last: str | None) -> Date:
    if first is None or last is None:
        return Date(years, months, int(first or last or 0))
    low, high = int(first), int(last)
    return Date(years, months, low, high) if low < high else Date(years, months, high)


def _date(match: re.Match[str]) -> Date | None:
    part = match.group
    if part("iso"):
        month = int(part("iso_m"))
        return Date(_year(part("iso_y")), (month, month), int(part("iso_d")) if part("iso_d") else None)
    if part("dotted"):
        month = int(part("dot_m"))
        return Date(_year(part("dot_y")), (month, month), int(part("dot_d")))
    if part("slashed"):
        first, second = int(part("sl_a")), int(part("sl_b"))
        if first > 12 >= second:
            return Date(_year(part("sl_y")), (second, second), first)
        if second > 12 >= first or first == second <= 12:
            return Date(_year(part("sl_y")), (first, first), second)
        return Date(_year(part("sl_y")))  # 3/4/2020: the order of day and month cannot be known
    if part("dmy"):
        return _days(_year(part("dmy_y")), _month(part("dmy_m")), part("dmy_f"), part("dmy_d"))
    if part("mdy"):
        return _days(_year(part("mdy_y")), _month(part("mdy_m")), part("mdy_d"), part("mdy_l"))
    if part("slmy"):
        month = int(part("sm_m"))
        return Date(_year(part("sm_y")), (month, month))
    if part("my"):
        return Date(_year(part("my_y")), _month(part("my_m")))
    if part("quarter"):
        quarter = int(part("q_n")) if part("q_n") else _QUARTERS[part("q_w")]
        return Date(_year(part("q_y")), (3 * quarter - 2, 3 * quarter))
    if part("halfyear"):
        return Date(_year(part("h_y")), (1, 6) if part("h_w") == "first" else (7, 12))
    if part("season"):
        return Date(_year(part("s_y")), _SEASONS.get(part("s_w").lower()))
    if part("decade"):
        year = int(part("d_y"))
        low, high = {"early": (0, 4), "mid": (3, 7), "late": (5, 9)}.get((part("d_p") or "").lower(), (0, 9))
        return Date((year + low, year + high))
    if part("century"):
        number = int(part("c_n")) if part("c_n") else _CENTURIES[part("c_w").lower()]
        low, high = {"early": (0, 40), "mid": (30, 70), "late": (60, 100)}.get((part("c_p") or "").lower(), (0, 100))
        return Date((100 * number - 100 + low, 100 * number - 100 + high)) if 0 < number <= 21 else None
    if part("part"):
        return Date(_year(part("p_y")), _PARTS[part("p_w").lower()])
    if part("span"):
        first_year, last_text = int(part("sp_a")), part("sp_b")
        last_year = int(last_text) if len(last_text) == 4 else first_year - first_year % 100 + int(last_text)
        return Date((first_year, last_year)) if first_year < last_year else Date((first_year, first_year))
    if part("year"):
        return Date(_year(part("y")))
    if part("old"):
        return Date(_year(part("o")))
    return Date(None, _month(part("m_m")))


def weekdays(text: str) -> list[tuple[int, int, int]]:
    """Every weekday named in the text: start, end, and 0 for Monday to 6 for Sunday."""
    found = []
    for match in _WEEKDAY.finditer(text):
        number = next(place for place, day in enumerate(_DAYS) if day.startswith(match.group(1).lower()[:3]))
        found.append((match.start(), match.end(), number))
    return found
