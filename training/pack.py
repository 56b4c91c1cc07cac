"""Readings as numbers: token ids in one flat array, so that a whole training set travels as one small file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tokenizers import Tokenizer

from halluscope._internal.embedded.network.model import MAX_TEXT, token_range

if TYPE_CHECKING:
    from training.readings import Reading


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
    for row, reading in enumerate(kept):
        offsets = encoded[keys[row, 1]].offsets[:MAX_TEXT]
        for claim in reading.claims:
            start, end = token_range(offsets, claim.start, claim.end)
            claims.append((row, start, end, claim.label, claim.kind))
            views.append(claim.view or (np.nan, np.nan, np.nan))
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
        "views": np.array(views, dtype=np.float16).reshape(-1, 3),
        "marks": np.concatenate(marks) if marks else np.zeros(0, dtype=np.int8),
    }
    np.savez_compressed(out, allow_pickle=False, **arrays)
    return {"readings": len(kept), "claims": len(claims), "tokens": len(arrays["tokens"]), "bytes": out.stat().st_size}
