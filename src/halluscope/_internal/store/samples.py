"""What a scorer's results have in common, above all the prompt: the first of them, which the others are packed like."""

from __future__ import annotations

import sqlite3
from functools import lru_cache

from .packing import WORTH_IT, about_sample, pack, unpack

_LONGEST = 7680
"""Bytes of a sample: what lies farther back is out of reach for what is packed like it."""


class Samples:
    """Those for writing, within one transaction: between two of them, others may bring a sample or take one away."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[int, bytes] = {}

    def like(self, body: bytes, scorer: int) -> bytes:
        """What to pack a result like: its own beginning, where it is the first. A short one is packed like nothing."""
        if len(body) < WORTH_IT:
            return b""
        if scorer not in self._known:
            self._known[scorer] = self._kept(scorer) or self._keep(body[:_LONGEST], scorer)
        return self._known[scorer]

    def _kept(self, scorer: int) -> bytes | None:
        found = self._connection.execute("SELECT body FROM samples WHERE scorer = ?", (scorer,)).fetchone()
        return unpacked(found[0], scorer) if found else None

    def _keep(self, sample: bytes, scorer: int) -> bytes:
        packed = pack(sample, about_sample(scorer))
        self._connection.execute("INSERT INTO samples VALUES (?, ?)", (scorer, packed))
        return sample


@lru_cache(maxsize=16)
def unpacked(sample: bytes | None, scorer: int) -> bytes:
    """What to unpack a scorer's results with: its sample as it lies in the file, unpacked once for many of them."""
    return b"" if sample is None else unpack(sample, about_sample(scorer))
