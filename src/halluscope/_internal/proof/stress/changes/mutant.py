"""Changed answers, and edits."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Union

from msgspec import Struct

from ....core.plumbing.public import public_in
from ....text import Span, sentences
from ....text.taking_out import sentences_around


@public_in("halluscope.proof")
class Mutant(Struct, frozen=True, kw_only=True):
    """An answer with one change.

    Attributes:
        kind: The kind of change.
        output: The changed answer.
        start: Index of the change in the original answer; the first one if a word was replaced everywhere.
        end: Index after the replaced text. Equal to `start` if text was added.
        before: The replaced text.
        after: The new text.
        harmless: Whether the change keeps the meaning.
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
        """Description of the change."""
        if not self.before:
            return f"added {self.after.strip()!r}"
        return f"{self.before!r} became {self.after!r}"


class Edit(Struct, frozen=True):
    """A replacement in an answer.

    If a word is replaced everywhere, the edit covers all its occurrences, and `word` and `new` name the words.
    """

    start: int
    end: int
    after: str
    word: str = ""
    new: str = ""


Perturbation = Callable[[str, str, Random], Union[Edit, None]]
"""Makes an edit from answer, context and random generator, or None if it is not possible."""


def applied(answer: str, edit: Edit) -> str:
    return answer[: edit.start] + edit.after + answer[edit.end :]


def fair(answer: str, context: str, edit: Edit) -> bool:
    """Whether the edit changes the answer, and does not create a sentence of the context."""
    after = applied(answer, edit)
    if comparable(after) == comparable(answer):
        return False
    known = comparable(context)
    shift = len(edit.after) - (edit.end - edit.start)
    touched = [s for s in sentences(after) if s.start < edit.end + max(shift, 0) + 1 and s.end > edit.start]
    return not any(comparable(s.of(after)) in known for s in touched)


def comparable(text: str) -> str:
    """Normalise a text for comparison: letters and digits only, no case."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", folded))


def sentence_around(text: str, place: int) -> Span:
    """Return the sentence at an index."""
    return sentences_around(text, place, place + 1)


@lru_cache(maxsize=64)
def sentence_starts(text: str) -> frozenset[int]:
    """Return the indexes of the first words of all sentences."""
    words = (re.compile(r"\w").search(text, span.start, span.end) for span in sentences(text))
    return frozenset(word.start() for word in words if word)
