"""Labelling by hand: the state behind it, and the command in a real terminal."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from halluscope._internal.core.case import Case
from halluscope._internal.core.errors import InputError, WriteError
from halluscope._internal.proof.labelling import Session, cases_of, person_agreement
from halluscope._internal.proof.sets.public_sets import load_set

from ..helpers.loopback import Loopback
from ..helpers.systems import posix


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def session(path: Path, n: int = 3) -> Session:
    return Session([Case.of(f"Output {i}.", ["Context."], id=f"case-{i}") for i in range(n)], path)


def test_answers_are_kept_and_resumed(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    first = session(path)
    assert first.answer("f")
    assert first.answer("h")
    again = session(path)
    assert again.done == 2
    assert again.current is not None
    assert again.current.id == "case-2"
    assert [label.label for label in again.labels] == ["factual", "hallucinated"]


def test_undo_goes_back_over_the_start_of_the_sitting(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    first = session(path)
    first.answer("f")
    first.answer("u")
    again = session(path)
    assert again.undo()
    assert again.undo()
    assert not again.undo()
    assert again.current is not None
    assert again.current.id == "case-0"
    assert path.read_text() == ""


def test_other_keys_answer_nothing(tmp_path: Path) -> None:
    sitting = session(tmp_path / "labels.jsonl")
    for key in ("x", " ", "1", "\x1b[a", ""):
        assert not sitting.answer(key)
    assert sitting.done == 0


def test_the_file_of_labels_can_be_given_to_bench_without_the_skipped(tmp_path: Path) -> None:
    path = tmp_path / "mine.labels.jsonl"
    sitting = session(path)
    for key in "fsc":
        sitting.answer(key)
    loaded = load_set(str(path))
    assert [(item.case.id, item.hallucinated) for item in loaded.cases] == [("case-0", False), ("case-2", True)]
    assert loaded.cases[0].case.context == ("Context.",)


def test_a_write_that_fails_leaves_the_labels_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "labels.jsonl"
    sitting = session(path)
    sitting.answer("f")
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match="no space"):
        sitting.answer("h")
    assert path.read_bytes() == before


def test_a_damaged_file_of_labels_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"id": "case-0", "label": "fac\n')
    with pytest.raises(InputError, match=r"line 1 of labels\.jsonl"):
        session(path)
    assert path.read_text() == '{"id": "case-0", "label": "fac\n'


def test_cases_without_ids_and_with_the_same_text_are_told_apart(tmp_path: Path) -> None:
    data = write(tmp_path / "d.jsonl", {"output": "Same.", "context": "c"}, {"output": "Same.", "context": "c"})
    ids = [case.id for case, _ in cases_of(data)]
    assert len(set(ids)) == 2
    with pytest.raises(InputError, match=r"row 1 of e\.jsonl: there is no field `output` \(the fields are: context\)"):
        list(cases_of(write(tmp_path / "e.jsonl", {"context": "c"})))


def test_agreement_is_kappa_over_the_shared_cases() -> None:
    from sklearn.metrics import cohen_kappa_score

    person = {str(i): i % 3 == 0 for i in range(60)}
    judge = {str(i): i % 3 == 0 or i % 7 == 0 for i in range(5, 80)}
    found = person_agreement(person, judge)
    shared = [str(i) for i in range(5, 60)]
    expected = cohen_kappa_score([person[i] for i in shared], [judge[i] for i in shared])
    assert found.n == 55
    assert found.kappa == pytest.approx(expected, abs=1e-9)
    assert found.interval is not None
    assert found.interval.low < expected < found.interval.high
    assert set(found.apart) == {i for i in shared if person[i] != judge[i]}
    with pytest.raises(InputError, match="no case in common"):
        person_agreement({"a": True}, {"b": True})


def test_kappa_of_two_that_always_say_the_same_is_not_defined() -> None:
    assert person_agreement({"a": True, "b": True}, {"a": True, "b": True}).kappa is None


class Terminal:
    """The command in a pseudo-terminal of its own."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        import pty

        self._ours, theirs = pty.openpty()
        code = "from halluscope._internal.cli import main; main()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "label", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40", **(env or {})},
            start_new_session=True,
        )
        os.close(theirs)
        self.seen = ""

    def until(self, text: str, seconds: float = 120.0) -> str:
        """What was shown since the last call, up to this text."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self._ours], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"{text!r} was not shown; this was: {self.seen!r}")
            try:
                piece = os.read(self._ours, 65536)
            except OSError:  # how Linux tells that the other end is closed
                piece = b""
            if not piece:
                raise AssertionError(f"the command ended before it showed {text!r}: {self.seen!r}")
            self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", piece.decode("utf-8", "replace"))
        shown, self.seen = self.seen.split(text, 1)
        return shown

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def end(self) -> int:
        try:
            while True:
                ready, _, _ = select.select([self._ours], [], [], 120)
                if not ready or not os.read(self._ours, 65536):
                    break
        except OSError:
            pass
        return self.process.wait(timeout=120)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._ours)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write(
        tmp_path / "answers.jsonl",
        {"id": "a", "input": "When?", "context": ["It was in 1921."], "output": "In 1921.", "label": "factual"},
        {"id": "b", "context": ["It was in 1921."], "output": "In 1969 [bold]now[/bold].", "label": "hallucinated"},
        {"id": "c", "context": ["It was in 1921."], "output": "In May.", "label": "hallucinated", "score": 0.123},
    )


@pytest.fixture
def opened(data: Path) -> Iterator[list[Terminal]]:
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


def labels(data: Path) -> dict[str, str]:
    text = data.with_name("answers.labels.jsonl").read_text()
    return {row["id"]: row["label"] for row in map(json.loads, text.splitlines())}


@pytest.mark.slow("starts processes in a terminal")
@posix
def test_a_labelling_session_in_a_terminal(data: Path, opened: list[Terminal]) -> None:
    """Answer, undo, an arrow key, quit; then resume, finish, and see the kappa. The rows' labels are never shown."""
    first = Terminal(str(data))
    opened.append(first)
    shown = first.until("case 1 of 3")
    assert "In 1921." in shown
    assert "When?" in shown
    first.press("h")
    shown += first.until("case 2 of 3")
    assert "In 1969 [bold]now[/bold]." in shown
    assert labels(data) == {"a": "hallucinated"}
    first.press("z")
    first.until("case 1 of 3")
    assert labels(data) == {}
    first.press("\x1b[C")  # the right arrow: its last character is a C, and no answer
    first.press("f")
    shown += first.until("case 2 of 3")
    assert labels(data) == {"a": "factual"}
    assert "0.123" not in shown
    first.press("q")
    first.until("1 of 3 cases done")
    assert first.end() == 0

    second = Terminal(str(data))
    opened.append(second)
    second.until("case 2 of 3")
    second.press("c")
    second.until("case 3 of 3")
    second.press("f")
    second.until("3 of 3 cases done")
    shown = second.until("kappa")
    assert "you and the labels in the file" in shown
    second.until("0.400")  # one of three apart: 2/3 observed, 4/9 by chance
    second.until("you disagree on: c")
    assert second.end() == 0
    assert labels(data) == {"a": "factual", "b": "contradicted", "c": "factual"}


