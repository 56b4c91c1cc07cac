"""Compression and checksums of stored values.

The first result of each scorer is kept as a sample for compression: the others have the prompt in common with it.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from ...core.errors import StoreDamaged

_LONGEST = 7680
"""Maximum size of a sample in bytes. More would be outside the compression window."""

_PAGE = 256
"""Rows that are checked together."""

_PLAIN = 0
_DEFLATED = 1
_LIKE_SAMPLE = 2
WORTH_IT = 2048
"""Minimum size in bytes for compression."""


def pack(content: bytes, about: bytes = b"", sample: bytes = b"") -> bytes:
    """Compress content and add a checksum, which also covers `about`, other values of the row.

    A `sample` of similar content halves time and size. It is needed for unpacking too.
    """
    kind, stored = _PLAIN, content
    if len(content) >= WORTH_IT:
        kind = _LIKE_SAMPLE if sample else _DEFLATED
        # Less memory than zlib's default, with the same size for texts of this length.
        deflate = zlib.compressobj(1, zlib.DEFLATED, 13, 7, zlib.Z_DEFAULT_STRATEGY, *([sample] if sample else []))
        stored = deflate.compress(content) + deflate.flush()
    return bytes((kind,)) + _checksum(kind, stored, about) + stored


def verify(packed: bytes, about: bytes = b"") -> None:
    """Raise `StoreDamaged` if the checksum is wrong."""
    if len(packed) < 5 or _checksum(packed[0], packed[5:], about) != packed[1:5]:
        raise StoreDamaged("a value does not match its checksum")


def unpack(packed: bytes, about: bytes = b"", sample: bytes = b"") -> bytes:
    """Check and decompress a value. Raises `StoreDamaged` if the checksum is wrong."""
    verify(packed, about)
    if packed[0] == _PLAIN:
        return packed[5:]
    try:
        return zlib.decompressobj(zdict=sample).decompress(packed[5:])
    except zlib.error as error:
        raise StoreDamaged("a value cannot be unpacked with the sample that is there for it") from error


def unpack_any_version(packed: bytes, about: bytes) -> bytes:
    """Unpack a value whose checksum did not cover `about` in files of older versions."""
    try:
        return unpack(packed, about)
    except StoreDamaged:
        return unpack(packed)


def about_case(run: int, position: int, id: str) -> bytes:
    """Return the values that the checksum of a case of a run covers besides its metadata."""
    return f"{run} {position} {id}".encode("utf-8", "surrogatepass")


def about_outcome(case: int, outcome: str, score: float | None, passed: int | None, label: str | None) -> bytes:
    """Return the values that the checksum of a result covers besides its body."""
    score = None if score is None else float(score)
    return f"{case} {outcome} {score!r} {passed} {label}".encode("utf-8", "surrogatepass")


def unpack_extra(extra: bytes | None, run: int, position: int, id: str) -> bytes | None:
    """Unpack what belongs to a case of a run besides its texts. Files of older versions may have none."""
    return None if extra is None else unpack_any_version(extra, about_case(run, position, id))


def about_sample(scorer: int) -> bytes:
    """Return the values that the checksum of a sample covers besides its body."""
    return f"sample {scorer}".encode()


def _checksum(kind: int, stored: bytes, about: bytes) -> bytes:
    return zlib.crc32(stored, zlib.crc32(about, kind)).to_bytes(4, "big")


_PACKED: tuple[tuple[str, str, str, Callable[..., object]], ...] = (
    ("replies", "rowid", "entry, key", unpack_any_version),
    ("cases", "rowid", "body, key", verify),
    ("run_cases", "run, position", "extra, run, position, name", unpack_extra),
    (
        "outcomes",
        "rowid",
        'body, "case", outcome, score, passed, label',
        lambda body, *covered: verify(body, about_outcome(*covered)),
    ),
    ("samples", "rowid", "body, scorer", lambda body, scorer: verify(body, about_sample(scorer))),
)
"""Tables with a packed column: their key, the columns covered by its checksum, and how to check it."""


def verify_all(rows: Callable[[str, Sequence[Any]], list[Any]]) -> None:
    """Check all packed values. Raises `StoreDamaged` for the first damaged one. `rows` runs a query."""
    for table, key, columns, check in _PACKED:
        after = [-1] * len(key.split(","))
        later = f"({key}) > ({', '.join('?' * len(after))})"
        query = f"SELECT {key}, {columns} FROM {table} WHERE {later} ORDER BY {key} LIMIT {_PAGE}"  # noqa: S608
        while page := rows(query, after):
            for row in page:
                check(*row[len(after) :])
            after = list(page[-1][: len(after)])


def sample_for(connection: sqlite3.Connection, scorer: int, body: bytes) -> bytes:
    """Return the sample for a result: the beginning of the scorer's first long one. Short results need none."""
    if len(body) < WORTH_IT:
        return b""
    found = connection.execute("SELECT body FROM samples WHERE scorer = ?", (scorer,)).fetchone()
    if found is not None:
        return unpacked(found[0], scorer)
    packed = pack(body[:_LONGEST], about_sample(scorer))
    connection.execute("INSERT INTO samples VALUES (?, ?)", (scorer, packed))
    return body[:_LONGEST]


@lru_cache(maxsize=16)
def unpacked(sample: bytes | None, scorer: int) -> bytes:
    """Unpack a sample, once for many results."""
    return b"" if sample is None else unpack(sample, about_sample(scorer))
