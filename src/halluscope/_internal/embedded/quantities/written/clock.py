"""Times of day as they are written: 17:30, 5.30 pm, noon, half past five, "at 7"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .bounds import bound_of
from .numerals import SMALL
from .quantity import Quantity

__all__ = ["times"]

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
_TOKEN = re.compile(
    rf"(?<!\d)\d+|\b(?:noon|midnight|half|quarter|twenty|{'|'.join(sorted(_HOURS, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_AT = re.compile(r"\b(?:at|by|until|till|before|after|since|about|around)\s+$", re.IGNORECASE)
_LATER = re.compile(_PART_OF_DAY, re.IGNORECASE)


def times(text: str) -> list[Quantity]:
    """Every time of day in the text in minutes, and race times such as 1:01:47 in seconds, in order."""
    found: list[Quantity] = []
    for token in _TOKEN.finditer(text):
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
    return Quantity(start, end, text[start:end], "time", "time", minutes, high, 1, bound_of(text, start, end))


def _lasting(text: str, start: int, end: int, seconds: float) -> Quantity:
    bound = bound_of(text, start, end)
    return Quantity(start, end, text[start:end], "measure", "duration", seconds, seconds, 1, bound)
