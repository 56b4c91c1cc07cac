"""How values lie in the file: small, and with a checksum, since SQLite does not notice a changed byte in one."""

from __future__ import annotations

import zlib

from ..errors import StoreDamaged

_PLAIN = 0
_DEFLATED = 1
_WORTH_IT = 2048
"""Below this many bytes compressing costs more than it saves."""


def pack(content: bytes, about: bytes = b"") -> bytes:
    """The content with its checksum, which also covers `about`: values kept elsewhere in the same row."""
    if len(content) < _WORTH_IT:
        kind, stored = _PLAIN, content
    else:
        kind, stored = _DEFLATED, zlib.compress(content, 1)
    return bytes((kind,)) + _checksum(kind, stored, about) + stored


def verify(packed: bytes, about: bytes = b"") -> None:
    """Raise `StoreDamaged` if the packed value, or what it is about, is not what was written."""
    if len(packed) < 5 or _checksum(packed[0], packed[5:], about) != packed[1:5]:
        raise StoreDamaged("a value does not match its checksum")


def unpack(packed: bytes, about: bytes = b"") -> bytes:
    """The content that was packed; `StoreDamaged` if it is not what was written."""
    verify(packed, about)
    return zlib.decompress(packed[5:]) if packed[0] == _DEFLATED else packed[5:]


def about_outcome(case: int, outcome: str, score: float | None, passed: int | None, label: str | None) -> bytes:
    """What a result's checksum covers beside its body."""
    return f"{case} {outcome} {score!r} {passed} {label}".encode("utf-8", "surrogatepass")


def _checksum(kind: int, stored: bytes, about: bytes) -> bytes:
    return zlib.crc32(stored, zlib.crc32(about, kind)).to_bytes(4, "big")
