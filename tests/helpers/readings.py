"""What the network has read is remembered, as it reads the same text in the same way each time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from halluscope._internal.judges.embedded.network.model import ClaimView, Network, Reading
from halluscope._internal.judges.embedded.reading.evidence import Window

_read: dict[tuple[Reading, tuple[Window, ...]], tuple[ClaimView, ...]] = {}


@contextmanager
def remembered() -> Iterator[None]:
    """Each reading is computed once in this process. Not for tests of the network itself, or of time."""
    compute = Network._view

    def view(self: Network, reading: Reading) -> tuple[ClaimView, ...]:
        key = (reading, reading.windows)  # which do not count where readings are compared
        if key not in _read:
            _read[key] = compute(self, reading)
        return _read[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Network, "_view", view)
        yield
