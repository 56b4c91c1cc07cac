"""What decides a claim, found with a teacher: how much its view changes when one sentence is left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from tokenizers import Tokenizer

from halluscope._internal.judges.embedded.reading.evidence import sentences
from training.pack import percents
from training.readings import key_of
from training.rows import Row

SENTENCES = (2, 16)
"""How many sentences the evidence may have: one alone decides, of many each costs a reading."""
AGREES, MATTERS = 0.6, 0.15
"""How sure the teacher must be of the label, and what leaving out the sentence that matters most must change."""
AT_ONCE = 400
LABELLED = (0, 1)
"""Supported and contradicted: what is unsupported is decided by nothing."""
Viewed = Callable[[Sequence[Row]], np.ndarray]


def left_out(rows: Sequence[Row], viewed: Viewed, tokenizer: Tokenizer, seconds: float) -> dict[str, np.ndarray]:
    """Keys and views of the rows, and for each token of their evidence how far it decides, in percent.

    Rows of which the teacher cannot tell have a length of 0. Stops when the time is up.
    """
    began = time.perf_counter()
    keys: list[int] = []
    views: list[np.ndarray] = []
    tokens: list[np.ndarray] = []
    for first in range(0, len(rows), AT_ONCE):
        if time.perf_counter() - began > seconds:
            print(f"Time is up after {first} of {len(rows)} rows.", flush=True)
            break
        part = rows[first : first + AT_ONCE]
        whole = viewed(part)
        found = _weights(part, whole, viewed)
        for row, view, weights in zip(part, whole, found, strict=True):
            keys.append(key_of(row.question, row.evidence, row.claim))
            views.append(view)
            tokens.append(_percents(row, weights, tokenizer))
    lengths = np.array([len(item) for item in tokens], dtype=np.int32)
    print(f"{np.count_nonzero(lengths)} of {len(keys)} rows with what decides them", flush=True)
    return {
        "keys": np.array(keys, dtype=np.uint64),
        "views": np.array(views, dtype=np.float16).reshape(-1, 3),
        "decides": np.concatenate([np.zeros(0, dtype=np.int8), *tokens]),
        "lengths": lengths,
    }


def _weights(rows: Sequence[Row], whole: np.ndarray, viewed: Viewed) -> list[list[float]]:
    """How far each sentence of the evidence decides, one list a row; an empty one where it cannot be told."""
    asked: list[Row] = []
    owners: list[int] = []
    for number, row in enumerate(rows):
        places = sentences(row.evidence)
        sure = row.label in LABELLED and np.exp(float(whole[number, row.label])) >= AGREES
        if sure and SENTENCES[0] <= len(places) <= SENTENCES[1]:
            asked += [replace(row, evidence=f"{row.evidence[:a]}{row.evidence[b:]}".strip()) for a, b in places]
            owners += [number] * len(places)
    found: list[list[float]] = [[] for _ in rows]
    if asked:
        for number, view in zip(owners, viewed(asked), strict=True):
            label = rows[number].label
            change = np.exp(float(whole[number, label])) - np.exp(float(view[label]))
            found[number].append(max(0.0, float(change)))
    return [[value / max(item) for value in item] if item and max(item) >= MATTERS else [] for item in found]


def _percents(row: Row, weights: Sequence[float], tokenizer: Tokenizer) -> np.ndarray:
    if not weights:
        return np.zeros(0, dtype=np.int8)
    offsets = tokenizer.encode(row.evidence, add_special_tokens=False).offsets
    places = zip(sentences(row.evidence), weights, strict=True)
    return percents(offsets, [(a, b, round(weight, 2)) for (a, b), weight in places])
