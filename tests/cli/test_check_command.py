"""The command line, run as a user would run it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from halluscope._internal.cli import app
from halluscope._internal.judges.embedded import embedded_judge as embedded
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


TALK = [
    {"role": "user", "content": "Cancel my order."},
    {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "cancel", "arguments": '{"id": "A-1044"}'}}]},
    {"role": "tool", "tool_call_id": "1", "content": "Einstein won it in 1921."},
    {"role": "assistant", "content": "Einstein won the Nobel Prize in 1969."},
]


def test_check_reads_a_conversation(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(TALK), encoding="utf-8")
    code, out, _ = run("check", "--messages", f"@{path}")
    assert code == 1
    assert "Einstein won the Nobel Prize in 1969." in out
    assert "tool_calls" not in out, "the answer is shown, not the messages"
    code, out, _ = run("check", "--messages", "-", "--turns", "all", stdin=json.dumps(TALK))
    assert code == 1
    assert (
        out.index("turn 1 of 2: call of cancel") < out.index("nowhere in the conversation") < out.index("turn 2 of 2")
    )
    assert "2 of 2 judged turns failed" in " ".join(out.split())
    code, out, _ = run("check", "--messages", f"@{path}", "--turns", "all", "--json")
    assert [turn["case"]["turn"]["tool"] for turn in json.loads(out)["turns"]] == ["cancel", None]
    code, out, _ = run("check", "--messages", f"@{path}", "--context-from", "user, system")
    assert (code, "no context" in out) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "pass what is to be checked: --output, or"),
        (["--output", "a", "--messages", "[]"], "pass what is to be checked"),
        (["--messages", "[1, 2]"], "this is no conversation"),
        (["--messages", "{"], "the conversation is not valid JSON"),
        (["--messages", json.dumps(TALK), "--turns", "each"], "`turns` is 'last' or 'all', not 'each'"),
        (["--messages", json.dumps(TALK), "--context-from", "tool"], "no context comes from 'tool'"),
    ],
)
def test_check_says_what_is_wrong_with_a_conversation(arguments: list[str], said: str) -> None:
    code, _, err = run("check", *arguments)
    assert code == 2
    assert said in err


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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_file_is_read_in_the_encodings_that_windows_writes(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "answer.txt"
    path.write_bytes("Einstein won the Nobel Prize in 1969.\r\nIt was in Zürich.".encode(encoding))
    code, out, _ = run("check", "--output", f"@{path}", "--context", "Einstein won it in 1921.")
    assert code == 1
    assert "\n  Einstein won the Nobel Prize in 1969.\n  It was in Zürich.\n" in "\n".join(
        map(str.rstrip, out.split("\n"))
    )


def test_a_file_that_is_no_text_is_said(tmp_path: Path) -> None:
    path = tmp_path / "answer.pdf"
    path.write_bytes(b"%PDF-1.7\xe2\xe3\xcf\xd3")
    code, _, err = run("check", "--output", f"@{path}", "--context", "Einstein won it in 1921.")
    assert code == 2 and f"{path} is not UTF-8 text" in err


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
    monkeypatch.delenv("OPENAI_API_KEY")
    assert "no: set OPENAI_API_KEY" in run("judges")[1]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert "set OPENAI_API_KEY" not in run("judges")[1], "a server of one's own may need none"


def test_metrics_explains_every_formula() -> None:
    code, out, _ = run("metrics")
    assert code == 0
    for part in ("hallucination", "supported claims / claims", "contradicted passages / passages", "lower is better"):
        assert part in out
