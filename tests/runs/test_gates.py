"""Conditions for CI: read strictly, checked on what was scored, and never met by a figure that is not there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from halluscope._internal.core.errors import InputError
from halluscope._internal.core.result import Usage
from halluscope._internal.runs import MetricSummary, Summary
from halluscope._internal.runs.gates import Gate, no_worse
from halluscope._internal.runs.store import Store
from halluscope._internal.stats.interval import Interval

from ..runs.test_runs import made


def summary(mean: float | None = 0.1, **changes: object) -> Summary:
    metric: dict[str, object] = {
        "metric": "hallucination",
        "judge": "j",
        "direction": "lower",
        "threshold": 0.5,
        "results": 10,
        "scored": 8 if mean is not None else 0,
        "coverage": 0.8,
        "mean": mean,
        "interval": None if mean is None else Interval(mean - 0.05, mean + 0.05),
        "median": mean,
        "lowest": mean,
        "highest": mean,
        "passed": 6,
        "pass_rate": 0.75,
        "outcomes": {"scored": 8, "failed": 1, "incomplete": 1},
    }
    return Summary(
        run="r",
        state="finished",
        note="",
        data="d",
        cases=10,
        bad_rows=2,
        coverage=0.8,
        metrics=(MetricSummary(**(metric | changes)),),  # type: ignore[arg-type]
        usage=Usage(1, 1, 1, 0.5),
        seconds=1.0,
    )


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("hallucination <= 0.1", True),
        ("hallucination<0.1", False),
        (" hallucination.mean  >=  .1 ", True),
        ("hallucination == 0.1", True),
        ("hallucination != 0.1", False),
        ("hallucination <= 10%", True),
        ("hallucination.high <= 0.1", False),
        ("hallucination.low > 0", True),
        ("hallucination.pass_rate >= 75%", True),
        ("hallucination.failed <= 1", False),
        ("hallucination.coverage >= 0.8", True),
        ("coverage >= 0.98", False),
        ("coverage >= 8e-1", True),
        ("failed == 2", True),
        ("bad_rows <= 1", False),
        ("cases >= 10", True),
        ("cost < 0.5", False),
    ],
)
def test_gates(text: str, met: bool) -> None:
    checked = Gate.parse(text, ["hallucination"]).check(summary())
    assert checked.met is met
    assert checked.gate == text.strip()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be read"),
        ("hallucination", "cannot be read"),
        ("hallucination =< 0.1", "cannot be read"),
        ("hallucination <= ", "cannot be read"),
        ("hallucination <= 0.1; rm -rf", "cannot be read"),
        ("0.1 >= hallucination", "cannot be read"),
        ("hallucination <= 1.2.3", "is not a number"),
        ("faithfulness >= 0.9", "'faithfulness', which this run does not have; it has: hallucination, coverage"),
        ("hallucination.average <= 0.1", "asks for 'average'; a metric has: mean"),
        ("coverage.mean <= 0.1", "which this run does not have"),
    ],
)
def test_gates_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Gate.parse(text, ["hallucination"])


@pytest.mark.parametrize("text", ["hallucination <= 1", "hallucination >= 0", "hallucination.high <= 1"])
def test_a_figure_that_is_not_there_meets_nothing(text: str) -> None:
    checked = Gate.parse(text, ["hallucination"]).check(summary(None, median=None, interval=None))
    assert not checked.met
    assert "nothing was scored" in checked.reason


def test_an_unknown_cost_meets_no_cost_gate() -> None:
    import msgspec

    unpriced = msgspec.structs.replace(summary(), usage=Usage(1, 1, 1, None))
    assert not Gate.parse("cost <= 100", ["hallucination"]).check(unpriced).met


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "halluscope.db") as opened:
        yield opened


def test_no_worse_than_another_run(store: Store) -> None:
    base = made(store, ["wrong"] * 5 + ["right"] * 35, "base")
    same = made(store, ["right"] * 5 + ["wrong"] * 4 + ["right"] * 31, "same")
    worse = made(store, ["wrong"] * 25 + ["right"] * 15, "worse")
    (checked,) = no_worse(same, base)
    assert checked.met
    (checked,) = no_worse(worse, base)
    assert not checked.met
    assert checked.gate == "label no worse than base"
    assert checked.reason.startswith("worse: +0.500")
    assert checked.reason.endswith("on 40 cases")


def test_nothing_to_compare_is_not_no_worse(store: Store) -> None:
    base = made(store, ["right"] * 3, "base")
    broken = made(store, ["broken"] * 3, "broken")
    (checked,) = no_worse(broken, base)
    assert not checked.met
    assert "no case has a score in both" in checked.reason
