"""Which parts of a context are read against a claim.

The network reads a few hundred words of evidence at a time, contexts have any length. So the context
is cut once into sentence-aligned windows with character offsets, an inverted index over their words is
built, and each claim picks the windows that together hold most of its rare words. A claim touches only the
windows that share a rare word with it, and never more than a fixed number of postings, so the cost is
linear in the context and in the claims.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise

from ....core.verdict import Evidence
from ....engine.questions import Passage
from ....text import Span, fold
from ....text import sentences as text_sentences
from ....text import stem as text_stem
from ....text import words as text_words
from ..phrases import pattern, words
from ..quantities.alignment import Prepared, prepare
from .readable import LONG_RECORD, structured

EVIDENCE_WORDS = 100
"""Words of evidence given to the model for one claim; the speed of the judge follows from this number."""

_WINDOW_WORDS = 45
_MIN_WORDS = 5
_POSTINGS = 20_000
_COVERED = 0.25

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?|\d[\d,]*(?:\.\d+)?")
_ASCII_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9][0-9,]*(?:\.[0-9]+)?")
_BREAK = re.compile(r"[.!?][\"'\u201d\u2019)\]]*\s+(?=[\"'\u201c\u2018(\[]?[^\W_a-z])|\n+|[;|]\s+")
_SOLID = re.compile(r"\S+")
_ABBREVIATION = re.compile(rf"\b{pattern('abbreviations')}\.$")
STOP_WORDS = words("stop_words")


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of one passage: `passages[passage][start:end]`."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The evidence for one claim: its text, the windows it is made of in order, and the strongest of them."""

    text: str
    windows: tuple[Window, ...]
    best: Window | None
    complete: bool
    """Whether the whole context was taken: then nothing relevant can have been left out."""


