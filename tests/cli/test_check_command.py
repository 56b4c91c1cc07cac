"""The command line, run as a user would run it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from halluscope._internal.cli import app
from halluscope._internal.judges import embedded_judge as embedded
from halluscope._internal.judges.scripted import ScriptedJudge

WRONG: dict[str, Any] = {
    "extract": {"claims": ["Einstein won the Nobel Prize in 1969."]},
    "verify": {
        "verdicts": [
            {"id": "c1", "verdict": "yes", "basis": "contradicted", "reason": "It was 1921.", "evidence": "in 1921"}
        ]
    },
    "explain": {"reason": "The score is 1 because the year is wrong."},
    "compare": {"verdicts": [{"id": "p1", "verdict": "no", "reason": "It was 1921."}]},
    "label": "I'm sorry, I can't.",
}
ARGUMENTS = ["--output", "Einstein won the Nobel Prize in 1969.", "--context", "Einstein won it in 1921."]


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HALLUSCOPE_JUDGE", raising=False)
    monkeypatch.setattr(embedded, "EmbeddedJudge", lambda: ScriptedJudge(WRONG))


def run(*arguments: str, stdin: str | None = None) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, arguments, input=stdin)
    if done.exception and not isinstance(done.exception, SystemExit):
        return 2, done.stdout, str(done.exception)
    return done.exit_code, done.stdout, done.stderr


def test_check_shows_claim_evidence_and_reason() -> None:
    code, out, _ = run("check", *ARGUMENTS)
    assert code == 1
    for part in ("contradicted", "in 1921", "It was 1921.", "The score is 1 because", "failed"):
        assert part in out


def test_check_as_json_is_one_line_per_metric() -> None:
    code, out, _ = run("check", *ARGUMENTS, "--json", "--metric", "hallucination", "--metric", "contradiction")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["metric"] for line in lines] == ["hallucination", "contradiction"]
    assert lines[0]["score"] == 1.0
    assert code == 1


def test_check_passes_with_a_threshold_that_allows_it() -> None:
    code, out, _ = run("check", *ARGUMENTS, "--threshold", "1")
    assert code == 1, "a claim that the context contradicts does not pass by a threshold"
    assert "passes at 1 or less, and a claim is contradicted" in " ".join(out.split())
    assert run("check", *ARGUMENTS, "--threshold", "1", "--no-strict")[0] == 0
    assert run("check", *ARGUMENTS, "--threshold", "1", "--strict")[0] == 1


def test_no_score_has_an_exit_code_of_its_own() -> None:
    code, out, _ = run("check", "--output", " ", "--context", "x")
    assert code == 3
    assert "empty" in out
    assert run("check", *ARGUMENTS, "--metric", "label")[0] == 3


def test_texts_from_files_and_stdin(tmp_path: Path) -> None:
    passage = tmp_path / "passage.txt"
    passage.write_text("Einstein won it in 1921.")
    code, out, _ = run(
        "check", "--output", "-", "--context", f"@{passage}", stdin="Einstein won the Nobel Prize in 1969."
    )
    assert code == 1 and "in 1921" in out
    code, _, err = run("check", "--output", "@missing.txt", "--context", "x")
    assert code == 2 and "missing.txt" in err
    assert "@handle" in run("check", "--output", "@@handle said", "--context", "x")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--metric", "halucination"], "there is no metric 'halucination'"),
        (["--judge", "gpt"], "there is no judge 'gpt'"),
        (["--judge", "openai"], "needs a model"),
        (["--base-url", "http://localhost:1"], "--judge"),
    ],
)
def test_wrong_names_are_one_sentence(arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = run("check", *ARGUMENTS, *arguments)
    assert code == 2
    assert said in err


def test_a_missing_key_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    code, _, err = run("check", *ARGUMENTS, "--judge", "openai/gpt-4o")
    assert code == 2
    assert "OPENAI_API_KEY" in err and "local" in err


def test_judges_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = run("judges")
    assert code == 0
    rows = {line.split()[0]: line for line in out.splitlines() if line.strip()}
    assert "set ANTHROPIC_API_KEY" in rows["anthropic/<model>"]
    assert rows["openai/<model>"].rstrip().endswith("yes")
    assert "local" in rows


def test_metrics_explains_every_formula() -> None:
    code, out, _ = run("metrics")
    assert code == 0
    for part in ("hallucination", "supported claims / claims", "contradicted passages / passages", "lower is better"):
        assert part in out
