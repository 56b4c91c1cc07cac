"""Every past finding, and a few draws of each kind, the same ones each time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from .targets import TARGETS

FOUND: list[dict[str, Any]] = json.loads((Path(__file__).parent / "corpus.json").read_text(encoding="utf-8"))
"""What broke something once: the target, and what it was given. Bytes stand as text in Latin-1."""


@pytest.mark.parametrize("found", FOUND, ids=lambda found: f"{found['target']}: {found['what']}")
def test_what_was_found_stays_mended(found: dict[str, Any]) -> None:
    target, strategies = TARGETS[found["target"]]
    assert set(found["given"]) == set(strategies)
    given_ = {k: v.encode("latin-1") if k == "content" else v for k, v in found["given"].items()}
    target(**given_)


@pytest.mark.slow("draws hostile inputs for every target")
@pytest.mark.parametrize("name", TARGETS)
def test_a_few_draws(name: str) -> None:
    target, strategies = TARGETS[name]
    count = 12 if name == "slow clients" else 60  # each of which waits for time limits
    few = settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    few(given(**strategies)(target))()
