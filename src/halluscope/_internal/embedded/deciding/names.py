"""Proper names of a text by their surface: capitalised runs, acronyms, identifiers.

No list of the world's names is needed: a name of a claim that its evidence does not contain in any form
is worth pointing at. What is looked for is absence, so every form a name may take in the evidence is
tried (a part of it, its initials, its acronym, its adjective) before it is called missing.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from ...text import STOP_WORDS, Span, fold, sentences, stem, words

__all__ = ["Name", "missing_names", "names"]

NameKind = Literal["name", "acronym", "identifier"]


@dataclass(frozen=True, slots=True)
class Name:
    """A name and its place in the text it was read from."""

    start: int
    end: int
    text: str
    kind: NameKind


_CAPITAL = r"[^\W\d_a-zà-öø-ÿ]"
_PART = (
    rf"(?:[a-z]{{1,2}}{_CAPITAL}\w+|{_CAPITAL}\.(?:{_CAPITAL}\.)*"
    rf"|{_CAPITAL}[\w]*(?:['’][^\W\d_]{{2,}})?(?:-\w+)*)"
)
_LINK = r"(?:of|de|del|della|di|da|do|dos|van|von|der|den|la|le|du|al|bin|ibn|the|for|&|y|zu)"
_RUN = re.compile(rf"(?<!\w){_PART}(?:(?:\s|\s{_LINK}\s(?:the\s)?){_PART}){{0,7}}")
_LONG_RUN = re.compile(rf"(?<!\w){_PART}(?:(?:\s|\s(?:and|{_LINK})\s(?:the\s)?){_PART}){{0,7}}")
_IDENTIFIER = re.compile(r"(?<![\w])(?:[A-Za-z]{1,10}[-_]?\d[\w-]*|#\d+)(?![\w])")
_ACRONYM = re.compile(r"^(?:[^\W\d_a-zà-öø-ÿ]{2,8}s?|(?:[A-Z]\.){2,})$")
_MONTHS_DAYS = frozenset(
    "january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed "
    "thu fri sat sun".split()
)
# Capitalised by habit, not because they name something in particular.
_COMMON = (
    frozenset(
        "mr mrs ms dr prof sir madam lord lady president minister chairman king queen prince princess "
        "professor judge captain "
        "general i ok yes no am pm ad bc gmt utc cet q1 q2 q3 q4 internet god none both sundays mondays tuesdays "
        "wednesdays thursdays fridays saturdays celsius fahrenheit earth".split()
    )
    | _MONTHS_DAYS
)


def names(text: str) -> list[Name]:
    """The proper names of a text, in order, none overlapping another.

    The first word of a sentence is capitalised whatever it is: alone it counts as a name only if it is
    written with a capital elsewhere in the text too, or looks like nothing else (an acronym, an identifier).
    """
    return list(_names(text))


@lru_cache(maxsize=64)  # a claim's names are asked for twice: which they are, and which are missing
def _names(text: str) -> tuple[Name, ...]:
    found: list[Name] = []
    taken = bytearray(len(text))
    _collect_identifiers(text, found, taken)
    firsts = {_first_letter(text, span) for span in sentences(text)}
    runs = list(_RUN.finditer(text))
    elsewhere = {
        word
        for match in runs
        for index, word in enumerate(match.group().split())
        if index or match.start() not in firsts
    }
    for match in runs:
        start, end = _trimmed(text, match.start(), match.end(), match.start() in firsts, elsewhere)
        if start < end and not any(taken[start:end]):
            raw = text[start:end]
            found.append(Name(start, end, raw, "acronym" if _ACRONYM.match(raw) else "name"))
    found.sort(key=lambda name: name.start)
    return tuple(found)


def _collect_identifiers(text: str, found: list[Name], taken: bytearray) -> None:
    for match in _IDENTIFIER.finditer(text):
        start, end = match.span()
        raw = match.group()
        if raw[0].islower() and not re.search(r"[A-Z]", raw) and "_" not in raw:
            continue
        found.append(Name(start, end, raw, "identifier"))
        taken[start:end] = b"\x01" * (end - start)


def _first_letter(text: str, span: Span) -> int:
    for position in range(span.start, min(span.end, span.start + 12)):
        if text[position].isalnum():
            return position
    return span.start


def _trimmed(text: str, start: int, end: int, first: bool, elsewhere: set[str]) -> tuple[int, int]:
    """A run without the words at its edges that are no part of a name: "In Paris", "The Hague On"."""
    pieces = list(re.compile(r"\S+").finditer(text, start, end))
    if first and len(pieces) == 1 and not _telling(pieces[0].group(), elsewhere):
        return start, start
    while pieces:
        raw = pieces[0].group()
        if fold(raw) not in STOP_WORDS and fold(raw).strip(".'’s" if len(raw) > 3 else ".") not in _COMMON:
            break
        del pieces[0]
    while pieces:
        word = fold(pieces[-1].group())
        if word not in STOP_WORDS and word.rstrip(".") not in _COMMON:
            break
        del pieces[-1]
    return (pieces[0].start(), pieces[-1].end()) if pieces else (start, start)


def _telling(raw: str, elsewhere: set[str]) -> bool:
    """Whether a lone capitalised word at the start of a sentence is a name for other reasons."""
    inner_capital = any(char.isupper() for char in raw[1:])
    return raw in elsewhere or inner_capital or any(char.isdigit() for char in raw)


# Places and their people, where the one cannot be got from the other by an ending.
_KIN = """
america american americans usa us states u_s / britain british uk kingdom u_k / europe european europeans eu e_u
france french / germany german germans / england english / netherlands dutch holland / spain spanish spaniards
switzerland swiss / greece greek greeks / denmark danish danes / sweden swedish swedes / finland finnish
poland polish poles / turkey turkish / ireland irish / scotland scottish scots / wales welsh / china chinese
portugal portuguese / norway norwegian norwegians / thailand thai / czechia czech / philippines filipino
belgium belgian / argentina argentine / ukraine ukrainian / hungary hungarian / myanmar burmese / mars martian
venice venetian / peru peruvian / mexico mexican / italy italian italians / iceland icelandic / wales welsh
""".replace("\n", " / ")
_KIN_OF = {word: frozenset(group.split()) for group in _KIN.split("/") for word in group.split()}
_ENDINGS = ("n", "i", "an", "ian", "ese")


def _other_forms(part: str) -> set[str]:
    """The forms a place name and its adjective may take for each other: Norway, Brazil and Brazilian, Qatari."""
    forms = set(_KIN_OF.get(part, ()))
    if len(part) >= 4 and part.isalpha():
        forms.update(part + ending for ending in _ENDINGS)
        forms.update(part[:-1] + ending for ending in ("an", "ian"))
    if len(part) > 5 and part.endswith(_ENDINGS):
        forms.update((part[:-1], part[:-2], part[:-3], part[:-3] + "y", part[:-3] + "a"))
    return forms


class _NameIndex:
    """The words of a text, ready to be asked which names are in it. Built once for many claims.

    Most names are found by their words; what only the others need is made when the first of them comes.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = words(text)
        self._words = frozenset(self._tokens)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(map(stem, self._words))

    @cached_property
    def _folded(self) -> str:
        return f" {' '.join(self._tokens)} "

    @cached_property
    def _acronyms(self) -> frozenset[str]:
        return frozenset(_initials(match.group()) for match in _LONG_RUN.finditer(self._text))

    @cached_property
    def _before(self) -> dict[str, set[str]]:
        """For each word of a run of names, the words that stand right before it there."""
        before: dict[str, set[str]] = {}
        for match in _RUN.finditer(self._text):
            for left, right in itertools.pairwise(words(match.group())):
                before.setdefault(right, set()).add(left)
        return before

    def holds(self, name: Name) -> bool:
        """Whether the text names it, in any of the forms a name takes."""
        parts = [part for part in words(name.text) if part not in STOP_WORDS and part not in _COMMON]
        if not parts:
            return True
        if name.kind == "identifier":
            return all(part in self._words for part in words(name.text))
        if name.kind == "acronym" and (fold(name.text).replace(".", "").rstrip("s") in self._acronyms):
            return True
        absent = [part for part in parts if not self._has(part)]
        if not absent:
            return True
        if len(parts) > 1 and _initials(name.text) in self._words and len(_initials(name.text)) > 1:
            return True
        return self._partial(parts, absent)

    def _has(self, part: str) -> bool:
        if part in self._words or (len(part) >= 5 and stem(part) in self._stems):
            return True
        return any(
            form in self._words or ("_" in form and f" {form.replace('_', ' ')} " in self._folded)
            for form in _other_forms(part)
        )

    def _partial(self, parts: list[str], absent: list[str]) -> bool:
        """ "Albert Einstein" where the text says "Einstein", unless it names another Einstein there."""
        last = parts[-1]
        if last in absent:
            return False
        before = {
            word
            for word in self._before.get(last, set())
            if len(word) == 1 or (word not in STOP_WORDS and word not in _COMMON)
        }
        if not before:
            return len(absent) < len(parts)
        for word in absent:
            initial_fits = any(other[0] == word[0] and (len(other) == 1 or len(word) == 1) for other in before)
            if not initial_fits:
                return False
        return True


def _initials(run: str) -> str:
    return "".join(part[0] for part in words(run) if part not in STOP_WORDS)


_index = lru_cache(maxsize=64)(_NameIndex)  # in a short context all claims have the same evidence


def missing_names(claim: str, evidence: str) -> list[Name]:
    """The names of the claim that the evidence does not hold in any form."""
    return [name for name in names(claim) if not _index(evidence).holds(name)]
