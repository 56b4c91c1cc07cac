"""Where quoted words stand in the evidence that a network reads, and which unit of a passage it points at.

Evidence is put together from pieces of the passages, with other blanks between them. Places are therefore found by
the letters alone, without blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from halluscope._internal.judges.embedded.reading.evidence import sentences
from halluscope._internal.proof.bench.quotations import is_gold
from halluscope._internal.runs.labelled_case import GoldEvidence
from training.sets import Case

Range = tuple[int, int]
Unit = tuple[int, int, int]
"""A passage, and where a sentence, a row or a line of it begins and ends."""

_ROW = re.compile(r"^\s*\||\s\|\s|^\s*[\"'{\[\-*]|^\s*[\w .\-]{1,40}:\s")
_LINE = re.compile(r"[^\n]+")
_SENTENCE_WORDS = 3


@lru_cache(maxsize=64)
def _letters(text: str) -> tuple[str, tuple[int, ...]]:
    """A text without blanks, and where each of its characters stands."""
    places = tuple(place for place, character in enumerate(text) if not character.isspace())
    return "".join(text[place] for place in places), places


def located(evidence: str, quote: str) -> list[Range]:
    """Where a quote stands in the evidence: as a whole, or the sentences of it that were taken."""
    whole = _find(evidence, quote)
    if whole is not None:
        return [whole]
    parts = [quote[start:end] for start, end in sentences(quote)]
    parts = [part for part in parts if len(part.split()) >= _SENTENCE_WORDS]
    return [found for part in parts if len(parts) > 1 for found in [_find(evidence, part)] if found is not None]


def _find(evidence: str, quote: str) -> Range | None:
    letters, places = _letters(evidence)
    wanted = "".join(quote.split())
    first = letters.find(wanted) if wanted else -1
    return None if first < 0 else (places[first], places[first + len(wanted) - 1] + 1)


@lru_cache(maxsize=256)
def units(passage: str) -> tuple[Range, ...]:
    """The parts of a passage that are quoted as a whole: rows and `key: value` lines, and else sentences."""
    found: list[Range] = []
    for line in _LINE.finditer(passage):
        text = line.group()
        if _ROW.search(text) and len(sentences(text.replace("|", " "))) <= 1:
            found.append((line.start() + len(text) - len(text.lstrip()), line.start() + len(text.rstrip())))
        else:
            found += [(line.start() + start, line.start() + end) for start, end in sentences(text)]
    return tuple((start, end) for start, end in found if any(map(str.isalnum, passage[start:end])))


def unit_scores(passages: Sequence[str], evidence: str, tokens: Iterable[tuple[int, int, float]]) -> dict[Unit, float]:
    """How likely each unit that was read decides: the mean over its characters of what the tokens say."""
    line = np.full(len(evidence), np.nan)
    for start, end, score in tokens:
        line[start:end] = score
    found: dict[Unit, float] = {}
    for number, passage in enumerate(passages):
        for start, end in units(passage):
            known = [line[a:b] for a, b in located(evidence, passage[start:end])]
            values = np.concatenate([part[~np.isnan(part)] for part in known]) if known else np.zeros(0)
            if len(values):
                found[number, start, end] = float(values.mean())
    return found


def overlap_unit(passages: Sequence[str], said: Iterable[str]) -> Unit | None:
    """The unit that shares most words with an answer: the trivial way to find evidence."""
    wanted = {word.casefold() for text in said for word in re.findall(r"\w+", text)}
    best: tuple[int, Unit] | None = None
    for number, passage in enumerate(passages):
        for start, end in units(passage):
            shared = len(wanted & {word.casefold() for word in re.findall(r"\w+", passage[start:end])})
            if best is None or shared > best[0]:
                best = shared, (number, start, end)
    return best[1] if best else None


def is_deciding(unit: Unit, case: Case) -> bool:
    """Whether what was quoted is evidence of a case: it holds half of a gold quote, or half of it stands in one."""
    gold = [GoldEvidence(quote["passage"], quote["start"], quote["end"]) for quote in case["evidence"]]
    return is_gold(GoldEvidence(*unit), gold)
