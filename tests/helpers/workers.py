"""Which tests the workers of pytest-xdist get together, and which they begin with.

pytest-xdist has a mark for it, `xdist_group`, which it writes into the id of a test: from pytest 9.2 on, nobody reads
it there, and each worker starts a cluster of its own (pytest-xdist, issue 1386).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

TOGETHER = ("tests/cluster/test_ray.py", "tests/cluster/test_spark.py", "tests/docs/test_site.py")
"""Files that start something large for all their tests: one worker gets the whole file."""
FIRST = ("tests/docs/test_examples.py", "tests/test_growth.py")
"""Files with tests that take long: begun at the end, one of them would be waited for."""


def begin_with_long_ones(items: list[pytest.Item], root: Path) -> None:
    """Put the tests into the order in which they are begun; files that stay together come before all others."""
    places = {root / file: place for place, file in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(item.path, len(FIRST)))


class Together(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """A worker gets one test after the other, or one of these files."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file if file in TOGETHER else nodeid
