"""Shares in words, held against the counts and percentages of the context: "most", "a minority", "three quarters".

A share is computed where one sentence of the context gives it for the same things, as a percentage or as one count of
another ("180 of the 240 flats"). The claim can then be read with the figures of the context in place of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....text import Span, content_stems
from .alignment import Placed, Prepared
from .comparison import relate
from .quantity import COMPUTED, LOWER, UPPER, NumberMatch, Quantity, with_bound

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


def shares(said: Prepared, known: Prepared) -> Iterator[NumberMatch]:
    """The shares of a claim that one sentence of the context decides."""
    for match in _VAGUE.finditer(said.text):
        low, high = _RANGES[match.lastgroup or ""]
        place = Span(*match.span())
        if _NO_SHARE_BEFORE.search(said.text, 0, place.start):
            continue
        for one in _decisive(said, place, known):
            inside = low < one.low <= high if low else one.low < high
            yield _match(place, one, inside or one.low == low == high)
    for item in said.placed:
        if item.quantity.kind == "percent" and item.quantity.in_words and not item.quantity.unit:
            yield from _in_words(item, said, known)


def _in_words(item: Placed, said: Prepared, known: Prepared) -> Iterator[NumberMatch]:
    """ "More than half", "a third": of a count, which gives no percentage to compare with."""
    quantity = item.quantity
    of = _OF.match(said.text, quantity.end)
    place = Span(with_bound(said.text, quantity.start), of.end() if of else quantity.end)
    for one in _decisive(said, place, known):
        relation = relate(quantity, one)
        if abs(100 - one.low - quantity.low) <= 1:
            continue  # of the others: "two thirds are due later" beside "a third on booking"
        near = abs(quantity.low - one.low) <= 0.06 * quantity.low
        limited = quantity.bound in (*LOWER, *UPPER) and relation is not None and relation.agreement != "no"
        yield _match(place, one, near or limited)


def _match(claim: Span, known: Quantity, holds: bool) -> NumberMatch:
    there = (Span(known.start, known.end),)
    return NumberMatch("stated" if holds else "conflicts", claim, there, 0.0 if holds else COMPUTED, known.text)


def _decisive(said: Prepared, place: Span, known: Prepared) -> list[Quantity]:
    """What the one sentence about the same things gives; nothing where several do, or one gives several."""
    mine = content_stems(said.text[: place.start] + said.text[place.end :])
    found: list[Quantity] = []
    for span in known.spans:
        if mine and len(mine & content_stems(span.of(known.text))) >= _SHARED * len(mine):
            found += _given(known, span)
    return found if len(found) == 1 else []


def _given(known: Prepared, span: Span) -> Iterator[Quantity]:
    """The shares that a sentence states, as percentages or as one count of another, with the words for them."""
    for one in (item.quantity for item in known.placed):
        within = span.start <= one.start < span.end
        if within and one.kind == "percent" and one.low == one.high and one.bound == "plain":
            yield _percentage(one.start, one.end, f"{one.text} of", one.low)
    for match in _COUNTS.finditer(known.text, span.start, span.end):
        part, whole = match["part"] or match["some"], match["whole"] or match["all"]
        if (total := float(whole.replace(",", ""))) > 0:
            yield _percentage(*match.span(), f"{part} of", 100 * float(part.replace(",", "")) / total)


def _percentage(start: int, end: int, words: str, value: float) -> Quantity:
    return Quantity(start, end, words, "percent", "percent", value, value, 0.1, figure=value)
