"""What the embedded judge costs: time and memory, and both as ratios to another one's in the same run.

    python -m benchmarks.embedded [--against FOLDER] [--batch 1000] [--words 50000]

An ordinary case has three claims and five passages of some sixty words, 300 in all. Each figure comes from a process of
its own, so that none is helped by what another has loaded; memory is the peak of that process.

FOLDER is a checkout of another state of this repository, to compare the networks and the judges (`git worktree add
../before REVISION`), or holds just a `model.onnx`, to compare the networks. The two take turns, so that whatever else
the machine does falls on both; a ratio is this one's median by the other's.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.sample_cases import long_answer, rows

ROOT = Path(__file__).parent.parent
LENGTHS = (128, 256, 512)
CLAIM = 24
"""Tokens of a pair that are the claim's."""
PASSAGES = 5
SENTENCES = 30
TURNS = 3
BARE = "import numpy, onnxruntime, tokenizers"
Figures = dict[str, float]


def _check(row: dict[str, Any]) -> float | None:
    import halluscope

    return halluscope.check(row["output"], row["context"], row["input"], judge="local").score


def first_verdict(count: int) -> Figures:
    """One case in a fresh process: imports, loading, the verdict."""
    began = time.perf_counter()
    _check(next(rows(1, PASSAGES)))
    return {"seconds": time.perf_counter() - began}


def one_case(count: int) -> Figures:
    """One case after another, the model loaded."""
    cases = list(rows(count, PASSAGES))
    _check(cases[0])
    taken = []
    for case in cases[1:]:
        began = time.perf_counter()
        _check(case)
        taken.append(time.perf_counter() - began)
    return {"median ms": 1000 * statistics.median(taken), "slowest ms": 1000 * max(taken)}


def batch(count: int) -> Figures:
    """Many cases at once."""
    cases = list(rows(count, PASSAGES))
    _check(cases[0])
    began = time.perf_counter()
    with ThreadPoolExecutor(4) as pool:
        done = sum(score is not None for score in pool.map(_check, cases))
    seconds = time.perf_counter() - began
    return {"cases": done, "seconds": seconds, "cases a second": done / seconds}


