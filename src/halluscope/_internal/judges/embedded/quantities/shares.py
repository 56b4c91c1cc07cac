"""Shares in words, held against the counts and percentages of the context: "most", "a minority", "three quarters".

A share is computed where one sentence of the context gives it for the same things, as a percentage or as one count of
another ("180 of the 240 flats"). The claim can then be read with the figures of the context in place of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ....text import Span, content_stems
from .alignment import Placed, Prepared
from .comparison import relate
from .quantity import LOWER, UPPER, Quantity, with_bound

_VAGUE = re.compile(
    r"\b(?:(?P<most>(?:the\s+(?:vast\s+|large\s+)?majority|most)(?:\s+of)?)|(?P<few>an?\s+(?:small\s+)?minority\s+of"
    r"|(?:only\s+(?:a\s+)?|very\s+)?few(?:\s+of)?)|(?P<all>all(?:\s+of)?|every\s+one\s+of))(?=\s+(?!of\b)\w)(?!\s+\w+est\b)",
    re.IGNORECASE,
)
_NO_SHARE_BEFORE = re.compile(r"\b(?:at|the|not|quite|last|next|past|above|after|in|a|its|most)\s+$", re.IGNORECASE)
_RANGES = {"most": (50.0, 100.0), "few": (0.0, 50.0), "all": (100.0, 100.0)}
_OF = re.compile(r"\s+of\b")
_COUNTS = re.compile(
    r"\b[Oo]f\s+(?:the\s+|all\s+|our\s+|its\s+)?(?P<whole>\d[\d,]*)\s+[^.;,]{2,60},\s+(?:only\s+|just\s+)?(?P<part>\d[\d,]*)\b"
    r"|\b(?P<some>\d[\d,]*)\s+(?:out\s+)?of\s+(?:the\s+|its\s+|our\s+|all\s+)?(?P<all>\d[\d,]*)\b"
)
_SHARED = 0.6
"""The part of a claim's other words that a sentence must have to be about the same things."""


class Share(NamedTuple):
    """A share that a claim states: the place of its words, and whether the context bears it out."""

    claim: Span
    context: Span
    holds: bool
    written: str
    """The words as the context would have them: "180 of"."""


class _Known(NamedTuple):
    percent: float
    written: str
    place: Span


def shares(said: Prepared, known: Prepared) -> Iterator[Share]:
    """The shares of a claim that one sentence of the context decides."""
    for match in _VAGUE.finditer(said.text):
        low, high = _RANGES[match.lastgroup or ""]
        place = Span(*match.span())
        if _NO_SHARE_BEFORE.search(said.text, 0, place.start):
            continue
        for one in _decisive(said, place, known):
            inside = low < one.percent <= high if low else one.percent < high
            yield Share(place, one.place, inside or one.percent == low == high, one.written)
    for item in said.placed:
        if item.quantity.kind == "percent" and item.quantity.in_words and not item.quantity.unit:
            yield from _in_words(item, said, known)


def _in_words(item: Placed, said: Prepared, known: Prepared) -> Iterator[Share]:
    """ "More than half", "a third": of a count, which gives no percentage to compare with."""
    quantity = item.quantity
    of = _OF.match(said.text, quantity.end)
    place = Span(with_bound(said.text, quantity.start), of.end() if of else quantity.end)
    for one in _decisive(said, place, known):
        limits = quantity.bound in (*LOWER, *UPPER)
        other = Quantity(0, 0, one.written, "percent", "percent", one.percent, one.percent, 0.1, figure=one.percent)
        relation = relate(quantity, other)
        if abs(100 - one.percent - quantity.low) <= 1:
            continue  # of the others: "two thirds are due later" beside "a third on booking"
        near = abs(quantity.low - one.percent) <= 0.06 * quantity.low
        yield Share(place, one.place, near or bool(limits and relation and relation.agreement != "no"), one.written)


def _decisive(said: Prepared, place: Span, known: Prepared) -> list[_Known]:
    """What the one sentence about the same things gives; nothing where several do, or one gives several."""
    rest = said.text[: place.start] + said.text[place.end :]
    mine = content_stems(rest)
    found: list[_Known] = []
    for span in known.spans:
        there = span.of(known.text)
        if mine and len(mine & content_stems(there)) >= _SHARED * len(mine):
            found += _given(known, span)
    return found if len(found) == 1 else []


def _given(known: Prepared, span: Span) -> Iterator[_Known]:
    for item in known.placed:
        one = item.quantity
        if (
            span.start <= one.start < span.end
            and one.kind == "percent"
            and one.low == one.high
            and one.bound == "plain"
        ):
            yield _Known(one.low, f"{one.text} of", Span(one.start, one.end))
    for match in _COUNTS.finditer(known.text, span.start, span.end):
        part, whole = match["part"] or match["some"], match["whole"] or match["all"]
        if (total := float(whole.replace(",", ""))) > 0:
            percent = 100 * float(part.replace(",", "")) / total
            yield _Known(percent, f"{part} of", Span(match.start(), match.end()))