@pytest.mark.slow("starts processes in a terminal")
@posix
def test_the_judge_is_asked_only_afterwards(data: Path, opened: list[Terminal]) -> None:
    with Loopback() as server:
        env = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "none"}
        terminal = Terminal(str(data), "--judge", "openai/tiny", "--limit", "2", env=env)
        opened.append(terminal)
        terminal.until("case 1 of 2")
        terminal.press("f")
        terminal.until("case 2 of 2")
        assert not server.calls
        terminal.press("u")
        terminal.until("you and openai/tiny, on 2 cases")
        terminal.until("kappa")
        assert terminal.end() == 0
        assert server.kinds() == ["label", "label"]


@pytest.mark.slow("starts processes in a terminal")
@posix
def test_ctrl_c_keeps_what_was_answered_and_leaves_the_terminal_as_it_was(data: Path, opened: list[Terminal]) -> None:
    terminal = Terminal(str(data), "--no-compare")
    opened.append(terminal)
    terminal.until("case 1 of 3")
    terminal.press("f")
    terminal.until("case 2 of 3")
    os.kill(terminal.process.pid, 2)
    terminal.until("1 of 3 cases done")
    assert terminal.end() == 0
    assert labels(data) == {"a": "factual"}


@pytest.mark.slow("starts processes in a terminal")
@posix
def test_ctrl_c_while_a_case_is_being_shown_ends_the_sitting_too(data: Path, opened: list[Terminal]) -> None:
    """The signal arrives in the middle of printing, not while a key is awaited."""
    context = [f"part {number} " + "word " * 300 for number in range(400)]
    rows = [{"id": id, "context": context, "output": "x"} for id in ("1", "2")]
    terminal = Terminal(str(write(data, *rows)), "--no-compare")
    opened.append(terminal)
    terminal.until("part 1 ")
    os.kill(terminal.process.pid, 2)
    terminal.until("0 of 2 cases done")
    assert terminal.end() == 0


def test_without_a_terminal_it_reports_an_error(data: Path) -> None:
    code = "from halluscope._internal.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "label", str(data)], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "run it in a terminal" in done.stderr
