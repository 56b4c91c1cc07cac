"""Which tests the workers of pytest-xdist get together, and which they begin with.

A worker gets a file at a time: what the tests of a file share is made once, and what they import is imported once.
pytest-xdist can do that too (`--dist loadfile`), but begins with the files of the most tests, which are short, and
divides none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

LONG = ("tests/cluster/test_ray.py", "tests/cluster/test_spark.py", "tests/docs/test_site.py")
"""Files that take long: begun at the end, one of them would be waited for."""
DIVIDED = (
    "tests/test_privacy.py",
    "tests/runs/batches/test_batches.py",
    "tests/runs/runner/test_kill.py",
    "tests/core/plumbing/test_ending.py",
    "tests/docs/test_examples.py",
    "tests/core/plumbing/test_processes.py",
    "tests/test_growth.py",
)
"""Long files whose tests share nothing: each test goes to the worker that is free. Those that mostly wait come first,
while `make test` checks the types beside them."""


def begin_with_long_ones(items: list[pytest.Item], root: Path) -> None:
    """Put the tests into the order in which they are begun."""
    places = {root / file: place for place, file in enumerate((*LONG, *DIVIDED))}
    items.sort(key=lambda item: places.get(item.path, len(places)))


class Together(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """A worker gets a file, or a test of a divided one."""

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return nodeid if file in DIVIDED else file
