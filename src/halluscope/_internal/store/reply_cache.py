"""Judges' answers, kept by content: the key names question, prompt, judge and settings."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections import OrderedDict
from collections.abc import Collection, Mapping
from secrets import token_bytes
from zlib import crc32

from .database import Store
from .packing import content_of, pack, verify_reply

LEASE = 20.0
"""Seconds after which a question counts as given up by a process that has not been heard of since."""


def _here() -> bytes:
    """Names this machine and process, so that others can see whether it lives."""
    return crc32(platform.node().encode()).to_bytes(4, "big") + os.getpid().to_bytes(8, "big")


def _died(owner: bytes) -> bool:
    """Whether the process that made a claim is known to be gone: on Windows, and of other machines, it is not."""
    if sys.platform == "win32" or owner[16:20] != _here()[:4]:
        return False
    try:
        os.kill(int.from_bytes(owner[20:], "big"), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


class Replies:
    """Answers in the store. They are committed before `put` returns, so none that came is ever asked for again.

    Several processes may share a store: whoever asks a question holds a claim to it, and the others wait.
    """

    def __init__(self, store: Store, *, reread: bool = True) -> None:
        """Without `reread` every question is asked anew, and the new answers replace the old."""
        self._store = store
        self._reread = reread
        self._owner = token_bytes(16) + _here()
        store.write("DELETE FROM leases WHERE until < ?", (time.time() - LEASE,))
        self._written: set[str] = set()

    def get(self, key: str) -> bytes | None:
        """The answer kept under the key."""
        if not self._reread and key not in self._written:
            return None
        found = self._store.rows("SELECT entry FROM replies WHERE key = ?", (bytes.fromhex(key),))
        if not found:
            return None
        with self._store.trouble():
            verify_reply(found[0][0], bytes.fromhex(key))
            return content_of(found[0][0])

    def put(self, key: str, entry: bytes) -> None:
        """Keep an answer, for good."""
        self.put_all({key: entry})

    def put_all(self, entries: Mapping[str, bytes]) -> None:
        """Keep several in one transaction, which takes little more time than one."""
        if not self._reread:
            self._written.update(entries)
        rows = [(name := bytes.fromhex(key), pack(entry, name)) for key, entry in entries.items()]
        with self._store.writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO replies VALUES (?, ?)", rows)

    def claim(self, keys: Collection[str]) -> set[str]:
        """The questions that may be asked now; not those that another process is asking, and is alive, or has asked.

        A claim lasts for `LEASE` seconds, until it is renewed by claiming again, or ends with `put` or `release`.
        """
        granted = self._claimed(keys)
        if left_behind := [key for key in keys if key not in granted and self._left_behind(key)]:
            granted |= self._claimed(left_behind)
        return granted

    def _claimed(self, keys: Collection[str]) -> set[str]:
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

    def _left_behind(self, key: str) -> bool:
        """Whether the claim to this question was that of a process that is gone; all of its claims are then ended."""
        held = self._store.rows("SELECT owner FROM leases WHERE key = ?", (bytes.fromhex(key),))
        if not held or not _died(held[0][0]):
            return False
        self._store.write("DELETE FROM leases WHERE owner = ?", (held[0][0],))
        return True

    def release(self, key: str) -> None:
        """Let others ask, where there was no answer."""
        values = (bytes.fromhex(key), self._owner)
        self._store.write("DELETE FROM leases WHERE key = ? AND owner = ?", values)


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
