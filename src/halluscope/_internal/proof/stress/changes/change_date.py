"""Reading, writing and changing dates."""

from __future__ import annotations

import calendar
import re
from random import Random

from msgspec import Struct, structs

from .mutant import Edit
from .plain_numbers import bound

MONTHS = tuple("January February March April May June July August September October November December".split())
WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
_SHORT = tuple(name[:3] for name in MONTHS)

_PARTS = {
    "year": r"(?P<year>1\d{3}|20\d{2})",
    "month": rf"(?P<month>{'|'.join(MONTHS)}|(?:{'|'.join(_SHORT)}|Sept)(?=\.? \d|\.? ?,))(?P<dot>\.?)",
    "day": r"(?P<day>3[01]|[12]\d|0?[1-9])(?P<th>st|nd|rd|th)?",
    "comma": "(?P<comma>,?)",
    "of": "(?P<of> of)?",
}
_WORDED = {
    "mdy": "{month} {day}{comma} {year}",
    "dmy": "{day}{of} {month}{comma} {year}",
    "md": "{month} {day}",
    "dm": "{day}{of} {month}",
    "my": "{month}{comma} {year}",
}
"""Dates with the name of a month, as they are read and written."""
_END = r"(?![\w–—]|[.,:/-]\d)"
_LEADING = "|".join(
    rf"(?<=\b{word} )|(?<=\b{word.capitalize()} )"
    for word in "in since by from until to during after before around of between and early late circa".split()
)
_FORMS = {
    "iso": re.compile(
        r"(?<![\w-])(?P<year>1\d{3}|20\d{2})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])(?![\w-])"
    ),
    **{
        form: re.compile(
            (r"(?<![\w.,:/-])" if form.startswith("d") else r"\b")
            + template.format_map(_PARTS)
            + (r"\b" if form == "dm" else _END)
        )
        for form, template in _WORDED.items()
    },
    "y": re.compile(
        rf"(?<![\w.,:/#$€£–—-])(?:{_LEADING}|(?<=\()){_PARTS['year']}{_END}"
        r"(?! (?:people|men|women|m\b|km|kg|euros|dollars))"
    ),
    "weekday": re.compile(rf"\b(?P<weekday>{'|'.join(WEEKDAYS)})\b"),
    "time": re.compile(r"(?<![\w:.])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\w:])(?P<half> ?[ap]\.?m\b\.?)?"),
}


class StatedDate(Struct, frozen=True):
    """A date, weekday or time in a text, with its values, its format, and the parts as they are written."""

    start: int
    end: int
    form: str
    written_as: dict[str, str | None]
    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    minutes: int | None = None

    def fits(self, other: StatedDate) -> bool:
        """Whether both could be the same date: they share a part, and no shared part differs."""
        pairs = zip(structs.astuple(self)[4:], structs.astuple(other)[4:], strict=True)
        shared = [one == another for one, another in pairs if one is not None and another is not None]
        return bool(shared) and all(shared)


def dates(text: str) -> list[StatedDate]:
    """Find all dates. If matches overlap, the more complete format is used."""
    found: list[StatedDate] = []
    for form, pattern in _FORMS.items():
        for match in pattern.finditer(text):
            if not any(date.start < match.end() and match.start() < date.end for date in found):
                found.append(_read(form, match))
    return sorted(found, key=lambda date: date.start)


def _read(form: str, match: re.Match[str]) -> StatedDate:
    part = match.groupdict()
    month, weekday = part.get("month"), part.get("weekday")
    number = None
    if month:
        number = int(month) if month.isdigit() else _SHORT.index(month[:3]) + 1
    minutes = None
    if form == "time":
        hour = int(part["hour"])
        half = (part["half"] or "").strip().lower()
        if half:
            hour = hour % 12 + (12 if half.startswith("p") else 0)
        minutes = 60 * hour + int(part["minute"])
    year, day = (int(part[name]) if part.get(name) else None for name in ("year", "day"))
    return StatedDate(
        *match.span(), form, part, year, number, day, WEEKDAYS.index(weekday) if weekday else None, minutes
    )


