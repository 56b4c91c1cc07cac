"""How near a run comes to the ideal: 500 cases, 50 calls at once, a server that answers in 100 ms.

    python -m benchmarks.throughput [--cases 500] [--at-once 50] [--latency 0.1]

`ideal` is the time the calls would take if nothing else took any: calls / at once x latency. The CPU
time is that of the client process alone, everything included (reading, prompts, HTTP, judging the
replies, the store), on top of what it needed to start. The server runs in a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from halluscope._internal.engine.metrics import METRICS
from halluscope._internal.judges.chat.openai import openai_judge
from halluscope._internal.runs.runner import evaluate
from halluscope._internal.runs.store import Store

from .sample_cases import rows

ROOT = Path(__file__).parent.parent


@contextmanager
def server(latency: float, *, stub: bool = False) -> Iterator[str]:
    """A chat model's server in a process of its own; gives its address. A stub takes less of the machine."""
    module = "benchmarks.stub_server" if stub else "tests.helpers.loopback"
    command = [sys.executable, "-m", module, "--latency", str(latency)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def measured(metric: str, address: str, cases: int, at_once: int) -> tuple[float, float, int]:
    """Wall seconds, CPU seconds and calls of one run."""
    judge = openai_judge("gpt-4o", base_url=address)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store.db") as store:
        wall, cpu = time.perf_counter(), time.process_time()
        run = evaluate(rows(cases), metric, judge, store=store, concurrency=at_once, progress=False)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        summary = run.summary()
        assert summary[metric].results == cases, summary
        return wall, cpu, summary.usage.calls


def main() -> None:
    """Print one line per metric."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--metric", action="append", choices=list(METRICS))
    given = parser.parse_args()
    print(f"{given.cases} cases, {given.at_once} calls at once, {given.latency * 1000:.0f} ms latency")
    print(f"{'metric':<20} {'calls':>6} {'wall s':>8} {'ideal s':>8} {'ratio':>6} {'CPU ms / call':>14}")
    with server(given.latency) as address:
        measured("label", address, min(50, given.cases), given.at_once)
        for metric in given.metric or METRICS:
            wall, cpu, calls = measured(metric, address, given.cases, given.at_once)
            ideal = calls / given.at_once * given.latency
            ratio = f"{wall / ideal:.2f}" if ideal else "–"
            print(f"{metric:<20} {calls:>6} {wall:>8.2f} {ideal:>8.2f} {ratio:>6} {cpu / calls * 1000:>14.2f}")


if __name__ == "__main__":
    main()
