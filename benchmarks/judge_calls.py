"""How much CPU time of the client a judge call takes, everything included: rendering, HTTP, reading, counting.

    python -m benchmarks.judge_calls [--cases 500] [--at-once 50]

A server in a process of its own answers at once, and then after 100 ms. The client keeps to one core.
Other libraries that are installed do the same job in the same run, each as its documentation shows.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent.parent
TARGET = 2.0
"""Milliseconds per call that we allow ourselves."""

Job = Callable[[int], Awaitable[int]]
"""Judges the case of this number, and says how many calls that took."""


@contextmanager
def served(latency: float) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.helpers.loopback", "--latency", str(latency)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def texts(number: int) -> tuple[str, list[str]]:
    context = [
        f"Mill number {number} grinds {number + 7} tons of flour each day.",
        f"Mill number {number} is in Ulm, on the left bank of the river.",
        f"The owner of mill number {number} bought it in 1921.",
    ]
    output = (
        f"Mill number {number} grinds {number + 8} tons of flour each day. "
        f"Mill number {number} is in Ulm. Its owner bought mill number {number} in 1921."
    )
    return output, context


def ours(url: str, metric: str) -> Job:
    from halluscope._internal.core.case import Case
    from halluscope._internal.engine.driver import Driver
    from halluscope._internal.engine.metrics import METRICS
    from halluscope._internal.judges.chat.openai import openai_judge

    driver = Driver(openai_judge("gpt-4o", base_url=url))
    made = METRICS[metric]()

    async def judge(number: int) -> int:
        result = await driver.score(made, Case.of(*texts(number)))
        assert result.score is not None, result.reason
        return result.usage.calls

    return judge


def phoenix(url: str) -> Job:
    from phoenix.evals.llm import LLM
    from phoenix.evals.metrics import HallucinationEvaluator

    evaluator = HallucinationEvaluator(LLM(provider="openai", model="gpt-4o", base_url=url, api_key="key"))

    async def judge(number: int) -> int:
        output, context = texts(number)
        await evaluator.async_evaluate({"input": "", "output": output, "context": "\n".join(context)})
        return 1

    return judge


def opik(url: str) -> Job:
    os.environ.update(OPIK_TRACK_DISABLE="true", OPENAI_API_BASE=url, OPENAI_API_KEY="key")
    from opik.evaluation.metrics import Hallucination

    metric = Hallucination(model="gpt-4o", track=False)

    async def judge(number: int) -> int:
        output, context = texts(number)
        await metric.ascore(input="", output=output, context=context)
        return 1

    return judge


OTHERS: dict[str, tuple[str, Callable[[str], Job]]] = {
    "phoenix-evals": ("phoenix.evals", phoenix),
    "opik": ("opik", opik),
}
ELSEWHERE = {"deepeval": "deepeval", "ragas": "ragas"}
"""Their metrics ask in words that the loopback server does not answer."""


async def measured(job: Job, cases: int, at_once: int) -> tuple[float, float, int]:
    """CPU seconds, wall seconds and calls for all cases."""
    turns = asyncio.Semaphore(at_once)

    async def one(number: int) -> int:
        async with turns:
            return await job(number)

    for number in range(3):
        await job(number)
    cpu, wall = time.process_time(), time.perf_counter()
    calls = sum(await asyncio.gather(*(one(number) for number in range(cases))))
    return time.process_time() - cpu, time.perf_counter() - wall, calls


def report(name: str, latency: float, cases: int, made: tuple[float, float, int]) -> float:
    cpu, wall, calls = made
    each = cpu / calls * 1000
    answers = f"{latency * 1000:5.0f} ms {calls / cases:5.1f}"
    print(f"{name:32} {answers} {each:9.2f} ms {cpu / cases * 1000:9.2f} ms {wall:7.2f} s")
    return each


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=50)
    given = parser.parse_args()
    from halluscope._internal.engine.metrics import METRICS

    cores = sorted(os.sched_getaffinity(0))
    print(f"{given.cases} cases, {given.at_once} at once\n")
    print(f"{'':32} {'answers in':>8} {'calls':>5} {'CPU / call':>12} {'CPU / case':>12} {'wall':>9}")
    best: dict[float, float] = {}
    for latency in (0.0, 0.1):
        with served(latency) as url:
            os.sched_setaffinity(0, {cores[0]})
            each = [
                report(f"halluscope {name}", latency, given.cases, asyncio.run(
                    measured(ours(url, name), given.cases, given.at_once)))
                for name in METRICS
            ]  # fmt: skip
            best[latency] = max(each)
            for name, (package, make) in OTHERS.items():
                if not _installed(package):
                    print(f"{name}: not installed, skipped")
                    continue
                try:
                    other = asyncio.run(measured(make(url), given.cases, given.at_once))
                except Exception as error:
                    print(f"{name}: did not run here ({type(error).__name__}: {str(error)[:100]})")
                    continue
                theirs = report(name, latency, given.cases, other)
                print(f"{'':32} {theirs / best[latency]:.1f} times our dearest call")
            os.sched_setaffinity(0, set(cores))
    for name, package in ELSEWHERE.items():
        print(f"{name}: {'asks in its own words, skipped' if _installed(package) else 'not installed, skipped'}")
    worst = max(best.values())
    print(
        f"\ndearest call of ours: {worst:.2f} ms of CPU; allowed: {TARGET:g} ms: {'yes' if worst <= TARGET else 'NO'}"
    )


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


if __name__ == "__main__":
    main()
