"""What takes long to make and only gets read: made by one of the workers, and used by all."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

LONG = 300.0
"""Seconds after which what another worker makes will not come."""


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder of that name, filled by `make` in whichever worker comes first; the others wait for it."""
    root = factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        root = root.parent  # each worker has a folder of its own in there
    folder, whole, failed = root / name, root / f"{name}.whole", root / f"{name}.failed"
    try:
        folder.mkdir()
    except FileExistsError:
        end = time.monotonic() + LONG
        while not whole.exists():
            assert not failed.exists(), f"another worker could not make {name!r}, and says why"
            assert time.monotonic() < end, f"{name!r} has not come in {LONG:g} s"
            time.sleep(0.1)
        return folder
    try:
        make(folder)
    except BaseException:
        failed.touch()
        raise
    whole.touch()
    return folder
