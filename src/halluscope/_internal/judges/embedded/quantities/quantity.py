"""A quantity as it is read from a text, and how one of a claim stands to a context."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ....text import Span
from ..phrases import pattern

Kind = Literal["number", "percent", "money", "measure", "date", "time", "weekday", "ordinal"]


class Date(NamedTuple):
    """The parts a date states; ranges for decades, quarters and seasons.

    What is left open stays empty, which lets a less precise date agree with a more precise one.
    """

    years: tuple[int, int] | None = None
    months: tuple[int, int] | None = None
    day: int | None = None
    last: int | None = None
    """The last day, of several: "17 and 18 February"."""

    @property
    def weekday(self) -> int | None:
        """0 for Monday to 6 for Sunday, where the date states one day of one year."""
        number = self.number(self.years[0]) if self.years and not self.last else None
        return None if number is None else (number - 1) % 7

    def number(self, year: int) -> int | None:
        """Its last day in that year, counted from the first day of the first year."""
        if not self.months or not self.day:
            return None
        try:
            return datetime.date(year, self.months[0], self.last or self.day).toordinal()
        except ValueError:  # 30 February
            return None


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity of a text.

    `low` and `high` are in the base unit of `dimension` and differ only for a range; `step` is the size
    of the last digit stated; `nouns` are the stems of the words counted ("12 unused days": unused, day).
    `figure` is the number as it is written, before its unit. One that is `slight` ("one", "first", "twice") may
    contradict, but that a text lacks it says nothing.
    """

    start: int
    end: int
    text: str
    kind: Kind
    dimension: str
    low: float
    high: float
    step: float
    bound: Bound = "plain"
    date: Date | None = None
    nouns: tuple[str, ...] = ()
    in_words: bool = False
    unit: str = ""
    figure: float = 0.0
    slight: bool = False
    within: tuple[Date, Date] | None = None
    """The two ends of the time that a date begins or ends."""

    @property
    def bare(self) -> bool:
        """Whether it is a number that does not say what it counts or measures."""
        return self.kind == "number" and not self.nouns


Bound = Literal["plain", "exactly", "about", "nearly", "just over", "over", "at least", "under", "at most"]
LIMITS: tuple[Bound, ...] = ("over", "at least", "under", "at most")
LOWER: tuple[Bound, ...] = ("over", "at least", "just over")
UPPER: tuple[Bound, ...] = ("under", "at most", "nearly")
ROUGHLY: tuple[Bound, ...] = ("about", "nearly", "just over")

COMPUTED = 0.85
"""The doubt of a number that a computed comparison contradicts."""
Status = Literal["stated", "asked", "follows", "compared", "conflicts", "missing"]
UNTOLD: tuple[Status, ...] = ("missing", "asked")
"""Of such a number the context says nothing."""


@dataclass(frozen=True, slots=True)
class NumberMatch:
    """How one number of a claim stands.

    `stated`: the context has it, at `evidence`. `asked`: only the question has it. `follows`: it can be worked out
    from the numbers at `evidence`. `conflicts`: the context has another number in its place, at `evidence`.
    `compared`: no amount of the context, but held against one: a case under a rule, or denied.
    `missing`: neither there nor to be worked out.
    """

    status: Status
    claim: Span
    evidence: tuple[Span, ...] = ()
    doubt: float = 0.0
    """The chance, from 0 to 1, that the number is wrong."""
    written: str = ""
    """A stated number as the context writes it."""
    bounded: int = 0
    """How many characters before the number bound it, and are replaced with it: "more than 20" by "25"."""
    signs: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)
    """What that chance was weighed from."""


