"""Runs whose outputs are repaired: kept with the results, counted, exported, and continued."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import halluscope
from halluscope import InputError, Store
from halluscope._internal.runs.export import unline

CONTEXT = ["The mill closed in 1921. Entry is free."]
ROWS = [
    {"id": "wrong", "output": "The mill closed in 1969. Entry is free.", "context": CONTEXT},
    {"id": "right", "output": "Entry is free.", "context": CONTEXT},
    {"id": "made up", "output": "The café serves waffles.", "context": CONTEXT},
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs.db")


def test_repairs_are_kept_counted_and_exported(store: Store, tmp_path: Path) -> None:
    run = halluscope.evaluate(ROWS, run="r", store=store, repair=True, progress=False)
    results = {entry.case.id: entry.results[0] for entry in run.entries()}
    repair = results["wrong"].repair
    assert repair is not None and repair.text == "The mill closed in 1921. Entry is free."
    assert results["right"].repair is None
    assert results["wrong"].passed is False, "the result is that of the output as it was given"
    counts = run.summary()["hallucination"].repairs
    assert counts is not None
    assert (counts.tried, counts.changed, counts.passed) == (2, 2, 2)
    assert str(counts) in str(run.summary())
    run.export(tmp_path / "out.jsonl")
    lines = {row["id"]: row for row in map(json.loads, (tmp_path / "out.jsonl").read_text("utf-8").splitlines())}
    assert lines["wrong"]["repaired"] == repair.text
    assert lines["right"]["repaired"] is lines["right"]["repair"] is None
    assert lines["made up"]["repair"]["abstained"] is True
    run.export(tmp_path / "out.parquet")
    pandas = pytest.importorskip("pandas")
    rows = pandas.read_parquet(tmp_path / "out.parquet").to_dict("records")
    assert unline(rows[0])[1].repair == repair


def test_a_run_without_repairs_is_not_continued_with_them(store: Store) -> None:
    halluscope.evaluate(ROWS[:1], run="plain", store=store, progress=False)
    again = halluscope.evaluate(ROWS[:1], run="fixed", store=store, repair=True, progress=False)
    (entry,) = again.entries()
    assert entry.results[0].repair is not None


def test_a_metric_without_claims_is_refused_before_anything_is_judged(store: Store) -> None:
    with pytest.raises(InputError, match="does not judge claims"):
        halluscope.evaluate(ROWS, "label", store=store, repair=True, progress=False)


def test_live_answers_are_repaired(store: Store) -> None:
    found: list[halluscope.Result] = []
    live = halluscope.live.Live(store=store, repair=True, on_result=lambda result, case: found.append(result))
    live.record(ROWS[0]["output"], CONTEXT)
    assert live.flush(60)
    assert found[0].repair is not None
    assert found[0].repair.text == "The mill closed in 1921. Entry is free."
