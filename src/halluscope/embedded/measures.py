"""Every quantity of a text: numbers with their unit, money, percentages, dates and times, with their places.

A quantity is kept as the text states it: its value in a base unit, the precision of its last digit, and
the word that bounds it ("about", "at least", "exactly"). What follows from that is decided in `tolerance`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from ..text import STOP_WORDS, stem
from ..text.words import fold
from .dates import Date, dates, times, weekdays
from .numerals import Numeral, numerals
from .units import CURRENCY_BEFORE, UNIT, currency, unit_of

__all__ = ["Bound", "Kind", "Quantity", "read"]

Kind = Literal["number", "percent", "money", "measure", "date", "time", "weekday", "ordinal"]
Bound = Literal["plain", "exactly", "about", "nearly", "just over", "over", "at least", "under", "at most"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity of a text.

    `low` and `high` are in the base unit of `dimension` and differ only for a range; `step` is the size
    of the last digit stated; `nouns` are the stems of the words counted ("12 unused days": unused, day).
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

    @property
    def value(self) -> float:
        """The number itself; the middle of a range."""
        return (self.low + self.high) / 2


_ADDRESS = re.compile(r"https?://\S+|\bwww\.\S+|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}")
# What stands for a thing rather than for an amount: AB-123, R4, 10.4.1.11, #3310, addresses.
_IDENTIFIER = re.compile(
    r"(?<![\w.])\d+(?:\.\d+){2,}(?![\w%])"
    r"|#\d+|(?<![\w$€£¥])[A-Za-z]+[-_/]?\d[\w-]*|\b(?:[Vv]ersion|v)\s?\d+(?:\.\w+)*"
    r"|\b\d+(?:\.\d+)*\.x\b|\b\d{1,3}[A-Z]\d\w*|\b\d+(?:-\d+){2,}\b"
)
# A number that tells one thing from its like: Form 1040, Phase 3, No. 4.
_NUMBERED = re.compile(
    r"\b(Form|Model|Passage|Article|Section|Chapter|Room|Flight|Route|Highway|Boeing|Airbus|Windows|Schedule|Figure|Table"
    r"|Step|Level|Type|Class|Grade|Group|Phase|Tier|Volume|Part|Page|Gate|Platform|Channel|Job|Ticket|PR|Issue|Bug|Order"
    r"|Invoice|Rule|Clause|Annex|Appendix|Season|Episode|Series|Round|Unit|Building|Track|Apollo|No\.|no\.)\s$"
)
_LEFT_WINDOW = 34
_BOUNDS: tuple[tuple[Bound, str], ...] = (
    ("about", r"not\s+exactly|not\s+quite"),
    ("exactly", r"exactly|precisely|exact(?:\s+\w+)?\s+of|no\s+more\s+and\s+no\s+less\s+than"),
    (
        "at most",
        r"(?:no|not)\s+(?:\w+\s+)?(?:more|longer|later|higher|greater|larger|older)\s+than"
        r"|at\s+(?:the\s+)?most|up\s+to"
        r"|(?:a\s+)?maximum(?:\s+\w+)?(?:\s+of)?|max\.?|(?:may|can|must|shall|should|does|do|did)(?:\s+not"
        r"|n['’]t)\s+exceed|not\s+exceed(?:ing)?|within|capped\s+at|limited\s+to|≤|<=|as\s+many\s+as"
        r"|as\s+much\s+as",
    ),
    (
        "at least",
        r"(?:no|not)\s+(?:less|fewer|lower|sooner|earlier|shorter|smaller)\s+than"
        r"|at\s+(?:the\s+(?:very\s+)?)?least|(?:a\s+)?minimum(?:\s+\w+)?(?:\s+of)?|≥|>=|from\s+at\s+least",
    ),
    ("just over", r"(?:just|slightly|a\s+little|a\s+bit|marginally)\s+(?:over|above|more\s+than|higher\s+than)"),
    (
        "nearly",
        r"nearly|almost|close\s+to|(?:just|slightly|a\s+little|a\s+bit|marginally)\s+(?:under|below"
        r"|less\s+than|short\s+of|fewer\s+than)|approaching|practically|not\s+far\s+(?:from|off)",
    ),
    (
        "over",
        r"(?:well\s+|far\s+)?(?:over|above|beyond)|(?:much\s+|far\s+|significantly\s+)?(?:more|greater|longer"
        r"|higher|larger|older|heavier|taller|bigger|later|better)\s+than|exceed(?:s|ed|ing)?"
        r"|(?:in\s+)?excess\s+of|upwards?\s+of|north\s+of|surpass(?:es|ed|ing)?|>",
    ),
    (
        "under",
        r"(?:well\s+|far\s+)?(?:under|below)|(?:much\s+|far\s+|significantly\s+)?(?:less|fewer|shorter|lower"
        r"|smaller|younger|lighter|earlier|cheaper)\s+than|short\s+of|<",
    ),
    (
        "about",
        r"about|around|approximately|approx\.?|roughly|some|circa|ca\.?|c\.|~|≈|somewhere\s+(?:around|near)"
        r"|in\s+the\s+(?:region|order|neighbou?rhood)\s+of|estimated(?:\s+at)?|an\s+estimated|or\s+so"
        r"|on\s+the\s+order\s+of|more\s+or\s+less",
    ),
)
_BOUND_BEFORE = re.compile(
    "|".join(f"(?P<b{i}>(?:(?<=\\W)|^)(?:{pattern}))" for i, (_, pattern) in enumerate(_BOUNDS)).join(
        (
            r"(?:",
            r")\s*(?:(?:the|a|an|just|only|another|every|the\s+age\s+of|about)\s+)?(?:[$€£¥₹]|US\$|[A-Z]{3}\s)?\s*$",
        )
    ),
    re.IGNORECASE,
)
# A cheap look at the last word first: most numbers are bounded by nothing.
_BOUND_LAST = re.compile(
    r"(?:\b(?:exactly|quite|precisely|of|than|most|to|maximum\s*\w*|max\.?|exceed\w*|within|at|least|many|much"
    r"|minimum\s*\w*|over|above|beyond|nearly|almost|under|below|approaching|practically|from|off|surpass\w*"
    r"|about|around|approx\w*\.?|roughly|some|circa|ca\.?|c\.|near|estimated|so|less)|[~≈<>≤≥=])"
    r"\s*(?:(?:the|a|an|just|only|another|every|the\s+age\s+of|about)\s+)?(?:[$€£¥₹]|US\$|[A-Z]{3}\s)?\s*$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(
    r"\s*(?:(?P<atleast>\+|or\s+(?:more|over|above|older|longer|higher|greater|later|better)\b|(?:at"
    r"|as\s+a)\s+(?:the\s+)?(?:least|minimum)\b)"
    r"|(?P<atmost>or\s+(?:less|fewer|under|below|younger|shorter|lower|earlier)\b|(?:at"
    r"|as\s+a)\s+(?:the\s+)?(?:most|maximum)\b|at\s+most\b|maximum\b|max\b)"
    r"|(?P<about>or\s+so\b|or\s+thereabouts\b|approximately\b))",
    re.IGNORECASE,
)
_UNIT_GAP = re.compile(r"[\s\u00a0]?-?|\s")
_RANGE_GAP = re.compile(
    r"\s?(?:[-–—]|to|and|or)\s?(?:up\s+to\s+)?(?:[$€£¥₹]|US\$|[A-Z]{3}\s)?\s?|\s?(?:[-–—])\s?", re.IGNORECASE
)
_NOUN = re.compile(r"(?:\s+of\s+the\s+[\d,.]+(?=\s))?[\s-]*([^\W\d_][\w'’]*)")
_STOP_NOUN = re.compile(r"\s*[,;:.!?()\[\]]")
_DURATION_LATER = frozenset("day days week weeks month months year years hour hours minute minutes".split())


def read(text: str) -> list[Quantity]:
    """Every quantity of a text in order, none overlapping another."""
    taken = bytearray(len(text))
    found: list[Quantity] = []
    for address in _ADDRESS.finditer(text):
        _take(taken, address.start(), address.end())
    for date in dates(text):
        if not _is_taken(taken, date.start, date.end):
            found.append(_date_quantity(text, date.start, date.end, date.date))
            _take(taken, date.start, date.end)
    for time in times(text):
        if not _is_taken(taken, time.start, time.end):
            found.append(_time_quantity(text, time.start, time.end, time.minutes, time.duration, time.half_day))
            _take(taken, time.start, time.end)
    for start, end, number in weekdays(text):
        if not _is_taken(taken, start, end):
            found.append(Quantity(start, end, text[start:end], "weekday", "weekday", number, number, 1))
            _take(taken, start, end)
    for identifier in _IDENTIFIER.finditer(text):
        if not _is_taken(taken, identifier.start(), identifier.end()):
            _take(taken, identifier.start(), identifier.end())
    plain: list[Quantity] = []
    reached = 0
    for numeral in numerals(text):
        if numeral.start < reached or _is_taken(taken, numeral.start, numeral.end):
            continue
        quantity = _number_quantity(text, numeral)
        if quantity.start < reached:  # "5$ 6": the sign belongs to the number before it
            quantity = replace(quantity, start=numeral.start, text=text[numeral.start : quantity.end])
        plain.append(quantity)
        reached = quantity.end
    found.extend(_joined(text, plain))
    found.sort(key=lambda quantity: quantity.start)
    return found


def _is_taken(taken: bytearray, start: int, end: int) -> bool:
    return any(taken[start:end])


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\x01" * (end - start)


def _bound(text: str, start: int, end: int) -> Bound:
    after = _BOUND_AFTER.match(text, end)
    if after:
        return "at least" if after.group("atleast") else "at most" if after.group("atmost") else "about"
    window = text[max(0, start - _LEFT_WINDOW) : start]
    # Only the words of the same clause bound a number.
    cut = max(window.rfind("."), window.rfind(";"), window.rfind("("), window.rfind("\n"))
    if cut >= 0 and not window[max(0, cut - 6) : cut + 1].lower().endswith(("approx.", "ca.", " c.", "max.")):
        window = window[cut + 1 :]
    if not _BOUND_LAST.search(window):
        return "plain"
    before = _BOUND_BEFORE.search(window)
    if before:
        for index, (bound, _) in enumerate(_BOUNDS):
            if before.group(f"b{index}"):
                return bound
    return "plain"


def _date_quantity(text: str, start: int, end: int, date: Date) -> Quantity:
    years = date.years or (0, 0)
    return Quantity(
        start, end, text[start:end], "date", "date", years[0], years[1], 1, _bound(text, start, end), date
    )  # fmt: skip


def _time_quantity(text: str, start: int, end: int, minutes: float, duration: float | None, half_day: bool) -> Quantity:
    if duration is not None:
        return Quantity(
            start, end, text[start:end], "measure", "duration", duration, duration, 1, _bound(text, start, end)
        )  # fmt: skip
    late = minutes + 720 if half_day and minutes < 720 else minutes
    return Quantity(start, end, text[start:end], "time", "time", minutes, late, 1, _bound(text, start, end))


def _number_quantity(text: str, numeral: Numeral) -> Quantity:
    start, end = numeral.start, numeral.end
    value, step, dimension, unit_name = numeral.value, numeral.step, "", ""
    kind: Kind = "ordinal" if numeral.form == "ordinal" else "number"
    before = CURRENCY_BEFORE.search(text, max(0, start - 5), start)
    money = currency(before.group()) if before else None
    numbered = _NUMBERED.search(text, max(0, start - 12), start) if numeral.form == "digits" else None
    if numbered:
        label = stem(fold(numbered.group(1)).rstrip("."))
        return Quantity(
            start, end, text[start:end], "ordinal", "", value, value, step, "plain", None, (label,), False, label
        )  # fmt: skip
    if money and before:
        kind, dimension, start = "money", money[0], before.start()
        if text.startswith(("m", "b"), end) and not text[end + 1 : end + 2].isalnum():
            factor = 1e6 if text[end] == "m" else 1e9
            value, step, end = value * factor, step * factor, end + 1
    elif numeral.form != "ordinal":
        gap = _UNIT_GAP.match(text, end)
        position = gap.end() if gap else end
        if numeral.form == "fraction":
            skip = re.compile(r"\s+(?:an?|of\s+an?|of\s+one)\s+").match(text, end)
            position = skip.end() if skip else position
        unit = UNIT.match(text, position) or _later_unit(text, end)
        if unit:
            name = unit.group().strip()
            as_money = currency(name)
            measured = None if as_money else unit_of(name)
            if as_money:
                kind, dimension = "money", as_money[0]
                value, step, end = value * as_money[1], step * as_money[1], unit.end()
            elif measured and not (
                measured.dimension == "times" and name == "x" and text[unit.end() : unit.end() + 1].isalnum()
            ):
                kind = "percent" if measured.dimension == "percent" else "measure"
                dimension, unit_name = measured.dimension, name.lower()
                value = value * measured.factor + measured.offset
                step, end = step * measured.factor, unit.end()
        if kind == "number" and numeral.form == "fraction":
            kind, dimension, value, step = "percent", "percent", value * 100, 1
    nouns = _nouns(text, end)
    return Quantity(
        start, end, text[start:end], kind, dimension, value, value, step, _bound(text, start, end), None, nouns,
        numeral.form in ("words", "fraction"), unit_name,
    )  # fmt: skip


_LATER_UNIT = re.compile(
    r"\s+(?:(?!of\b|in\b|to\b|for\b|on\b|at\b|by\b|and\b|or\b|per\b|with\b|from\b|the\b|every\b|each\b|a\b"
    r"|is\b|was\b|are\b|were\b)"
    r"[a-z][a-z-]+\s+){1,2}?(days?|weeks?|months?|years?|hours?|minutes?)\b"
)


def _later_unit(text: str, end: int) -> re.Match[str] | None:
    """ "3 additional leave days": the unit stands behind its adjectives."""
    match = _LATER_UNIT.match(text, end)
    return UNIT.match(text, match.start(1)) if match else None


def _nouns(text: str, end: int) -> tuple[str, ...]:
    """The stems of the words counted: up to four words, stopping where the phrase does."""
    found: list[str] = []
    position = end
    for _ in range(4):
        if _STOP_NOUN.match(text, position):
            break
        match = _NOUN.match(text, position)
        if not match:
            break
        word = fold(match.group(1))
        if word in STOP_WORDS:
            if found or word not in ("of", "the", "more", "other", "additional"):
                break
        else:
            found.append(stem(word))
        position = match.end()
    return tuple(found)


def _joined(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Ranges ("5 to 7 days") and compound durations ("2 hours 30 minutes") as one quantity each."""
    out: list[Quantity] = []
    for quantity in quantities:
        if out:
            joined = _join(text, out[-1], quantity)
            if joined is not None:
                out[-1] = joined
                continue
        out.append(quantity)
    return out


