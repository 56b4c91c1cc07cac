"""Replacing a name with one that is not in the context."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

from ....text import STOP_WORDS
from .change_date import MONTHS, WEEKDAYS
from .english import WORDS
from .mutant import Edit, sentence_starts

NEW_NAMES = " ".join(WORDS["new_names"]).split()
"""Each can be a person, a place or a company, so that the sentence stays natural."""

_GENERIC = frozenset(" ".join(WORDS["generic"]).split())
NATIONAL = re.compile(r"(?:ish|ese|ian|ians|ean|eans|ans|can|cans|ch|i|is|ic|ist|ists|ism)$")
_TOKEN = re.compile(r"(?<!\w)[^\W\d_]+(?:['’][^\W\d_]{2,})?(?!\w)")


def names(answer: str, context: str) -> list[str]:
    """Find the names that are in both answer and context. Of several words in a row, only the last can change."""
    said = list(_TOKEN.finditer(answer))
    lowered = {m.group() for m in _TOKEN.finditer(f"{answer} {context}") if m.group().islower()}
    known = inner_names(context) | inner_names(answer)
    capitals = {m.group() for m in _TOKEN.finditer(context)}
    found: list[str] = []
    run: list[re.Match[str]] = []
    for match in [*said, None]:
        if match and _capital(match.group()) and (not run or answer[run[-1].end() : match.start()] == " "):
            run.append(match)
            continue
        found += [m.group() for m in run if _changeable(m.group(), lowered) and m.group() in known & capitals][-1:]
        run = [match] if match and _capital(match.group()) else []
    return found


def change_name(answer: str, context: str, rng: Random) -> Edit | None:
    """Replace one name everywhere in the answer."""
    words = list(dict.fromkeys(names(answer, context)))
    rng.shuffle(words)
    taken = f"{answer} {context}".casefold()
    for word in words:
        places = list(re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", answer))
        if any(answer[: m.start()].endswith((" an ", "An ")) for m in places):
            continue
        new = [name for name in NEW_NAMES if name.casefold() not in taken]
        if not new:
            return None
        other = rng.choice(new)
        start, end = places[0].start(), places[-1].end()
        after = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", other, answer[start:end])
        return Edit(start, end, after, word, other)
    return None


@lru_cache(maxsize=64)
def inner_names(text: str) -> frozenset[str]:
    """Find capitalised words inside sentences, where the capital letter means a name."""
    first = sentence_starts(text)
    return frozenset(m.group() for m in _TOKEN.finditer(text) if _capital(m.group()) and m.start() not in first)


def _capital(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and word[1:].replace("'", "").replace("’", "").islower()


def _changeable(word: str, lowered: set[str]) -> bool:
    folded = word.casefold()
    return (
        len(word) > 2
        and folded not in _GENERIC
        and folded not in STOP_WORDS
        and folded not in lowered
        and word not in MONTHS
        and word.removesuffix("s") not in WEEKDAYS
        and not NATIONAL.search(folded)
    )
