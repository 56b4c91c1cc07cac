"""Compression and checksums of stored values.

The first result of each scorer is kept as a sample for compression: the others have the prompt in common with it.
"""

from __future__ import annotations

import sqlite3
import zlib
from functools import lru_cache

from ...core.errors import StoreDamaged

_LONGEST = 7680
"""Maximum size of a sample in bytes. More would be outside the compression window."""

_PLAIN = 0
_DEFLATED = 1
_LIKE_SAMPLE = 2
WORTH_IT = 2048
"""Minimum size in bytes for compression."""


def pack(content: bytes, about: bytes = b"", sample: bytes = b"") -> bytes:
    """Compress content and add a checksum, which also covers `about`, other values of the row.

    A `sample` of similar content halves time and size. It is needed for unpacking too.
    """
    if len(content) < WORTH_IT:
        kind, stored = _PLAIN, content
    else:
        kind, stored = _LIKE_SAMPLE if sample else _DEFLATED, _deflated(content, sample)
    return bytes((kind,)) + _checksum(kind, stored, about) + stored


def _deflated(content: bytes, sample: bytes) -> bytes:
    # Less memory than zlib's default, with the same size for texts of this length.
    how = (1, zlib.DEFLATED, 13, 7, zlib.Z_DEFAULT_STRATEGY)
    deflate = zlib.compressobj(*how, sample) if sample else zlib.compressobj(*how)
    return deflate.compress(content) + deflate.flush()


def verify(packed: bytes, about: bytes = b"") -> None:
    """Raise `StoreDamaged` if the checksum is wrong."""
    if len(packed) < 5 or _checksum(packed[0], packed[5:], about) != packed[1:5]:
        raise StoreDamaged("a value does not match its checksum")


def unpack(packed: bytes, about: bytes = b"", sample: bytes = b"") -> bytes:
    """Check and decompress a value. Raises `StoreDamaged` if the checksum is wrong."""
    verify(packed, about)
    return content_of(packed, sample)


def content_of(packed: bytes, sample: bytes = b"") -> bytes:
    """Decompress a value that was checked."""
    if packed[0] == _PLAIN:
        return packed[5:]
    try:
        return zlib.decompressobj(zdict=sample).decompress(packed[5:])
    except zlib.error as error:
        raise StoreDamaged("a value cannot be unpacked with the sample that is there for it") from error


def verify_reply(packed: bytes, key: bytes) -> None:
    """Check a cached reply. Its checksum covers its key, except in files of older versions."""
    try:
        verify(packed, key)
    except StoreDamaged:
        verify(packed)


def about_outcome(case: int, outcome: str, score: float | None, passed: int | None, label: str | None) -> bytes:
    """Return the values that the checksum of a result covers besides its body."""
    score = None if score is None else float(score)
    return f"{case} {outcome} {score!r} {passed} {label}".encode("utf-8", "surrogatepass")


def about_sample(scorer: int) -> bytes:
    """Return the values that the checksum of a sample covers besides its body."""
    return f"sample {scorer}".encode()


def checksum_of(*values: int | float | str | bytes | None) -> int:
    """Return the checksum of a row. Also an SQL function."""
    # SQLite may return an integer in a REAL column as a float.
    same = tuple(float(value) if isinstance(value, int) else value for value in values)
    return zlib.crc32(repr(same).encode("utf-8", "surrogatepass"))


def _checksum(kind: int, stored: bytes, about: bytes) -> bytes:
    return zlib.crc32(stored, zlib.crc32(about, kind)).to_bytes(4, "big")


class Samples:
    """The samples within one transaction. Between two transactions, other processes may change them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[int, bytes] = {}

    def like(self, body: bytes, scorer: int) -> bytes:
        """Return the sample for a result, which is its own beginning if it is the first. Short results need none."""
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
    """Unpack a sample, once for many results."""
    return b"" if sample is None else unpack(sample, about_sample(scorer))
