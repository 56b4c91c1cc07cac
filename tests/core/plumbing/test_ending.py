"""A process that ends while the embedded judge computes ends with its own exit code, and never with SIGABRT."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import halluscope
from halluscope._internal.core.plumbing import threads
from halluscope._internal.runs.store import Store
from halluscope._internal.runs.store.run_reader import list_runs

from ...helpers.launcher import LAUNCHER
from ...helpers.systems import posix
from ...helpers.waiting import wait_until

pytestmark = pytest.mark.slow("ends processes in which the model is at work")

ENDS = 30.0
"""Seconds within which an ending process has to be gone."""

TEXT = " ".join(f"The mill number {n} was built in {1800 + n % 200} by Anna of Ulm." for n in range(400))
AT_WORK = f"""
import os, signal, sys, threading, time
import halluscope
from halluscope._internal.judges.embedded.network import model

TEXT = {TEXT!r}

def check():
    return halluscope.check(TEXT, [TEXT[:3000]])

def interrupt_while_it_computes(sign=signal.SIGINT):
    view, seen = model.Network._view, []
    def watched(self, reading):
        seen.append(reading)
        return view(self, reading)
    model.Network._view = watched
    def send():
        while len(seen) < 4:
            time.sleep(0.001)
        os.kill(os.getpid(), sign)
    threading.Thread(target=send, daemon=True).start()

"""
SCRIPTS: dict[str, tuple[str, int]] = {
    "KeyboardInterrupt that nobody catches": (
        "interrupt_while_it_computes()\ncheck()",
        -signal.SIGINT,
    ),
    "KeyboardInterrupt that the script catches": (
        """
interrupt_while_it_computes()
try:
    check()
except KeyboardInterrupt:
    sys.exit(7)
""",
        7,
    ),
    "a daemon thread at work": (
        """
threading.Thread(target=check, daemon=True).start()
interrupt_while_it_computes(signal.SIGUSR1)
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(7))
time.sleep(60)
""",
        7,
    ),
    "tasks that asyncio cancels": (
        """
import asyncio
async def main():
    interrupt_while_it_computes()
    await asyncio.gather(*(halluscope.acheck(TEXT, [TEXT[:n * 1000]]) for n in (1, 2, 3)))
try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(7)
""",
        7,
    ),
}


def start(home: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "HALLUSCOPE_HOME": str(home), **variables},
        text=True,
    )


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a process; none is left behind."""
    running: list[subprocess.Popen[str]] = []

    def begin(*arguments: str, **variables: str) -> subprocess.Popen[str]:
        running.append(start(tmp_path, *arguments, **variables))
        return running[-1]

    yield begin
    for process in running:
        process.kill()
        process.communicate()


@posix
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_ends_with_its_own_exit_code(
    started: Callable[..., subprocess.Popen[str]], tmp_path: Path, name: str
) -> None:
    body, code = SCRIPTS[name]
    (tmp_path / "script.py").write_text(AT_WORK + body, encoding="utf-8")
    process = started(str(tmp_path / "script.py"))
    said = process.communicate(timeout=120)[1]
    assert process.returncode == code, said
    assert "terminate called" not in said and "Fatal" not in said


@posix
@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_keeps_what_it_had(
    started: Callable[..., subprocess.Popen[str]], tmp_path: Path, sign: signal.Signals, code: int
) -> None:
    short = {"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}
    rows = [short, *({"output": TEXT, "context": [TEXT[: 3000 + n]]} for n in range(3))]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    judging = tmp_path / "judging"
    words = ["eval", str(tmp_path / "data.jsonl"), "--run", "a", "--no-progress"]
    process = started("-c", LAUNCHER, *words, str(judging))
    wait_until(judging.exists)
    process.send_signal(sign)
    said = process.communicate(timeout=ENDS)[1]
    assert process.returncode == code, said
    assert "continues the run" in said
    with Store(tmp_path / "halluscope.db") as store:
        assert [(run.name, run.state) for run in list_runs(store)] == [("a", "interrupted")]


@posix
def test_damaged_weights_end_with_exit_code_2_each_time(
    started: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    """One thread reads the hashes, and another one is in the middle of loading the damaged file."""
    package = tmp_path / "installed" / "halluscope"
    shutil.copytree(Path(halluscope.__file__).parent, package)
    weights = package / "_internal" / "judges" / "embedded" / "network" / "weights" / "weights-1.bin"
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 1
    weights.write_bytes(content)
    for _ in range(5):
        process = started(
            "-m", "halluscope", "check", "-o", "It is.", "-c", "The mill is in Ulm.", PYTHONPATH=str(package.parent)
        )
        said = process.communicate(timeout=60)[1]
        assert process.returncode == 2, said
        assert "weights-1.bin" in said


def test_no_thread_enters_compiled_code_during_shutdown(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, leave = threading.Event(), threading.Event()

    def compute() -> None:
        with threads.compiled_code():
            inside.set()
            leave.wait(60)

    computing = threading.Thread(target=compute)
    computing.start()
    inside.wait(60)
    monkeypatch.setattr(threads._running(), "ending", False)
    ending = threading.Thread(target=threads._at_exit)
    ending.start()
    wait_until(lambda: threads._running().ending)
    with pytest.raises(threads.GivenUp), threads.compiled_code():
        pass
    assert ending.is_alive()
    leave.set()
    ending.join(60)
    assert not ending.is_alive()
    computing.join(60)
