"""Adding a sentence that nothing in the context supports."""

from __future__ import annotations

from random import Random

from ....text import content_words, sentences, stem
from .change_name import names
from .english import WORDS
from .mutant import Edit

_SHARED = 0.5
"""Maximum share of a sentence's words that are in the context. Otherwise the context might support it."""


def add_sentence(answer: str, context: str, rng: Random) -> Edit | None:
    """Add a sentence after another one or at the end."""
    known = {stem(word) for word in content_words(context)}
    found = names(answer, context)
    choices = list(WORDS["plain_sentences"])
    if found:
        choices += [text.format(name=found[0]) for text in WORDS["named_sentences"]]
    rng.shuffle(choices)
    for text in choices:
        words = [stem(word) for word in content_words(text)]
        if sum(word in known for word in words) <= _SHARED * len(words):
            ends = [span.end for span in sentences(answer)] or [len(answer)]
            place = rng.choice(ends)
            return Edit(place, place, f" {text}")
    return None
