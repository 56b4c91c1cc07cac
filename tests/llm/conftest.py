"""The server with the small model, one for all tests here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.llm.serve"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    said = process.stdout.readline().strip()
    assert said.startswith("http://127.0.0.1:"), "the server did not start"
    yield f"{said}/v1"
    process.communicate(timeout=60)
    assert process.returncode == 0
