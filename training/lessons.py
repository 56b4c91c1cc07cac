"""What the teacher learns from: whole answers as rows with their leads, and which rows each training takes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from halluscope._internal.judges.embedded.reading.evidence import EvidenceIndex
from training.readings import UNKNOWN, all_answers, answer_readings, asked, key_of
from training.rows import Row
from training.sets import document_of, never_learnt, own_answers, read, sources

OURS = frozenset(source.name for source in own_answers())
"""The sets of our own whole answers."""
ANSWER_BUDGETS, CLAIM_BUDGETS = (100, 170, 250, 420), (120, 250, 300)
"""Words of evidence: our own answers come with each of the first, the others with one of the second."""
UNMARKED = ("summedits",)
"""Sets that do not say which sentence of an answer is wrong: with leads, only their right ones would be left."""
FIRST_SET, MADE, NATURAL = 8_000, 0.6, 2
"""The first training: at most so many rows of a first-stage set; this part of the second stage's made rows, and its
other rows so often."""
AGAIN = 0.4
"""The second training: rows of the first that come again, for each row of our own answers."""


def answer_claims(data: Path, folds: Mapping[str, int], limit: int | None = None) -> Iterator[Row]:
    """Every claim of the whole answers as the judge's network will read it, each once: for the teacher to view."""
    seen: set[int] = set()
    for reading in all_answers(data, folds, limit):
        for claim in reading.claims:
            row = asked(reading, claim)
            key = key_of(row.question, row.evidence, row.claim)
            if key not in seen:
                seen.add(key)
                yield row


def led_rows(data: Path, folds: Mapping[str, int], limit: int | None = None) -> Iterator[Row]:
    """Whole answers, a row for each claim whose label is known, with its lead and more or less evidence."""
    rng, left = random.Random(21), never_learnt()
    for source in [*own_answers(), *sources("folds")]:
        if source.name in UNMARKED:
            continue
        ours = source.use != "folds"
        for case in [case for case in read(data, source) if document_of(case) not in left][:limit]:
            fold = folds[document_of(case) if ours else "\n".join(case["context"])]
            index = EvidenceIndex(case["context"])
            for words in ANSWER_BUDGETS if ours else (rng.choice(CLAIM_BUDGETS),):
                for reading in answer_readings(case, fold, index, words, None, single=True):
                    label = reading.claims[0].label
                    if label != UNKNOWN:
                        yield Row(reading.lead, reading.evidence, reading.text, label, None, source.name, fold)


def chosen_first(rows: Sequence[Row], seed: int = 5) -> np.ndarray:
    """The rows of the first training: of large sets a part, natural rows of the second stage more than once."""
    rng = np.random.default_rng(seed)
    by_set: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        by_set.setdefault(row.name, []).append(place)
    found: list[np.ndarray] = []
    for _, places in sorted(by_set.items()):
        if rows[places[0]].fold < 0:
            found.append(rng.permutation(places)[:FIRST_SET])
            continue
        made = [place for place in places if rows[place].made]
        natural = [place for place in places if not rows[place].made]
        found += [np.array(natural)] * NATURAL
        found.append(rng.permutation(made)[: round(MADE * len(made))])
    return np.concatenate(found).astype(np.int64)


def chosen_again(rows: Sequence[Row], answers: Sequence[Row], seed: int = 9) -> np.ndarray:
    """The rows that come again beside the answers of the second training, two in three natural ones of its stage."""
    count = round(AGAIN * sum(row.name in OURS for row in answers))
    rng = np.random.default_rng(seed)
    natural = [place for place, row in enumerate(rows) if row.fold >= 0 and not row.made]
    rest = [place for place, row in enumerate(rows) if row.fold < 0 or row.made]
    return np.concatenate([rng.permutation(natural)[: count * 2 // 3], rng.permutation(rest)[: count // 3]]).astype(
        np.int64
    )
