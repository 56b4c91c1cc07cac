"""Judges' answers, kept by content: the key names question, prompt, judge and settings."""

from __future__ import annotations

from collections import OrderedDict

from .database import Store
from .packing import pack, unpack


class Replies:
    """Answers in the store. One is committed before `put` returns, so none that came is ever asked for again."""

    def __init__(self, store: Store, *, reread: bool = True) -> None:
        """Without `reread` every question is asked anew, and the new answers replace the old."""
        self._store = store
        self._reread = reread
        self._written: set[str] = set()

    def get(self, key: str) -> bytes | None:
        """The answer kept under the key."""
        if not self._reread and key not in self._written:
            return None
        found = self._store.rows("SELECT entry FROM replies WHERE key = ?", (bytes.fromhex(key),))
        if not found:
            return None
        with self._store.trouble():
            return unpack(found[0][0])

    def put(self, key: str, entry: bytes) -> None:
        """Keep an answer, for good."""
        if not self._reread:
            self._written.add(key)
        self._store.write("INSERT OR REPLACE INTO replies VALUES (?, ?)", (bytes.fromhex(key), pack(entry)))


class MemoryReplies:
    """The latest answers, for a judge that costs nothing: metrics that ask the same of a case share them."""

    def __init__(self, most: int = 4096) -> None:
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._most = most

    def get(self, key: str) -> bytes | None:
        """The answer kept under the key."""
        return self._kept.get(key)

    def put(self, key: str, entry: bytes) -> None:
        """Keep an answer until many others came."""
        self._kept[key] = entry
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
