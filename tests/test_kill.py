"""Killed at any moment and started again: nothing that was stored is asked again, and the result is the same."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from .loopback import Loopback

CASES = 120
AT_ONCE = 8
HALLUSCOPE = (sys.executable, "-c", "from halluscope.cli import main; main()")


def data(path: Path, cases: int = CASES) -> Path:
    with path.open("w") as file:
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
        out, err = done.communicate(timeout=600)
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
        path = self.home / "halluscope.db"
        if not path.exists():
            return 0
        connection = sqlite3.connect(path)
        try:
            return int(connection.execute("SELECT count(*) FROM replies").fetchone()[0])
        except sqlite3.OperationalError:
            return 0
        finally:
            connection.close()

    def quiet(self) -> int:
        """How many calls the server has answered, once none is under way."""
        while self.server.at_once:
            time.sleep(0.01)
        return len(self.server.calls)

    def _env(self) -> dict[str, str]:
        return {**os.environ, "HALLUSCOPE_HOME": str(self.home)}


def wait_for_calls(server: Loopback, count: int, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 120
    while len(server.calls) < count and process.poll() is None:
        assert time.monotonic() < end, "the run does not get on"
        time.sleep(0.002)


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
            before = (session.quiet(), session.stored())
            process = session.start()
            wait_for_calls(server, before[0] + drawn.randrange(1, needed // (kills + 2)), process)
            time.sleep(drawn.random() * 0.05)
            assert process.poll() is None, "the run was over before it was killed"
            process.send_signal(signal.SIGKILL)
            process.communicate()
            calls, stored = session.quiet() - before[0], session.stored() - before[1]
            assert 0 <= calls - stored <= AT_ONCE, f"kill {kill}: {calls} calls made, {stored} replies stored"
        before = (session.quiet(), session.stored())
        figures = session.finish()
        assert session.quiet() - before[0] == session.stored() - before[1], "a stored reply was asked for again"
        assert session.stored() == needed
        assert session.quiet() <= needed + kills * AT_ONCE
        assert figures["state"] == "finished"
        assert session.export() == wanted


def test_ctrl_c_in_the_terminal_keeps_what_is_finished(tmp_path: Path) -> None:
    with Loopback(latency=0.03) as server:
        session = Session(tmp_path / "home", server, data(tmp_path / "d.jsonl"))
        process = session.start()
        wait_for_calls(server, 60, process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "all that was finished is kept" in err
        assert "Traceback" not in err
        calls, stored = session.quiet(), session.stored()
        assert 0 <= calls - stored <= AT_ONCE
        listed = subprocess.run(
            [*HALLUSCOPE, "runs", "--json"],
            env={**os.environ, "HALLUSCOPE_HOME": str(session.home)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(listed.stdout)[0]["state"] == "interrupted"
        session.finish()
        assert session.quiet() - calls == session.stored() - stored
        assert len(session.export()) == CASES


def test_a_polite_kill_ends_like_ctrl_c(tmp_path: Path) -> None:
    with Loopback(latency=0.03) as server:
        session = Session(tmp_path / "home", server, data(tmp_path / "d.jsonl"))
        process = session.start()
        wait_for_calls(server, 20, process)
        process.terminate()
        _, err = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "interrupted" in err
