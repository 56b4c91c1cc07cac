"""Rows with all the right words in the wrong places.

Two names, numbers, days or months of one sort change places in the evidence, or one is put for the other in the claim.
Every word is still there, and only who did what, or which thing has which value, tells right from wrong. What such a
row is worth is for a teacher to say: about a third of them still hold.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from training.corrupt import names
from training.rows import Row

IN_CLAIM = 0.25
"""How often one is put for the other in the claim, instead of both changing places in the evidence."""
WRONG = 0.3
"""How many of the rows that are wrong already are taken: now and then the exchange makes one right."""
_VALUE = r"\d+(?:,\d{3})*(?:\.\d+)?"
_SORTS = {
    "day": re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"),
    "month": re.compile(
        r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
    ),
    "money": re.compile(rf"[$€£]\s?{_VALUE}"),
    "percent": re.compile(rf"(?<![\w.,-]){_VALUE}(?=\s?%|\s(?:per\s?cent|percent)\b)"),
    "year": re.compile(r"(?<![\w.,-])(?:1[5-9]|20)\d\d(?![\w%]|[.,]\d)"),
    "number": re.compile(rf"(?<![\w.,-]){_VALUE}(?!\w)"),
}
"""What may change places with its like; of two sorts that overlap the first counts, and names come last."""


def mentions(text: str) -> dict[str, list[str]]:
    """The distinct mentions of each sort, in the order in which they are found."""
    taken: list[tuple[int, int]] = []
    found: dict[str, list[str]] = {}

    def take(sort: str, places: Iterable[tuple[int, int]]) -> None:
        for start, end in places:
            if not any(start < b and end > a for a, b in taken):
                taken.append((start, end))
                found.setdefault(sort, []).append(text[start:end])

    for sort, pattern in _SORTS.items():
        take(sort, (match.span() for match in pattern.finditer(text)))
    for start, end in taken:  # a name ends where a month begins
        text = text[:start] + "x" * (end - start) + text[end:]
    places = (place for place in names(text) if "\n" not in text[slice(*place)])
    take("name", ((a, b) for a, b in places if " " in text[a:b] or not _opens(text, a)))
    return {sort: list(dict.fromkeys(words)) for sort, words in found.items()}


def _opens(text: str, start: int) -> bool:
    """Whether a sentence or a line begins here: a capital says nothing there."""
    before = text[:start].rstrip(" \"'“‘([")
    return not before or before[-1] in ".!?:;|\n•-–—"


def exchanged(text: str, one: str, other: str) -> str:
    """The text with two mentions in each other's place, wherever they stand."""
    either = "|".join(re.escape(word) for word in sorted((one, other), key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w.,])(?:{either})(?!\w|[.,]\d)")
    return pattern.sub(lambda match: other if match.group() == one else one, text)


def swapped(row: Row, rng: random.Random) -> Row | None:
    """The row with one exchange that touches something its claim speaks of; its label is no longer known."""
    there, said = mentions(row.evidence), mentions(row.claim)
    pairs = [
        (mine, other)
        for sort, words in said.items()
        for mine in words
        if mine in there.get(sort, ())
        for other in there[sort]
        if mine not in other and other not in mine
    ]
    if not pairs:
        return None
    mine, other = rng.choice(pairs)
    if other not in row.claim and rng.random() < IN_CLAIM:
        claim = exchanged(row.claim, mine, other)
        return replace(row, claim=claim, made=True) if claim != row.claim else None
    evidence = exchanged(row.evidence, mine, other)
    return replace(row, evidence=evidence, made=True) if evidence != row.evidence else None


def swaps(rows: Iterable[Row], count: int, seed: int) -> Iterator[Row]:
    """At most so many exchanges, one a row, no claim with the same evidence twice."""
    rng = random.Random(seed)
    order = list(rows)
    rng.shuffle(order)
    seen: set[tuple[str, str]] = set()
    for row in order:
        if len(seen) >= count:
            return
        if row.label != 0 and rng.random() >= WRONG:
            continue
        made = swapped(row, rng)
        if made is not None and (made.evidence, made.claim) not in seen:
            seen.add((made.evidence, made.claim))
            yield made
