"""Packed pairs back as batches, built on the device they are used on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from halluscope._internal.embedded.network.encoding import (
    CLAIM_ASKED,
    CLAIM_MET,
    CLAIM_NEW,
    CLAIM_NEW_NUMBER,
    EVIDENCE,
    EVIDENCE_MET,
    MAX_CLAIM,
    MAX_EVIDENCE,
    MAX_QUESTION,
    QUESTION,
    Vocabulary,
    vocabulary,
    word_keys,
)
from training.net import Shape


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch, padded; `marks` is -1 outside the claim and where nobody has marked."""

    rows: Tensor
    ids: Tensor
    kinds: Tensor
    seen: Tensor
    claim: Tensor
    labels: Tensor
    marks: Tensor


class Pairs:
    """All pairs of a packed file, as flat arrays with three ranges a row."""

    def __init__(self, path: Path, tokens: list[str], shape: Shape, device: str) -> None:
        with np.load(path) as file:
            flat, lengths, keys = file["tokens"], file["lengths"].astype(np.int64), file["keys"].astype(np.int64)
            self.labels, self.folds, self.made = file["labels"], file["folds"].astype(np.int64), file["made"]
            self.sets, self.names = file["sets"].astype(np.int64), [str(name) for name in file["names"]]
            marks = file["marks"]
        table: Vocabulary = vocabulary(tokens)
        starts = np.cumsum(lengths) - lengths
        words = word_keys(flat.astype(np.int64), table, starts[lengths > 0])
        limits = np.array([MAX_QUESTION, MAX_EVIDENCE, MAX_CLAIM])
        self.count = np.minimum(lengths[keys], limits)
        self.length = self.count.sum(1) + 3 + (self.count[:, 0] > 0)
        self.claim_start = np.cumsum(self.count[:, 2]) - self.count[:, 2]
        assert self.count[:, 2].sum() == len(marks)
        self.shape, self.device = shape, device
        self._ids = torch.from_numpy(flat.astype(np.int32)).to(device)
        self._words = torch.from_numpy(words).to(device)
        self._digits = torch.from_numpy(table.digits[flat]).to(device)
        places = starts[keys]
        places[:, 0] += lengths[keys[:, 0]] - self.count[:, 0]  # of a long question the end is kept
        self._starts = torch.from_numpy(places).to(device)
        self._counts = torch.from_numpy(self.count).to(device)
        self._marks = torch.from_numpy(marks.astype(np.int64)).to(device)
        self._claims = torch.from_numpy(self.claim_start).to(device)
        self._labels = torch.from_numpy(self.labels.astype(np.int64)).to(device)

    def order(self, rows: np.ndarray, budget: int, rng: np.random.Generator | None) -> list[np.ndarray]:
        """Batches of at most `budget` padded tokens, of rows of like length, shuffled when a generator is given."""
        rows = rows if rng is None else rng.permutation(rows)
        batches: list[np.ndarray] = []
        chunk = len(rows) if rng is None else 40_000
        for first in range(0, len(rows), chunk):
            part = rows[first : first + chunk]
            part = part[np.argsort(self.length[part], kind="stable")]
            begin = 0
            while begin < len(part):
                end = begin + 1
                while end < len(part) and self._padded(part[end]) * (end + 1 - begin) <= budget and end - begin < 1024:
                    end += 1
                batches.append(part[begin:end])
                begin = end
        if rng is not None:
            batches = [batches[place] for place in rng.permutation(len(batches))]
        return batches

    def _padded(self, row: int) -> int:
        return int(-(-self.length[row] // 16) * 16)

    def batch(self, rows: np.ndarray) -> Batch:
        """[begin] question [separator] evidence [separator] claim [separator]; no question, no separator after it."""
        device = self.device
        chosen = torch.from_numpy(rows).to(device)
        width = max(self._padded(int(row)) for row in rows[[0, -1]])
        width = max(width, int(-(-self.length[rows].max() // 16) * 16))
        counts = self._counts[chosen]
        asked, said, stated = counts.unbind(1)
        first = torch.ones_like(asked)
        second = first + asked + (asked > 0)
        third = second + said + 1
        last = third + stated
        place = torch.arange(width, device=device)[None]
        inside = [
            (place >= a[:, None]) & (place < (a + n)[:, None])
            for a, n in ((first, asked), (second, said), (third, stated))
        ]
        source = torch.zeros(len(rows), width, dtype=torch.long, device=device)
        for part, begin in enumerate((first, second, third)):
            where = self._starts[chosen, part][:, None] + place - begin[:, None]
            source = torch.where(inside[part], where, source)
        text = inside[0] | inside[1] | inside[2]
        ids = torch.where(text, self._ids[source].long() + self.shape.token_shift, self.shape.separator)
        ids[:, 0] = self.shape.begin
        words = torch.where(text, self._words[source], -1)
        kinds = self._kinds(words, inside, self._digits[source], place > third[:, None] - 1)
        seen = place <= last[:, None]
        marks = torch.full_like(ids, -1)
        where = (self._claims[chosen][:, None] + place - third[:, None]).clamp(0, len(self._marks) - 1)
        marks = torch.where(inside[2], self._marks[where], marks)
        return Batch(chosen, ids, kinds, seen, inside[2], self._labels[chosen], marks)

    @staticmethod
    def _kinds(words: Tensor, inside: list[Tensor], digits: Tensor, closing: Tensor) -> Tensor:
        asked, said, stated = (torch.where(part, words, -2 - number) for number, part in enumerate(inside))
        same = words[:, :, None]
        in_said = (same == said[:, None, :]).any(-1)
        in_stated = (same == stated[:, None, :]).any(-1)
        in_asked = (same == asked[:, None, :]).any(-1)
        kinds = torch.where(inside[1] & in_stated, EVIDENCE_MET, EVIDENCE)
        kinds = torch.where(inside[0], QUESTION, kinds)
        new = torch.where(digits, CLAIM_NEW_NUMBER, CLAIM_NEW)
        claim = torch.where(in_said, CLAIM_MET, torch.where(in_asked, CLAIM_ASKED, new))
        kinds = torch.where(inside[2], claim, kinds)
        return torch.where(closing & ~inside[2], CLAIM_MET, kinds)

    def batches(self, rows: np.ndarray, budget: int, rng: np.random.Generator | None = None) -> Iterator[Batch]:
        for part in self.order(rows, budget, rng):
            yield self.batch(part)
