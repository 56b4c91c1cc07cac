"""`halluscope fix`: the difference, the file, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from halluscope._internal.cli import app

CONTEXT = ("--context", "The mill closed in 1921. Entry is free.")


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["fix", *arguments], env={"COLUMNS": "200"})
    return done.exit_code, done.stdout + done.stderr


def test_the_difference_and_its_evidence_are_shown() -> None:
    code, out = run("--output", "The mill closed in 1969.", *CONTEXT)
    assert code == 0
    assert "The mill closed in [-1969-]{+1921+}." in out
    assert "“The mill closed in 1921.” (passage 1, 0–24)" in out


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_is_written_as_it_was_encoded(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "answer.md"
    file.write_bytes("# Mill\r\n\r\nThe mill closed in 1969.\r\n".encode(encoding))
    code, _ = run("--output", f"@{file}", *CONTEXT, "--write")
    assert code == 0
    assert file.read_bytes() == "# Mill\r\n\r\nThe mill closed in 1921.\r\n".encode(encoding)


def test_a_right_answer_leaves_the_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "answer.md"
    file.write_bytes(b"Entry is free.\r\nEntry is free.\n")
    before = file.stat().st_mtime_ns
    code, out = run("--output", f"@{file}", *CONTEXT, "--write")
    assert (code, file.read_bytes(), file.stat().st_mtime_ns) == (0, b"Entry is free.\r\nEntry is free.\n", before)
    assert "nothing to repair" in out


def test_json_has_text_edits_and_both_results() -> None:
    code, out = run("--output", "The mill closed in 1969.", *CONTEXT, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["text"] == "The mill closed in 1921."
    assert [edit["kind"] for edit in told["edits"]] == ["replace"]
    assert (told["before"]["passed"], told["after"]["passed"]) == (False, True)


def test_bad_input_is_one_sentence() -> None:
    code, out = run("--output", "The mill closed.", *CONTEXT, "--write")
    assert code == 2 or "--write needs a file" in out
    assert run("--output", "The mill closed.")[0] == 3
