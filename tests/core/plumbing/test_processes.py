"""The embedded judge and the store after a fork, in new processes, in threads and in several event loops."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ...helpers.systems import posix

pytestmark = pytest.mark.slow("forks and starts processes")

LONG = 300

SETUP = """
import asyncio, multiprocessing, os, sys, threading
import halluscope

OUTPUT = "The mill is in Ulm. It was built in 1890. It has three wheels. Anna bought it in 1920."
CONTEXT = ["The mill is in Ulm. It was built in 1890 and has three wheels."]

def score(_=None):
    return halluscope.check(OUTPUT, CONTEXT).score

def evaluated(name):
    run = halluscope.evaluate([{"output": OUTPUT, "context": CONTEXT}], run=name, progress=False)
    return [result.score for result in run.results()]
"""


def said(body: str, home: Path) -> str:
    """What a program of its own prints. It must end by itself, with nothing on standard error."""
    script = home / "program.py"
    script.write_text(f"{SETUP}\nif __name__ == '__main__':\n{textwrap.indent(textwrap.dedent(body), '    ')}")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)],
        env={**os.environ, "HALLUSCOPE_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@posix
def test_a_forked_child_judges_after_the_parent_has(tmp_path: Path) -> None:
    body = """
    before = score()
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        found = pool.map_async(score, range(4)).get(200)
    print(before, found, score())
    """
    assert said(body, tmp_path) == "0.25 [0.25, 0.25, 0.25, 0.25] 0.25"


@posix
def test_a_fork_in_the_middle_of_the_parents_work(tmp_path: Path) -> None:
    body = """
    halluscope.check("x is y.", ["z"])
    long = " ".join(f"Mill {n} has {n} wheels." for n in range(50))
    busy = threading.Thread(target=lambda: halluscope.check(long, CONTEXT))
    busy.start()
    children = []
    for _ in range(3):
        read, write = os.pipe()
        if os.fork() == 0:
            os.write(write, str(score()).encode())
            os._exit(0)
        os.close(write)
        children.append(read)
    print([os.read(child, 10).decode() for child in children])
    busy.join()
    """
    assert said(body, tmp_path) == "['0.25', '0.25', '0.25']"


@posix
def test_a_forked_child_has_its_own_connection_to_the_store(tmp_path: Path) -> None:
    body = """
    from halluscope._internal.runs.store import Store
    store = Store()
    first = halluscope.evaluate([{"output": OUTPUT, "context": CONTEXT}], run="a", progress=False, store=store)
    child = os.fork()
    if child == 0:
        halluscope.evaluate([{"output": OUTPUT, "context": CONTEXT}], run="b", progress=False, store=store)
        os._exit(0)
    os.waitpid(child, 0)
    halluscope.evaluate([{"output": OUTPUT, "context": CONTEXT}], run="c", progress=False, store=store)
    store.check()
    print(store.rows("SELECT group_concat(name) FROM (SELECT name FROM runs ORDER BY name)")[0][0])
    """
    assert said(body, tmp_path) == "a,b,c"


@posix
def test_a_child_forked_while_a_thread_uses_the_store_says_so(tmp_path: Path) -> None:
    body = """
    from halluscope import Store
    from halluscope.errors import StoreError
    store, entered, leave = Store(), threading.Event(), threading.Event()

    def use():
        with store.writing():
            entered.set()
            leave.wait()

    thread = threading.Thread(target=use)
    thread.start()
    entered.wait()
    if os.fork() == 0:
        for name in ("halluscope.db", "other.db"):
            try:
                Store(os.path.join(os.environ["HALLUSCOPE_HOME"], name))
            except StoreError as error:
                print(str(error).partition(": ")[2], flush=True)
        os._exit(0)
    os.wait()
    leave.set()
    thread.join()
    store.check()
    """
    reason = (
        "this process was forked while another thread of its parent used a store. Fork between checks, or start "
        "processes with the method `spawn`."
    )
    assert said(body, tmp_path).splitlines() == [reason] * 2


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=posix)])
def test_new_processes_return_their_results(tmp_path: Path, method: str) -> None:
    body = f"""
    before = score()
    with multiprocessing.get_context({method!r}).Pool(1) as pool:
        found = pool.starmap_async(halluscope.check, [(OUTPUT, CONTEXT)] * 3).get(200)
    print(before, [result.score for result in found], found[0].verdicts[0].claim.text)
    """
    assert said(body, tmp_path) == "0.25 [0.25, 0.25, 0.25] The mill is in Ulm."


def test_threads_with_their_own_event_loops(tmp_path: Path) -> None:
    body = """
    scorer = halluscope.Hallucination()
    found = []
    async def several():
        results = await asyncio.gather(*(scorer.ascore(output=OUTPUT, context=CONTEXT) for _ in range(3)))
        return [result.score for result in results]
    def work():
        found.append(asyncio.run(several()) + [score()])
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print(len(found), {value for values in found for value in values}, asyncio.run(several())[0])
    """
    assert said(body, tmp_path) == "3 {0.25} 0.25"


@posix
def test_a_run_in_a_forked_child_of_a_process_that_ran_one(tmp_path: Path) -> None:
    body = """
    first = evaluated("a")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        others = pool.map_async(evaluated, ["b", "c"]).get(200)
    print(first, others)
    """
    assert said(body, tmp_path) == "[0.25] [[0.25], [0.25]]"
