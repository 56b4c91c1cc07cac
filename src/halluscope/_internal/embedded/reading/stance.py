"""Whether a claim affirms or denies something it names.

"It does not take reservations, but offers outdoor seating" denies the one and affirms the other. There is no
parser here: from the named words the text is walked back to the verb or the negation that governs them, and
where they come first, forward to their verb. A walk that finds nothing sure says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VERBAL = _set("not never cannot unable neither")
_NOMINAL = _set("no without lack lacks lacked lacking nor zero absence")
_STOPS = _set("but although though while whereas despite yet except because since which who whose where when")
_MARKS = _set("; . ! ? ( ) | – — -")
_NO_DENIAL = _set("only just merely limited necessarily least less more later mention matter doubt wonder")
_BE = _set("is are was were be been being has have had can could will would may might must should shall")
_POSITIVE = _set(
    """is are was were has had offers provides accepts takes features allows includes serves supports boasts comes
    makes gives gets keeps holds caters welcomes contains permits uses operates received earned praised mentioned
    noted described known"""
)
_PLAIN = _set(
    """offer provide accept take feature allow include serve support have give get make enjoy use order find place
    park cater welcome permit contain offering providing accepting taking featuring allowing serving having making
    giving welcoming"""
)
_LIST_ENDS = _STOPS | _MARKS | _POSITIVE | {"and", "or", "nor"}
_DENYING = _set(
    """unavailable prohibited forbidden banned excluded disabled closed missing absent discontinued
    false refused declined rejected"""
)
_YES = _set("yes true available included allowed accepted free paid on enabled")
_NO = _set("no not none false unavailable off disabled")
_NEED = _set("require requires required need needs needed necessary mandatory obligatory must")
_OPEN = _set("whether if unless")
_HEDGES = _set("may might could possibly perhaps maybe probably likely apparently seems appears presumably")
_SUBJECTS = _set("it they he she we you there customers guests visitors patrons users")
_SILENT = re.compile(
    r"(?:\bno|\bnot|n['’]t)\s+(?:explicitly\s+|specifically\s+|clearly\s+|directly\s+)?"
    r"(?:mention|specif(?:y|ied)\b|state\b|stated\b|indicat|list|known\b(?!\s+for)|clear\b|disclos|say\b)"
    r"|(?:\bno|\bnot|n['’]t)\b[^.;]{0,60}\b(?:information|mention|details|indication|data)\s+(?:about|on|of|regarding|for)\b"
    r"|\bun(?:specified|known|clear|stated)\b",
    re.IGNORECASE,
)
_ASIDES = _set("however therefore unfortunately sadly though currently")
_AHEAD = 14
_CLOSE = 5


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
        kind, place = self._governed(first, last, low, high)
        if kind == "denies" and not _NEED.isdisjoint(words):
            kind = "open"  # what is not required may well be there
        if kind == "denies" and place is not None:
            start, end = min(start, self.tokens[place].start), max(end, self.tokens[place].end)
        return Stance(kind or "affirms", start, end, hedged=not _HEDGES.isdisjoint(words))

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

    def _governed(self, first: int, last: int, low: int, high: int) -> tuple[Kind | None, int | None]:
        for inside in range(first + 1, last):
            if self._negates(inside):  # "the address is not verified"
                return "denies", inside
        kind, place, joined = self._behind(first, last, low)
        # After a comma or an "and" the words may have a verb of their own.
        own, verb = self._ahead(last, high) if kind is None or joined else (None, None)
        return (kind, place) if own is None else (own, verb)

    def _behind(self, first: int, last: int, low: int) -> tuple[Kind | None, int | None, bool]:
        """What governs the words from before them, and whether a comma or an "and" lies between."""
        joined, choice = False, self._choice_after(last)
        for place in range(first - 1, low - 1, -1):
            word, before = self.word(place), self.word(place - 1)
            if word in ("or", "nor"):
                choice = True
            elif word in (",", "and"):
                joined = True
            if self._negates(place):
                if word in _NOMINAL and joined and not choice:
                    return "open", None, False  # "no Wi-Fi, parking": who knows how far the "no" reaches
                return "denies", place, joined and not choice and word not in _NOMINAL
            if word in _POSITIVE or (word == "with" and before == ","):
                return *self._subject(place, low), joined and not choice
            if word in _PLAIN and before not in ("or", "nor") and not (choice and before == ","):
                return *self._verb(place, low), joined and not choice
        return None, None, joined

    def _negates(self, place: int) -> bool:
        word = self.word(place)
        return (word in _NOMINAL or word in _VERBAL or word.endswith("n't")) and self.word(place + 1) not in _NO_DENIAL

    def _subject(self, verb: int, low: int) -> tuple[Kind, int]:
        """A plain verb affirms, unless its subject is "none of them"."""
        near = range(verb - 1, max(low, verb - 6) - 1, -1)
        none = next((place for place in near if self.word(place) in ("none", "neither", "nobody", "nothing")), None)
        return ("affirms", verb) if none is None else ("denies", none)

    def _verb(self, verb: int, low: int) -> tuple[Kind, int]:
        """A verb form that goes with "they" as well as with "does not"."""
        for place in range(verb - 1, max(low, verb - _CLOSE) - 1, -1):
            if self._negates(place) and self.word(place) != "no":
                return "denies", place
            aside = self.word(place + 1) in _ASIDES or self.word(place - 1) in _ASIDES
            if self.word(place) == "and" or (self.word(place) == "," and not aside):
                break
        return "affirms", verb

    def _choice_after(self, last: int) -> bool:
        """Whether the words are a member of a list that goes on to an "or"."""
        ahead = (token.text for token in self.tokens[last + 1 : last + _AHEAD])
        return next((word for word in ahead if word in _LIST_ENDS), "") in ("or", "nor")

    def _ahead(self, last: int, high: int) -> tuple[Kind | None, int | None]:
        """The verb that follows the words, where they are its subject."""
        joined = False
        for place in range(last + 1, min(high, last + _AHEAD)):
            word = self.word(place)
            if word in (":", "="):
                if self.word(place + 1) in _NO:
                    return "denies", place + 1
                return ("affirms", place) if self.word(place + 1) in _YES else ("open", None)
            if word in _BE or word.endswith("n't"):
                return self._predicate(place, high)
            if word in (",", "and"):
                joined = True
            elif not joined and (word in _VERBAL or word in _DENYING):
                return "denies", place
            elif word in _POSITIVE or word in _PLAIN:
                return None, None
        return None, None

    def _predicate(self, verb: int, high: int) -> tuple[Kind, int]:
        if self.word(verb).endswith("n't"):
            return "denies", verb
        for place in range(verb + 1, min(high, verb + 4)):
            word = self.word(place)
            if word == ",":
                break
            if word in _DENYING or word == "off" or self._negates(place):
                return "denies", place
        return "affirms", verb
