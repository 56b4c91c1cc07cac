"""How fast the embedded judge is, and what it needs.

    python -m benchmarks.embedded [--batch 1000] [--words 50000]

An ordinary case has three sentences and three passages of some sixty words. Each figure comes from a process of its
own, so that none is helped by what another has loaded; memory is the peak of that process.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.throughput import rows

ROOT = Path(__file__).parent.parent


def _check(row: dict[str, Any]) -> float | None:
    import halluscope

    return halluscope.check(row["output"], row["context"], row["input"], judge="local").score


def first_verdict(count: int) -> dict[str, float]:
    """One case in a fresh process: imports, loading, the verdict."""
    began = time.perf_counter()
    _check(next(rows(1)))
    return {"seconds": time.perf_counter() - began}


def one_case(count: int) -> dict[str, float]:
    """One case after another, the model loaded."""
    cases = list(rows(count))
    _check(cases[0])
    taken = []
    for case in cases[1:]:
        began = time.perf_counter()
        _check(case)
        taken.append(time.perf_counter() - began)
    taken.sort()
    return {"median ms": 1000 * taken[len(taken) // 2], "slowest ms": 1000 * taken[-1]}


def batch(count: int) -> dict[str, float]:
    """Many cases at once."""
    cases = list(rows(count))
    _check(cases[0])
    began = time.perf_counter()
    with ThreadPoolExecutor(4) as pool:
        done = sum(score is not None for score in pool.map(_check, cases))
    seconds = time.perf_counter() - began
    return {"cases": done, "seconds": seconds, "cases a second": done / seconds}


def long_context(count: int) -> dict[str, float]:
    """A context of so many words."""
    case = next(rows(1))
    filler = [passage for row in rows(count // 150) for passage in row["context"]][3:]
    case["context"] = [*case["context"], *filler]
    words = sum(len(passage.split()) for passage in case["context"])
    _check(next(rows(1)))
    began = time.perf_counter()
    _check(case)
    return {"words": words, "seconds": time.perf_counter() - began}


KINDS = {"first verdict": first_verdict, "one case": one_case, "batch": batch, "long context": long_context}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--only", choices=sorted(KINDS), help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, default=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        found = KINDS[options.only](options.count)
        print(json.dumps({**found, "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
        return
    for kind, count in (
        ("first verdict", 1),
        ("one case", 21),
        ("batch", options.batch),
        ("long context", options.words),
    ):
        command = [sys.executable, "-m", "benchmarks.embedded", "--only", kind, "--count", str(count)]
        began = time.perf_counter()
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        found = json.loads(run.stdout.splitlines()[-1])
        if kind == "first verdict":
            found["seconds with the interpreter's start"] = time.perf_counter() - began
        print(f"{kind}: " + ", ".join(f"{name} {value:,.2f}" for name, value in found.items()), flush=True)


if __name__ == "__main__":
    main()
