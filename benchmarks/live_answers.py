"""What live scoring costs an application: 10,000 answers, the store on disk, and a judge that fails at random.

    python -m benchmarks.live_answers [--answers 10000] [--threads 4] [--wait-ms 2] [--queue 1000] [--judge local]

Each answer takes the application some milliseconds of waiting, as for a model. The added time of an answer is what the
watched function takes beyond the function itself, measured around both. The last lines tell how long whole answers take
with and without live scoring: in that difference is also what the scoring takes away from the application elsewhere,
such as turns at Python's lock.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.sample_cases import rows
from halluscope import JudgeError, RetryPolicy, Run, Store
from halluscope.judges import Judge, ScriptedJudge, resolve
from halluscope.live import Live


def moody_judge(seed: int = 1) -> Judge:
    """Says that all is well, fails one question in twenty, and breaks down or talks nonsense as often."""
    source = random.Random(seed)

    def reply(question: Any) -> Any:
        drawn = source.random()
        if drawn < 0.05:
            return JudgeError("no answer today")
        if drawn < 0.075:
            raise RuntimeError("a fault in the judge")
        if drawn < 0.1:
            return "no JSON at all"
        if question.kind == "extract":
            return {"claims": [part + "." for part in question.output.split(". ") if part]}
        if question.kind == "verify":
            return {
                "verdicts": [{"id": claim.id, "statement": claim.text, "verdict": "no"} for claim in question.claims]
            }
        return {"reason": "All is well."}

    return ScriptedJudge(reply)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--wait-ms", type=float, default=2.0)
    parser.add_argument("--queue", type=int, default=1000)
    parser.add_argument("--judge", default="moody")
    asked = parser.parse_args()
    cases = list(rows(asked.answers, 2))
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "live.db")
        judge = moody_judge() if asked.judge == "moody" else resolve(asked.judge)
        live = Live(judge=judge, store=store, queue=asked.queue, retry_policy=RetryPolicy(retries=0, repairs=0))
        bare, _ = measured(cases, asked.threads, asked.wait_ms, lambda function: function)
        watched, added = measured(cases, asked.threads, asked.wait_ms, live.watch)
        began = time.perf_counter()
        assert live.flush()
        counts = live.counts
        print(f"{asked.answers} answers from {asked.threads} threads, {asked.wait_ms:g} ms of waiting each")
        print(f"exceptions in the application: {asked.answers - len(added)}")
        told("added time per answer", added)
        told("whole answers without live scoring", bare)
        told("whole answers with it", watched)
        print(f"all of it stored {time.perf_counter() - began:.1f} s after the last answer")
        print(counts)
        print(
            f"stored + dropped + failed = {counts.stored + counts.dropped + counts.failed}, sampled = {counts.sampled}"
        )
        kept = Run("live", store)
        print(f"in the store: {kept.info.cases} cases, {sum(result.score is not None for result in kept)} with a score")
        store.check()
        store.close()


def measured(
    cases: list[dict[str, Any]], threads: int, wait_ms: float, around: Callable[[Any], Any]
) -> tuple[list[float], list[float]]:
    """Seconds that each answer took, and those of them that the function itself did not."""
    inner = threading.local()

    def function(question: str, documents: list[str], text: str) -> str:
        began = time.perf_counter()
        time.sleep(wait_ms / 1000)
        inner.taken = time.perf_counter() - began
        return text

    answer = around(function)
    whole: list[float] = []
    added: list[float] = []

    def work(part: list[dict[str, Any]]) -> None:
        for case in part:
            began = time.perf_counter()
            answer(case["input"], case["context"], case["output"])
            taken = time.perf_counter() - began
            whole.append(taken)
            added.append(taken - inner.taken)

    workers = [threading.Thread(target=work, args=(cases[n::threads],)) for n in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return whole, added


def told(what: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    at = {name: 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in SHARES.items()}
    print(f"{what}: " + ", ".join(f"{name} {ms:.3f} ms" for name, ms in at.items()))


SHARES = {"median": 0.5, "99th percentile": 0.99, "99.9th": 0.999, "longest": 1.0}


if __name__ == "__main__":
    main()
