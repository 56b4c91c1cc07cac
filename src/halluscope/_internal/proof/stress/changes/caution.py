"""Whether a change certainly makes a reworded statement wrong.

A sentence copied from the context becomes wrong by changing its words. A reworded one may stay true: "you may bring two
guests" is true if three are allowed, and a shop that is open on Monday may be open on Tuesday too. Such changes are not
made.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ....text import sentences
from .change_date import dates
from .mutant import Edit, comparable, sentence_around
from .number_bounds import bound
from .plain_numbers import numbers
from .swap_roles import one_way

_OPEN = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|\w+n['’]t|if|unless|whether|or|either|any|except"
    r"|instead|rather|unlike|for example|for instance|such as|including|would|could|might|otherwise)\b|\be\.g\.",
    re.IGNORECASE,
)
"""Words with which another number, name or order may also be true."""
_BOUNDLESS = re.compile(
    r"\b(?:can|may|allow\w*|permit\w*|enough|need\w*|require\w*|must|should|ha(?:s|ve|d) to|eligible|entitled|qualif\w+"
    r"|limit\w*|capped|threshold|suffic\w+|afford\w*|covers?|fits?|holds?)\b",
    re.IGNORECASE,
)
"""Words that make a number a bound: if three are allowed, two are too."""
_SUPPOSED = re.compile(r"\w+ing\b|(?:some|any)(?:one|body)\b|whoever\b|who\b", re.IGNORECASE)
"""Beginnings of conditional sentences: "driving at 150 km/h leads to a ban" is also true for 160."""
_LESSER_PART = re.compile(
    r"\b(?:hours?|h|minutes?|min|feet|ft|pounds?|lbs?|years?|months?|weeks?|days?),? (?:and )?$", re.IGNORECASE
)
_FROM, _TO = re.compile(r"\bfrom (?:[$€£])?$", re.IGNORECASE), re.compile(r".{0,25}? to\b")
_WHOLE_WEEK = re.compile(
    r"\b(?:daily|every day|each day|week-?days?|week-?ends?|working days?|round the clock"
    r"|(?:mon|tue|wed|thu|fri|sat|sun)\w*\.?\s*(?:to|through|until|[-–—/&,])\s*(?:mon|tue|wed|thu|fri|sat|sun))",
    re.IGNORECASE,
)
_SPAN_BEFORE = re.compile(
    r"(?:\b(?:from|between|since|starting|until|till|to|through|and|by|before|after|as of)\s+(?:the )?|[–—-]\s*)$",
    re.IGNORECASE,
)
_SPAN_AFTER = re.compile(r"\s*(?:[–—-]|\b(?:to|until|till|through|and|onwards?)\b)", re.IGNORECASE)
_REFERENCE = re.compile(r"\b(?:before|after) (?:the )?$", re.IGNORECASE)
"""Something that was true before 3 April may have been true before 3 March."""
_MUTUAL = re.compile(r"\b(?:each other|one another|mutual\w*|reciprocal\w*|vice versa|in turn)\b", re.IGNORECASE)
_EITHER_WAY = re.compile(r"\bbefore (?:and|or|/) after\b", re.IGNORECASE)
_ANY_ORDER = re.compile(r"\b(?:the other|another|even (?:before|after)|can|may)\b", re.IGNORECASE)
_ADDRESSED = re.compile(r"\b(?:hi|hello|hey|dear|thanks|thank you)[ ,]+$", re.IGNORECASE)
_CLAUSE_FIRST = re.compile(
    r"\b(?:if|when|while|because|since|as|although|though|unless|whether|who|whose|which|that|where|after|before|once|until"
    r"|so|than|what|how|why|for|besides|despite|apart)\b",
    re.IGNORECASE,
)
_SOME_OF = re.compile(
    r"\b(?:some|several|many|most|few|parts?|half|third|quarter|majority|minority|number|group|one|two|three|four|five"
    r"|six|seven|eight|nine|ten|another|others?|every|all|each|both|any|at least|more|less|about|only|percent"
    r"|(?:every|some)(?:one|body|thing))\b|[\d%]",
    re.IGNORECASE,
)


def surely_untrue(kind: str, answer: str, context: str, edit: Edit) -> bool:
    """Whether the changed statement is certainly wrong. Always true for a sentence copied from the context."""
    sentence = sentence_around(answer, edit.start)
    if kind not in _RULES or comparable(sentence.of(answer)) in comparable(context):
        return True
    return _RULES[kind](answer, context, edit)


def _amount(answer: str, context: str, edit: Edit) -> bool:
    """Accept only exact numbers: no bounds, no smaller part of a measure, no conditions."""
    text = sentence_around(answer, edit.start).of(answer)
    if _OPEN.search(text) or _BOUNDLESS.search(text) or _SUPPOSED.match(text):
        return False
    number = max((n for n in numbers(answer) if n.start <= edit.start), key=lambda n: n.start)
    before, after = answer[: number.start], answer[number.whole_end :]
    if _LESSER_PART.search(before) or (_FROM.search(before) and not _TO.match(after)):
        return False
    return bound(answer, number.start, number.whole_end) in ("none", "about")


def _date(answer: str, context: str, edit: Edit) -> bool:
    """Accept only dates that the context states, and not as an end of a range."""
    if not _plain_words(answer, context, edit):
        return False
    date = next((d for d in dates(answer) if d.start == edit.start), None)
    if date is None or (date.weekday is not None and _WHOLE_WEEK.search(context)):
        return False
    stated = [known for known in dates(context) if date.fits(known)]
    if _REFERENCE.search(answer[: date.start]):
        return False
    if bound(answer, date.start, date.end) != "none" or _SPAN_BEFORE.search(answer[: date.start]):
        return bool(stated)
    spans = (_SPAN_BEFORE.search(context[: d.start]) or _SPAN_AFTER.match(context, d.end) for d in stated)
    return bool(stated) and not any(spans)


def _name(answer: str, context: str, edit: Edit) -> bool:
    """Check one occurrence of a name that is changed everywhere."""
    spans = [s for s in sentences(answer) if s.start < edit.end and s.end > edit.start and edit.word in s.of(answer)]
    said = [s for s in spans if not _OPEN.search(s.of(answer))]
    return any(not _ADDRESSED.search(answer[s.start : answer.index(edit.word, s.start)]) for s in said)


def _roles(answer: str, context: str, edit: Edit) -> bool:
    """Require that both names occur once: "Ure was followed by Frayne, then Ure again" is true in both directions."""
    text, pair = sentence_around(answer, edit.start).of(answer), answer[edit.start : edit.end]
    capitals = re.findall(r"\b[A-Z]\w+", pair)
    return (
        not _OPEN.search(text)
        and one_way(pair)
        and not _MUTUAL.search(context)
        and all(len(re.findall(rf"\b{re.escape(word)}\b", text)) == 1 for word in capitals)
    )


def _negation(answer: str, context: str, edit: Edit) -> bool:
    """Require that a "not" negates the whole statement, without conditions or partial subjects."""
    sentence = sentence_around(answer, edit.start)
    if edit.start < edit.end:
        return not re.search(r"\b(?:if|or|unless|whether|because)\b", sentence.of(answer), re.IGNORECASE)
    before = answer[sentence.start : edit.start]
    return not _CLAUSE_FIRST.search(before) and not _SOME_OF.search(before)


def _order(answer: str, context: str, edit: Edit) -> bool:
    text = sentence_around(answer, edit.start).of(answer)
    return not _OPEN.search(text) and not _ANY_ORDER.search(text) and not _EITHER_WAY.search(context)


def _plain_words(answer: str, context: str, edit: Edit) -> bool:
    return not _OPEN.search(sentence_around(answer, edit.start).of(answer))


_RULES: dict[str, Callable[[str, str, Edit], bool]] = {
    "numbers": _amount,
    "units": _amount,
    "dates": _date,
    "names": _name,
    "roles": _roles,
    "negation": _negation,
    "quantities": _plain_words,
    "order": _order,
}
