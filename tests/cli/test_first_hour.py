"""What people type in their first hour, and what they are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from halluscope import sample
from halluscope._internal.cli import app

ROW = {"id": "tower", "output": "The tower has 3 floors.", "context": "The tower has 4 floors."}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("HALLUSCOPE_JUDGE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def written(path: Path, *rows: object) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chekc"], "there is no command 'chekc'; did you mean 'check'? `halluscope --help` lists them."),
        (["nothing-like-it"], "there is no command 'nothing-like-it'; `halluscope --help` lists them."),
        (["check", "-o", "x", "-c", "y", "-m", "faithfullness"], "did you mean 'faithfulness'? Choose one of: hall"),
        (["check", "-o", "x", "-c", "y", "-p", "mine"], "no profile 'mine'; make one with `halluscope calibrate`."),
    ],
)
def test_a_misspelt_name_is_said_with_the_one_that_was_meant(home: Path, words: list[str], said: str) -> None:
    done = run(*words)
    assert done.exit_code == 2
    assert said in done.stderr


def test_several_metrics_may_stand_in_one_option(home: Path) -> None:
    done = run("eval", written(home / "rows.jsonl", ROW), "--metric", "hallucination, faithfulness", "--json")
    assert set(json.loads(done.stdout)["metrics"]) == {"hallucination", "faithfulness"}


def test_a_case_that_is_not_there_is_said_with_those_that_are(home: Path) -> None:
    run("eval", written(home / "rows.jsonl", ROW), "--run", "r")
    assert "'towr'; did you mean 'tower'?" in run("show", "r", "towr").stderr
    assert "choose one of: tower." in run("show", "r", "x").stderr
    run("eval", written(home / "many.jsonl", *({**ROW, "id": f"case-{i}"} for i in range(30))), "--run", "many")
    assert "'x'; `halluscope export` lists the ids." in run("show", "many", "x").stderr


def test_a_check_without_a_context_says_how_to_give_one(home: Path) -> None:
    done = run("check", "--output", "Einstein won in 1969.")
    assert done.exit_code == 3
    assert "no score (no context)" in done.stdout
    assert "--context TEXT or --context @FILE" in done.stderr


def test_the_name_of_a_file_in_place_of_its_text_is_noticed(home: Path) -> None:
    (home / "answer.txt").write_text("Einstein won in 1969.")
    done = run("check", "--output", "answer.txt", "--context", "Einstein won in 1921.")
    assert "'answer.txt' is checked as text; write @answer.txt" in done.stderr
    for text in ("@answer.txt", "\0", "x" * 5000):
        assert "is checked as text" not in run("check", "--output", text, "--context", "It has 3 floors.").stderr


@pytest.mark.parametrize("option", ["--report", "--junit", "--markdown"])
def test_eval_never_writes_over_the_data(home: Path, option: str) -> None:
    path = home / "rows.jsonl"
    before = written(path, ROW) and path.read_bytes()
    done = run("eval", "rows.jsonl", option, str(path))
    assert done.exit_code == 2
    assert "is the input data: name another file" in done.stderr
    assert path.read_bytes() == before


def test_nor_do_export_report_and_bench(home: Path) -> None:
    path = home / "rows.jsonl"
    before = written(path, {**ROW, "label": 1}) and path.read_bytes()
    run("eval", "rows.jsonl", "--run", "r")
    for words in (["export", "r", "-o"], ["report", "r", "-o"], ["bench", "rows.jsonl", "--picture"]):
        assert run(*words, "rows.jsonl").exit_code == 2, words
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "the data is empty"),
        ([{**ROW, "output": None}], "no case has a score (1 empty output). No score: the output is empty."),
        ([{**ROW, "output": "La tour a trois étages, dit le maire de la ville."}], "reads English only"),
        ([{"output": "It has 3 floors."}], "no row has a context (columns: output)"),
        ([{"said": "It has 3 floors."}], "no column for the output (columns: said)"),
    ],
)
def test_a_run_that_measured_nothing_has_failed(home: Path, rows: list[object], said: str) -> None:
    done = run("eval", written(home / "rows.jsonl", *rows))
    assert done.exit_code in (2, 3)
    assert said in done.stderr


def test_an_empty_file_prints_no_empty_tables(home: Path) -> None:
    assert run("eval", written(home / "rows.jsonl")).stdout == ""


@pytest.mark.slow("runs the command line many times")
def test_the_report_is_named_in_place_of_how_to_make_one(home: Path) -> None:
    data = str(sample())
    assert "halluscope report r --open" in run("eval", data, "--run", "r").stdout
    done = run("eval", data, "--run", "r", "--report", "out.html")
    assert "report: out.html" in done.stdout and "--open" not in done.stdout
