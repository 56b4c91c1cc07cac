"""A context made ready for reading: tables and JSON put into words, every place traced back to its passage."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from ...questions import Passage
from ...verdict import Evidence
from ..quantities.alignment import Prepared, prepare
from .evidence import EvidenceIndex, Window
from .readable import structured

_ALL_NUMBERS = 1500
"""Words of a context whose numbers are all compared."""


class ReadContext:
    """The passages of a question, indexed once for all its claims."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = tuple(passages)
        self._statements = [structured(passage.text) for passage in passages]
        self._starts = [[0, *accumulate(len(made.text) + 1 for made in statements)] for statements in self._statements]
        told = ("\n".join(statement.text for statement in statements) for statements in self._statements)
        self.index = EvidenceIndex([text or passage.text for text, passage in zip(told, passages, strict=True)])

    @cached_property
    def given(self) -> EvidenceIndex:
        """The passages as they were given, which is how the network learnt to read them; rules read `index`."""
        texts = [passage.text for passage in self._passages]
        return self.index if tuple(texts) == self.index.passages else EvidenceIndex(texts)

    @cached_property
    def _numbers(self) -> Prepared:
        return prepare("\n".join(self.index.passages))

    def numbers(self, query: str) -> Prepared:
        """The numbers to compare with: those of the whole context, of a long one those of what bears on the query."""
        if self.index.total_words <= _ALL_NUMBERS:
            return self._numbers
        return prepare(self.index.select(query, _ALL_NUMBERS // 2).text)

    def evidence(self, window: Window) -> Evidence:
        """A window of the index as a quotation from its passage, for a claim."""
        passage = self._passages[window.passage]
        start, end = self._source(window)
        return Evidence(
            passage=passage.index,
            start=passage.offset + start,
            end=passage.offset + end,
            quote=passage.text[start:end],
            stance="for",
        )

    def _source(self, window: Window) -> tuple[int, int]:
        """The characters of the passage that a window of what is read stands for."""
        start, end, statements = window.start, window.end, self._statements[window.passage]
        if not statements:
            return start, end
        starts = self._starts[window.passage]
        first, last = bisect_right(starts, start) - 1, bisect_left(starts, end)
        touched = zip(statements[first:last], starts[first:last], strict=True)
        places = [made.place(max(0, start - begin), min(len(made.text), end - begin)) for made, begin in touched]
        return min(place.start for place in places), max(place.end for place in places)