def written(date: StatedDate) -> str:
    """Write a date in its format."""
    part = date.written_as
    if date.form == "iso":
        return f"{date.year}-{date.month:02}-{date.day:02}"
    if date.form == "y":
        return str(date.year)
    if date.form == "weekday":
        return WEEKDAYS[date.weekday or 0]
    if date.form == "time":
        return _clock(date.minutes or 0, part)
    place, day = (date.month or 1) - 1, date.day or 1
    return _WORDED[date.form].format(
        month=MONTHS[place] if part.get("month") in (None, *MONTHS) else _SHORT[place] + (part["dot"] or ""),
        day=ordinal(day) if part.get("th") else day,
        comma=part.get("comma") or "",
        of=part.get("of") or "",
        year=date.year,
    )


def ordinal(day: int) -> str:
    """Return 1st, 2nd, 3rd, 11th and so on."""
    ending = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _clock(minutes: int, part: dict[str, str | None]) -> str:
    hour, minute = divmod(minutes, 60)
    half = part["half"]
    if half:
        other = "p" if hour >= 12 else "a"
        half = re.sub(r"[apAP]", lambda m: other.upper() if m.group().isupper() else other, half, count=1)
        return f"{hour % 12 or 12}:{minute:02}{half}"
    padded = len(part["hour"] or "") == 2
    return f"{hour:02}:{minute:02}" if padded else f"{hour}:{minute:02}"


def change_date(answer: str, context: str, rng: Random) -> Edit | None:
    """Change one date, weekday or time to one that is clearly not in the context."""
    known = dates(context)
    years = {int(year) for year in re.findall(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)", context + " " + answer)}
    found = dates(answer)
    rng.shuffle(found)
    for date in found:
        for new in _proposals(date, answer, rng):
            if any(new.fits(other) for other in known) or (new.form == "y" and new.year in years):
                continue
            return Edit(date.start, date.end, written(new))
    return None


def _proposals(date: StatedDate, answer: str, rng: Random) -> list[StatedDate]:
    how = bound(answer, date.start, date.end)
    sign = {"lower": 1, "upper": -1}.get(how, 0) or _range_side(date, answer)
    out: list[StatedDate] = []
    if date.weekday is not None:
        days = [day for day in range(7) if day != date.weekday and (not sign or sign * (day - date.weekday) > 0)]
        out = [structs.replace(date, weekday=day) for day in days]
    elif date.minutes is not None:
        steps = [-240, -180, -120, 120, 180, 240]
        moved = [(step, date.minutes + step) for step in steps if not sign or sign * step > 0]
        out = [structs.replace(date, minutes=when) for _, when in moved if 0 <= when < 1440]
    else:
        far = (-40, -30, -20) if how == "about" else (-9, -7, -6, -4, -3, -2, 2, 3, 4)
        if date.year is not None:
            later = (20, 30) if how == "about" and date.year < 1980 else ()
            shifts = [shift for shift in far + later if not sign or sign * shift > 0]
            out += [structs.replace(date, year=date.year + shift) for shift in shifts]
        if date.month is not None and how != "about":
            months = [m for m in range(1, 13) if abs(m - date.month) >= 2 and (not sign or sign * (m - date.month) > 0)]
            out += [structs.replace(date, month=m) for m in months]
        if date.day is not None and how != "about":
            days = [d for d in range(1, 29) if abs(d - date.day) >= 3 and (not sign or sign * (d - date.day) > 0)]
            out += [structs.replace(date, day=d) for d in days]
    rng.shuffle(out)
    return [new for new in out if _exists(new)]


def _range_side(date: StatedDate, answer: str) -> int:
    """In "from 1321 to 1323", the first year may only decrease and the second only increase."""
    if re.search(r"\b(?:from|between) $", answer[: date.start], re.IGNORECASE) and re.match(
        r" (?:to|and|until) ", answer[date.end :]
    ):
        return -1
    return 1 if re.search(r"\d (?:to|and|until) $", answer[: date.start]) else 0


def _exists(date: StatedDate) -> bool:
    if date.year is not None and not 1000 <= date.year <= 2099:
        return False
    if date.month is None or date.day is None:
        return True
    return date.day <= calendar.monthrange(date.year or 2023, date.month)[1]