_LEFT_WINDOW = 34
_BOUNDS: dict[str, Bound] = {
    "not_exactly": "about", "exactly": "exactly", "at_most": "at most", "at_least": "at least",
    "just_over": "just over", "nearly": "nearly", "over": "over", "under": "under", "about": "about",
}  # fmt: skip
"""The lists of words that bound a number, in the order in which they are tried."""
_EITHER = "|".join(f"(?P<{name}>{pattern(f'bound_{name}')})" for name in _BOUNDS)
_BEFORE = re.compile(
    rf"(?:(?<=\W)|^)(?:{_EITHER})\s*(?:(?:the|a|an|just|only|another|every|the\s+age\s+of|about)\s+)?"
    r"(?:[$€£¥₹]|US\$|[A-Z]{3}\s)?\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"\s*(?:(?P<atleast>{pattern('after_at_least')})|(?P<atmost>{pattern('after_at_most')})"
    r"|(?P<about>(?:or\s+so|or\s+thereabouts|approximately)\b))",
    re.IGNORECASE,
)

# "Five percent more than ten years earlier" compares; it does not say that the years are more than ten.
_COMPARES = re.compile(r"\s*\w+\s+than\b")
_BY_HOW_MUCH = re.compile(
    r"(?:\d%?|percent|per\s+cent|points|times|years|months|weeks|days|hours|minutes|euros|dollars|pounds|twice|lot"
    r"|many|one|two|three|four|five|six|seven|eight|nine|ten)\s+$",
    re.IGNORECASE,
)

_DENIED = re.compile(
    r"^\s*(?:no|none|nothing|nobody)\b[^,]*$"
    r"|\b(?:not?|never|cannot|without|[a-z]+n['’]t)\s+"
    r"(?:(?:be|been|to|go|get|rise|fall|drop|last|take|cost|weigh|spend|pay|use|stay|have|any|much)\s+){0,2}$",
    re.IGNORECASE,
)
"""What turns "more than" into "at most": "is not to exceed", "no dish costs more than"."""
_TURNED: dict[Bound, Bound] = {"over": "at most", "under": "at least"}


_BEFORE_DATE = re.compile(
    r"\b(?:(?P<under>before|prior\s+to)|(?P<over>after)|(?P<latest>by)|(?P<earliest>since))"
    r"\s+(?:the\s+(?:year\s+)?)?$",
    re.IGNORECASE,
)
_DATE_BOUNDS: dict[str, Bound] = {"under": "under", "over": "over", "latest": "at most", "earliest": "at least"}


def date_bound(text: str, start: int, end: int) -> Bound:
    """The bound that the words around a date set: "before 1940", "since May"."""
    before = _BEFORE_DATE.search(text, max(0, start - _LEFT_WINDOW), start)
    return _DATE_BOUNDS[before.lastgroup or ""] if before else bound_of(text, start, end)


def bound_of(text: str, start: int, end: int) -> Bound:
    """The bound that the words around `text[start:end]` set."""
    after = _AFTER.match(text, end)
    if after:
        return "at least" if after.group("atleast") else "at most" if after.group("atmost") else "about"
    return _bound_before(text, start)[0]


def with_bound(text: str, start: int) -> int:
    """Where a number begins together with the words that bound it: "more than 20", "before 1940"."""
    date = _BEFORE_DATE.search(text, max(0, start - _LEFT_WINDOW), start)
    return date.start() if date else _bound_before(text, start)[1]


def _bound_before(text: str, start: int) -> tuple[Bound, int]:
    """The bound that the words before a number set, and where these words begin."""
    window = text[max(0, start - _LEFT_WINDOW) : start]
    # Only the words of the same clause bound a number.
    cut = max(window.rfind("."), window.rfind(";"), window.rfind("("), window.rfind("\n"))
    if cut >= 0 and not window[max(0, cut - 6) : cut + 1].lower().endswith(("approx.", "ca.", " c.", "max.")):
        window = window[cut + 1 :]
    before = _BEFORE.search(window)
    if not before or (_COMPARES.match(before.group()) and _BY_HOW_MUCH.search(window, 0, before.start())):
        return "plain", start
    name = before.lastgroup or ""
    bound = _BOUNDS[name]
    denied = _DENIED.search(window, 0, before.start())
    begin = start - len(window) + before.start(name)
    return (_TURNED.get(bound, bound), start) if denied else (bound, begin)
