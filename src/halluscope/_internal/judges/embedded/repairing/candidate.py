"""An edit that is tried, and the sentences of the context that edits are taken from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ....core.repair import EditKind
from ....core.verdict import Evidence
from ....text import content_stems, sentences
from ..reading.evidence import ReadContext

BROKEN = re.compile(r"[|;:\n\"“”(){}\[\]<>=]|[.!?](?:\s|$)")


class Candidate(NamedTuple):
    """An edit that may help: `output[start:end]` becomes `after`, as the context has it at `evidence`."""

    start: int
    end: int
    after: str
    kind: EditKind
    evidence: tuple[Evidence, ...] = ()
    decided: bool = False
    """Whether the words come from the sentence that decides the claim."""


class Source(NamedTuple):
    """A sentence of the context."""

    passage: int
    start: int
    text: str
    decides: bool

    def edit(self, start: int, end: int, after: str, kind: EditKind = "replace") -> Candidate:
        """An edit that rests on this sentence."""
        quoted = Evidence(self.passage, self.start, self.start + len(self.text), self.text, "against")
        return Candidate(start, end, after, kind, (quoted,), self.decides)


def sources_of(context: ReadContext, stated: str, deciding: Sequence[Evidence]) -> list[Source]:
    """The sentences of the context: those that decide a claim first, then by how many words of the claim they have."""
    words = set(content_stems(stated))
    shares: dict[Source, float] = {}
    for passage in context.passages:
        for span in sentences(passage.text):
            start, text = passage.offset + span.start, span.of(passage.text)
            decides = any(
                one.passage == passage.index and one.start < start + len(text) and start < one.end for one in deciding
            )
            shares[Source(passage.index, start, text, decides)] = len(words & set(content_stems(text)))
    return sorted(shares, key=lambda source: (not source.decides, -shares[source]))


def has(text: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words.strip())}(?!\w)", text) is not None
