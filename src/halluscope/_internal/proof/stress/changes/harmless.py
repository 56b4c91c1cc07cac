"""Changes that keep the meaning. A judge that flags them raises false alarms."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

from msgspec import structs

from ....text import sentences
from .change_date import dates, written
from .change_number import quantities
from .english import WORDS, has
from .mutant import Edit, sentence_starts
from .plain_numbers import Number, spelled

_PERCENT = re.compile(r"(?P<gap> ?)(?P<sign>%)(?!\w)| (?P<word>percent|per cent)\b")
_MEASURED = re.compile(
    r"[ -]?(?:%|°|[a-zµ]{1,3}\b(?<! of)(?<! in)(?<! or)(?<! to)(?<! men)(?<! and)|[A-Z]{1,3}\b|[-–/])"
)
_IN_PHRASE = re.compile(r" (?:quarters?|hal(?:f|ves)|thirds?|fifths?|and a)\b")
_PAIRED = re.compile(r"\d(?: (?:and|or|to) |[–—-])$")
_MONEY_BEFORE = re.compile(r"(?:[$€£¥]|\b[A-Z]{3} )$")
_OTHER_FORMS = {"iso": ("mdy", "dmy"), "mdy": ("dmy",), "dmy": ("mdy",), "md": ("dm",), "dm": ("md",)}


def reorder(answer: str, context: str, rng: Random) -> Edit | None:
    """Reorder the sentences if they do not refer to each other."""
    spans = sentences(answer)
    gaps = {answer[a.end : b.start] for a, b in pairwise(spans)}
    texts = [span.of(answer) for span in spans]
    if len(spans) < 2 or gaps - {" ", "  "} or any(has("leaning", text) for text in texts):
        return None
    if any(text[-1:] not in ".!" for text in texts) or len(set(texts)) < 2:
        return None
    moved = list(texts)
    while moved == texts:
        rng.shuffle(moved)
    return Edit(spans[0].start, spans[-1].end, " ".join(moved))


def greet(answer: str, context: str, rng: Random) -> Edit | None:
    """Add a greeting or a closing phrase."""
    if rng.random() < 0.5:
        return Edit(0, 0, rng.choice(WORDS["greetings"]))
    end = len(answer.rstrip())
    return Edit(end, end, rng.choice(WORDS["farewells"])) if end else None


def rewrite_number(answer: str, context: str, rng: Random) -> Edit | None:
    """Write one number differently: 1,200 as 1.2 thousand or twelve hundred, 12 as twelve, 30% as 30 percent."""
    found = quantities(answer)
    rng.shuffle(found)
    for number in found:
        ways = _ways(number, answer)
        if ways:
            return rng.choice(ways)
    return None


def _ways(number: Number, answer: str) -> list[Edit]:
    value, start, end = number.value, number.start, number.end
    first = start in sentence_starts(answer)
    whole = int(value) if value == int(value) else None
    money = _MONEY_BEFORE.search(answer[max(0, start - 4) : start])
    percent = _PERCENT.match(answer, end)
    if percent and not number.in_words:
        return [Edit(end, percent.end(), " percent" if percent["sign"] else "%")]
    if number.scale != 1.0:
        if number.in_words or number.scale < 1e3 or number.scale > 1e9:
            return []
        return [Edit(start, number.whole_end, f"{round(value * number.scale):,}")]
    if whole is None:
        return []
    if number.in_words:
        fixed = first or _IN_PHRASE.match(answer, end) or answer[:start].endswith("and ")
        return [] if fixed else [Edit(start, end, str(whole))]
    ways = []
    if whole < 100 and not money and not _MEASURED.match(answer, end) and not first:
        word = spelled(whole)
        if word:
            ways.append(Edit(start, end, word))
    if 1000 <= whole < 1_000_000 and whole % 100 == 0:
        ways.append(Edit(start, end, f"{whole / 1000:g} thousand"))
    hundreds = spelled(whole // 100) if 1100 <= whole <= 9900 and whole % 100 == 0 and whole % 1000 else None
    if hundreds and not money:
        ways.append(Edit(start, end, f"{hundreds} hundred"))
    if "," in number.text:
        ways.append(Edit(start, end, number.text.replace(",", "")))
    return ways


def rewrite_date(answer: str, context: str, rng: Random) -> Edit | None:
    """Write one date differently: 1921-06-01 as June 1, 1921 or 1 June 1921."""
    found = [d for d in dates(answer) if d.form in _OTHER_FORMS and not _PAIRED.search(answer[: d.start])]
    rng.shuffle(found)
    for date in found:
        form = rng.choice(_OTHER_FORMS[date.form])
        if form == "dm" and answer[: date.start].endswith(("the ", "The ")):
            continue
        comma = "," if form == "mdy" else ""
        return Edit(date.start, date.end, written(structs.replace(date, form=form, written_as={"comma": comma})))
    return None
