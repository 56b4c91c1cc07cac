"""Runs that were made: figures against numpy, comparisons against cases worked out by hand, exports read back."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halluscope._internal.core.errors import InputError, JudgeUnavailable, UnknownName, UnknownRun
from halluscope._internal.core.result import Outcome
from halluscope._internal.engine.questions import LabelAnswer, Question
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.runs import Run, all_runs
from halluscope._internal.runs.datasets import Row, open_data
from halluscope._internal.runs.export import FORMATS
from halluscope._internal.runs.runner import evaluate
from halluscope._internal.runs.store import Store
from halluscope._internal.stats.means import mean_interval


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "halluscope.db") as opened:
        yield opened


def believing(question: Question[Any]) -> Any:
    """The output says itself what it is."""
    assert isinstance(question, LabelAnswer)
    if "broken" in question.output:
        return JudgeUnavailable("down")
    return {"verdict": "hallucinated" if "wrong" in question.output else "factual", "reason": ["as it says"]}


def made(store: Store, outputs: Sequence[str], name: str, **columns: Sequence[str]) -> Run:
    """A run over outputs that are right, wrong, broken or empty."""
    given = {"id": [f"case-{i}" for i in range(len(outputs))], **columns}
    rows = [
        {"output": output and f"{output} {i}", "context": ["c"], "input": f"question {i}", "extra": i}
        | {key: values[i] for key, values in given.items()}
        for i, output in enumerate(outputs)
    ]
    from halluscope._internal.engine.driver import RetryPolicy

    judge = ScriptedJudge(believing, name="believing")
    return evaluate(rows, "label", judge, store=store, run=name, retry_policy=RetryPolicy(retries=0))


def test_the_figures_leave_out_what_has_no_score(store: Store) -> None:
    outputs = ["wrong"] * 3 + ["right"] * 5 + ["broken", ""]
    summary = made(store, outputs, "r").summary()
    label = summary["label"]
    assert (summary.cases, label.results, label.scored) == (10, 10, 8)
    assert label.mean == pytest.approx(3 / 8)
    assert label.outcomes == {"scored": 8, "failed": 1, "empty_output": 1}
    assert (label.passed, label.pass_rate) == (5, 5 / 8)
    assert label.coverage == summary.coverage == 0.8
    assert (label.median, label.lowest, label.highest) == (0.0, 0.0, 1.0)
    assert label.interval is not None
    assert 0 <= label.interval.low < 3 / 8 < label.interval.high <= 1
    with pytest.raises(UnknownName, match="no metric in this run called 'faithfulness'"):
        summary["faithfulness"]


def test_no_score_at_all_is_no_mean(store: Store) -> None:
    label = made(store, ["", "broken"], "r").summary()["label"]
    assert (label.mean, label.interval, label.pass_rate, label.scored) == (None, None, None, 0)


@pytest.mark.slow("simulates thousands of runs")
@pytest.mark.parametrize("n", [200, 20_000])
def test_the_interval_holds_the_mean_as_often_as_it_says(n: int) -> None:
    """By bootstrap for few, by the normal law for many: both within what 60 draws allow."""
    drawn = np.random.default_rng(3)
    held = 0
    for _ in range(60):
        interval = mean_interval((drawn.random(n) < 0.3).astype(np.float64))
        assert interval is not None
        held += interval.low <= 0.3 <= interval.high
    assert 51 <= held <= 60


def test_noise_is_no_regression(store: Store) -> None:
    before = made(store, ["wrong", "right"] * 25, "a")
    after = made(store, ["right", "wrong"] + ["wrong", "right"] * 24, "b")
    compared = after.compare("a").metrics[0]
    assert compared.difference == 0
    assert compared.change == "no clear change"
    assert compared.counts == {"better": 1, "worse": 1, "same": 48}
    assert before.compare(after).worse == ()


def test_a_regression_beyond_noise_is_called_one(store: Store) -> None:
    made(store, ["right"] * 40, "a")
    after = made(store, ["wrong"] * 12 + ["right"] * 28, "b")
    compared = after.compare("a")
    metric = compared.metrics[0]
    assert metric.change == "worse"
    assert metric.difference == pytest.approx(0.3)
    assert metric.interval is not None
    assert metric.interval.low > 0
    assert [case.id for case in metric.changed] == [f"case-{i}" for i in range(12)]
    assert compared.worse == (metric,)
    assert Run("a", store).compare("b").metrics[0].change == "better"


def test_only_cases_with_a_score_in_both_are_compared(store: Store) -> None:
    made(store, ["right", "wrong", "broken", "", "wrong"], "a")
    compared = made(store, ["right", "broken", "wrong", "right", "right", "wrong"], "b").compare("a")
    metric = compared.metrics[0]
    assert metric.cases == 2
    assert (metric.before, metric.after) == (0.5, 0.0)
    assert metric.counts == {"same": 1, "lost": 1, "gained": 2, "better": 1}
    assert [case.change for case in metric.changed] == ["lost", "gained", "gained", "better"]
    assert (compared.only_before, compared.only_after) == (0, 1)


def test_answers_without_ids_are_matched_by_their_question(store: Store) -> None:
    """Another model answered: no output, and so no id, is the same."""
    before = made(store, ["right"] * 10, "a", id=[""] * 10)
    after = made(store, ["wrong"] * 10, "b", id=[""] * 10)
    assert not {r.case_id for r in before} & {r.case_id for r in after}
    compared = after.compare(before)
    assert compared.matched_by == "question"
    assert compared.metrics[0].cases == 10
    assert compared.metrics[0].change == "worse"


def test_a_few_new_answers_without_ids_are_compared_like_the_others(store: Store) -> None:
    """Most answers, and so most ids, are as they were: those that changed are the ones to look at."""
    before = made(store, ["right"] * 20, "a", id=[""] * 20)
    after = made(store, ["wrong"] * 8 + ["right"] * 12, "b", id=[""] * 20)
    compared = after.compare(before)
    assert compared.metrics[0].counts == {"worse": 8, "same": 12}
    assert compared.metrics[0].change == "worse"
    assert compared.matched_by == "question"
    assert (compared.only_before, compared.only_after) == (0, 0)


def test_ids_of_the_users_own_are_taken_at_their_word(store: Store) -> None:
    made(store, ["right"] * 4, "a", id=["p", "q", "r", "s"])
    compared = made(store, ["right"] * 3 + ["wrong"], "b", id=["p", "q", "r", "new"]).compare("a")
    assert compared.matched_by == "id"
    assert compared.metrics[0].counts == {"same": 3}
    assert (compared.only_before, compared.only_after) == (1, 1)


def test_ids_that_occur_twice_are_matched_in_order(store: Store) -> None:
    made(store, ["right", "wrong"], "a", id=["x", "x"])
    compared = made(store, ["wrong", "wrong"], "b", id=["x", "x"]).compare("a").metrics[0]
    assert compared.counts == {"worse": 1, "same": 1}


def test_runs_with_nothing_in_common(store: Store) -> None:
    made(store, ["right"], "a", id=["x"])
    other = made(store, ["right"], "b", id=["y"], input=["another question"])
    assert other.compare("a").metrics[0].change == "nothing to compare"
    script = ScriptedJudge({"compare": {"verdicts": [{"verdict": "yes", "reason": "r"}]}})
    third = evaluate([{"output": "o", "context": ["c"]}], "contradiction", script, store=store)
    with pytest.raises(InputError, match="no metric in common"):
        third.compare("a")


def test_another_judge_is_not_comparable(store: Store) -> None:
    made(store, ["right"] * 3, "a")
    rows = [{"id": f"case-{i}", "output": f"right {i}", "context": ["c"]} for i in range(3)]
    other = evaluate(rows, "label", ScriptedJudge(believing, name="another"), store=store)
    assert not other.compare("a").metrics[0].comparable


def test_a_run_that_is_not_there_names_those_that_are(store: Store) -> None:
    made(store, ["right"], "night")
    with pytest.raises(UnknownRun, match=r"no run called 'day'; choose one of: night"):
        Run("day", store)
    assert [info.name for info in all_runs(store)] == ["night"]


OUTPUTS = ["right", "wrong, with a comma\nand a line", "", 'quote " and <b>', "broken"]


def read_back(path: Path) -> list[dict[str, Any]]:
    if path.name.endswith(".parquet"):
        import pyarrow.parquet as pq

        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        return rows
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        if ".csv" in path.name:
            return list(csv.DictReader(file))
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("ending", FORMATS)
def test_an_export_holds_every_result(store: Store, tmp_path: Path, ending: str) -> None:
    run = made(store, OUTPUTS, "r")
    path = tmp_path / "deep" / f"out{ending}"
    assert run.export(path) == 5
    lines = read_back(path)
    for line, (case, result) in zip(lines, run.pairs(), strict=True):
        assert line["id"] == case.id
        assert line["metric"] == "label"
        assert line["output"] == case.output
        assert line["outcome"] == result.outcome.value
        score = line["score"] or None if ".csv" in ending else line["score"]
        assert (None if score is None else float(score)) == result.score
        assert (line["label"] or None, line["reason"] or None) == (result.label, result.reason)
        if ending != ".parquet":
            context = json.loads(line["context"]) if ".csv" in ending else line["context"]
            assert context == ["c"]
    assert [path.name for path in path.parent.iterdir()] == [path.name], "nothing half-written is left"


FORMULAS = ["=1+1", "+49 30", "-2 degrees", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''+1", "'quoted' words", "＝1", "a=b"]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_cell_is_no_formula_and_is_read_back_as_it_was(store: Store, tmp_path: Path, ending: str) -> None:
    run = made(store, FORMULAS, "r")
    path = tmp_path / f"out{ending}"
    run.export(path)
    cells = [line["output"] for line in read_back(path)]
    assert not [cell for cell in cells if cell[:1] in "=+-@\t\r＝"]
    assert cells[-1] == "a=b 10" and cells[8] == "'quoted' words 8"
    said = [row.case.output for row in open_data(path) if isinstance(row, Row)]
    assert said == [f"{text} {number}" for number, text in enumerate(FORMULAS)]


def test_a_csv_file_of_another_program_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("output\n'=1\n")
    assert [row.case.output for row in open_data(path) if isinstance(row, Row)] == ["'=1"]


def test_an_export_that_fails_leaves_the_old_file(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made(store, ["right"] * 3, "r")
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    store._connection.execute("UPDATE outcomes SET body = zeroblob(9) WHERE id = 3")
    with pytest.raises(Exception, match="damaged"):
        run.export(path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.glob("out*")] == ["out.jsonl"]


def test_an_unknown_format(store: Store, tmp_path: Path) -> None:
    run = made(store, ["right"], "r")
    with pytest.raises(InputError, match="has no known ending"):
        run.export(tmp_path / "out.xls")


def test_a_table_in_memory(store: Store) -> None:
    frame = made(store, OUTPUTS, "r").to_pandas()
    assert list(frame["id"]) == [f"case-{i}" for i in range(5)]
    assert frame["score"].mean() == pytest.approx(1 / 3)
    assert frame["score"].isna().sum() == 2


def test_a_report_can_be_written(store: Store, tmp_path: Path) -> None:
    made(store, ["right"] * 3, "a")
    path = made(store, OUTPUTS, "b").report(tmp_path / "report.html", baseline="a")
    assert "<html" in path.read_text(encoding="utf-8")


def test_results_of_one_metric(store: Store) -> None:
    run = made(store, OUTPUTS, "r")
    assert [r.outcome for r in run.results("label")].count(Outcome.SCORED) == 3
    assert list(run.results("other")) == []
    assert "label: mean 0.333" in str(run.summary())
    assert repr(run) == "<Run 'r' finished: 5 cases, label by believing>"
