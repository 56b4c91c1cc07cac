"""Wrong statements made from right ones: one fact changed, and where.

Each function returns the changed text with the character range of the change, or None when the text has
nothing of the kind. The kinds are those that occur in real output: numbers, dates, names, negation,
opposites, exchanged roles.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Change = tuple[str, tuple[int, int]]

_NUMBER = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w])")
_NAME = re.compile(r"(?:[A-Z][\w'\u2019&-]+)(?:\s+(?:of|the|de|and|for)?\s*(?:[A-Z][\w'\u2019&-]+))*")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|will|can|could|would|should|may|must|has been|have been|had been)\b(?! not\b)"
)
_NOT = re.compile(r"\b(not|never|no longer) ")
_NOT_NAMES = frozenset(
    "The A An In On At It He She They This That These Those There If When While As For But And However After Before"
    " We You I His Her Its Their Our Your My Some Many Most Several All One Two Three According Based Since During By"
    " From With What Which Who How Why Where Also Both Each No Not Other Another Such Then Yes Here".split()
)
_LISTS = (
    "January February March April May June July August September October November December",
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "north south east west northern southern eastern western",
    "one two three four five six seven eight nine ten eleven twelve",
    "first second third fourth fifth sixth",
    "red blue green yellow black white brown",
    "hours minutes days weeks months years seconds",
    "million billion thousand hundred",
)
_OPPOSITES = (
    "increase decrease, increased decreased, increases decreases, rise fall, rose fell, rising falling, higher lower, "
    "more less, most least, largest smallest, larger smaller, before after, early late, earlier later, above below, "
    "accept reject, accepted rejected, allow forbid, allowed forbidden, win lose, won lost, male female, man woman, "
    "men women, boy girl, brother sister, father mother, son daughter, husband wife, buy sell, bought sold, "
    "open closed, opened closed, start end, started ended, begin finish, began finished, always never, all none, "
    "every no, many few, first last, old new, older younger, oldest youngest, young old, strong weak, stronger weaker, "
    "positive negative, success failure, succeeded failed, successful unsuccessful, public private, local national, "
    "minimum maximum, at\u00a0least at\u00a0most, over under, gained lost, include exclude, includes excludes, "
    "arrive leave, arrived left, approve deny, approved denied, agree disagree, agreed disagreed, "
    "possible impossible, able unable, "
    "common rare, hot cold, warm cool, fast slow, faster slower, better worse, best worst, high low, long short, "
    "longer shorter, with without, inside outside, left right, up down, mandatory optional, required optional, "
    "permanent temporary, free paid, legal illegal, safe dangerous, easy difficult, easier harder, major minor, "
    "internal external, married divorced, parent child, teacher student, employer employee, seller buyer, "
    "import export, summer winter, spring autumn, morning evening, day night, single multiple, only also, "
    "entirely partly, majority minority, improve worsen, improved worsened, support oppose, supported opposed, "
    "supports opposes"
)
_SWAPS: dict[str, list[str]] = {}
for _pair in _OPPOSITES.split(", "):
    _left, _, _right = _pair.replace("\u00a0", "_").partition(" ")
    _SWAPS.setdefault(_left.replace("_", " "), []).append(_right.replace("_", " "))
    _SWAPS.setdefault(_right.replace("_", " "), []).append(_left.replace("_", " "))
for _line in _LISTS:
    for _word in _line.split():
        _SWAPS.setdefault(_word, []).extend(other for other in _line.split() if other != _word)
_SWAP = re.compile(r"\b(" + "|".join(sorted(map(re.escape, _SWAPS), key=len, reverse=True)) + r")\b")


def names(text: str) -> list[tuple[int, int]]:
    """Character ranges of what looks like a name."""
    found = []
    for match in _NAME.finditer(text):
        start, end = match.span()
        head = match.group().split()[0]
        if head in _NOT_NAMES:
            start += len(head)
            while start < end and text[start].isspace():
                start += 1
            while start < end and not text[start].isupper():
                start = text.find(" ", start) + 1 or end
        elif start == 0 and " " not in match.group():
            continue
        if end - start > 2:
            found.append((start, end))
    return found


def _put(text: str, start: int, end: int, new: str) -> Change | None:
    if text[start:end] == new:
        return None
    return text[:start] + new + text[end:], (start, start + len(new))


def number(text: str, pool: Sequence[str], rng: random.Random) -> Change | None:
    """Another number: a neighbour, or one that the source holds somewhere else."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    old = match.group()
    others = [item for item in _NUMBER.findall(" ".join(pool)) if item != old]
    if others and rng.random() < 0.4:
        return _put(text, *match.span(), rng.choice(others))
    value = float(old.replace(",", ""))
    if value.is_integer() and 1500 <= value <= 2100 and "," not in old:
        new = str(int(value) + rng.choice([-1, 1]) * rng.choice([1, 2, 3, 4, 5, 8, 10, 12, 20]))
    elif "." in old:
        new = f"{value * rng.choice([0.5, 0.8, 0.9, 1.1, 1.3, 2, 10]):.{len(old.split('.')[1])}f}"
    else:
        new_value = max(0, round(value + rng.choice([-1, 1]) * max(1, value * rng.choice([0.05, 0.1, 0.2, 0.4]))))
        if rng.random() < 0.2:
            new_value = round(value * rng.choice([2, 3, 10]))
        new = f"{new_value:,}" if "," in old else str(new_value)
    return _put(text, *match.span(), new)


