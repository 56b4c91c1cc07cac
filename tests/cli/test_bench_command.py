"""`bench` and `calibrate` as a user runs them, against a chat server on loopback."""

from __future__ import annotations

import importlib.util
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from halluscope._internal.cli import app
from halluscope._internal.core.errors import HalluscopeError
from halluscope._internal.runs.profile import Profile

from ..helpers.loopback import Faults, Loopback


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("COLUMNS", "120")


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, arguments)
    if isinstance(done.exception, HalluscopeError):
        return 2, done.stdout, str(done.exception)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def halueval(path: Path, n: int = 30) -> Path:
    """Rows in HaluEval's own format, made up: the wrong answer names another year."""
    with path.open("w", encoding="utf-8") as file:
        for i in range(n):
            row = {
                "knowledge": f"The bridge of Town{i} was built in {1800 + i} by local masons.",
                "question": f"When was the bridge of Town{i} built?",
                "right_answer": f"The bridge was built in {1800 + i}.",
                "hallucinated_answer": f"The bridge was built in {1900 + i}, long after the town was founded by monks.",
            }
            file.write(json.dumps(row) + "\n")
    return path


@pytest.mark.slow("benchmarks judges")
def test_phoenix_experiment_in_one_command(tmp_path: Path, server: Loopback) -> None:
    """HaluEval QA, whole answers labelled by a chat judge: the table, the confusion matrix and the picture."""
    file, picture = halueval(tmp_path / "qa_data.json"), tmp_path / "matrix.svg"
    code, out, _ = run(
        *("bench", "halueval-qa", "--file", str(file), "--metric", "label", "--judge", "openai/gpt-tiny"),
        *("--base-url", server.base_url, "--picture", str(picture), "--resamples", "50"),
    )
    assert code == 0
    assert "60 cases, 30 of them hallucinated" in out
    assert "licence: MIT" in out
    for row in ("balanced accuracy", "precision", "recall", "F1 of hallucinated", "AUROC", "coverage", "tokens"):
        assert row in out
    assert re.search(r"hallucinated +│.* 30 \(100%\)", out)
    assert re.search(r"factual +│.* 30 \(100%\)", out)
    assert "'longer answers' has AUROC 1.00" in " ".join(out.split())
    assert picture.read_text().startswith("<svg")
    assert server.kinds() == ["label"] * 60
    assert "to repeat: halluscope" in out


def test_the_label_is_asked_for_as_phoenix_or_as_opik_does(tmp_path: Path, server: Loopback) -> None:
    file = halueval(tmp_path / "qa_data.json", 2)
    asked = ("bench", str(file), "--judge", "openai/a", "--base-url", server.base_url, "--metric", "label")
    prompts = []
    for style in ("phoenix", "opik", None):
        server.forget()
        assert run(*asked, *(("--style", style) if style else ()), "--fresh", "--resamples", "10")[0] == 0
        prompts.append(server.calls[0].asked.system)
    assert prompts[0] != prompts[1] == prompts[2]
    code, _, problem = run(*asked[:-1], "hallucination", "--style", "phoenix")
    assert (code, "--style is for the metric label" in problem) == (2, True)


