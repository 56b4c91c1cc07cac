"""Cached replies of judges. The key is a hash of question, prompt, judge and settings."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Collection, Mapping
from secrets import token_bytes

from .database import Store
from .packing import pack, unpack_any_version

LEASE = 6.0
"""Seconds after which a claim that was not renewed expires."""


class Replies:
    """Replies in the store. They are committed before `put` returns.

    If several processes share a store, one of them claims a question, and the others wait for its reply.
    """

    def __init__(self, store: Store, *, reread: bool = True) -> None:
        """Without `reread`, all questions are asked again, and new replies replace old ones."""
        self._store = store
        self._reread = reread
        self._owner = token_bytes(16)
        store.write("DELETE FROM leases WHERE until < ?", (time.time() - LEASE,))
        self._written: set[str] = set()

    def get(self, key: str) -> bytes | None:
        if not self._reread and key not in self._written:
            return None
        found = self._store.rows("SELECT entry FROM replies WHERE key = ?", (bytes.fromhex(key),))
        if not found:
            return None
        with self._store.trouble():
            return unpack_any_version(found[0][0], bytes.fromhex(key))

    def put(self, key: str, entry: bytes) -> None:
        """Save a reply."""
        self.put_all({key: entry})

    def put_all(self, entries: Mapping[str, bytes]) -> None:
        """Save several replies in one transaction."""
        if not self._reread:
            self._written.update(entries)
        rows = [(name := bytes.fromhex(key), pack(entry, name)) for key, entry in entries.items()]
        with self._store.writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO replies VALUES (?, ?)", rows)

    def claim(self, keys: Collection[str]) -> set[str]:
        """Claim questions. Returns those that no other process is asking or has asked.

        A claim ends with `put`, `release`, or after `LEASE` seconds unless it is renewed by claiming again.
        """
        now = time.time()
        answered = "SELECT 1 FROM replies WHERE key = ?1" if self._reread else "SELECT 1 WHERE 0"
        claim = (
            f"INSERT INTO leases SELECT ?1, ?2, ?3 WHERE NOT EXISTS ({answered}) "
            "ON CONFLICT (key) DO UPDATE SET owner = ?2, until = ?3 WHERE owner = ?2 OR until < ?4"
        )
        with self._store.writing() as connection:
            return {
                key
                for key in keys
                if connection.execute(claim, (bytes.fromhex(key), self._owner, now + LEASE, now)).rowcount > 0
            }

    def release(self, key: str) -> None:
        """End a claim without a reply."""
        values = (bytes.fromhex(key), self._owner)
        self._store.write("DELETE FROM leases WHERE key = ? AND owner = ?", values)


class MemoryReplies:
    """Recent replies in memory, for a judge that costs nothing."""

    def __init__(self, most: int = 4096) -> None:
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._most = most

    def get(self, key: str) -> bytes | None:
        return self._kept.get(key)

    def put(self, key: str, entry: bytes) -> None:
        """Save a reply. The oldest one is dropped if there are too many."""
        self._kept[key] = entry
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
