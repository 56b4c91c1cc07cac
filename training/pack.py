"""Readings as numbers: token ids in one flat array, so that a whole training set travels as one small file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tokenizers import Tokenizer

from halluscope._internal.judges.embedded.network.model import MAX_TEXT, token_range

if TYPE_CHECKING:
    from training.readings import Reading, Target


def tokenizer_at(path: Path) -> Tokenizer:
    """A tokenizer that neither cuts nor pads: what is too long is cut part by part."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def pack(readings: Iterable[Reading], tokenizer: Tokenizer, out: Path) -> dict[str, int]:
    """Write the readings; what cannot be judged because its tokens were cut off is left out."""
    numbers: dict[str, int] = {}
    texts: list[str] = []

    def number_of(text: str) -> int:
        if text not in numbers:
            numbers[text] = len(texts)
            texts.append(text)
        return numbers[text]

    kept = list(readings)
    keys = np.array([[number_of(r.lead), number_of(r.text), number_of(r.evidence)] for r in kept], dtype=np.int32)
    encoded = []
    for first in range(0, len(texts), 20_000):
        encoded += tokenizer.encode_batch(texts[first : first + 20_000], add_special_tokens=False)
    names = sorted({r.name for r in kept})
    place_of = {name: place for place, name in enumerate(names)}
    claims: list[tuple[int, int, int, int, int]] = []
    views: list[tuple[float, float, float]] = []
    marks: list[np.ndarray] = []
    decides: list[np.ndarray] = []
    decides_at: list[int] = []
    decided = 0
    asked_as: list[int] = []
    for row, reading in enumerate(kept):
        offsets = encoded[keys[row, 1]].offsets[:MAX_TEXT]
        for claim in reading.claims:
            start, end = token_range(offsets, claim.start, claim.end)
            claims.append((row, start, end, claim.label, claim.kind))
            views.append(claim.view or (np.nan, np.nan, np.nan))
            asked_as.append(_asked_as(reading, claim))
            decides_at.append(-1 if claim.decides is None else decided)
            if claim.decides is not None:
                decides.append(percents(encoded[keys[row, 2]].offsets, claim.decides))
                decided += len(decides[-1])
        if reading.wrong is None:
            marks.append(np.full(len(offsets), -1, dtype=np.int8))
        else:
            marks.append(
                np.array([any(a < e and b > s for a, b in reading.wrong) for s, e in offsets], dtype=np.int8).reshape(
                    -1
                )
            )
    arrays: dict[str, Any] = {
        "tokens": np.concatenate([np.array(item.ids, dtype=np.uint16) for item in encoded]),
        "lengths": np.array([len(item.ids) for item in encoded], dtype=np.int32),
        "keys": keys,
        "folds": np.array([r.fold for r in kept], dtype=np.int8),
        "sets": np.array([place_of[r.name] for r in kept], dtype=np.int16),
        "bags": np.array([r.bag for r in kept]),
        "made": np.array([r.made for r in kept]),
        "names": np.array(names),
        "claims": np.array(claims, dtype=np.int32).reshape(-1, 5),
        "asked": np.array(asked_as, dtype=np.uint64),
        "views": np.array(views, dtype=np.float16).reshape(-1, 3),
        "marks": np.concatenate(marks) if marks else np.zeros(0, dtype=np.int8),
        "decides": np.concatenate(decides) if decides else np.zeros(0, dtype=np.int8),
        "decides_at": np.array(decides_at, dtype=np.int64),
    }
    np.savez_compressed(out, allow_pickle=False, **arrays)
    return {"readings": len(kept), "claims": len(claims), "tokens": len(arrays["tokens"]), "bytes": out.stat().st_size}


def _asked_as(reading: Reading, claim: Target) -> int:
    """What a teacher's later views of a labelled claim are found by."""
    from training.readings import UNKNOWN, asked, key_of

    row = asked(reading, claim)
    return 0 if claim.label == UNKNOWN else key_of(row.question, row.evidence, row.claim)


def percents(offsets: Sequence[tuple[int, int]], stretches: Iterable[tuple[int, int, float]]) -> np.ndarray:
    """How far each token of the evidence decides, in percent."""
    found = np.zeros(len(offsets), dtype=np.int8)
    for start, end, weight in stretches:
        first, last = token_range(offsets, start, end)
        found[first:last] = round(100 * weight)
    return found
