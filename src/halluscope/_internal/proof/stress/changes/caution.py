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
from .english import has, pattern
from .mutant import Edit, comparable, sentence_around
from .plain_numbers import bound, numbers
from .swap_roles import one_way


def surely_untrue(kind: str, answer: str, context: str, edit: Edit) -> bool:
    """Whether the changed statement is certainly wrong. Always true for a sentence copied from the context."""
    text = sentence_around(answer, edit.start).of(answer)
    if kind not in _RULES or comparable(text) in comparable(context):
        return True
    if kind not in ("names", "negation") and has("open", text):
        return False
    return _RULES[kind](answer, context, edit)


def _amount(answer: str, context: str, edit: Edit) -> bool:
    """Accept only exact numbers: no bounds, no smaller part of a measure, no conditions."""
    text = sentence_around(answer, edit.start).of(answer)
    if has("boundless", text) or has("supposed", text):
        return False
    number = max((n for n in numbers(answer) if n.start <= edit.start), key=lambda n: n.start)
    before, after = answer[: number.start], answer[number.whole_end :]
    if has("lesser_part", before) or (has("from", before) and not has("to", after)):
        return False
    return bound(answer, number.start, number.whole_end) in ("none", "about")


def _date(answer: str, context: str, edit: Edit) -> bool:
    """Accept only dates that the context states, and not as an end of a range."""
    date = next((d for d in dates(answer) if d.start == edit.start), None)
    if date is None or (date.weekday is not None and has("whole_week", context)):
        return False
    stated = [known for known in dates(context) if date.fits(known)]
    before = answer[: date.start]
    if has("reference", before):
        return False
    if bound(answer, date.start, date.end) != "none" or has("span_before", before):
        return bool(stated)
    ends = (has("span_before", context[: d.start]) or pattern("span_after").match(context, d.end) for d in stated)
    return bool(stated) and not any(ends)


def _name(answer: str, context: str, edit: Edit) -> bool:
    """Check one occurrence of a name that is changed everywhere."""
    spans = [s for s in sentences(answer) if s.start < edit.end and s.end > edit.start and edit.word in s.of(answer)]
    said = [s for s in spans if not has("open", s.of(answer))]
    return any(not has("addressed", answer[s.start : answer.index(edit.word, s.start)]) for s in said)


def _roles(answer: str, context: str, edit: Edit) -> bool:
    """Require that both names occur once: "Ure was followed by Frayne, then Ure again" is true in both directions."""
    text, pair = sentence_around(answer, edit.start).of(answer), answer[edit.start : edit.end]
    capitals = re.findall(r"\b[A-Z]\w+", pair)
    return (
        one_way(pair)
        and not has("mutual", context)
        and all(len(re.findall(rf"\b{re.escape(word)}\b", text)) == 1 for word in capitals)
    )


def _negation(answer: str, context: str, edit: Edit) -> bool:
    """Require that a "not" negates the whole statement, without conditions or partial subjects."""
    sentence = sentence_around(answer, edit.start)
    if edit.start < edit.end:
        return not has("conditional", sentence.of(answer))
    before = answer[sentence.start : edit.start]
    return not has("clause_first", before) and not has("some_of", before)


def _order(answer: str, context: str, edit: Edit) -> bool:
    text = sentence_around(answer, edit.start).of(answer)
    return not has("any_order", text) and not has("either_way", context)


_RULES: dict[str, Callable[[str, str, Edit], bool]] = {
    "numbers": _amount,
    "units": _amount,
    "dates": _date,
    "names": _name,
    "roles": _roles,
    "negation": _negation,
    "quantities": lambda answer, context, edit: True,
    "order": _order,
}
