"""At the end of a program everything queued is stored: in forked children, and where the judge takes too long."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from halluscope import Run, Store

from ..helpers.systems import posix

pytestmark = pytest.mark.slow("forks and starts processes")

SETUP = """
import multiprocessing, os, sys, threading, time
from halluscope.judges import ScriptedJudge
from halluscope.live import Live

def content(question):
    if question.kind == "extract":
        return {"claims": [question.output]}
    if question.kind == "verify":
        return {"verdicts": [{"id": c.id, "statement": c.text, "verdict": "no"} for c in question.claims]}
    return {"reason": "All is well."}

class Hanging(ScriptedJudge):
    async def answer(self, question, call):
        import asyncio
        await asyncio.sleep(3600)
"""


def stored(body: str, home: Path) -> list[str]:
    """The outcomes that a program of its own leaves behind. It must end by itself."""
    script = home / "program.py"
    script.write_text(f"{SETUP}\nif __name__ == '__main__':\n{textwrap.indent(textwrap.dedent(body), '    ')}")
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", str(script)],
        env={**os.environ, "HALLUSCOPE_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    with Store(home / "halluscope.db") as store:
        store.check()
        return [f"{entry.case.output} {entry.results[0].outcome}" for entry in Run("live", store).entries()]


def test_what_is_queued_is_stored_before_the_program_ends(tmp_path: Path) -> None:
    body = """
    live = Live(judge=ScriptedJudge(content, latency=0.05), concurrency=2)
    for number in range(8):
        live.record(f"Main {number}.", "x")

    def work():
        time.sleep(0.5)  # the main thread is over by then
        live.record("Thread.", "x")

    threading.Thread(target=work).start()
    """
    found = stored(body, tmp_path)
    assert sorted(found) == sorted([*(f"Main {number}. scored" for number in range(8)), "Thread. scored"])


def test_the_embedded_judge_is_waited_for(tmp_path: Path) -> None:
    assert stored('Live().record("It is red.", "It is red.")\nsys.exit(0)', tmp_path) == ["It is red. scored"]


def test_what_takes_too_long_is_stored_as_not_scored(tmp_path: Path) -> None:
    body = """
    import logging
    logging.disable(logging.CRITICAL)
    live = Live(judge=Hanging(content), concurrency=1, exit_wait=0.3)
    for number in range(3):
        live.record(f"Answer {number}.", "x")
    """
    assert sorted(stored(body, tmp_path)) == [f"Answer {number}. failed" for number in range(3)]


def test_a_judge_that_blocks_the_event_loop_does_not_keep_the_program_from_ending(tmp_path: Path) -> None:
    body = """
    import logging
    logging.disable(logging.CRITICAL)

    asked = threading.Event()

    class Blocking(ScriptedJudge):
        async def answer(self, question, call):
            asked.set()
            time.sleep(3600)

    Live(judge=Blocking(content), exit_wait=0.1).record("It is red.", "x")
    asked.wait()
    """
    assert stored(body, tmp_path) == []


@posix
def test_forked_children_store_their_own_answers(tmp_path: Path) -> None:
    body = """
    live = Live(judge=ScriptedJudge(content, latency=0.02))
    live.record("Before.", "x")
    live.flush()

    def child(number):
        for turn in range(3):
            live.record(f"Child {number}, {turn}.", "x")
        assert live.counts.seen == 3, live.counts

    children = [multiprocessing.get_context("fork").Process(target=child, args=(n,)) for n in range(3)]
    for one in children:
        one.start()
    live.record("Parent.", "x")
    for one in children:
        one.join()
    live.flush()
    if os.fork() == 0:
        live.record("Forked plainly.", "x")
        sys.exit(0)
    os.wait()
    """
    found = stored(body, tmp_path)
    expected = [f"Child {n}, {turn}." for n in range(3) for turn in range(3)]
    assert sorted(found) == sorted(f"{one} scored" for one in [*expected, "Before.", "Parent.", "Forked plainly."])


@posix
def test_children_forked_at_any_moment_end(tmp_path: Path) -> None:
    """Those forked while another thread uses the store cannot store their answers, count them and say why."""
    body = """
    import logging
    logging.disable(logging.CRITICAL)
    live = Live(judge=ScriptedJudge(content))

    def child():
        live.record("Child.", "x")
        live.flush()
        counts = live.counts
        assert (counts.sampled, counts.waiting, counts.stored + counts.failed) == (1, 0, 1), counts

    children = []
    for number in range(20):
        live.record(f"Parent {number}.", "x")
        time.sleep(0.003)
        children.append(multiprocessing.get_context("fork").Process(target=child))
        children[-1].start()
    for one in children:
        one.join()
        assert one.exitcode == 0
    """
    found = stored(body, tmp_path)
    assert sorted(set(found) - {"Child. scored"}) == sorted(f"Parent {number}. scored" for number in range(20))