def sentences(text: str) -> list[tuple[int, int]]:
    """Character ranges of the sentences (and lines) of a text, in order, blanks left out."""
    cuts = [0]
    for match in _BREAK.finditer(text):
        mark = match.start() + 1
        if "\n" in match.group() or not _ABBREVIATION.search(text, max(0, mark - 8), mark):
            cuts.append(match.end())
    cuts.append(len(text))
    found = []
    for start, end in pairwise(cuts):
        piece = text[start:end]
        left = start + len(piece) - len(piece.lstrip())
        right = start + len(piece.rstrip())
        if right > left:
            found.append((left, right))
    return found


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """A word without its commonest endings, so that `moved`, `moves` and `moving` meet."""
    if word[0].isdigit():
        return word.replace(",", "")
    for ending in ("'s", "\u2019s", "ing", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def content_words(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order, repeats kept."""
    word = _ASCII_WORD if text.isascii() else _WORD
    return [stem(found) for found in word.findall(text.lower()) if found not in STOP_WORDS]


def _sized_windows(text: str, passage: int) -> list[tuple[Window, int]]:
    """A passage cut at sentences; long ones in pieces, crumbs joined to what follows them. Each with its words."""
    found: list[tuple[Window, int]] = []
    for start, end in sentences(text):
        size = len(text[start:end].split())
        if found and found[-1][1] < _MIN_WORDS and size <= _WINDOW_WORDS:
            crumb, words = found[-1]
            found[-1] = Window(passage, crumb.start, end), words + size
        elif size <= _WINDOW_WORDS:
            found.append((Window(passage, start, end), size))
        else:
            places = [match.span() for match in _SOLID.finditer(text, start, end)]
            for first in range(0, size, _WINDOW_WORDS):
                part = places[first : first + _WINDOW_WORDS]
                found.append((Window(passage, part[0][0], part[-1][1]), len(part)))
    return found


class EvidenceIndex:
    """The windows of a context and where each word occurs in them; built once, asked once a claim."""

    __slots__ = ("_idf", "_postings", "_sizes", "passages", "total_words", "windows")

    def __init__(self, passages: Sequence[str]) -> None:
        self.passages = tuple(passages)
        cut = [sized for number, text in enumerate(self.passages) for sized in _sized_windows(text, number)]
        self.windows = [window for window, _ in cut]
        self._sizes = [size for _, size in cut]
        self.total_words = sum(self._sizes)
        self._postings: dict[str, list[int]] = {}
        for place, window in enumerate(self.windows):
            for word in dict.fromkeys(content_words(self.text(window))):
                self._postings.setdefault(word, []).append(place)
        count = len(self.windows) + 1
        self._idf = {word: math.log(1 + count / len(places)) for word, places in self._postings.items()}

    def text(self, window: Window) -> str:
        """The words of a window."""
        return self.passages[window.passage][window.start : window.end]

    def idf(self, word: str) -> float:
        """How rare a stem is in this context; a word that does not occur is the rarest."""
        return self._idf.get(word, math.log(2.0 + len(self.windows)))

    def has(self, word: str) -> bool:
        """Whether a stem occurs anywhere in the context."""
        return word in self._postings

    def select(self, claim: str, words: int = EVIDENCE_WORDS) -> Selection:
        """The windows that hold most of the claim's rare words, at most `words` words of them, in order."""
        complete = self.total_words <= words
        ranked = self._rank(claim, 1 if complete else 8)
        places = range(len(self.windows)) if complete else self._chosen(ranked, words)
        windows = tuple(self.windows[place] for place in places)
        best = self.windows[ranked[0]] if ranked else None
        return Selection(" ".join(map(self.text, windows)), windows, best, complete)

    def _chosen(self, ranked: Sequence[int], words: int) -> Sequence[int]:
        """As many windows as there is room for: the ranked ones, then their neighbours, then the rest."""
        chosen: set[int] = set()
        room = words
        # What stands beside the strongest window usually says who "he" or "it" is.
        nearby = [place for top in ranked[:1] for place in (top - 1, top + 1) if 0 <= place < len(self.windows)]
        for place in dict.fromkeys([*ranked, *nearby, *range(len(self.windows))]):
            if self._sizes[place] <= room or not chosen:
                chosen.add(place)
                room -= self._sizes[place]
            if room < _MIN_WORDS:
                break
        return sorted(chosen)

    def _rank(self, claim: str, limit: int) -> list[int]:
        """Windows by what they add to the coverage of the claim: a word already covered counts a quarter.

        Of those that add as much the first in the text comes first; where only one is wanted, to be quoted, the one
        with the claim's first words, which say what it is about: a row of a table rather than its head.
        """
        weights = {word: self._idf[word] for word in content_words(claim) if word in self._idf}
        held: dict[int, list[str]] = {}
        touched = 0
        for word in sorted(weights, key=lambda word: (len(self._postings[word]), word)):
            places = self._postings[word]
            touched += len(places)
            if touched > _POSTINGS:
                break
            for place in places:
                held.setdefault(place, []).append(word)
        scores = {place: sum(weights[word] for word in words) for place, words in held.items()}
        candidates = sorted(scores, key=lambda place: (-scores[place], place))[: 8 * limit]
        gain = {place: scores[place] for place in candidates}
        said = {word: number if limit == 1 else 0 for number, word in enumerate(weights)}
        foremost = {place: min(said[word] for word in held[place]) for place in candidates}
        order: list[int] = []
        covered: set[str] = set()
        while gain and len(order) < limit:
            top = min(gain, key=lambda place: (-gain[place], foremost[place], place))
            order.append(top)
            del gain[top]
            fresh = set(held[top]) - covered
            covered |= fresh
            for place in gain:
                if not fresh.isdisjoint(held[place]):
                    gain[place] = sum(weights[word] * (_COVERED if word in covered else 1.0) for word in held[place])
        return order


_ROOT = 6
"""Letters of a stem that tell whether a word is mentioned in any form."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """A sentence, row, record or pair: `start` to `end` of a passage."""

    passage: int
    start: int
    end: int
    header: Span | None = None
    """The line with the names of the columns, for a row of a table."""
    probability: float = 0.0
    """How likely it decides a claim."""


_ALL_NUMBERS = 1500
"""Words of a context whose numbers are all compared."""


class ReadContext:
    """The passages of a question, indexed once for all its claims."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple(passages)
        self._statements = [structured(passage.text) for passage in passages]
        self._quotable: dict[int, tuple[list[int], list[Quotable]]] = {}
        self._starts = [[0, *accumulate(len(made.text) + 1 for made in statements)] for statements in self._statements]
        told = ("\n".join(statement.text for statement in statements) for statements in self._statements)
        self.index = EvidenceIndex([text or passage.text for text, passage in zip(told, passages, strict=True)])

    @cached_property
    def given(self) -> EvidenceIndex:
        """The passages as they were given, which is how the network learnt to read them; rules read `index`."""
        texts = [passage.text for passage in self.passages]
        return self.index if tuple(texts) == self.index.passages else EvidenceIndex(texts)

    @cached_property
    def _numbers(self) -> Prepared:
        return prepare("\n".join(self.index.passages))

    def numbers(self, query: str) -> Prepared:
        """The numbers to compare with: those of the whole context, of a long one those of what bears on the query."""
        if self.index.total_words <= _ALL_NUMBERS:
            return self._numbers
        return prepare(self.index.select(query, _ALL_NUMBERS // 2).text)

    def mentions(self, word: str) -> bool:
        """Whether the context has the word in any form: "deliver" for "delivery"."""
        root = text_stem(fold(word))[:_ROOT]
        place = bisect_left(self._roots, root)
        return place < len(self._roots) and self._roots[place].startswith(root)

    @cached_property
    def _roots(self) -> list[str]:
        return sorted({text_stem(word)[:_ROOT] for text in self.index.passages for word in text_words(text)})

    def window_of_number(self, place: Span) -> Window | None:
        """The sentence with a number at this place of the text of `numbers`, where that is the whole context."""
        if self.index.total_words > _ALL_NUMBERS:
            return None
        starts = [0, *accumulate(len(text) + 1 for text in self.index.passages)]
        passage = bisect_right(starts, place.start) - 1
        return Window(passage, place.start - starts[passage], place.end - starts[passage])

    def deciding(self, tokens: Iterable[tuple[Window, float]]) -> list[Quotable]:
        """What can be quoted of the context, by the mean probability of its tokens to decide, the likeliest first."""
        sums: dict[tuple[int, int], tuple[float, int]] = {}
        for window, probability in tokens:
            starts, _ = self._units(window.passage)
            number = bisect_right(starts, window.start) - 1
            if number >= 0:
                total, size = sums.get((window.passage, number), (0.0, 0))
                long = window.end - window.start
                sums[window.passage, number] = total + probability * long, size + long
        found = [
            replace(self._units(passage)[1][number], probability=total / size)
            for (passage, number), (total, size) in sums.items()
            if size
        ]
        return sorted(found, key=lambda unit: -unit.probability)

    def _units(self, passage: int) -> tuple[list[int], list[Quotable]]:
        """What can be quoted of a passage, in order, and where each begins."""
        if passage not in self._quotable:
            units = list(self._quotables(passage))
            self._quotable[passage] = [unit.start for unit in units], units
        return self._quotable[passage]

    def _quotables(self, passage: int) -> Iterator[Quotable]:
        """The sentences, rows and records of a passage; of a long record its pairs."""
        statements = self._statements[passage]
        if not statements:
            for span in text_sentences(self.passages[passage].text):
                yield Quotable(passage, span.start, span.end)
        for made in statements:
            short = made.header or made.end - made.start <= LONG_RECORD
            pairs = [] if short else sorted({piece.pair for piece in made.pieces})
            for start, end in pairs or [Span(made.start, made.end)]:
                yield Quotable(passage, start, end, made.header)

    def quote(self, unit: Quotable) -> tuple[Evidence, ...]:
        """A quotation from the passage; a row of a table comes with its header."""
        row = self._quotation(unit.passage, unit.start, unit.end)
        return (row, self._quotation(unit.passage, *unit.header)) if unit.header else (row,)

    def quoted(self, window: Window) -> tuple[Evidence, ...]:
        """What holds a window of the index, as quotations: whole sentences, pairs, or a row with its header."""
        statements = self._statements[window.passage]
        if not statements:
            return self.quote(Quotable(window.passage, *whole_sentences(self.index.passages[window.passage], window)))
        starts = self._starts[window.passage]
        first, last = bisect_right(starts, window.start) - 1, bisect_left(starts, window.end)
        touched = list(zip(statements[first:last], starts[first:last], strict=True))
        places = [made.place(max(0, window.start - at), min(len(made.text), window.end - at)) for made, at in touched]
        header = statements[first].header if len(touched) == 1 else None
        start, end = min(place.start for place in places), max(place.end for place in places)
        return self.quote(Quotable(window.passage, start, end, header))

    def _quotation(self, number: int, start: int, end: int) -> Evidence:
        passage = self.passages[number]
        return Evidence(
            passage=passage.index,
            start=passage.offset + start,
            end=passage.offset + end,
            quote=passage.text[start:end],
            stance="for",
        )


def whole_sentences(text: str, window: Window) -> tuple[int, int]:
    """The sentences of a passage that a window touches."""
    touched = [span for span in text_sentences(text) if span.start < window.end and span.end > window.start]
    return (touched[0].start, touched[-1].end) if touched else (window.start, window.end)
