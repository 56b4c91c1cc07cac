"""Every quantity of a text: numbers with their unit, money, percentages, dates and times, with their places.

A quantity is kept as the text states it: its value in a base unit, the precision of its last digit, and
the word that bounds it ("about", "at least", "exactly"). What follows from that is decided in `tolerance`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ....text import STOP_WORDS, stem
from ....text.words import fold
from ..layout import without_commas
from .bounds import bound_of
from .clock import times
from .dates import dates, weekdays
from .joining import dated, joined
from .numerals import PARTS, Numeral, numerals
from .quantity import Kind, Quantity
from .units import CURRENCY_BEFORE, SCALES, Unit, UnitFound, currency, unit_at, unit_of

__all__ = ["read"]


_ADDRESS = re.compile(r"https?://\S+|\bwww\.\S+|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}")
# Marks that cite a passage or a work state nothing: "[2]", "[1, 3]", "(Smith et al., 2020)". A list of values is none.
_CITATION = re.compile(
    r"(?<![:=,(\[{])(?<![:=,(\[{]\s)\[\d{1,2}(?:\s?[,–-]\s?\d{1,2}){0,8}\](?!\s?[:=])"
    r"|\((?:see\s|cf\.\s)?(?!(?:January|February|March|April|May|June|July|August|September|October|November|December)\b)"
    r"[A-Z][\w'’-]{1,30}(?:\s(?:et\sal\.?|(?:and|&)\s[A-Z][\w'’-]{1,30}))?,\s(?:19|20)\d\d[a-z]?\)"
)
# What stands for a thing rather than for an amount: AB-123, R4, 10.4.1.11, #3310, addresses.
_IDENTIFIER = re.compile(
    r"(?<![\w.])\d+(?:\.\d+){2,}(?![\w%])"
    r"|#\d+|(?<![\w$€£¥])[A-Za-z]+[-_/]?\d[\w-]*|\b(?:[Vv]ersion|v)\s?\d+(?:\.\w+)*"
    r"|\b\d+(?:\.\d+)*\.x\b|\b\d{1,3}[A-Z]\d\w*|\b\d+(?:-\d+){2,}\b"
)
# A number that tells one thing from its like: Form 1040, Phase 3, No. 4.
_NUMBERED = re.compile(
    r"(?<![\w-])([Ss]teps?|[Pp]assages?|[Ss]ections?|[Cc]hapters?|Form|Model|Article|Room|Flight|Route|Highway|Boeing|Airbus|Windows|Schedule|Figure|Table"
    r"|Level|Type|Class|Grade|Group|Phase|Tier|Volume|Part|Page|Gate|Platform|Channel|Job|Ticket|PR|Issue|Bug|Order"
    r"|Invoice|Rule|Clause|Annex|Appendix|Season|Episode|Series|Round|Unit|Building|Track|Apollo|Line|Lot|Version|No\.|no\.)\s$"
)
_UNIT_GAP = re.compile(r" {2,12}|\s?-\s?|\s?")
_NOUN = re.compile(r"(?:\s+of\s+the\s+[\d,.]+(?=\s))?[\s-]*([^\W\d_][\w'’]*)")
_STOP_NOUN = re.compile(r"\s*[,;:.!?()\[\]]|\s*\n")
_KEY = re.compile(r"[\w ]{0,24}:(?!\d)")  # behind a value, the name of the next field
_PART_OF = re.compile(r"\s+(?:an?|of\s+an?|of\s+one)\s+")
_AND_PART = re.compile(r"\s+and\s+(?:a|one)\s+(half|quarter|third)\b")
_SHORT_SCALE = re.compile(r"\s?(m|b)\b")
_BY = re.compile(r"\s?\d")
_AGED = re.compile(r"\b(?:aged|age|age\s+of|ages|turn|turned|turning)\s+$", re.IGNORECASE)
_HEAVY = re.compile(
    r"\b(?:weigh\w*|heav\w+|light\w*|lbs?|mass|body|muscle|fat|meat|beef|load|lift\w*)\b", re.IGNORECASE
)
_QUOTED = 400
"""How far back quotation marks are paired, so that 7.4" is told from the end of a quotation."""
_COMPARES = frozenset("less fewer higher lower longer shorter later earlier apart behind ahead".split())
_CITED = stem("passage")  # "according to passage 3" cites, and states nothing
_LATER_UNIT = re.compile(
    r"\s+(?!(?:past|last|previous|fiscal|financial|school|academic)\s+(?:day|week|month|year|hour|minute)\b)"  # a date
    r"(?:(?:more|other|additional|extra|further|consecutive|successive|straight|working|business|calendar|trading|full"
    r"|whole|entire|long|short|leave|vacation|holiday|sick|rest|paid|unpaid|unused|school|academic|fiscal|financial|past"
    r"|last|previous|light|human|earth|credit|training|teaching|flight|flying|billable|overtime)\s+){1,2}"
    r"(days?|weeks?|months?|years?|hours?|minutes?)\b"
)
_NONE, _YEAR = Unit("", 1.0), Unit("duration", 31557600.0)


def read(text: str) -> list[Quantity]:
    """Every quantity of a text in order, none overlapping another."""
    text = without_commas(text)
    taken = bytearray(len(text))
    for pattern in (_ADDRESS, _CITATION):
        for match in pattern.finditer(text):
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
