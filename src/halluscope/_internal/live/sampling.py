"""Which answers are scored: told by the hash of their trace, so that everybody who looks picks the same ones."""

from __future__ import annotations

import hashlib
import itertools
import os
from secrets import token_hex


def drawn(trace_id: str) -> float:
    """A number from 0 up to 1 that belongs to the trace; one is scored where it is below the rate."""
    return int.from_bytes(hashlib.sha256(trace_id.encode(errors="replace")).digest()[:8], "big") / 2**64


class _Names:
    """Names for traces that have none. Drawing each from the system would let go of Python's lock."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """In a new process: its names begin otherwise."""
        self._first, self._numbers = token_hex(8), itertools.count()

    def __call__(self) -> str:
        return f"{self._first}{next(self._numbers):016x}"


new_trace_id = _Names()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=new_trace_id.begin)