_COMPOUND_GAP = re.compile(r",?\s?(?:and\s)?\s?$")
_FROM = re.compile(r"\b(?:from|fell|rose|grew|down|up|increased|decreased|dropped)\s*\S?$", re.IGNORECASE)


def _join(text: str, left: Quantity, right: Quantity) -> Quantity | None:
    gap = text[left.end : right.start]
    if len(gap) > 8:
        return None
    if (
        left.dimension == right.dimension == "duration"
        and left.low > right.low
        and left.unit != right.unit
        and _COMPOUND_GAP.fullmatch(gap)
    ):
        total = left.low + right.low
        return replace(left, end=right.end, text=text[left.start : right.end], low=total, high=total, step=right.step)
    if left.low != left.high or right.low <= left.low or "ordinal" in (left.kind, right.kind):
        return None
    strict = gap.strip() in ("-", "–", "—") or gap.strip().lower() == "to"
    between = re.search(r"\bbetween\s*\S{0,3}$", text[max(0, left.start - 12) : left.start], re.IGNORECASE)
    if not (_RANGE_GAP.fullmatch(gap) and (strict or (between and gap.strip().lower() == "and"))):
        return None
    if strict and gap.strip().lower() == "to" and _FROM.search(text[max(0, left.start - 14) : left.start]):
        return None  # "from 38 ms to 24 ms" is a change, not a range
    if left.dimension == right.dimension:
        low = left.low
    elif not left.dimension and right.kind in ("measure", "percent", "money"):
        unit = unit_of(right.unit) if right.unit else None
        low = left.low * unit.factor + unit.offset if unit else left.low
        if right.kind == "money" and right.high >= 1e3 * left.low and right.step > left.step:
            return None
    else:
        return None
    if low > right.high:
        return None
    step = min(left.step, right.step)
    return replace(right, start=left.start, text=text[left.start : right.end], low=low, bound=left.bound, step=step)
