"""The network's views of the exam, as they came from the GPU machine, in the place of the network itself."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Encoding, Tokenizer

from halluscope._internal.judges.embedded.network.model import (
    KINDS,
    MAX_ALL,
    MAX_LEAD,
    MAX_TEXT,
    ClaimView,
    Reading,
    sigmoid,
    token_range,
    view_of,
)

MARK_SCALE = 12
"""The logits of the marks are kept as twelfths."""


class Recorded:
    """Reads what is on record. A reading that is not counts as missed, and its claims as not supported."""

    def __init__(self, packed: Path, views: Path, tokenizer: Tokenizer) -> None:
        with np.load(packed) as file:
            tokens, lengths, keys, claims = file["tokens"], file["lengths"].astype(int), file["keys"], file["claims"]
            self._decides_at = file["decides_at"]
        with np.load(views) as file:
            self._classes, self._kinds = file["classes"].astype(np.float32), file["kinds"].astype(np.float32)
            self._marks = file["marks"].astype(np.float32) / MARK_SCALE
            self._decides = file["decides"].astype(np.float32) / MARK_SCALE
        self._tokenizer = tokenizer
        starts = np.cumsum(lengths) - lengths
        ids = [tokens[a : a + n] for a, n in zip(starts, lengths, strict=True)]
        first = np.searchsorted(claims[:, 0], np.arange(len(keys) + 1))
        count = np.minimum(lengths[keys[:, 1]], MAX_TEXT)
        marks = np.cumsum(count) - count
        self._known = {
            _key([ids[k] for k in key], claims[first[row] : first[row + 1], 1:3]): (int(first[row]), int(marks[row]))
            for row, key in enumerate(keys)
        }
        self.asked = self.missed = 0

    def read(self, readings: Sequence[Reading]) -> list[tuple[ClaimView, ...]]:
        return [self._one(reading) for reading in readings]

    def evidence(self, reading: Reading) -> list[list[tuple[int, int, float]]]:
        """For each claim the tokens of the evidence and how likely each decides; empty where that is not on record."""
        encoded, found, count = self._encoded(reading)
        if found is None:
            return [[] for _ in reading.claims]
        claim, _ = found
        lead, text, evidence = encoded
        places = evidence.offsets[: MAX_ALL - 4 - min(MAX_LEAD, len(lead.ids)) - min(MAX_TEXT, len(text.ids))]
        starts = [self._decides_at[claim + number] for number in range(count)]
        return [
            [(*place, sigmoid(float(logit))) for place, logit in zip(places, self._decides[start:], strict=False)]
            if start >= 0
            else []
            for start in starts
        ]

    def _encoded(self, reading: Reading) -> tuple[list[Encoding], tuple[int, int] | None, int]:
        """The parts of a reading as tokens, where its claims and its marks begin, and how many claims it has."""
        parts: list[Encoding] = self._tokenizer.encode_batch(
            [reading.lead, reading.text, reading.evidence], add_special_tokens=False
        )
        ranges = self._ranges(reading, parts[1])
        found = self._known.get(_key([np.array(part.ids, dtype=np.uint16) for part in parts], ranges))
        return parts, found, len(ranges)

    def _ranges(self, reading: Reading, text: Encoding) -> np.ndarray:
        offsets = text.offsets[:MAX_TEXT]
        return np.array([token_range(offsets, a, b) for a, b in reading.claims]).reshape(-1, 2)

    def _one(self, reading: Reading) -> tuple[ClaimView, ...]:
        (_, text, _), found, _ = self._encoded(reading)
        offsets, ranges = text.offsets[:MAX_TEXT], self._ranges(reading, text)
        self.asked += 1
        if found is None or np.isnan(self._classes[found[0], 0]):
            self.missed += 1
            return tuple(view_of((-9.0, 0.0, 0.0), (0.0,) * len(KINDS), ()) for _ in reading.claims)
        claim, mark = found
        marks = self._marks[mark : mark + len(offsets)]
        return tuple(
            view_of(
                self._classes[claim + number],
                self._kinds[claim + number],
                [(*offsets[place], sigmoid(float(marks[place]))) for place in range(first, last)],
            )
            for number, (first, last) in enumerate(ranges.tolist())
        )


def _key(parts: Sequence[np.ndarray], ranges: np.ndarray) -> bytes:
    made = hashlib.blake2b(digest_size=12)
    for part in parts:
        made.update(np.ascontiguousarray(part, dtype=np.uint16).tobytes() + b"|")
    made.update(np.ascontiguousarray(ranges, dtype=np.int32).tobytes())
    return made.digest()
