"""Records in compressed blocks inside the page, written as they fill up.

The page opens a block when a case in it is looked at, so ten thousand cases cost their compressed
size and no more until then.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import Any, TextIO

from .page_records import encode

BLOCK = 256 * 1024
"""Characters of JSON in one block: a few milliseconds to open, large enough to compress well."""


def block(id: str, content: bytes) -> str:
    """An element that holds the content. Base64 has no character that means anything to HTML."""
    packed = b64encode(zlib.compress(content, 6)).decode("ascii")
    return f'<script type="text/plain" id="{id}">{packed}</script>\n'


class Blocks:
    """One kind of records, numbered from 0."""

    def __init__(self, page: TextIO, kind: str) -> None:
        self._page = page
        self._kind = kind
        self._waiting: list[bytes] = []
        self._size = 0
        self._next = 0
        self.starts: list[int] = []
        """The number of the first record in each block."""

    def add(self, record: Any) -> int:
        """Keep the record; returns its number."""
        content = encode(record)
        if not self._waiting:
            self.starts.append(self._next)
        self._waiting.append(content)
        self._size += len(content)
        self._next += 1
        if self._size >= BLOCK:
            self.flush()
        return self._next - 1

    def flush(self) -> None:
        """Write what is waiting."""
        if self._waiting:
            self._page.write(block(f"{self._kind}-{len(self.starts) - 1}", b"[" + b",".join(self._waiting) + b"]"))
            self._waiting = []
            self._size = 0