def test_the_notebook_of_the_phoenix_benchmark_runs(
    tmp_path: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = json.loads((Path(__file__).parents[2] / "examples" / "phoenix_benchmark.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert notebook["nbformat"] == 4 and not any(cell.get("outputs") for cell in notebook["cells"])
    file = halueval(tmp_path / "qa_data.json")
    given = {"FILE": str(file), "MODEL": "openai/gpt-tiny", "LIMIT": "20", "OPENAI_BASE_URL": server.base_url}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    names: dict[str, Any] = {}
    for cell in cells:
        exec(compile(cell, "the notebook", "exec"), names)
    assert names["matrix"].to_dict() == {
        "factual": {"factual": (names["known"] == "factual").sum(), "hallucinated": 0},
        "hallucinated": {"factual": 0, "hallucinated": (names["known"] == "hallucinated").sum()},
    }
    assert "accuracy 1.000, recall of hallucinations 1.000, on 20 cases" in capsys.readouterr().out


def test_the_figures_as_one_object_and_nothing_is_paid_twice(tmp_path: Path, server: Loopback) -> None:
    file = halueval(tmp_path / "qa_data.json")
    asked = ("bench", str(file), "--judge", "openai/a", "--base-url", server.base_url, "--json", "--resamples", "50")
    code, out, _ = run(*asked, "--limit", "20", "--seed", "3")
    found = json.loads(out)
    assert code == 0
    assert found["n"] == 20
    assert found["set"] == "halueval-qa"
    assert found["coverage"] == 1
    assert set(found["confusion"]) == {"tp", "fp", "fn", "tn"}
    assert sum(found["confusion"].values()) == 20
    for name in ("balanced_accuracy", "precision", "recall", "f1", "auroc", "average_precision", "ece"):
        low, high = found["intervals"][name]
        assert low <= found[name] <= high
    assert found["cases_per_second"] > 0
    assert [b["judge"] for b in found["baselines"]] == ["always hallucinated", "longer answers", "less token overlap"]
    again = json.loads(run(*asked, "--limit", "20", "--seed", "3")[1])
    assert len(server.calls) == 20
    assert again["cached"] == 20
    assert {name: again[name] for name in ("f1", "cases", "intervals")} == {
        name: found[name] for name in ("f1", "cases", "intervals")
    }
    other = json.loads(run(*asked, "--limit", "20", "--seed", "4")[1])
    assert other["cases"] != found["cases"]
    before = len(server.calls)
    run(*asked, "--limit", "20", "--seed", "3", "--fresh")
    assert len(server.calls) == before + 20


def test_two_judges_stand_side_by_side_with_the_cascade_between_them(tmp_path: Path, server: Loopback) -> None:
    file = halueval(tmp_path / "qa_data.json", 10)
    judges = ("--judge", "openai/a", "--judge", "openai/b", "--base-url", server.base_url)
    found = json.loads(run("bench", str(file), *judges, "--json", "--resamples", "20")[1])
    assert [j["judge"] for j in found["judges"]] == ["openai/a", "openai/b"]
    assert found["judge"] == "openai/a"
    assert (found["tradeoff"][0]["share"], found["tradeoff"][-1]["share"]) == (0, 1)
    _, out, _ = run("bench", str(file), *judges, "--resamples", "20")
    assert "then openai/b if unsure" in out
    assert "…" not in out.split("confusion matrix")[0]  # no figure is cut off


def test_a_judge_that_fails_is_not_called_wrong(tmp_path: Path) -> None:
    file = halueval(tmp_path / "qa_data.json", 10)
    with Loopback(faults=Faults(refused=1.0)) as server:
        code, out, _ = run(
            "bench", str(file), "--judge", "openai/a", "--base-url", server.base_url, "--json", "--resamples", "10"
        )
    found = json.loads(out)
    assert code == 3
    assert found["coverage"] == 0
    assert found["failures"] == {"failed": 20}
    assert found["f1"] is None
    assert len(found["problems"]) == 20


def test_without_a_set_the_sets_are_listed_with_their_licences() -> None:
    code, out, _ = run("bench")
    assert code == 0
    for name in ("halueval-qa", "halueval-general", "ragtruth", "llm-aggrefact", "faithbench", "wice", "halubench"):
        assert name in out
    assert "CC BY-NC 2.0" in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("bench", "nowhere.jsonl"), "neither a file nor a public dataset"),
        (("bench", "halueval-qa", "--offline"), "pass a copy with --file"),
        (("bench", "halueval-qa", "--metric", "nonsense"), "there is no metric"),
        (("bench", "halueval-qa", "--judge", "nobody"), "there is no judge"),
        (("bench", "halueval-qa", "--profile", "none"), "there is no profile"),
        (("bench", "halueval-qa", "--base-url", "http://127.0.0.1:1"), "--base-url needs a judge"),
        (("calibrate", "nowhere.jsonl"), "neither a file nor a public dataset"),
        (("calibrate", "nowhere.jsonl", "--mapping", "magic"), "there is no mapping"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], said: str) -> None:
    code, _, error = run(*arguments)
    assert code == 2
    assert said in error


@pytest.mark.parametrize(
    "wrong",
    [("--recall", "1.5"), ("--recall", "0.8", "--false-alarms", "0.1"), ("--confidence", "2"), ("--name", "a/b")],
)
def test_calibrate_refuses_options_before_the_judge_is_paid(
    wrong: tuple[str, ...], tmp_path: Path, server: Loopback
) -> None:
    file = halueval(tmp_path / "qa.jsonl")
    code, _, error = run("calibrate", str(file), "--judge", "openai/a", "--base-url", server.base_url, *wrong)
    assert code == 2 and error
    assert server.calls == []


@pytest.mark.parametrize("command", [("calibrate",), ("stress", "--metric", "label")])
def test_replies_to_calibrate_and_stress_are_kept(command: tuple[str, ...], tmp_path: Path, server: Loopback) -> None:
    known = "The bridge was built in 1801 by local masons."
    rows = [{"output": f"{known} So it is said, {i} times.", "context": known, "label": i % 2} for i in range(6)]
    file = tmp_path / "qa.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    asked = (command[0], str(file), *command[1:], "--judge", "openai/a", "--base-url", server.base_url, "--json")
    first = run(*asked)  # a profile from these labels is refused, and that costs no reply either
    made = len(server.calls)
    assert made and first[0] == (2 if command[0] == "calibrate" else 0)
    second = run(*asked)
    assert second[0] == first[0] and len(server.calls) == made
    if first[0] == 0:
        assert json.loads(second[1]).get("kinds") == json.loads(first[1]).get("kinds")


def test_a_picture_that_cannot_be_written_costs_no_figures(tmp_path: Path) -> None:
    file = halueval(tmp_path / "a.jsonl", 2)
    code, out, error = run("bench", str(file), "--resamples", "10", "--picture", str(file / "p.svg"))
    assert code == 2
    assert "balanced accuracy" in out
    assert "cannot be written" in error


def test_a_damaged_parquet_file_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    file.write_bytes(b"PAR1 and then nothing")
    for command in ("bench", "calibrate"):
        code, _, error = run(command, str(file))
        assert code == 2
        assert "cannot be read as Parquet" in error


def scored(path: Path, n: int, *, seed: int = 0, turned: bool = False) -> Path:
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for i in range(n):
            wrong = i % 2 == 0
            p = min(1.0, max(0.0, rng.gauss(0.7 if wrong else 0.3, 0.15)))
            row: dict[str, Any] = {"id": str(i), "output": "o", "context": "c", "label": int(wrong)}
            file.write(json.dumps({**row, "score": 1 - p if turned else p}) + "\n")
    return path


def test_calibrate_from_fifty_scores_in_a_file(tmp_path: Path) -> None:
    code, out, _ = run("calibrate", str(scored(tmp_path / "mine.jsonl", 50)), "--recall", "0.8")
    assert code == 0
    assert "recall of at least 0.8, with 99% confidence" in " ".join(out.split())
    assert "of 25 hallucinated" in out
    assert "--profile mine" in out
    profile = Profile.load("mine")
    assert profile.reachable
    assert profile.recall_interval.low < profile.recall <= profile.recall_interval.high
    assert profile.mapping.kind == "platt"


def test_scores_where_higher_is_better_are_turned_round(tmp_path: Path) -> None:
    run("calibrate", str(scored(tmp_path / "a.jsonl", 100)), "--recall", "0.8")
    turned = scored(tmp_path / "b.jsonl", 100, turned=True)
    run("calibrate", str(turned), "--recall", "0.8", "--direction", "higher", "--json")
    assert Profile.load("b").threshold == pytest.approx(Profile.load("a").threshold)


@pytest.mark.slow("benchmarks judges")
def test_a_profile_from_a_judge_is_used_by_bench(tmp_path: Path, server: Loopback) -> None:
    file = halueval(tmp_path / "qa_data.json", 40)
    judge = ("--judge", "openai/a", "--base-url", server.base_url)
    code, out, _ = run("calibrate", str(file), *judge, "--false-alarms", "0.2", "--name", "bridges", "--json")
    made = json.loads(out)
    assert code == 0
    assert (made["judge"], made["metric"], made["n"]) == ("openai/a", "label", 80)
    asked = ("bench", str(file), "--profile", "bridges", "--base-url", server.base_url, "--json", "--resamples", "10")
    found = json.loads(run(*asked)[1])
    assert (found["judge"], found["metric"], found["profile"]) == ("openai/a", "label", "bridges")
    assert found["confusion"]["fp"] <= 0.2 * 40
    other = json.loads(run(*asked, "--metric", "label", "--judge", "openai/b")[1])
    assert any("does not hold for this one" in remark for remark in other["remarks"])


@pytest.mark.slow("benchmarks judges")
def test_a_profile_decides_what_check_passes(tmp_path: Path, server: Loopback) -> None:
    """The judge is sure that both outputs are wrong; a profile that flags nothing lets them pass, and says why."""
    judge = ("--judge", "openai/a", "--base-url", server.base_url)
    output = ("--output", "The bridge was built in 1901.", "--context", "The bridge was built in 1801.")
    assert run("check", *output, *judge, "--metric", "label")[0] == 1
    few = halueval(tmp_path / "few.json", 5)
    run("calibrate", str(few), *judge, "--false-alarms", "0.01", "--name", "lax")
    code, out, _ = run("check", *output, "--profile", "lax", "--base-url", server.base_url, "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["metric"], found["judge"], found["label"], found["score"]) == ("label", "openai/a", "factual", 1.0)
    assert any("judged by the profile 'lax'" in note for note in found["notes"])
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"id": "a", "output": output[1], "context": output[3]}))
    code, out, _ = run("eval", str(data), "--profile", "lax", "--base-url", server.base_url, "--json")
    label = json.loads(out)["metrics"]["label"]
    assert code == 0
    assert (label["judge"], label["passed"], label["mean"]) == ("openai/a", 1, 1.0)
    assert label["flagged_from"] == found["figures"]["flagged_from"]
    code, out, _ = run("eval", str(data), "--profile", "lax", "--base-url", server.base_url)
    assert f"(flagged from {label['flagged_from']:.2f})" in " ".join(out.split())
    before = len(server.calls)
    for command in (("check", *output), ("eval", str(data)), ("bench", str(few))):
        code, _, error = run(*command, *judge, "--profile", "lax", "--metric", "hallucination")
        assert code == 2
        assert "is for the metric 'label'" in error
    assert len(server.calls) == before, "a profile that does not fit is refused before anything is paid"


@pytest.mark.slow("benchmarks judges")
def test_the_readmes_table_is_made_by_a_script(
    tmp_path: Path, server: Loopback, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    path = Path(__file__).parents[2] / "scripts" / "readme_table.py"
    spec = importlib.util.spec_from_file_location("readme_table", path)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    folder = tmp_path / "sets"
    folder.mkdir()
    halueval(folder / "first.json", 10)
    halueval(folder / "second.json", 8)
    (folder / "notes.txt").write_text("not a set")
    assert script.main([str(folder), "--judge", "openai/a", "--limit", "12"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert [line.split("|")[1].strip() for line in lines[:5]] == ["set", "---", "first", "second", "**mean of 2**"]
    assert all(line.count("|") == lines[0].count("|") for line in lines[:5])
    assert "notes.txt: left out" in err
    assert "python scripts/readme_table.py FOLDER --judge openai/a --limit 12" in out
    assert script.main([str(tmp_path / "home")]) == 2
