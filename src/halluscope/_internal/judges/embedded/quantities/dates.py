"""Dates as they are written, each with only what it states: "2007" states a year and no more."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from ..phrases import pattern
from .numerals import ORDINALS, SMALL, unit_at
from .quantity import Date, Quantity, bound_of, date_bound

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH_NUMBERS = {name[:3]: number for number, name in enumerate(_MONTHS, start=1)}
_DAYS = "mon tue wed thu fri sat sun".split()
_STRETCHES: dict[str, dict[str, list[int] | None]] = json.loads(
    Path(__file__).with_name("stretches.json").read_text(encoding="utf-8")
)
"""The months of parts of a year (a winter is in two), and the years of parts of a decade and a century."""
_CENTURIES = {word: number for word, number in ORDINALS.items() if number >= 6} | {"twenty-first": 21}

_DATE = re.compile(pattern("date_forms"))
"""The ways to write a date, the first that fits.

Groups end in `_y`, `_m`, `_d` and `_l` for year, month, first and last day.

In lower case "may" and the short names of months are other words, or too likely to be.
"""
_WEEKDAY = re.compile(r"\b(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Mon|Tue|Wed|Thu|Fri|Sat|Sun)s?\b")

_TOKEN = re.compile(r"[^\W_]+")
_FIRST = {*_MONTHS, *_MONTH_NUMBERS, "sept", *_CENTURIES, "twenty", *(name.split()[0] for name in _STRETCHES["year"])}
# An early year and a bare month are read as dates only behind a word that leads to one: "in 1066", "by May".
_BEFORE_YEAR = re.compile(rf"\b{pattern('before_years')}\s+$", re.IGNORECASE)
_TO_MONTH = re.compile(pattern("to") + pattern("month"))
_CLEAR_MONTHS = frozenset("January February July September October November December".split())
_OTHER_WORDS = frozenset("a b s x second seconds times bar stone foot quarters night nights".split())
_CUTS = (";", "|", ",", "\t")
_BEFORE_MONTH = re.compile(rf"\b{pattern('before_months')}[\s-]+$", re.IGNORECASE)


def dates(text: str) -> list[Quantity]:
    """Every date in the text, in order. A bare number counts as a year only where it reads as one."""
    found: list[Quantity] = []
    for token in _TOKEN.finditer(text):
        start = token.start()
        if (found and start < found[-1].end) or not (text[start].isdigit() or token.group().lower() in _FIRST):
            continue
        match = _DATE.match(text, start)
        date = _date(match) if match and _is_date(text, match) else None
        if match and date:
            end = match.end()
            low, high = date.years or (0, 0)
            bound = date_bound(text, start, end)
            found.append(
                Quantity(start, end, match.group(), "date", "date", low, high, 1, bound, date, figure=float(low))
            )
    return found


def _is_date(text: str, match: re.Match[str]) -> bool:
    """Whether the surroundings leave it a date: "1599 cc" is no year, and May, March and August are names too."""
    start, end = match.span()
    if "\n" in match.group() and text[start - 1 : start] in _CUTS:
        return False  # the last cell of one row and the first of the next
    if match.lastgroup == "month" and match.group().rstrip(".") not in _CLEAR_MONTHS:
        return bool(_BEFORE_MONTH.search(text, max(0, start - 9), start) or _TO_MONTH.match(text, end))
    if match.lastgroup == "old" and not _BEFORE_YEAR.search(text, max(0, start - 9), start):
        return False
    return match.lastgroup not in ("old", "year") or not _measures(text, end)


def _measures(text: str, end: int) -> bool:
    """Whether a unit follows. Units that are also other words do not tell."""
    unit = unit_at(text, end + 1 if text[end : end + 1] in (" ", "-", "\u00a0") else end)
    return unit is not None and unit.name.lower() not in _OTHER_WORDS


def _date(match: re.Match[str]) -> Date | None:
    form = f"{match.lastgroup}_"
    part = {name.removeprefix(form): said for name, said in match.groupdict().items() if said and name.startswith(form)}
    stretch = " ".join(part.get("s", "").casefold().split())
    if match.lastgroup == "span":
        first, last = part["a"], part["b"]
        return Date((int(first), max(int(first), int(first[: 4 - len(last)] + last))))
    if match.lastgroup in ("decade", "century"):
        number = int(part["n"]) if "n" in part else _CENTURIES[part["w"].casefold()]
        start = number if match.lastgroup == "decade" else 100 * number - 100
        low, high = _STRETCHES[match.lastgroup][stretch] or (0, 0)
        return Date((start + low, start + high)) if 0 <= start <= 2090 else None
    years = (int(part["y"]), int(part["y"])) if "y" in part else None
    if match.lastgroup == "slashed":
        month, day = sorted((int(part["a"]), int(part["b"])))
        clear = month <= 12 and (day > 12 or day == month)  # of 3/4/2020 the order cannot be known
        return Date(years, (month, month), day) if clear else Date(years)
    known = _STRETCHES["year"].get(stretch)
    months = (known[0], known[1]) if known else None
    if "m" in part:
        month = int(part["m"]) if part["m"].isdigit() else _MONTH_NUMBERS[part["m"][:3].casefold()]
        months = (month, month)
    days = [int(part[name]) for name in ("d", "l") if name in part]
    if len(days) == 2 and days[0] < days[1]:
        return Date(years, months, *days)
    return Date(years, months, days[-1] if days else None)


def weekdays(text: str) -> list[Quantity]:
    """Every weekday named in the text: 0 for Monday to 6 for Sunday."""
    return [
        Quantity(*match.span(), match.group(), "weekday", "weekday", number, number, 1)
        for match in _WEEKDAY.finditer(text)
        for number in [_DAYS.index(match.group()[:3].lower())]
    ]


_HOURS = {word: number for word, number in SMALL.items() if 1 <= number <= 12}
_PAST = {"half": 30, "quarter": 15, **{word: SMALL[word] for word in ("five", "ten", "twenty")}, "twenty-five": 25}
_HOUR = rf"(?:{'|'.join(sorted(_HOURS, key=len, reverse=True))}|1[0-2]|[1-9])"
_PART_OF_DAY = r"\s+(?:in\s+the\s+(morning|afternoon|evening)|at\s+(night))\b"
_TIME = re.compile(
    r"(?<![\d:.,])(?P<dh>\d{1,2})\s?h\s?(?P<dm>[0-5]?\d)\s?m(?:in)?\b"
    r"|(?<![\d:.])(?P<h>[01]?\d|2[0-4])[:.h](?P<m>[0-5]\d|(?<=:)0)(?:(?::(?P<s>[0-5]\d)))?"
    r"(?:\s?(?P<half>[ap]\.?\s?m\b\.?))?(?![\d%]|:\d)"
    r"|(?<![\d:.,])(?P<h2>1[0-2]|[1-9])\s?(?P<half2>[ap]\.?m\b\.?)"
    r"|(?<![\d:.,$€£])(?P<h3>1[0-2]|[1-9])(?=\s?(?:-|–|to|and)\s?(?:1[0-2]|[1-9])(?::[0-5]\d)?\s?[ap]\.?m\b)"
    rf"|(?P<past>twenty[\s-]five|{'|'.join(_PAST)}|[1-5]?\d)(?P<minutes>\s+minutes?)?\s+(?P<side>past|to)\s+"
    rf"(?P<hour>{_HOUR}|noon|midnight)\b(?!\s?%|[.:]\d)"
    rf"|(?<![\d:.,$€£])(?P<h4>{_HOUR})(?=\s+o['’]clock\b|{_PART_OF_DAY})(?:\s+o['’]clock\b)?"
    r"|(?<=\bat\s)(?P<at>2[0-4]|1?\d)(?=[.,;!?)]\s|[.,;!?)]?\s*$|\s+(?:on|sharp|today|tomorrow|every|each)\b)"
    r"|\b(?P<word>noon|midnight)\b",
    re.IGNORECASE,
)
# What a time stamp adds to its time: 2026-02-14T12:00:05.120+02:00.
_ZONE = re.compile(r"(?:\.\d+)?(?:Z\b|[+-]\d\d:?\d\d\b)?")
_TIME_TOKEN = re.compile(
    rf"(?<!\d)\d+|\b(?:noon|midnight|half|quarter|twenty|{'|'.join(sorted(_HOURS, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_AT = re.compile(r"\b(?:at|by|until|till|before|after|since|about|around)\s+$", re.IGNORECASE)
_LATER = re.compile(_PART_OF_DAY, re.IGNORECASE)


def times(text: str) -> list[Quantity]:
    """Every time of day in the text in minutes, and race times such as 1:01:47 in seconds, in order."""
    found: list[Quantity] = []
    for token in _TIME_TOKEN.finditer(text):
        if found and token.start() < found[-1].end:
            continue
        match = _TIME.match(text, token.start())
        time = _read(text, match) if match else None
        if time is not None:
            found.append(time)
    return found


def _read(text: str, match: re.Match[str]) -> Quantity | None:
    part = match.group
    start, end = match.span()
    if part("word"):
        return _time(text, start, end, 720.0 if part("word").lower() == "noon" else 0.0)
    if part("dh"):
        return _lasting(text, start, end, 3600.0 * int(part("dh")) + 60.0 * int(part("dm")))
    if part("past"):
        return _past(text, match)
    half = (part("half") or part("half2") or "").lower()
    if part("m") and not half and text[match.end("h")] != ":":
        return None  # "4.30" is a number unless a.m. or p.m. says otherwise
    hour = _number(part("h") or part("h2") or part("h3") or part("h4") or part("at"), _HOURS)
    if hour is None:
        return None
    minutes = 60.0 * hour + int(part("m") or 0)
    stamped = part("m") is not None and text[start - 1 : start] == "T"
    if half:
        return _time(text, start, end, minutes % 720 + (720 if half.startswith("p") else 0))
    if part("s") and hour < 12 and not stamped:
        return _lasting(text, start, end, 60 * minutes + int(part("s")))
    if stamped or not 1 <= hour <= 12 or text[start] == "0":
        zone = _ZONE.match(text, end) if stamped else None
        return _time(text, start, zone.end() if zone else end, minutes)
    return _in_part(text, start, end, minutes)


def _past(text: str, match: re.Match[str]) -> Quantity | None:
    """ "Half past four", "at ten to five". "Ten to five people" are a range, so are "9 to 5" and "half to two"."""
    said, named = "-".join(match.group("past").lower().split()), match.group("hour").lower()
    minutes, hour = _number(said, _PAST), _number(named, {**_HOURS, "noon": 12, "midnight": 0})
    if minutes is None or hour is None:
        return None
    if match.group("side").lower() == "to":
        clear = said == "quarter" or match.group("minutes") or _LATER.match(text, match.end())
        clear = clear or _AT.search(text, max(0, match.start() - 7), match.start())
        if not clear or said == "half" or said.isdigit():
            return None
        minutes = -minutes
    if named in ("noon", "midnight"):
        return _time(text, *match.span(), (60.0 * hour + minutes) % 1440)
    return _in_part(text, *match.span(), (60.0 * hour + minutes) % 720)


def _number(text: str, words: Mapping[str, int]) -> int | None:
    """The number of digits or of one of these words; None for letters that only look like one (the ſ of "ſix")."""
    return int(text) if text.isdigit() else words.get(text.lower())


def _in_part(text: str, start: int, end: int, minutes: float) -> Quantity:
    """A time up to twelve, of the half of the day that the words behind it say, or of either."""
    later = _LATER.match(text, end)
    if later is None:
        return _time(text, start, end, minutes, late=minutes % 720 + 720)
    early = later.group(1) == "morning" or (later.group(2) is not None and minutes % 720 < 300)
    return _time(text, start, end, minutes % 720 + (0 if early else 720))


def _time(text: str, start: int, end: int, minutes: float, late: float | None = None) -> Quantity:
    high = minutes if late is None else late
    return Quantity(start, end, text[start:end], "time", "time", minutes, high, 1, date_bound(text, start, end))


def _lasting(text: str, start: int, end: int, seconds: float) -> Quantity:
    bound = bound_of(text, start, end)
    return Quantity(start, end, text[start:end], "measure", "duration", seconds, seconds, 1, bound)