def name(text: str, pool: Sequence[str], rng: random.Random) -> Change | None:
    """Another name, from the source where it has one."""
    found = names(text)
    if not found:
        return None
    start, end = rng.choice(found)
    old = text[start:end]
    others = [item[a:b] for item in pool for a, b in names(item)]
    others = [item for item in others if item not in text and old not in item and item not in old]
    if not others:
        return None
    return _put(text, start, end, rng.choice(others))


def negation(text: str, pool: Sequence[str], rng: random.Random) -> Change | None:
    """A `not` put in or taken out."""
    match = _NOT.search(text)
    if match and rng.random() < 0.7:
        start = match.start()
        changed = text[:start] + text[match.end() :]
        return changed, (start, min(len(changed), start + max(1, len(changed[start:].split(" ")[0]))))
    found = list(_AUXILIARY.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    return _put(text, *match.span(), match.group() + rng.choice([" not", " not", " never"]))


def opposite(text: str, pool: Sequence[str], rng: random.Random) -> Change | None:
    """An opposite, or another member of the same list (months, directions, units)."""
    found = list(_SWAP.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    return _put(text, *match.span(), rng.choice(_SWAPS[match.group()]))


def roles(text: str, pool: Sequence[str], rng: random.Random) -> Change | None:
    """Two names exchanged."""
    found = names(text)
    if len(found) < 2:
        return None
    (a, b), (c, d) = sorted(rng.sample(found, 2))
    left, right = text[a:b], text[c:d]
    if left == right or left in right or right in left:
        return None
    middle = text[b:c]
    if len(middle.split()) < 2 or re.fullmatch(r"[\s,]*(?:and|or)?\s*", middle):
        return None
    return text[:a] + right + middle + left + text[d:], (a, a + len(right) + len(middle) + len(left))


KINDS: dict[str, Callable[[str, Sequence[str], random.Random], Change | None]] = {
    "number": number,
    "name": name,
    "negation": negation,
    "opposite": opposite,
    "roles": roles,
}


def corrupt(text: str, pool: Sequence[str], rng: random.Random) -> tuple[str, tuple[int, int], str] | None:
    """One change of a random kind that applies to the text."""
    kinds = list(KINDS)
    rng.shuffle(kinds)
    if rng.random() < 0.5:
        kinds.sort(key=lambda kind: kind not in ("number", "name"))
    for kind in kinds:
        change = KINDS[kind](text, pool, rng)
        if change is not None and change[0] != text:
            return *change, kind
    return None
