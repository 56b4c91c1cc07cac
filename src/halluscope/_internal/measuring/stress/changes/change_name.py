"""Changing a name into one that the context has never heard of."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

from msgspec import Struct

from ....text import STOP_WORDS
from .change_date import MONTHS, WEEKDAYS
from .mutant import Edit, sentence_starts

NEW_NAMES = tuple(
    "Langford Harwick Thornbury Winslow Kendrick Stratton Belmont Hartwell Marlow Lindqvist Penrose Fairfax "
    "Brannigan Castellan Delacourt Prescott Tremaine Whitlock Sandoval Rademaker".split()
)
"""Each could be a person, a place or a firm, so that the sentence still reads well."""

_GENERIC = frozenset(
    """
    president governor emperor king queen prince princess sir lord lady dr mr mrs ms professor general captain
    colonel minister chancellor mayor senator bishop pope saint university college school institute company
    corporation inc ltd llc group bank department ministry office court council committee commission congress
    parliament senate house river lake mountain mount valley street road avenue city county state states kingdom
    republic union empire party act law treaty agreement war battle day week month year north south east west
    northern southern eastern western central new old great upper lower united national international royal
    museum church cathedral temple palace castle station airport bridge tower hospital award prize cup league
    championship festival program programme project system service services section article chapter table figure
    celsius fahrenheit kelvin
    god earth sun moon internet english i okay yes no pm am ceo cfo covid section exhibit agreement tenant landlord
    company customer supplier licensee licensor employee employer party parties board schedule appendix
    """.split()
)
NATIONAL = re.compile(r"(?:ish|ese|ian|ians|ean|eans|ans|can|cans|ch|i|is|ic|ist|ists|ism)$")
_TOKEN = re.compile(r"(?<!\w)[^\W\d_]+(?:['’][^\W\d_]{2,})?(?!\w)")


class StatedName(Struct, frozen=True):
    """A run of capitalised words, and the one in it that can be changed."""

    start: int
    end: int
    word: str


def names(answer: str, context: str) -> list[StatedName]:
    """The names that answer and context share."""
    said = list(_TOKEN.finditer(answer))
    lowered = {m.group() for m in _TOKEN.finditer(f"{answer} {context}") if m.group().islower()}
    known = inner_names(context) | inner_names(answer)
    capitals = {m.group() for m in _TOKEN.finditer(context)}
    found: list[StatedName] = []
    run: list[re.Match[str]] = []
    for match in [*said, None]:
        if match and _capital(match.group()) and (not run or answer[run[-1].end() : match.start()] == " "):
            run.append(match)
            continue
        fit = [m for m in run if _changeable(m.group(), lowered) and m.group() in known & capitals]
        if fit:
            found.append(StatedName(fit[-1].start(), fit[-1].end(), fit[-1].group()))
        run = [match] if match and _capital(match.group()) else []
    return found


def change_name(answer: str, context: str, rng: Random) -> Edit | None:
    """One name, everywhere it stands in the answer."""
    words = list(dict.fromkeys(name.word for name in names(answer, context)))
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
    """Capitalised words seen inside a sentence, where the capital means something."""
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
