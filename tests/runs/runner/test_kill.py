"""Killed at any moment and started again: nothing that was stored is asked again, and the result is the same."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ...helpers.loopback import Loopback
from ...helpers.stored import stored
from ...helpers.systems import posix

pytestmark = [posix, pytest.mark.slow("kills processes and starts them again")]

CASES = 120
AT_ONCE = 8
LONG = 300
"""Seconds that nothing here takes on any machine."""
HALLUSCOPE = (sys.executable, "-c", "from halluscope._internal.cli import main; main()")


def data(path: Path, cases: int = CASES) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for i in range(cases):
            row = {
                "id": f"case-{i}",
                "input": f"What about {i}?",
                "output": f"Item {i} was made in {1900 + i}. It weighs {i} grams.",
                "context": [f"Item {i} was made in {1900 + i}.", f"It weighs {i + i % 2} grams."],
            }
            file.write(json.dumps(row) + "\n")
    return path


class Session:
    """The command line against a loopback server, in a process of its own."""

    def __init__(self, home: Path, server: Loopback, file: Path, at_once: int = AT_ONCE) -> None:
        self.home = home
        self.at_once = at_once
        self.server = server
        self._file = file

    def start(self) -> subprocess.Popen[str]:
        command = [*HALLUSCOPE, "eval", str(self._file), "--metric", "hallucination"]
        command += ["--judge", "openai/gpt-4o", "--base-url", self.server.base_url, "--run", "night"]
        command += ["--concurrency", str(self.at_once), "--json"]
        return subprocess.Popen(command, env=self._env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self) -> dict[str, Any]:
        done = self.start()
        out, err = done.communicate(timeout=LONG)
        assert done.returncode == 0, err
        figures: dict[str, Any] = json.loads(out)
        return figures

    def export(self) -> list[tuple[Any, ...]]:
        file = self.home / "out.jsonl"
        command = [*HALLUSCOPE, "export", "night", "--output", str(file)]
        subprocess.run(command, env=self._env(), check=True, capture_output=True)
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        return [(x["id"], x["metric"], x["score"], x["label"], x["reason"], x["verdicts"]) for x in lines]

    def stored(self) -> int:
        """How many replies are in the store."""
        return stored(self.home, "replies")

    def state(self) -> str:
        """How the run ended, as `halluscope runs` tells it."""
        command = [*HALLUSCOPE, "runs", "--json"]
        listed = subprocess.run(command, env=self._env(), capture_output=True, text=True, check=True)
        return str(json.loads(listed.stdout)[0]["state"])

    def _env(self) -> dict[str, str]:
        return {**os.environ, "HALLUSCOPE_HOME": str(self.home)}


def wait_for_calls(server: Loopback, count: int, process: subprocess.Popen[str], most: int) -> None:
    """Wait until the run has made so many calls. After `most` none is answered: it does not end before it is ended."""
    server.until = lambda asked: len(server.calls) < most
    end = time.monotonic() + LONG
    while len(server.calls) < count:
        assert process.poll() is None, f"the run ended by itself: {process.communicate()}"
        assert time.monotonic() < end, "the run does not get on"
        time.sleep(0.002)


def end(process: subprocess.Popen[str], server: Loopback, how: signal.Signals) -> str:
    """End the run; what it wrote to standard error. The calls that were held back are answered, to nobody."""
    process.send_signal(how)
    _, err = process.communicate(timeout=LONG)
    server.until = None
    return err


def test_killed_again_and_again_it_pays_for_nothing_twice(tmp_path: Path) -> None:
    file = data(tmp_path / "d.jsonl")
    with Loopback(latency=0.01) as calm:
        undisturbed = Session(tmp_path / "calm", calm, file)
        undisturbed.finish()
        wanted = undisturbed.export()
        needed = len(calm.calls)
    assert len(wanted) == CASES
    drawn = random.Random(7)
    kills = 4
    with Loopback(latency=0.03) as server:
        session = Session(tmp_path / "killed", server, file)
        for kill in range(kills):
            before = (server.quiet(), session.stored())
            process = session.start()
            first = before[0] + drawn.randrange(1, needed // (kills + 2))
            wait_for_calls(server, first, process, most=before[0] + needed // (kills + 1) - AT_ONCE)
            time.sleep(drawn.random() * 0.05)
            end(process, server, signal.SIGKILL)
            assert process.returncode == -signal.SIGKILL, "the run was over before it was killed"
            calls, stored = server.quiet() - before[0], session.stored() - before[1]
            assert 0 <= calls - stored <= AT_ONCE, f"kill {kill}: {calls} calls made, {stored} replies stored"
        before = (server.quiet(), session.stored())
        figures = session.finish()
        assert server.quiet() - before[0] == session.stored() - before[1], "a stored reply was asked for again"
        assert session.stored() == needed
        assert server.quiet() <= needed + kills * AT_ONCE
        assert figures["state"] == "finished"
        assert session.export() == wanted


def test_ctrl_c_in_the_terminal_keeps_what_is_finished(tmp_path: Path) -> None:
    with Loopback(latency=0.03) as server:
        session = Session(tmp_path / "home", server, data(tmp_path / "d.jsonl"))
        process = session.start()
        wait_for_calls(server, 60, process, most=200)
        err = end(process, server, signal.SIGINT)
        assert process.returncode == 130
        assert "finished cases are saved" in err
        assert "Traceback" not in err
        calls, stored = server.quiet(), session.stored()
        assert 0 <= calls - stored <= AT_ONCE
        assert session.state() == "interrupted"
        session.finish()
        assert server.quiet() - calls == session.stored() - stored
        assert len(session.export()) == CASES


@pytest.mark.parametrize("pause", [0.0, 0.01, 0.1])
def test_ctrl_c_again_and_again_leaves_a_run_that_goes_on(tmp_path: Path, pause: float) -> None:
    with Loopback(latency=0.03) as server:
        session = Session(tmp_path / "home", server, data(tmp_path / "d.jsonl", 40))
        process = session.start()
        wait_for_calls(server, 20, process, most=40)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(pause)
        end(process, server, signal.SIGINT)
        assert process.returncode in (130, -signal.SIGINT)
        calls, stored = server.quiet(), session.stored()
        # Who presses it again does not wait for what is under way: twice as many cases as calls at once.
        assert 0 <= calls - stored <= 2 * AT_ONCE
        assert session.finish()["state"] == "finished"
        assert server.quiet() - calls == session.stored() - stored
        assert len(session.export()) == 40


def test_a_polite_kill_ends_like_ctrl_c(tmp_path: Path) -> None:
    with Loopback(latency=0.03) as server:
        session = Session(tmp_path / "home", server, data(tmp_path / "d.jsonl"))
        process = session.start()
        wait_for_calls(server, 20, process, most=100)
        err = end(process, server, signal.SIGTERM)
        assert process.returncode == 143
        assert "interrupted" in err
        assert session.state() == "interrupted"
