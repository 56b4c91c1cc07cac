"""`eval`, `runs`, `show`, `compare` and `export` as a user types them, against a server over HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from halluscope import sample
from halluscope._internal.cli import app
from halluscope._internal.core.errors import HalluscopeError
from halluscope._internal.runs.store import Store, default_path

from ..helpers.loopback import Faults, Features, Loopback
from ..helpers.systems import posix


class Shell:
    """The command line with a home of its own and a server to judge."""

    def __init__(self, server: Loopback) -> None:
        self.server = server

    def __call__(self, *words: object, judged: bool = False) -> Result:
        arguments = [str(word) for word in words]
        if judged:
            arguments += ["--judge", "openai/gpt-4o", "--base-url", self.server.base_url]
        return CliRunner().invoke(app, arguments)

    def eval(self, *words: object) -> Result:
        return self("eval", *words, judged=True)

    def figures(self, *words: object) -> dict[str, Any]:
        done = self.eval(*words, "--json")
        assert done.exit_code == 0, done.output
        figures: dict[str, Any] = json.loads(done.stdout)
        return figures


@pytest.fixture
def shell(server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    return Shell(server)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    rows = [
        {
            "id": f"case-{i}",
            "question": "q?",
            "answer": f"The tower has {i} floors.",
            "contexts": [f"The tower has {i % 4} floors."],
        }
        for i in range(8)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def said(done: Result) -> str:
    """What a bad command says; errors we know reach `main`, which the runner does not call."""
    return str(done.exception) if isinstance(done.exception, HalluscopeError) else done.output


def test_the_example_file_is_scored_and_shown(shell: Shell, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    done = shell.eval(sample(), "--metric", "hallucination", "--metric", "faithfulness", "--report", report)
    assert done.exit_code == 0, done.output
    for text in ("lighthouse-wrong-year", "hallucination", "faithfulness", "10 of 12", "1 refusal", "1 empty output"):
        assert text in done.stdout
    assert "lighthouse-wrong-year" in report.read_text(encoding="utf-8") or report.stat().st_size > 10_000


def test_the_table_says_what_is_wrong_in_words(tmp_path: Path, shell: Shell) -> None:
    """The claim, and what the judge says against it: 1854 stands in the context alone."""
    row = {"id": "year", "output": "The mill was built in 1874.", "context": "The mill was built in 1854."}
    path = tmp_path / "mill.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    done = shell("eval", path, "--metric", "hallucination", "--judge", "local")
    assert done.exit_code == 0, done.output
    table = " ".join(done.stdout.split())
    assert "1874" in table and "1854" in table


def test_json_is_one_object_and_nothing_else(shell: Shell, data: Path) -> None:
    with data.open("a", encoding="utf-8") as file:
        file.write("not json\n")
    figures = shell.figures(data, "--metric", "hallucination", "--run", "night")
    assert figures["run"] == "night"
    assert figures["state"] == "finished"
    assert figures["cases"] == 8
    assert figures["bad_rows"][0]["place"] == "line 9"
    metric = figures["metrics"]["hallucination"]
    assert metric["results"] == metric["scored"] == 8
    assert metric["coverage"] == pytest.approx(8 / 9)
    assert figures["usage"]["calls"] == len(shell.server.calls)
    assert figures["usage"]["cost"] > 0


def test_a_bad_row_is_said_with_its_line_and_the_rest_runs(shell: Shell, data: Path) -> None:
    data.write_text(data.read_text(encoding="utf-8").replace('{"id": "case-2"', '{"id" "case-2"'), encoding="utf-8")
    done = shell.eval(data, "--metric", "label")
    assert done.exit_code == 0
    assert "line 3 was left out: not a JSON object" in done.stderr
    assert "7 of 8" in done.stdout
    strict = shell.eval(data, "--metric", "label", "--stop-at-bad-row")
    assert strict.exit_code == 3
    assert "line 3 cannot be read" in strict.stderr


def test_columns_can_be_mapped(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("said,source\nThe tower has 3 floors.,The tower has 3 floors.\n")
    assert "no column for the output" in said(shell.eval(path))
    assert shell.eval(path).exit_code != 0
    figures = shell.figures(path, "--map", "output=said", "--map", "context=source", "--metric", "label")
    assert figures["metrics"]["label"]["scored"] == 1
    assert "cannot be read: write it like output=answer" in said(shell.eval(path, "--map", "output"))


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["hallucination <= 1"], 0),
        (["hallucination <= 1", "coverage >= 0.98", "hallucination.pass_rate >= 0"], 0),
        (["hallucination < 0"], 1),
        (["hallucination <= 1", "coverage > 1"], 1),
    ],
)
def test_gates_decide_the_exit_code(shell: Shell, data: Path, gates: list[str], code: int) -> None:
    words = [word for gate in gates for word in ("--gate", gate)]
    done = shell.eval(data, *words)
    assert done.exit_code == code
    assert done.stdout.count("✗") == (1 if code else 0)
    assert done.stdout.count("✓") == len(gates) - (1 if code else 0)


def test_a_gate_that_cannot_be_read_costs_nothing(shell: Shell, data: Path) -> None:
    done = shell.eval(data, "--gate", "nonsense <= 1")
    assert "which this run does not have" in said(done)
    assert shell.server.calls == []
    assert not default_path().exists()


@pytest.mark.slow("runs the command line many times")
def test_no_worse_than(shell: Shell, data: Path, tmp_path: Path) -> None:
    shell.figures(data, "--run", "base")
    assert shell.eval(data, "--run", "same", "--no-worse-than", "base").exit_code == 0
    worse = tmp_path / "worse.jsonl"
    lines = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
    worse.write_text("".join(json.dumps(row | {"answer": "The tower burnt down in 1731."}) + "\n" for row in lines))
    done = shell.eval(worse, "--run", "worse", "--no-worse-than", "base")
    assert done.exit_code == 1
    assert "hallucination no worse than base" in done.stdout
    calls = len(shell.server.calls)
    assert "no run called 'nobody'" in said(shell.eval(data, "--no-worse-than", "nobody"))
    assert "names the run itself" in said(shell.eval(data, "--run", "base", "--no-worse-than", "base"))
    assert "has none of these metrics" in said(shell.eval(data, "--metric", "label", "--no-worse-than", "base"))
    assert len(shell.server.calls) == calls


def test_a_failed_run_is_not_a_failed_gate(shell: Shell, data: Path) -> None:
    shell.server.features = Features(key="secret")
    done = shell.eval(data, "--gate", "hallucination <= 0.1")
    assert done.exit_code == 3
    assert "the judge failed on every case" in done.stderr


def test_an_empty_file_is_a_failed_run(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text("")
    done = shell.eval(path)
    assert done.exit_code == 3
    assert "the data is empty" in done.stderr


def test_a_damaged_store_is_a_failed_run(shell: Shell, data: Path) -> None:
    shell.figures(data)
    path = default_path()
    content = bytearray(path.read_bytes())
    for place in range(4096, len(content), 97):
        content[place] ^= 0xFF
    path.write_bytes(bytes(content))
    for words in (["eval", data], ["runs"], ["show", "x"]):
        done = shell(*words, judged=words[0] == "eval")
        assert done.exit_code == 3, done.output
        assert "is damaged" in done.stderr


def test_a_damaged_value_is_said_by_every_command_that_reads_it(shell: Shell, data: Path, tmp_path: Path) -> None:
    shell.figures(data, "--run", "one")
    with Store() as store:
        store._connection.execute("UPDATE outcomes SET score = 0.25")
    for words in (["export", "one", "--output", tmp_path / "x.csv"], ["show", "one", "case-1"], ["runs", "--check"]):
        done = shell(*words)
        assert done.exit_code == 3, words
        assert "is damaged" in done.stderr
    assert shell.eval(data).exit_code == 3


def test_a_cost_limit_has_an_exit_code_of_its_own(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(
        "".join(json.dumps({"output": f"It has {i}.", "context": ["It has 1."]}) + "\n" for i in range(200))
    )
    done = shell.eval(path, "--run", "r", "--max-cost", "0.02", "--metric", "label")
    assert done.exit_code == 4
    assert "the cost limit of $0.02 was reached" in done.stderr
    with Store() as store:
        assert store.rows("SELECT state FROM runs") == [("stopped",)]
    assert shell.figures(path, "--run", "r", "--metric", "label")["metrics"]["label"]["results"] == 200


@pytest.mark.slow("runs the command line many times")
def test_faults_and_a_run_that_goes_on(shell: Shell, data: Path) -> None:
    shell.server.faults = Faults(throttled=0.2, invalid=0.1, reset=0.05, retry_after="0")
    figures = shell.figures(data, "--run", "r", "--concurrency", "4")
    assert figures["metrics"]["hallucination"]["scored"] == 8
    before = len(shell.server.calls)
    assert shell.figures(data, "--run", "r")["usage"]["calls"] == figures["usage"]["calls"]
    assert len(shell.server.calls) == before


def test_junit_is_valid_whatever_the_texts_hold(shell: Shell, tmp_path: Path) -> None:
    path, junit = tmp_path / "d.jsonl", tmp_path / "out" / "junit.xml"
    outputs = ['<b>"&\u0000\u0007\ud800 it has 9 floors', "It has 3 floors.", ""]
    path.write_text(
        "".join(
            json.dumps({"id": f"<{i}>", "output": o, "context": ["It has 3 floors."]}) + "\n"
            for i, o in enumerate(outputs)
        )
    )
    done = shell.eval(path, "--junit", junit, "--gate", "coverage >= 1")
    assert done.exit_code == 1
    suites = ET.parse(junit).getroot()
    suite = suites[0]
    assert suite.attrib == {"name": "hallucination", "tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
    assert [case.attrib["name"] for case in suite] == ["<0>", "<1>", "<2>"]
    failure = suite[0].find("failure")
    assert failure is not None
    assert "passes at" in failure.attrib["message"]
    assert suite[2].find("skipped") is not None
    assert suites[1].attrib == {"name": "gates", "tests": "1", "failures": "1"}


def test_markdown_goes_to_a_file_and_to_the_step_summary(
    shell: Shell, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = tmp_path / "steps.md"
    steps.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(steps))
    shell.eval(data, "--run", "a|b".replace("|", "-"), "--markdown", tmp_path / "m.md", "--gate", "hallucination <= 1")
    text = (tmp_path / "m.md").read_text(encoding="utf-8")
    assert "| hallucination |" in text
    assert "| hallucination \\<= 1 | met |" in text
    assert steps.read_text(encoding="utf-8") == f"before\n{text}\n"


@pytest.mark.slow("runs the command line many times")
def test_runs_show_and_export(shell: Shell, data: Path, tmp_path: Path) -> None:
    assert "no runs yet" in shell("runs").stdout
    shell.figures(data, "--run", "one")
    assert "one" in shell("runs").stdout
    assert "is not damaged" in shell("runs", "--check").stdout
    assert json.loads(shell("runs", "--json").stdout)[0]["cases"] == 8
    assert "8 of 8" in shell("show", "one").stdout
    assert json.loads(shell("show", "one", "--json").stdout)["metrics"]["hallucination"]["scored"] == 8
    assert "The tower has 5 floors." in shell("show", "one", "case-5").stdout
    assert json.loads(shell("show", "one", "case-5", "--json").stdout)["case_id"] == "case-5"
    assert "'nothing'" in said(shell("show", "one", "nothing"))
    assert "no run called 'two'" in said(shell("show", "two"))
    out = tmp_path / "out.jsonl"
    assert "8 results" in shell("export", "one", "--output", out).stdout
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert all({"id", "metric", "score", "label", "reason"} <= set(line) for line in lines)
    assert [line["id"] for line in lines] == [f"case-{i}" for i in range(8)]


def test_the_name_of_a_run_is_shown_whole(shell: Shell, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    name = "nightly of the branch with the longest name"
    shell.figures(data, "--run", name, "--metric", "hallucination", "--metric", "truth_faithfulness")
    assert name in shell("runs").stdout


def test_compare(shell: Shell, data: Path, tmp_path: Path) -> None:
    shell.figures(data, "--run", "one")
    other = tmp_path / "other.jsonl"
    other.write_text(data.read_text(encoding="utf-8").replace("The tower has 7 floors.", "The tower has 3 floors."))
    shell.figures(other, "--run", "two")
    done = shell("compare", "one", "two")
    assert done.exit_code == 0
    assert "no clear change" in done.stdout
    assert "case-7" in done.stdout
    compared = json.loads(shell("compare", "one", "two", "--json").stdout)
    assert compared["metrics"][0]["counts"] == {"same": 7, "better": 1}


def test_the_metric_and_the_data_are_checked_before_anything_is_paid(shell: Shell, data: Path, tmp_path: Path) -> None:
    commands: list[tuple[list[object], str]] = [
        ([data, "--metric", "halucination"], "no metric 'halucination'"),
        ([tmp_path / "missing.jsonl"], "there is no file"),
        ([data, "--concurrency", "0"], "must be 1 or more"),
        ([data, "--profile", "nobody"], "no profile 'nobody'"),
        ([data, "--run", "a/b"], "cannot name a run"),
    ]
    for words, message in commands:
        done = shell.eval(*words)
        assert done.exit_code != 0
        assert message in said(done)
    assert shell.server.calls == []
    done = shell("eval", data, "--base-url", "http://127.0.0.1:1")
    assert "name it with --judge" in said(done)


@pytest.mark.slow("runs the command line in processes")
@pytest.mark.parametrize("moment", ["Store.__init__", "Run.summary", "Run.report", "Store.close"])
def test_ctrl_c_is_told_whatever_it_interrupts(
    shell: Shell, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"halluscope._internal.cli.eval_command.{moment}", interrupt)
        before = signal.getsignal(signal.SIGTERM)
        done = shell.eval(data, "--run", "r", "--report", tmp_path / "report.html")
        assert signal.getsignal(signal.SIGTERM) is before
    assert done.exit_code == 130
    assert "interrupted; finished cases are saved, and the same command with --run r continues the run" in done.output
    asked = len(shell.server.calls)
    assert shell.figures(data, "--run", "r")["state"] == "finished"
    assert len(shell.server.calls) == asked or moment == "Store.__init__"


COMMAND = (sys.executable, "-c", "from halluscope._internal.cli import main; main()")


def test_bad_input_is_one_sentence_and_exit_code_two(shell: Shell, data: Path) -> None:
    done = subprocess.run([*COMMAND, "eval", str(data), "--metric", "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "there is no metric 'nonsense'" in done.stderr


@pytest.mark.slow("runs the command line in processes")
@posix
def test_the_bar_shows_cases_rate_time_and_money_on_a_terminal(shell: Shell, data: Path) -> None:
    import pty

    shell.server.latency = 0.1
    ours, theirs = pty.openpty()
    words = ["eval", str(data), "--judge", "openai/gpt-4o", "--base-url", shell.server.base_url, "--concurrency", "2"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "160"}
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 4096):
                shown += chunk
        except OSError:  # how Linux says that the other side is closed
            pass
        os.close(ours)
        assert process.stdout is not None
        printed = process.stdout.read().decode()
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"[1-8]/8 .*\d\.\d/s .*left .*\$0\.0\d+", text), text
    assert "finished" in printed
    assert "left" not in printed
