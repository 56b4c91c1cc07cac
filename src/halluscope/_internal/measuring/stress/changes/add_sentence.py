"""Adding a sentence that nothing in the context supports."""

from __future__ import annotations

from random import Random

from ....text import content_words, sentences, stem
from .change_name import names
from .mutant import Edit

_PLAIN = (
    "An independent audit confirmed these figures two months later.",
    "The decision drew sharp criticism from several local newspapers.",
    "A documentary on the subject was broadcast the next spring.",
    "Volunteers from a neighbouring town provided most of the funding.",
    "The original drawings are kept in a private archive in Lisbon.",
    "A second attempt was abandoned because of heavy snowfall.",
    "Most visitors were surprised by how quiet the ceremony was.",
    "Insurance covered roughly two thirds of the damage.",
    "Translations into Korean and Portuguese are in preparation.",
    "An online petition against it gathered thousands of signatures.",
    "The idea had first been proposed by a retired schoolteacher.",
    "Tickets sold out within an hour of the announcement.",
)
_NAMED = (
    "{name} received an international award for this the year after.",
    "A street in Marseille was later renamed in honour of {name}.",
    "Critics have long accused {name} of ignoring expert advice.",
    "{name} has since been the subject of two biographies.",
    "A spokesperson for {name} declined to comment on the rumours.",
    "{name} was also known for a large collection of antique clocks.",
)
_SHARED = 0.5
"""At most this much of a sentence's words may stand in the context: else it might be said there after all."""


def add_sentence(answer: str, context: str, rng: Random) -> Edit | None:
    """One sentence, behind another or at the end."""
    known = {stem(word) for word in content_words(context)}
    found = names(answer, context)
    choices = list(_PLAIN)
    if found:
        choices += [text.format(name=found[0].word) for text in _NAMED]
    rng.shuffle(choices)
    for text in choices:
        words = [stem(word) for word in content_words(text)]
        if sum(word in known for word in words) <= _SHARED * len(words):
            ends = [span.end for span in sentences(answer)] or [len(answer)]
            place = rng.choice(ends)
            return Edit(place, place, f" {text}")
    return None
