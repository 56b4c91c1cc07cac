"""What could stand in place of wrong words: numbers, names and words of the context that play the same part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ....text import content_stems
from ....text.citation_marks import citation_marks
from ..network.model import Place
from ..reading.evidence import ReadContext
from .candidate import Candidate, Source
from .other_names import CALENDAR, changed_places, other_names
from .other_numbers import counts_the_same, other_numbers, other_ranges
from .other_words import MOST_SENTENCES, alternatives, other_words

_VOWELS = "aeiouAEIOU"


def replacements(
    output: str,
    place: Place,
    stated: str,
    marks: Sequence[Place],
    context: ReadContext,
    sources: Sequence[Source],
    question: str,
) -> Iterator[Candidate]:
    """Edits that put words of the context in the place of wrong ones, the likeliest first.

    What the question names is what the answer is about: it is not replaced.
    """
    asked = set(content_stems(question))
    said = output[slice(*place)]
    deciding = [source for source in sources if source.decides]
    first, others = other_numbers(said, stated, context, sources)
    found = (
        *first,
        *other_ranges(said, [*deciding, *sources[:MOST_SENTENCES]]),
        *other_words(said, sources),
        *alternatives(said, deciding),
        *other_names(said, deciding),
        *changed_places(said, deciding),
        *others,
        *other_names(said, sources),
    )
    seen: set[str] = set()
    citations = len(list(citation_marks(said)))
    for made in found:
        start, end = place[0] + made.start, place[0] + made.end
        inside = not marks or any(start < high and low < end for low, high in marks)
        text = said[: made.start] + made.after + said[made.end :]
        about = asked & set(content_stems(said[made.start : made.end])) - set(content_stems(made.after))
        cited = len(list(citation_marks(text))) == citations
        if (
            cited
            and inside
            and text != said
            and text not in seen
            and not about
            and _fits_article(said, made)
            and counts_the_same(said, made, deciding)
        ):
            seen.add(text)
            yield made._replace(start=start, end=end, after=_in_full(made.after, said[made.start : made.end]))


def _fits_article(said: str, made: Candidate) -> bool:
    """Whether "a" or "an" before an edit fits what it brings in as well as what was there."""
    before = re.search(r"\ban? $", said[: made.start], re.IGNORECASE)
    return before is None or (said[made.start] in _VOWELS) == (made.after[:1] in _VOWELS)


def _in_full(text: str, before: str) -> str:
    """A text with the month and the day written out as before: "20 January" for "20 Jan" in place of "16 January"."""
    for word in re.findall(r"[A-Z][a-z]{3,}", before):
        if word.lower() in CALENDAR:
            text = re.sub(rf"\b{word[:3]}(?:t|\.)?(?!\w)", word, text)
    return text
