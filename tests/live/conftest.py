"""A model's server, and scoring with a judge that has nothing against anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .answering import Scored
from .wire import Wire


@pytest.fixture
def wire() -> Iterator[Wire]:
    with Wire() as served:
        yield served


@pytest.fixture
def scored(tmp_path: Path) -> Iterator[Scored]:
    made = Scored(tmp_path)
    yield made
    made.live.flush(30)
    made.store.close()
