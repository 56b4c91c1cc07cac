"""How values lie in the file: small, and with a checksum, since SQLite does not notice a changed byte in one."""

from __future__ import annotations

import zlib

from ..errors import StoreDamaged

_PLAIN = 0
_DEFLATED = 1
_LIKE_SAMPLE = 2
WORTH_IT = 2048
"""Below this many bytes compressing costs more than it saves."""


def pack(content: bytes, about: bytes = b"", sample: bytes = b"") -> bytes:
    """The content with its checksum, which also covers `about`: values kept elsewhere in the same row.

    What is much like a `sample` is packed in half the time and to half the size, and is unpacked with that sample.
    """
    if len(content) < WORTH_IT:
        kind, stored = _PLAIN, content
    else:
        kind, stored = _LIKE_SAMPLE if sample else _DEFLATED, _deflated(content, sample)
    return bytes((kind,)) + _checksum(kind, stored, about) + stored


def _deflated(content: bytes, sample: bytes) -> bytes:
    # Less memory than zlib takes by default: as small for texts of this length, and it need not be cleared each time.
    how = (1, zlib.DEFLATED, 13, 7, zlib.Z_DEFAULT_STRATEGY)
    deflate = zlib.compressobj(*how, sample) if sample else zlib.compressobj(*how)
    return deflate.compress(content) + deflate.flush()


def verify(packed: bytes, about: bytes = b"") -> None:
    """Raise `StoreDamaged` if the packed value, or what it is about, is not what was written."""
    if len(packed) < 5 or _checksum(packed[0], packed[5:], about) != packed[1:5]:
        raise StoreDamaged("a value does not match its checksum")


def unpack(packed: bytes, about: bytes = b"", sample: bytes = b"") -> bytes:
    """The content that was packed; `StoreDamaged` if it is not what was written."""
    verify(packed, about)
    return content_of(packed, sample)


def content_of(packed: bytes, sample: bytes = b"") -> bytes:
    """What was packed, for one that was verified."""
    if packed[0] == _PLAIN:
        return packed[5:]
    try:
        return zlib.decompressobj(zdict=sample).decompress(packed[5:])
    except zlib.error as error:
        raise StoreDamaged("a value cannot be unpacked with the sample that is there for it") from error


def verify_reply(packed: bytes, key: bytes) -> None:
    """The same for a kept reply, which is about its key; those of older versions are about nothing."""
    try:
        verify(packed, key)
    except StoreDamaged:
        verify(packed)


def about_outcome(case: int, outcome: str, score: float | None, passed: int | None, label: str | None) -> bytes:
    """What a result's checksum covers beside its body."""
    score = None if score is None else float(score)
    return f"{case} {outcome} {score!r} {passed} {label}".encode("utf-8", "surrogatepass")


def about_sample(scorer: int) -> bytes:
    """What a sample's checksum covers beside its body."""
    return f"sample {scorer}".encode()


def checksum_of(*values: int | float | str | bytes | None) -> int:
    """The checksum of a row, over the values in it. SQL calls this by the same name."""
    # Numbers as SQLite may give them back: a whole one in a column of reals is a real.
    same = tuple(float(value) if isinstance(value, int) else value for value in values)
    return zlib.crc32(repr(same).encode("utf-8", "surrogatepass"))


def _checksum(kind: int, stored: bytes, about: bytes) -> bytes:
    return zlib.crc32(stored, zlib.crc32(about, kind)).to_bytes(4, "big")
