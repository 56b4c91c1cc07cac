"""A changed answer, and the record of what was changed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Union

from msgspec import Struct

from ....plumbing.public import public
from ....text import Span, sentences


@public
class Mutant(Struct, frozen=True, kw_only=True):
    """An answer with one thing changed.

    `start` and `end` are where, in the original answer; `before` stood there and `after` stands there
    now. Something added has start equal to end; of a word changed everywhere this is its first place.
    `harmless` changes leave the meaning as it was.
    """

    kind: str
    output: str
    start: int
    end: int
    before: str
    after: str
    harmless: bool = False

    @property
    def what(self) -> str:
        """The change in words."""
        if not self.before:
            return f"added {self.after.strip()!r}"
        return f"{self.before!r} became {self.after!r}"


class Edit(Struct, frozen=True):
    """A replacement in the answer, before it is applied.

    Where one word is changed in several places, the edit reaches from the first to the last, and
    `word` and `new` say what the change was.
    """

    start: int
    end: int
    after: str
    word: str = ""
    new: str = ""


Perturbation = Callable[[str, str, Random], Union[Edit, None]]
"""From answer, context and chance to one change that is fair, or None where there is none to make."""


def applied(answer: str, edit: Edit) -> str:
    """The answer after the change."""
    return answer[: edit.start] + edit.after + answer[edit.end :]


def fair(answer: str, context: str, edit: Edit) -> bool:
    """Whether the change made a difference, and made no sentence that the context has word for word."""
    after = applied(answer, edit)
    if comparable(after) == comparable(answer):
        return False
    known = comparable(context)
    shift = len(edit.after) - (edit.end - edit.start)
    touched = [s for s in sentences(after) if s.start < edit.end + max(shift, 0) + 1 and s.end > edit.start]
    return not any(comparable(s.of(after)) in known for s in touched)


def comparable(text: str) -> str:
    """The text as it is compared: letters and digits only, no case."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", folded))


def sentence_around(text: str, place: int) -> Span:
    """The sentence that holds a place, or the whole text."""
    return next((s for s in sentences(text) if s.start <= place < s.end), Span(0, len(text)))


@lru_cache(maxsize=64)
def sentence_starts(text: str) -> frozenset[int]:
    """Where the first words of the sentences stand."""
    words = (re.compile(r"\w").search(text, span.start, span.end) for span in sentences(text))
    return frozenset(word.start() for word in words if word)


def starts_sentence(text: str, place: int) -> bool:
    """Whether the word at this place is the first of a sentence."""
    return place in sentence_starts(text)
