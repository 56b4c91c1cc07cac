"""Ctrl-C, SIGTERM and the deadline end what is under way, also one long case and the wait for input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import halluscope
from halluscope._internal.core.plumbing import threads
from halluscope._internal.engine.driver import RetryPolicy

from ..helpers.launcher import LAUNCHER
from ..helpers.scoring import Scorer
from ..helpers.stored import stored
from ..helpers.systems import posix
from ..helpers.waiting import wait_until

pytestmark = pytest.mark.slow("interrupts processes at work")

HANGS = 15.0
"""Seconds after which a process that was told to end hangs; it should take less than one."""

LONG = " ".join(f"The mill number {n} has {n} wheels and stands in Ulm." for n in range(20_000))
"""A megabyte."""


def started(home: Path, *arguments: str) -> subprocess.Popen[str]:
    home.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, *arguments, str(home / "judging")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "HALLUSCOPE_HOME": str(home)},
        text=True,
    )


def ended(process: subprocess.Popen[str], signals: list[signal.Signals]) -> tuple[int, str]:
    """Exit code and what was said, once the signals have come; the process is not left behind."""
    try:
        for sign in signals:
            process.send_signal(sign)
            time.sleep(0.1)
        process.wait(HANGS)
        assert process.stderr is not None
        return process.returncode, process.stderr.read()
    finally:
        process.kill()
        process.communicate()


@contextmanager
def together(running: dict[str, subprocess.Popen[str]]) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """Several processes, of which none is left behind."""
    try:
        yield running
    finally:
        for process in running.values():
            process.kill()
            process.communicate()


SIGNALS = {
    "Ctrl-C": [signal.SIGINT],
    "SIGTERM": [signal.SIGTERM],
    "Ctrl-C thrice": [signal.SIGINT] * 3,
}
EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


@posix
def test_a_run_inside_one_long_case_ends(tmp_path: Path) -> None:
    """One run for each way to end it, all at once: they are waited for only once."""
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"output": LONG, "context": ["The mill stands in Ulm."]}) + "\n")
    homes = {name: tmp_path / name for name in SIGNALS}
    with together({name: started(home, "eval", str(data), "--no-progress") for name, home in homes.items()}) as running:
        wait_until(lambda: all((home / "judging").exists() for home in homes.values()))
        for name, process in running.items():
            code, said = ended(process, SIGNALS[name])
            assert code == EXIT_CODES[SIGNALS[name][0]], name
            assert "Traceback" not in said, name
            assert said.startswith("halluscope: interrupted") or len(SIGNALS[name]) > 1, name


@posix
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_run_that_waits_for_input_ends(tmp_path: Path, sign: signal.Signals) -> None:
    with together({"eval": started(tmp_path, "eval", "-", "--no-progress", "--run", "a")}) as running:
        process = running["eval"]
        assert process.stdin is not None
        process.stdin.write('{"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."]}\n')
        process.stdin.flush()
        wait_until(lambda: stored(tmp_path, "runs") == 1)
        code, said = ended(process, [sign])
    assert (code, "Traceback" in said) == (EXIT_CODES[sign], False)
    assert "continues the run" in said


@posix
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_the_other_commands_end_too(tmp_path: Path, sign: signal.Signals) -> None:
    """All three at once: they are waited for only once."""
    row = {"output": LONG, "context": ["The mill stands in Ulm."], "label": "factual"}
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps(row) + "\n")
    (tmp_path / "long.txt").write_text(LONG)
    given = {
        "check": ["check", "-o", f"@{tmp_path / 'long.txt'}", "-c", "The mill stands in Ulm."],
        "bench": ["bench", str(data)],
        "stress": ["stress", str(data)],
    }
    with together({command: started(tmp_path / command, *words) for command, words in given.items()}) as running:
        wait_until(lambda: all((tmp_path / command / "judging").exists() for command in running))
        for command, process in running.items():
            assert process.poll() is None, f"{command} has ended by itself: the case is not long enough"
            code, said = ended(process, [sign])
            assert (code, said.count("Traceback")) == (EXIT_CODES[sign], 0), command


def test_the_deadline_holds_for_the_embedded_judge() -> None:
    began = time.monotonic()
    result = Scorer("label", "local", retry_policy=RetryPolicy(deadline=0.5, timeout=0.5)).score(
        output=LONG[:300_000], context=["The mill stands in Ulm."]
    )
    assert time.monotonic() - began < 60
    assert result.failure is not None and result.failure.kind == "deadline"
    wait_until(lambda: threads.farthest() is None)


def test_long_work_says_how_far_it_is_and_can_be_given_up() -> None:
    seen: list[tuple[int, int]] = []
    given = " ".join(f"The mill number {n} has {n} wheels." for n in range(40))
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.001):
            found = threads.farthest()
            if found is not None and found not in seen:
                seen.append(found)

    watching = threading.Thread(target=watch)
    watching.start()
    halluscope.check(given, ["The mill stands in Ulm."])
    over.set()
    watching.join()
    assert any(0 < done < total and total >= 20 for done, total in seen), seen
    assert threads.farthest() is None


def test_a_model_that_always_hangs_gets_no_more_than_so_many_threads() -> None:
    held = threading.Event()

    def hangs(prompt: str) -> str:
        held.wait(120)
        return ""

    scorer = Scorer(
        "label", hangs, retry_policy=RetryPolicy(timeout=0.001, retries=5, first_wait=0.0001, longest_wait=0.001)
    )
    before = threading.active_count()
    try:
        for _ in range(12):
            result = scorer.score(output="x is y", context=["z"])
        assert result.failure is not None and "have not returned" in result.failure.message
        assert threading.active_count() - before <= 34
    finally:
        held.set()
    wait_until(lambda: threading.active_count() <= before + 1)
    assert scorer.score(output="x is y", context=["z"]).failure is not None


async def test_spread_keeps_the_order_and_passes_errors_on() -> None:
    assert list(threads.spread(lambda n: n * n, range(100), 4)) == [n * n for n in range(100)]
    assert list(threads.spread(str, [], 4)) == []
    with pytest.raises(ZeroDivisionError):
        list(threads.spread(lambda n: 1 / (n - 50), range(100), 4))


def test_spread_never_waits_for_what_an_error_kept_from_starting() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that one thread fails between two steps of the other
    try:
        for _ in range(500):
            with pytest.raises(ZeroDivisionError):
                list(threads.spread(lambda n: 1 / 0, range(2), 2))
    finally:
        sys.setswitchinterval(before)
