"""What a person sees in the terminal: judged text is shown there, and the terminal does nothing it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from halluscope._internal.cli.terminal import printable
from halluscope._internal.cli.views.result import coloured
from halluscope._internal.core.verdict import Claim, Support, Verdict
from halluscope._internal.runs.runner.progress import Bar, Progress, pace

from ..helpers.command_line import halluscope
from ..helpers.systems import posix

HOSTILE = "Einstein won in 1969.\x1b[2J\x1b]0;owned\x07\x9b31m [/b] :smile: \u202eko"


def on_a_terminal(*arguments: str, **variables: str) -> str:
    """What the command writes where its output is a terminal."""
    import pty

    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "halluscope", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **variables},
    ):
        os.close(slave)
        written = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            written += piece
    os.close(master)
    return written.decode()


WRONG = ("check", "--output", "Einstein won in 1969.", "--context", "Einstein won in 1921.")


@pytest.mark.slow("runs the command line in processes")
@posix
def test_claims_are_coloured_on_a_terminal_and_marked_without_colour() -> None:
    seen = on_a_terminal(*WRONG)
    assert "\x1b[1;31mEinstein won in 1969." in seen and "✗" in seen
    assert "31m" not in on_a_terminal(*WRONG, NO_COLOR="1")


def test_a_pipe_gets_no_escapes(tmp_path: Path) -> None:
    done = halluscope(*WRONG, folder=tmp_path)
    assert done.returncode == 1
    assert b"\x1b" not in done.stdout and "✗ contradicted".encode() in done.stdout


def test_the_terminal_does_not_obey_the_judged_text(tmp_path: Path) -> None:
    done = halluscope("check", "--output", HOSTILE, "--context", "Einstein won in 1921." + HOSTILE, folder=tmp_path)
    seen = done.stdout.decode()
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(seen)
    assert "[/b] :smile:" in seen


@pytest.mark.parametrize("command", ["bench", "stress"])
def test_no_command_takes_the_data_for_markup(command: str, tmp_path: Path) -> None:
    known = "Oslo has 40 parks. Rome is hot."
    rows = [
        {"id": f"[/id]\x1b[2J{i}", "group": f"[/group {i % 2}]\x07", "output": said, "context": known, "label": i % 2}
        for i, said in enumerate(["Oslo has 40 parks.", "Rome is not hot. [/b]", "Rome is hot.", "Rome is hot."])
    ]
    (tmp_path / "data.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    done = halluscope(command, "data.jsonl", folder=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    assert not {"\x1b", "\x07"} & set(done.stdout.decode())
    assert command == "stress" or "[/group 0]" in done.stdout.decode()


def test_the_bar_takes_no_trouble_for_markup(capsys: pytest.CaptureFixture[str]) -> None:
    bar = Bar("[/data].jsonl")
    bar.start()
    bar.show(Progress(cases=1, total=2, trouble="the server said [/b] \x1b[2J"))
    bar.stop()
    assert "\x1b[2J" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("progress", "seconds", "said"),
    [
        (Progress(), 3, "0 · 0:03"),
        (Progress(cases=3, total=12), 11, "3/12 · 0.3/s · 0:11 · about 0:33 left"),
        (Progress(cases=903, total=912, skipped=900), 11, "903/912 · 0.3/s · 0:11 · about 0:33 left"),
        (Progress(cases=900, total=912, skipped=900), 1, "900/912 · 0:01"),
        (Progress(cases=2, total=50), 60, "2/50 · 2.0/min · 1:00 · about 24:00 left"),
        (Progress(cases=50_000, total=90_000), 40, "50000/90000 · 1,250/s · 0:40 · about 0:32 left"),
        (Progress(cases=12, total=12), 3725, "12/12 · 0.2/min · 1:02:05"),
    ],
)
def test_the_bar_says_how_fast_it_goes_and_how_long_it_takes(progress: Progress, seconds: float, said: str) -> None:
    assert " · ".join(pace(progress, seconds)) == said


def test_a_run_with_markup_in_ids_and_outputs_prints_its_table(tmp_path: Path) -> None:
    row = {"id": "[/case]\x1b[2J", "output": HOSTILE, "context": ["Einstein won in 1921."]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    done = halluscope("eval", "rows.jsonl", folder=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    assert "[/case]" in done.stdout.decode() and b"\x1b" not in done.stdout


@pytest.mark.parametrize("command", [WRONG, ("metrics",), ("judges",)])
def test_a_stream_that_lacks_the_characters_still_gets_a_text(command: tuple[str, ...], tmp_path: Path) -> None:
    done = halluscope(*command, folder=tmp_path, encoding="ascii")
    assert b"Traceback" not in done.stderr
    assert done.stdout


@pytest.mark.parametrize(("encoding", "quoted"), [("cp437", '"Einstein won'), ("cp1252", "“Einstein won")])
def test_a_windows_code_page_gets_signs_that_it_has(encoding: str, quoted: str, tmp_path: Path) -> None:
    done = halluscope(*WRONG, folder=tmp_path, encoding=encoding)
    shown = done.stdout.decode(encoding)
    assert "x contradicted" in shown and f"against: {quoted} in 1921." in shown


@pytest.mark.parametrize("encoding", ["ascii", "cp437", "cp932", "utf-8"])
def test_json_loses_nothing_to_a_code_page(encoding: str, tmp_path: Path) -> None:
    said = "Zoë Müller won in 1969 – “第一” 😀."
    texts = ("--output", said, "--context", "Zoë Müller won in 1921.", "--json")
    done = halluscope("check", *texts, folder=tmp_path, encoding=encoding)
    assert json.loads(done.stdout.decode(encoding))["verdicts"][0]["claim"]["text"] == said


def test_a_judge_named_in_the_environment_is_no_markup(tmp_path: Path) -> None:
    done = halluscope("judges", folder=tmp_path, HALLUSCOPE_JUDGE="own[/judge]")
    assert done.returncode == 0
    assert "own[/judge] (from HALLUSCOPE_JUDGE)" in done.stdout.decode()


def test_a_paragraph_of_help_is_broken_where_the_terminal_ends(tmp_path: Path) -> None:
    shown = halluscope("calibrate", "--help", folder=tmp_path, COLUMNS="200").stdout.decode()
    assert "the scores in the file (`probability` or `score`, 0 to 1) are used if there are any." in shown


@pytest.mark.parametrize("words", [("judges",), ("bench",)])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_lists_break_no_word(words: tuple[str, ...], width: int, tmp_path: Path) -> None:
    shown = halluscope(*words, folder=tmp_path, COLUMNS=str(width)).stdout.decode()
    assert all(len(line) <= width for line in shown.splitlines())
    wanted = {"judges": {"litellm/<model>", "package:"}, "bench": {"halueval-summarization"}}
    assert wanted[words[0]] <= set(shown.split())


def test_stdin_cannot_be_two_texts(tmp_path: Path) -> None:
    done = halluscope("check", "--output", "-", "--context", "-", folder=tmp_path, stdin="Einstein won in 1969.")
    assert done.returncode == 2
    assert "only one text can be read from stdin" in done.stderr.decode()


def test_colours_stand_in_their_place_in_texts_with_other_line_ends() -> None:
    output = "First line.\r\nSecond\x0cline.\r\nThird line."
    start = output.index("Third")
    text = coloured(output, [Verdict(Claim("c1", "Third line.", start, len(output)), Support.CONTRADICTED)])
    (span,) = text.spans
    assert text.plain[span.start : span.end] == "Third line."


@pytest.mark.parametrize("text", ["Zoë’s café – 5 ≤ 6", "سلام\u200cدنیا", "👩\u200d🔬", "a\n\tb", "a\u00a0b"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text
