"""Whether a claim affirms or denies something it names.

"It does not take reservations, but offers outdoor seating" denies the one and affirms the other. There is no
parser here: from the named words the clause is walked back to the verb or the negation that governs them, and where
there is none, forward to what is said of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import Literal

Kind = Literal["affirms", "denies", "silent", "open"]


@dataclass(frozen=True, slots=True)
class Stance:
    """What a claim does with the words at a place: affirm them, deny them, say that nothing is known of them.

    `open` is a claim that does none of these for sure. `start`:`end` are the characters that show it.
    """

    kind: Kind
    start: int
    end: int
    hedged: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """A word in lower case or a punctuation mark, and its place."""

    text: str
    start: int
    end: int


_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[,;:.!?()=|]|[–—]|\s-+(?=\s)")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")


def tokens(text: str) -> list[Token]:
    """Words, split at hyphens, underscores and humps (`WiFi` is `wi fi`, as `Wi-Fi` is), and punctuation."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        word, place = match.group(), match.start()
        if word.islower() or not word.isalpha():
            found.append(Token(word.strip().lower().replace("’", "'"), place, match.end()))
            continue
        for part in _HUMP.split(word):
            found.append(Token(part.lower(), place, place + len(part)))
            place += len(part)
    return found


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, in lower case."""
    return tuple(token.text for token in tokens(text) if token.text[0].isalnum())


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NOBODY = _set("none neither nobody nothing")
_NOT = _set("not never cannot unable no without lack lacks lacked lacking nor absence") | _NOBODY
_NO_DENIAL = _set("only just merely limited necessarily least less more later mention matter doubt wonder")
_STOPS = _set("but although though while whereas despite yet except because since which who whose where when")
_MARKS = _set("; . ! ? ( ) | – — -")
_AFFIRMING = _set(
    """is are was were has had offers provides accepts takes features allows includes serves supports boasts comes
    makes gives gets keeps holds caters welcomes contains permits uses operates"""
)
_BE = _set(
    """is are was were be been being has have had does do did can could will would may might must should
    shall : ="""
)
_DENYING = _set(
    """unavailable prohibited forbidden banned excluded disabled closed missing absent discontinued
    false off refused declined rejected"""
)
_NEED = _set("require requires required need needs needed necessary mandatory obligatory must")
_OPEN = _set("whether if unless")
_HEDGES = _set("may might could possibly perhaps maybe probably likely apparently seems appears presumably")
_SUBJECTS = _set("it they he she we you there customers guests visitors patrons users")
_SILENT = re.compile(
    r"(?:\bno|\bnot|n['’]t)\s+(?:explicitly\s+|specifically\s+|clearly\s+|directly\s+)?"
    r"(?:mention|specif(?:y|ied)\b|state\b|stated\b|indicat|list|known\b(?!\s+for)|clear\b|disclos|say\b)"
    r"|(?:\bno|\bnot|n['’]t)\b[^.;]{0,60}\b(?:information|mention|details|indication|data)\s+(?:about|on|of|regarding|for)\b"
    r"|\bun(?:specified|known|clear|stated)\b|\bsilent\s+(?:on|about)\b|\bnothing\s+is\s+\w+\s+(?:of|on|about)\b",
    re.IGNORECASE,
)
_AHEAD = 14
_NEAR = 4


class Said:
    """A claim cut into tokens, ready to be asked about places in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)

    def stance(self, first: int, last: int) -> Stance:
        """What the claim does with its tokens `first` to `last`."""
        low, high = self._clause(first, last)
        start, end = self.tokens[first].start, self.tokens[last].end
        words = {token.text for token in self.tokens[low:high]}
        silent = _SILENT.search(self.text, self.tokens[low].start, self.tokens[high - 1].end)
        if silent:
            return Stance("silent", min(start, silent.start()), max(end, silent.end()))
        if not _OPEN.isdisjoint(words):
            return Stance("open", start, end)
        place = self._denial(first, last, low, high)
        if place is not None and not _NEED.isdisjoint(words):
            return Stance("open", start, end)  # what is not required may well be there
        if place is not None:
            start, end = min(start, self.tokens[place].start), max(end, self.tokens[place].end)
        return Stance("affirms" if place is None else "denies", start, end, hedged=not _HEDGES.isdisjoint(words))

    def word(self, place: int) -> str:
        """The token at a place, or nothing beyond the ends."""
        return self.tokens[place].text if 0 <= place < len(self.tokens) else ""

    def _clause(self, first: int, last: int) -> tuple[int, int]:
        """The tokens around a place, up to the nearest marks and joining words that end a clause."""
        low, high = first, last + 1
        while low > 0 and not self._ends(low - 1):
            low -= 1
        while high < len(self.tokens) and not self._ends(high):
            high += 1
        return low, high

    def _ends(self, place: int) -> bool:
        word = self.word(place)
        return word in _STOPS or word in _MARKS or (word in (",", "and") and self.word(place + 1) in _SUBJECTS)

    def _denial(self, first: int, last: int, low: int, high: int) -> int | None:
        """The word that denies what stands at `first` to `last`: between, before or after it."""
        joined = False
        for place in chain(range(first + 1, last), range(first - 1, low - 1, -1)):
            joined = joined or self.word(place) in (",", "and")
            if self._negates(place):
                return place
            if place < first and self.word(place) in _AFFIRMING:
                subject = range(max(low, place - _NEAR), place)
                nobody = next((before for before in subject if self.word(before) in _NOBODY), None)
                if nobody is not None or not joined:
                    return nobody
                break  # after a comma or an "and" the words may have a verb of their own
        return self._denial_ahead(last, high)

    def _denial_ahead(self, last: int, high: int) -> int | None:
        """The word that denies in what is said of the words after them."""
        joined = False
        for verb in range(last + 1, min(high, last + _AHEAD)):
            word = self.word(verb)
            joined = joined or word in (",", "and")
            if word in _BE or word.endswith("n't") or (word in _DENYING and not joined):
                near = range(verb, min(high, verb + _NEAR))
                return next((at for at in near if self._negates(at) or self.word(at) in _DENYING), None)
            if word in _AFFIRMING:
                break
        return None

    def _negates(self, place: int) -> bool:
        word = self.word(place)
        return (word in _NOT or word.endswith("n't")) and self.word(place + 1) not in _NO_DENIAL
