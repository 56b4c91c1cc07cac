"""What a text says once for many numbers: a scale, as in "(EUR million)" or "in thousands", or the year of its days."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from ....text import Span
from .numerals import scale_in
from .quantity import Date, Quantity
from .units import SCALES

__all__ = ["SaidOnce"]

_WORDS = "thousand|million|billion|trillion"
_SCALE = re.compile(
    rf"\b[Ii]n\s+(?:[A-Z]{{3}}\s+|[^\W\d]{{0,3}}[$€£¥]\s?)?(?P<in>{_WORDS})s\b"
    rf"|\b[Ii]n\s+(?P<of>{_WORDS})s?\s+(?:of\s+)?[^\W\d]"
    rf"|\((?P<alone>{_WORDS})s?(?:\s[^()\d]{{1,16}})?\d?\)"
    rf"|(?<![\d.,])(?<!\d\s)(?:\b[A-Z]{{3}}\s|[$€£¥]\s?)(?P<money>{_WORDS}|mn|m|bn|k)s?\b"
    r"|['’(](?P<zeros>000)s?\b"
)
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
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
    if quantity.kind == "number" and _YEAR.fullmatch(quantity.text):
        return Date(years=(int(quantity.low), int(quantity.low)))
    return quantity.date if quantity.date and quantity.date.years and quantity.low == quantity.high else None
