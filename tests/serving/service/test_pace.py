"""The pace of checks: known only in a queue, and forgotten with it."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from halluscope._internal.serving.service import pace as module
from halluscope._internal.serving.service.pace import Pace


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that the test turns; two cores, whatever this machine has."""
    now = [0.0]
    monkeypatch.setattr("halluscope._internal.serving.service.pace.time.monotonic", lambda: now[0])
    monkeypatch.setattr(module, "cores", lambda: 2)
    return now


def answered(pace: Pace, clock: list[float], checks: int, seconds: float) -> None:
    for _ in range(checks):
        with pace.check():
            clock[0] += seconds


def test_a_queue_foretells_how_long_it_takes(clock: list[float]) -> None:
    pace = Pace()
    with ExitStack() as waiting:
        for _ in range(40):
            waiting.enter_context(pace.check())
        assert pace.crowded and pace.expected == 0.0  # nothing was answered yet
        answered(pace, clock, 10, 0.5)
        assert pace.expected == pytest.approx(40 * 0.5)
    assert not pace.crowded and pace.expected == 0.0


def test_idle_time_and_lone_checks_are_no_pace(clock: list[float]) -> None:
    pace = Pace()
    with pace.check():  # one that lasts long, and others now and then
        answered(pace, clock, 20, 600.0)
        assert pace.expected == 0.0
        with ExitStack() as waiting:
            for _ in range(5):
                waiting.enter_context(pace.check())
            assert pace.expected == 0.0


def test_a_check_that_fails_says_nothing(clock: list[float]) -> None:
    pace = Pace()
    with ExitStack() as waiting:
        for _ in range(5):
            waiting.enter_context(pace.check())
        answered(pace, clock, 9, 1.0)
        before = pace.expected
        for _ in range(20):
            with pytest.raises(ValueError, match="no"), pace.check():
                clock[0] += 0.001
                raise ValueError("no")
        assert pace.expected == pytest.approx(before)
