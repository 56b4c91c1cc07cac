"""What many cases cost beside the judge: wall time next to the ideal, and CPU time a case, everything included.

    python -m benchmarks.many_cases [--cases 5000] [--at-once 50] [--latency 0.1]

The metric is `label`, the judge a stub that answers after `latency`, over HTTP, in a process of its own; replies,
results and the run are stored. The client keeps to one core where the system lets it. `ideal` is what the calls alone
would take: cases / at once x latency. `cold` is a whole new process, from its start to its end, with 500 cases; its
modules are compiled, as those of an installed package are, and the price of its model is kept, as after any first run.
Ten times the cases should cost ten times the time: the last column is the time a case, next to that of the first line.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .sample_cases import rows
from .throughput import ROOT, server

COLD = 500


def on_one_core() -> None:
    """Keep this process to one core, the last there is."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def measured(address: str, cases: int, at_once: int) -> tuple[float, float]:
    """Wall and CPU seconds of one run."""
    from halluscope import Store, evaluate
    from halluscope.judges import openai_judge

    judge = openai_judge("gpt-4o", base_url=address)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store.db") as store:
        wall, cpu = time.perf_counter(), time.process_time()
        run = evaluate(rows(cases), "label", judge, store=store, concurrency=at_once, progress=False)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        assert run.state == "finished"
        assert store.rows("SELECT count(*) FROM outcomes WHERE score IS NOT NULL") == [(cases,)]
        return wall, cpu


def cold(address: str, at_once: int) -> float:
    """Wall seconds of a new process that scores `COLD` cases. One before it compiles modules and finds the price."""
    with tempfile.TemporaryDirectory() as kept:
        there = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        there |= {"PYTHONPYCACHEPREFIX": kept, "HALLUSCOPE_HOME": kept}
        for cases in (1, COLD):
            run = f"on_one_core()\nmeasured({address!r}, {cases}, {at_once})"
            program = f"from benchmarks.many_cases import measured, on_one_core\n{run}"
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=there, check=True)
        return time.perf_counter() - started


def main() -> None:
    """Print a line for a few cases, for ten times as many, and for a cold start."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--latency", type=float, default=0.1)
    given = parser.parse_args()
    print(f"{'cases':>12} {'wall s':>8} {'ideal s':>8} {'ratio':>6} {'CPU ms / case':>14} {'time a case':>12}")
    with server(given.latency, stub=True) as address:
        ideal = COLD / given.at_once * given.latency
        wall = cold(address, given.at_once)
        print(f"{f'{COLD}, cold':>12} {wall:>8.2f} {ideal:>8.2f} {wall / ideal:>6.2f}")
        on_one_core()
        measured(address, given.at_once, given.at_once)
        first: float | None = None
        for cases in (given.cases // 10, given.cases):
            wall, cpu = measured(address, cases, given.at_once)
            ideal = cases / given.at_once * given.latency
            first = first or wall / cases
            print(
                f"{cases:>12} {wall:>8.2f} {ideal:>8.2f} {wall / ideal:>6.2f} {cpu / cases * 1000:>14.2f}"
                f" {wall / cases / first:>11.2f}x"
            )


if __name__ == "__main__":
    main()
