"""How runs are shown in the terminal: whole words at every width, the worst cases first, and what to do next."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from halluscope import Store, evaluate
from halluscope._internal.cli import app
from halluscope._internal.cli.terminal import print_table
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.runs import Run
from halluscope._internal.runs.run import worst_cases

from ..helpers.command_line import halluscope
from ..helpers.systems import posix

TITLES = ("run", "state", "metrics", "data")
ROWS = [
    ("nightly", "finished", "hallucination, truth_faithfulness", "answers-of-the-production-chat.jsonl"),
    ("an old one", "interrupted", "label", ""),
]


def judged(question: Any) -> Any:
    """A judge that holds as many of ten claims for contradicted as the output says."""
    wrong = int(question.output.split()[0]) if question.kind == "extract" else 0
    if question.kind == "extract":
        return {"claims": [f"{'wrong' if i < wrong else 'right'} claim {i} of {wrong}" for i in range(10)]}
    if question.kind == "verify":
        return {
            "verdicts": [
                {
                    "id": claim.id,
                    "verdict": "yes" if "wrong" in claim.text else "no",
                    "basis": "contradicted" if "wrong" in claim.text else "supported",
                    "reason": f"It says otherwise of {claim.id}.",
                    "evidence": "",
                }
                for claim in question.claims
            ]
        }
    return {"reason": "Because."}


def kept(home: Path, name: str, wrong: Sequence[int | None]) -> None:
    """Keep a run with a case for each number of wrong claims, with an empty output for None."""
    rows = [
        {"id": f"case-{i}", "output": "" if n is None else f"{n} of ten are wrong", "context": ["c"]}
        for i, n in enumerate(wrong)
    ]
    with Store(home / "halluscope.db") as store:
        evaluate(rows, "hallucination", ScriptedJudge(judged), run=name, store=store)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def run(*words: str) -> str:
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done.stdout


def printed(width: int, **how: Any) -> list[str]:
    file = io.StringIO()
    print_table(Console(file=file, width=width, markup=False), TITLES, ROWS, **how)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_a_wide_terminal_has_a_table_and_a_narrow_one_blocks() -> None:
    assert printed(120) == [
        "run         state        metrics                            data",
        "nightly     finished     hallucination, truth_faithfulness  answers-of-the-production-chat.jsonl",
        "an old one  interrupted  label",
    ]
    assert printed(80) == [
        "nightly",
        "  state finished · metrics hallucination, truth_faithfulness",
        "  data answers-of-the-production-chat.jsonl",
        "an old one",
        "  state interrupted · metrics label",
    ]
    assert printed(44)[:4] == [
        "nightly",
        "  state finished",
        "  metrics hallucination, truth_faithfulness",
        "  data answers-of-the-production-chat.jsonl",
    ]


def test_details_stand_below_their_row() -> None:
    lines = printed(120, details=[None, Text("it was stopped")])
    assert lines[-2:] == ["an old one  interrupted  label", "    it was stopped"]
    assert "    it was stopped" in printed(40, details=[None, Text("it was stopped")])


@pytest.mark.parametrize("width", [40, 80, 200])
def test_runs_break_no_word(home: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    kept(home, "nightly", [0, 1])
    for words in (("runs",), ("show", "nightly"), ("compare", "nightly", "nightly")):
        out = run(*words)
        assert "hallucination" in out and all(len(line) <= max(width, 60) for line in out.splitlines())
    assert "finished" in run("runs")


def test_a_comparison_counts_each_case_once(home: Path) -> None:
    kept(home, "before", [1, 2, 3, None, None, 4])
    kept(home, "after", [1, 3, 2, None, 4, None])
    assert "6 cases in both runs: 1 worse, 1 better, 1 the same, 1 lost its score, 1 gained a score, 1 without" in (
        " ".join(run("compare", "before", "after").split())
    )
    (metric,) = json.loads(run("compare", "before", "after", "--json"))["metrics"]
    assert metric["cases"] == 3 == sum(metric["counts"][change] for change in ("worse", "better", "same"))


def test_the_worst_cases_of_a_large_run_are_shown_and_how_to_see_the_others(home: Path) -> None:
    kept(home, "nightly", [*[0, 2, 1] * 14, 9, 10, 9, None])
    out = run("show", "nightly")
    assert "31 cases failed, the worst 10:" in out
    ids = [line.split()[0] for line in out.splitlines() if line.startswith("case-")]
    assert ids == ["case-43", "case-42", "case-44", *(f"case-{3 * i + 1}" for i in range(7))]
    assert "contradicted: “wrong claim 0 of 10” – It says otherwise of c1." in out
    assert "halluscope report nightly --open" in out and "halluscope show nightly CASE" in out


def test_nothing_failed_and_nothing_is_called_worst(home: Path) -> None:
    kept(home, "nightly", [0, 0, None])
    with Store(home / "halluscope.db") as store:
        assert worst_cases(Run("nightly", store), 10).failed == 0
    assert "failed" not in run("show", "nightly")


@pytest.mark.slow("judges dozens of claims")
def test_eval_shows_the_worst_of_many_and_all_of_a_few(home: Path) -> None:
    for count, said in ((30, "30 cases failed, the worst 10:"), (3, "case-2")):
        (home / "rows.jsonl").write_text(
            "".join(
                json.dumps({"id": f"case-{i}", "output": f"It has {i + 1} floors.", "context": "It has no floor."})
                + "\n"
                for i in range(count)
            )
        )
        done = halluscope("eval", "rows.jsonl", folder=home)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout.decode()


def test_a_report_of_a_kept_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    kept(home, "a: b", [0, 1])
    kept(home, "later", [1, 1])
    assert run("report", "a: b").strip() == "report: a- b.html"
    assert "<title>a: b" in (home / "a- b.html").read_text(encoding="utf-8")
    named = home / "sub" / "r.html"
    assert str(named) in run("report", "later", "--output", str(named), "--baseline", "a: b").replace("\n", "")
    assert named.exists()


@pytest.mark.slow("runs the command line in processes")
@posix
def test_a_report_opens_in_the_browser(home: Path) -> None:
    kept(home, "nightly", [0, 1])
    browser = home / "browser"
    browser.write_text(f'#!{sys.executable}\nimport sys\nopen({str(home / "seen")!r}, "w").write(sys.argv[1])\n')
    browser.chmod(0o755)

    def opened(**variables: str) -> subprocess.CompletedProcess[bytes]:
        """In a process of its own, as Python looks for browsers only once in each."""
        command = [sys.executable, "-m", "halluscope", "report", "nightly", "--open"]
        return subprocess.run(command, cwd=home, env={**os.environ, **variables}, capture_output=True)

    done = opened(BROWSER=f"{browser} %s")
    assert done.returncode == 0, done.stderr
    assert (home / "seen").read_text() == (home / "nightly.html").resolve().as_uri()
    without = opened(BROWSER="/bin/false", PATH="", DISPLAY="")
    assert without.returncode == 0
    assert "no browser could be opened" in without.stderr.decode()
