"""Runs on a real Ray cluster: a head and two nodes, each a set of processes of its own."""

from __future__ import annotations

import csv
import json
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import halluscope
from halluscope import InputError, Store
from halluscope._internal.cli import app
from halluscope.distributed import ClusterRun, evaluate, score
from halluscope.errors import RunFailed

from ..helpers.loopback import Features, Loopback
from ..helpers.systems import posix
from ..helpers.waiting import wait_until
from .conftest import Nodes
from .judges import Halting, Noting, always_factual

pytestmark = [posix, pytest.mark.slow("starts a Ray cluster"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]


def rows_of(run: ClusterRun) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(run.results).to_pylist()
    return rows


def bad_rows_of(run: ClusterRun) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(run.bad_rows).to_pylist()
    return rows


def cases(count: int, start: int = 0) -> list[dict[str, Any]]:
    return [
        {
            "id": f"case-{i}",
            "question": "How many floors?",
            "answer": f"The tower has {i} floors. It is {'old ' * (i % 7)}.",
            "contexts": [f"The tower has {i if i % 3 else i + 1} floors."],
        }
        for i in range(start, start + count)
    ]


def write_jsonl(path: Path, rows: Sequence[dict[str, Any]], *more: str) -> Path:
    lines = [*(json.dumps(row) for row in rows), *more]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_scores_are_those_of_one_machine_to_the_bit(cluster: Nodes, tmp_path: Path) -> None:
    given = [json.loads(line) for line in Path(halluscope.sample()).read_text(encoding="utf-8").splitlines()[::2]]
    data = tmp_path / "data"
    (data / "deep").mkdir(parents=True)
    write_jsonl(data / "a.jsonl", given[:2])
    with (data / "deep" / "b.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(given[0]))
        writer.writeheader()
        writer.writerows({k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()} for row in given[2:4])
    pq.write_table(pa.Table.from_pylist(given[4:]), data / "c.parquet")
    metrics = ["hallucination", "faithfulness"]
    run = evaluate(f"{data}/**/*.*", metrics, output=tmp_path / "out", partition_rows=1)
    with Store(tmp_path / "store.db") as store:
        here = halluscope.evaluate(given, metrics, store=store)
        want = {(r.case_id, r.metric): (r.score, r.passed, r.outcome.value, r.reason) for r in here}
        figures = here.summary()
    there = {(r["id"], r["metric"]): (r["score"], r["passed"], r["outcome"], r["reason"]) for r in rows_of(run)}
    assert there == want
    for metric in metrics:
        ours, theirs = run.summary()[metric], figures[metric]
        assert (ours.mean, ours.passed, ours.outcomes) == (theirs.mean, theirs.passed, theirs.outcomes)
        assert ours.median == pytest.approx(theirs.median, abs=1e-4)


def test_bad_rows_are_written_with_their_reason(cluster: Nodes, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", cases(3), "{broken", json.dumps({"answer": 1.5j.real, "contexts": 7}))
    (tmp_path / "b.parquet").write_bytes(b"this is no Parquet file")
    said: list[str] = []
    files = [tmp_path / "a.jsonl", tmp_path / "b.parquet"]
    run = evaluate(files, "label", always_factual, output=tmp_path / "out", workers=1, on_message=said.append)
    assert [row["id"] for row in rows_of(run)] == ["case-0", "case-1", "case-2"]
    reasons = {row["place"].rpartition("/")[2]: row["reason"] for row in bad_rows_of(run)}
    assert set(reasons) == {"a.jsonl, line 4", "a.jsonl, line 5", "b.parquet"}
    assert "not a JSON object" in reasons["a.jsonl, line 4"] and "Parquet" in reasons["b.parquet"]
    assert run.summary().bad_rows == 3 and run.summary()["label"].coverage == 0.5
    assert sum("was left out" in message for message in said) == 3
    with pytest.raises(RunFailed, match=r"line 4 cannot be read: not a JSON object"):
        evaluate(
            tmp_path / "a.jsonl", "label", always_factual, output=tmp_path / "strict", workers=1, stop_at_bad_row=True
        )


def test_an_interrupted_run_continues_with_the_missing_partitions(cluster: Nodes, tmp_path: Path) -> None:
    data = write_jsonl(tmp_path / "a.jsonl", cases(30))
    output, judge = tmp_path / "out", Noting(tmp_path / "log")
    whole = evaluate(data, "label", judge, output=output, partition_rows=5)
    assert judge.asked() == 30
    figures = sorted((output / "figures").glob("*.json"))
    for lost in (figures[1], figures[5]):  # as if the run had ended before these were written
        lost.unlink()
    again = evaluate(data, "label", judge, output=output, workers=1)
    assert judge.asked() == 40, "only the rows of the two partitions are asked again"
    assert again.summary().metrics == whole.summary().metrics
    assert Counter(row["id"] for row in rows_of(again)) == Counter(f"case-{i}" for i in range(30))
    evaluate(data, "label", judge, output=output)
    assert judge.asked() == 40
    write_jsonl(data, cases(12))
    changed = evaluate(data, "label", judge, output=output, workers=1)
    assert sorted(row["id"] for row in rows_of(changed)) == sorted(f"case-{i}" for i in range(12))
    assert changed.summary().cases == 12
    with pytest.raises(InputError, match="holds a run of other metrics"):
        evaluate(data, "hallucination", judge, output=output)
    fresh = evaluate(data, "hallucination", output=output, fresh=True, workers=1)
    assert fresh.summary()["hallucination"].results == 12


def test_all_workers_together_respect_the_limits_of_calls(cluster: Nodes, tmp_path: Path, server: Loopback) -> None:
    for number in range(2):
        write_jsonl(tmp_path / f"{number}.jsonl", cases(12, start=100 * number))
    server.latency = 0.05
    run = evaluate(
        f"{tmp_path}/*.jsonl",
        "label",
        "openai/gpt-4o",
        base_url=server.base_url,
        api_key="sk-a-key-for-loopback",
        output=tmp_path / "out",
        partition_rows=3,
        workers=2,
        concurrency=3,
        calls_per_minute=600,
    )
    assert run.summary()["label"].scored == 24
    assert server.most_at_once <= 3
    times = sorted(call.at for call in server.calls)
    assert len(times) == 24
    for first in range(len(times)):
        for last in range(first + 10, len(times)):
            allowed = 1 + (times[last] - times[first]) * 10
            assert last - first + 1 <= allowed + 3, "more calls than ten a second, and three that were late"
    assert run.summary().usage.calls == 24 and run.summary().usage.cost


def test_a_judge_that_refuses_everything_ends_the_run_in_one_sentence(
    cluster: Nodes, tmp_path: Path, server: Loopback
) -> None:
    data = write_jsonl(tmp_path / "a.jsonl", cases(30))
    server.features = Features(key="another")
    with pytest.raises(RunFailed, match=r"the judge refused the first 10 questions: .*401") as caught:
        evaluate(data, "label", "openai/gpt-4o", base_url=server.base_url, api_key="wrong-key", output=tmp_path / "out")
    assert "wrong-key" not in str(caught.value) and "Traceback" not in str(caught.value)
    assert not (tmp_path / "out" / "summary.json").exists()


def test_a_dataset_is_scored_as_one_step_of_others(cluster: Nodes, tmp_path: Path) -> None:
    import ray

    dataset = ray.data.from_items([*cases(5), {"id": "bad", "question": "q", "answer": "A.", "contexts": [{}, 1.5]}])
    dataset.context.enable_progress_bars = False
    scored = score(dataset, ["label"], always_factual, workers=1, batch_rows=4)
    found = {row["id"]: row for row in scored.take_all() if row["outcome"] != "bad_row"}
    assert {id: (row["metric"], row["score"]) for id, row in found.items() if id != "bad"} == {
        f"case-{i}": ("label", 0.0) for i in range(5)
    }
    with pytest.raises(InputError, match="`batch_rows` must be more than 0, not 0"):
        score(dataset, batch_rows=0)


def test_the_command_scores_on_the_cluster_and_prints_the_paths(
    cluster: Nodes, tmp_path: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-for-loopback")
    write_jsonl(tmp_path / "a.jsonl", cases(6), "{broken")
    words = ["eval", f"{tmp_path}/*.jsonl", "--engine", "ray", "--output", str(tmp_path / "out"), "--metric", "label"]
    words += ["--judge", "openai/gpt-4o", "--base-url", server.base_url]
    done = CliRunner().invoke(
        app, [*words, "--json", "--gate", "coverage >= 0.5", "--report", str(tmp_path / "r.html")]
    )
    assert done.exit_code == 0, done.output
    figures = json.loads(done.stdout)
    assert figures["cases"] == 6 and figures["bad_rows"] == 1 and figures["metrics"]["label"]["scored"] == 6
    assert len(list(Path(figures["results"]).glob("*.parquet"))) == 1
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page == (tmp_path / "out" / "report.html").read_text(encoding="utf-8") and "<html" in page
    again = CliRunner().invoke(app, words)
    assert again.exit_code == 0 and "6 of 7" in again.output and f"results: {tmp_path / 'out'}" in again.output
    assert len(server.calls) == 6, "nothing is asked again"


def test_a_node_that_dies_is_replaced_and_nothing_is_lost_or_counted_twice(cluster: Nodes, tmp_path: Path) -> None:
    """The last of those that need the cluster: after it, a node would have to be started for them."""
    for number in range(4):
        write_jsonl(tmp_path / f"{number}.jsonl", cases(12, start=100 * number))
    output, gone = tmp_path / "out", tmp_path / "gone"
    judge = Halting(output / "figures", 3, until=gone)
    killed = threading.Event()

    def kill() -> None:
        try:
            wait_until(lambda: judge.halted() == 2, longest=300)  # both nodes are in the middle of a partition
            cluster.kill_one()
            killed.set()
        finally:
            gone.touch()

    killer = threading.Thread(target=kill)
    killer.start()
    # One worker asks at most for two partitions at once: the other has calls left.
    run = evaluate(f"{tmp_path}/*.jsonl", "label", judge, output=output, partition_rows=3, workers=2, concurrency=8)
    killer.join()
    assert killed.is_set()
    counted = Counter(row["id"] for row in rows_of(run))
    assert counted == Counter(f"case-{100 * number + i}" for number in range(4) for i in range(12))
    assert run.summary().cases == run.summary()["label"].scored == 48
    assert len(list((output / "figures").glob("*.json"))) == 16
    assert not [path for path in output.rglob("*") if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--engine", "spork", "--output", "x"], "there is no engine 'spork'"),
        (["--engine", "ray"], "--engine ray needs --output FOLDER"),
        (["--engine", "ray", "--output", "x", "--max-cost", "3"], "--engine ray does not support --max-cost"),
        (["--engine", "ray", "--output", "x", "--run", "monday"], "--engine ray does not support --run"),
        (["--output", "x"], "--output needs --engine ray"),
        (["--calls-per-minute", "5"], "--calls-per-minute needs --engine ray"),
    ],
)
def test_incompatible_options_are_reported_in_one_sentence(words: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["eval", "data.jsonl", *words])
    assert done.exit_code == 2 or isinstance(done.exception, InputError)
    assert said in (str(done.exception) if isinstance(done.exception, InputError) else done.output)