def long_context(count: int) -> Figures:
    """A context of so many words."""
    case = next(rows(1, PASSAGES))
    filler = [passage for row in rows(count // 150 + 1) for passage in row["context"]][3:]
    context = case["context"]
    words = sum(len(passage.split()) for passage in context)
    for passage in filler:
        if words >= count:
            break
        context.append(passage)
        words += len(passage.split())
    _check(next(rows(1)))
    began = time.perf_counter()
    _check(case)
    return {"words": words, "seconds": time.perf_counter() - began}


def answer(count: int) -> Figures:
    """The CPU time of an answer of so many sentences, and how many times that of an ordinary case it is."""
    case = long_answer(count)
    _check(long_answer(3))
    began = time.process_time()
    _check(case)
    middle = time.process_time()
    _check(next(rows(1, PASSAGES)))
    return {"seconds": middle - began, "times": (middle - began) / (time.process_time() - middle)}


KINDS: dict[str, Callable[[int], Figures]] = {
    "first verdict": first_verdict,
    "one case": one_case,
    "batch": batch,
    "long answer": answer,
    "long context": long_context,
}


def measured(kind: str, count: int, source: Path = ROOT) -> Figures:
    """One kind of figure, of the package in that checkout, from a process of its own."""
    command = [sys.executable, "-m", "benchmarks.embedded", "--only", kind, "--count", str(count)]
    environment = {**os.environ, "PYTHONPATH": str(source.resolve() / "src")}
    began = time.perf_counter()
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    found: Figures = json.loads(run.stdout.splitlines()[-1])
    return {**found, "whole": time.perf_counter() - began}


def turns(kind: str, count: int, other: Path | None, figure: str) -> tuple[Figures, float | None]:
    """This one's figures, and the ratio of one of them to the other's, the medians of processes that take turns."""
    ours, theirs = [], []
    for _ in range(TURNS):
        ours.append(measured(kind, count))
        if other is not None:
            theirs.append(measured(kind, count, other))
    middle = {name: statistics.median(found[name] for found in ours) for name in ours[0]}
    return middle, middle[figure] / statistics.median(found[figure] for found in theirs) if theirs else None


def network(folder: Path) -> Path | None:
    """The network in a folder, or in a checkout."""
    return next(
        (path for path in (folder / "model.onnx", *folder.glob("src/halluscope/**/model.onnx")) if path.is_file()), None
    )


def pairs(ours: Path, theirs: Path | None) -> None:
    """The time of one reading of so many tokens, on one thread, from the network alone."""
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    paths = [path for path in (ours, theirs) if path is not None]
    sessions = [onnxruntime.InferenceSession(str(p), options, providers=["CPUExecutionProvider"]) for p in paths]
    rng = np.random.default_rng(0)
    for length in LENGTHS:
        ids = rng.integers(1100, 20000, size=(1, length))
        known = {
            "ids": ids,
            "input_ids": ids,
            "attention_mask": np.ones((1, length), dtype=np.int64),
            "kinds": np.zeros((1, length), dtype=np.int64),
            "token_type_ids": np.zeros((1, length), dtype=np.int64),
            "keep": np.arange(CLAIM + 1, dtype=np.int64),
            "members": np.full((1, CLAIM), 1 / CLAIM, dtype=np.float32),
        }
        feeds = [{wanted.name: known[wanted.name] for wanted in session.get_inputs()} for session in sessions]
        taken: list[list[float]] = [[] for _ in sessions]
        for turn in range(12):
            for place, (session, feed) in enumerate(zip(sessions, feeds, strict=True)):
                began = time.perf_counter()
                session.run(None, feed)
                if turn > 1:  # the first ones make room for what comes
                    taken[place].append(time.perf_counter() - began)
        middle = [1000 * statistics.median(times) for times in taken]
        ratio = f", {middle[0] / middle[1]:.2f} times the other's {middle[1]:.1f} ms" if len(middle) > 1 else ""
        print(f"pair of {length} tokens: {middle[0]:.1f} ms{ratio}", flush=True)


def bare_start() -> float:
    """A process that only imports what the network runs on."""
    taken = []
    for _ in range(TURNS):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", BARE], check=True)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="a checkout of another state, or a folder with a model.onnx")
    parser.add_argument("--batch", type=int, default=1000, help="cases at once; 0 leaves them out")
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--only", choices=sorted(KINDS), help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, default=1, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        found = KINDS[options.only](options.count)
        print(json.dumps({**found, "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
        return
    ours, theirs = network(ROOT), network(options.against) if options.against else None
    if ours is None or (options.against and theirs is None):
        raise SystemExit(f"there is no model.onnx in {options.against if ours else ROOT}.")
    other = options.against if options.against and (options.against / "src" / "halluscope").is_dir() else None
    pairs(ours, theirs)
    found, ratio = turns("one case", 21, other, "median ms")
    print(f"ordinary case: {found['median ms']:.0f} ms, peak {found['peak MB']:.0f} MB{_times(ratio)}", flush=True)
    found, ratio = turns("first verdict", 1, other, "whole")
    bare = bare_start()
    print(
        f"first verdict: {found['whole']:.2f} s from a cold start, {found['whole'] / bare:.1f} times the {bare:.2f} s "
        f"that importing onnxruntime, tokenizers and numpy takes; peak {found['peak MB']:.0f} MB{_times(ratio)}",
        flush=True,
    )
    found, ratio = turns("long answer", SENTENCES, other, "seconds")
    print(
        f"answer of {SENTENCES} sentences: {found['seconds']:.2f} s of CPU, {found['times']:.1f} times an ordinary case"
        f"{_times(ratio)}",
        flush=True,
    )
    if options.batch:
        found = measured("batch", options.batch)
        print(f"batch: {found['cases a second']:.1f} cases a second, peak {found['peak MB']:.0f} MB", flush=True)
    short, long = measured("long context", options.words // 10), measured("long context", options.words)
    print(
        f"context of {long['words']:,.0f} words: {long['seconds']:.2f} s, peak {long['peak MB']:.0f} MB; "
        f"{long['seconds'] / short['seconds']:.1f} times the time and {long['peak MB'] / short['peak MB']:.2f} times "
        f"the memory of one of {short['words']:,.0f}"
    )


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"; {ratio:.2f} times the other's"


if __name__ == "__main__":
    main()
