"""The numbers of the context that could stand in place of a wrong one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ....core.verdict import Claim
from ....text import Span
from ..deciding.signals import numbers_of
from ..quantities.alignment import Placed, Prepared, near_share, prepare, sentence_shares
from ..quantities.comparison import relate
from ..quantities.quantity import LOWER, UPPER, Quantity, with_bound
from ..reading.evidence import ReadContext
from .candidate import BROKEN, Candidate, Source, has

_WITHIN = re.compile(r"(?:within|before|after|since|by)\b", re.IGNORECASE)
_PLACED = re.compile(
    r"\b(?:until|for|in|after|before|of|to|from|by|within|over|under|at|since|than)\s*$", re.IGNORECASE
)
"""A preposition, behind which no second one stands."""
RANGE = re.compile(r"\s*(?:to|and|until|till|–|—|-)\s*")
"""What joins the two ends of a range."""
_ONE = ("1", "one", "a", "an")
_MOST_NUMBERS = 5
_IN_PLACE = (0.2, 0.6)
"""How well the words around a number of the context must fit for it to be tried in place of the claim's. The
second is for bare numbers."""
_CLOSE = 0.6
"""How near a word must stand to a number to say what it counts."""


def other_numbers(
    said: str, stated: str, context: ReadContext, sources: Sequence[Source]
) -> tuple[list[Candidate], list[Candidate]]:
    """For each number, the one that the context has in its place; and others that measure the same."""
    likely: list[Candidate] = []
    possible: list[Candidate] = []
    claim = stated if said in stated else said
    shift = claim.index(said)
    (found,) = numbers_of([Claim("", claim)], context, None)
    known, own = context.numbers(claim), prepare(claim)
    for item in own.placed:
        quantity = item.quantity
        match = next((one for one in found if one.claim.start == quantity.start), None)
        start, end = with_bound(claim, quantity.start) - shift, quantity.end - shift
        if start < 0 or end > len(said) or quantity.slight or "-" in quantity.text:
            continue  # "a four-day week" is not "a 11 days week"
        if match is None or match.status == "follows":
            continue
        shares = sentence_shares(item, own, known)
        weight = sum(known.weight(word) * closeness for word, closeness in item.near.items())
        fits = {
            other.index: near_share(item, weight, other, known) + shares[other.sentence]
            for other in known.placed
            if _measures_the_same(quantity, other.quantity)
        }
        others = [known.placed[at] for at in sorted(fits, key=lambda at: -fits[at])]
        others = [one for one in others if fits[one.index] >= _IN_PLACE[one.quantity.kind == "number"]]
        there = list(match.evidence) if match.status == "conflicts" else []
        there = [span for span in there if (span.of(known.text).lower() in _ONE) == (quantity.text.lower() in _ONE)]
        near = [Span(one.quantity.start, one.quantity.end) for one in others[:_MOST_NUMBERS]]
        near += _in_deciding(item, known, sources)
        for group, spans in ((likely, there), (possible, near)):
            made = (one for span in spans for one in _bounded(quantity, start + shift, span, known))
            for at, text in dict.fromkeys(made):
                if _WITHIN.match(text) and _PLACED.search(claim[:at]):
                    continue
                source = next((source for source in sources if has(source.text, text)), None)
                if source is not None and not BROKEN.search(text):
                    group.append(source.edit(at - shift, end, text))
    return likely, possible


def _in_deciding(item: Placed, known: Prepared, sources: Sequence[Source]) -> Iterator[Span]:
    """The numbers of the deciding sentences that could stand in the place of another."""
    there = [source.text for source in sources if source.decides]
    mine = item.quantity
    for one in known.placed:
        other = one.quantity
        relation = relate(mine, other)
        differs = relation is not None and relation.agreement != "yes" and mine.low != other.low
        if not differs or mine.kind != other.kind:
            continue
        alike = mine.bare == other.bare and _counts_one(mine, other)
        labelled = mine.kind == "number" and any(item.near.get(word, 0.0) >= _CLOSE for word in one.label)
        own = known.spans[one.sentence].of(known.text)
        if (alike or labelled) and any(own in text or (text in own and has(text, other.text)) for text in there):
            yield Span(other.start, other.end)


def _bounded(mine: Quantity, bound: int, there: Span, known: Prepared) -> Iterator[tuple[int, str]]:
    """Where the claim's number is to be replaced from, and by what: alone, and with the words that bound it there.

    `bound` is where the words begin that bound the claim's number: those stay if the other's bound is of their sort.
    """
    text = there.of(known.text).strip()
    other = next((one.quantity for one in known.placed if (one.quantity.start, one.quantity.end) == there), None)
    if other is None or other.bound == "plain":
        yield bound, text
        return
    alike = mine.bound == other.bound or any(mine.bound in sort and other.bound in sort for sort in (UPPER, LOWER))
    if alike or mine.bound == "plain":
        yield mine.start, text
    if not alike:
        yield bound, known.text[with_bound(known.text, other.start) : other.end].strip()


def _measures_the_same(mine: Quantity, other: Quantity) -> bool:
    """Whether a number could stand in the place of another: one differs, and both count or measure the same."""
    relation = relate(mine, other)
    if relation is None or relation.agreement != "no" or mine.kind != other.kind:
        return False
    return (mine.kind != "number" or bool(mine.nouns)) and _counts_one(mine, other)


def _counts_one(mine: Quantity, other: Quantity) -> bool:
    """Whether two numbers count the same things, or none. "One" is not said of several."""
    if (mine.low == 1) != (other.low == 1):
        return False
    return mine.kind != "number" or not (mine.nouns or other.nouns) or bool(set(mine.nouns) & set(other.nouns))


def other_ranges(said: str, sources: Sequence[Source]) -> Iterator[Candidate]:
    """The two ends of a range, as the deciding sentence or a near one has them for the same matter."""
    for start, end, kind in _ranges_in(said):
        for source in sources:
            for low, high, other in _ranges_in(source.text):
                if kind == other:
                    yield source.edit(start, end, source.text[low:high])


def _ranges_in(text: str) -> Iterator[tuple[int, int, tuple[str, str]]]:
    """The start and end of each range, and what its ends measure."""
    numbers = [item.quantity for item in prepare(text).placed]
    for low, high in pairwise(numbers):
        kind = low.kind, low.dimension
        if kind == (high.kind, high.dimension) and RANGE.fullmatch(text, low.end, high.start):
            yield low.start, high.end, kind


def counts_the_same(said: str, made: Candidate, deciding: Sequence[Source]) -> bool:
    """Whether a number that an edit brings in counts or measures what the one does that it takes out.

    It must stand in the sentence that decides, if that has such a number; elsewhere a count says too little.
    """
    old = [
        one
        for one in prepare(said).placed
        if made.start < one.quantity.end and one.quantity.start < made.end and not one.quantity.slight
    ]
    old = [one for one in old if not has(made.after, one.quantity.text)]
    if not old or not made.evidence:
        return True
    new = [
        one
        for one in prepare(made.evidence[0].quote).placed
        if has(made.after, one.quantity.text) or has(one.quantity.text, made.after)
    ]
    if not all(any(_counts_alike(mine, other, made.decided) for other in new) for mine in old):
        return False
    if made.decided or not deciding:
        return True
    there = [one for source in deciding for one in prepare(source.text).placed]
    return not any(
        mine.quantity.kind == "number" or any(_counts_alike(mine, other, False) for other in there) for mine in old
    )


def _counts_alike(mine: Placed, other: Placed, decided: bool) -> bool:
    a, b = mine.quantity, other.quantity
    if a.kind != b.kind or a.dimension != b.dimension:
        return False
    if a.kind == "number" and a.bare and ("." in a.text) != ("." in b.text):  # "74.5 points", "2 points"
        return False
    if a.kind != "number" or (a.nouns and b.nouns):
        return a.kind != "number" or bool(set(a.nouns) & set(b.nouns))
    if decided and a.bare and b.bare:
        return True
    near, beside = ({word for word, closeness in one.near.items() if closeness >= _CLOSE} for one in (mine, other))
    return bool(near & (beside | set(other.label)))
