"""halluscope beside other tools, on one machine, in one run: 500 cases, 50 at once, a server that needs 100 ms.

    python -m benchmarks.against_others [--cases 500] [--at-once 50] [--latency 0.1] [--only NAME]

Each tool judges the same cases in a process of its own, against the same server, with its own way of
running many cases and 50 of them at once. Those that are not installed are skipped with a line that
says so. `ideal` is calls / at once x latency, with the calls counted at the server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
import warnings
from collections.abc import Awaitable, Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.sample_cases import rows
from benchmarks.throughput import ROOT

Cases = list[dict[str, Any]]


def halluscope(metric: str) -> Callable[[Cases, str, int], int]:
    """Our own run of a metric, the store included."""

    def run(cases: Cases, address: str, at_once: int) -> int:
        from halluscope._internal.judges.chat.openai import openai_judge
        from halluscope._internal.runs.runner import evaluate
        from halluscope._internal.runs.store import Store

        judge = openai_judge("gpt-4o", base_url=address)
        with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "store.db") as store:
            made = evaluate(cases, metric, judge, store=store, concurrency=at_once, progress=False)
            return made.summary()[metric].scored

    return run


def phoenix(cases: Cases, address: str, at_once: int) -> int:
    """Its FaithfulnessEvaluator over a data frame, with its limiter out of the way."""
    import pandas as pd
    from phoenix.evals import LLM, async_evaluate_dataframe
    from phoenix.evals.metrics import FaithfulnessEvaluator

    llm = LLM(provider="openai", model="gpt-4o", base_url=address, initial_per_second_request_rate=1000)
    frame = pd.DataFrame([{**case, "context": "\n".join(case["context"])} for case in cases])
    evaluator = FaithfulnessEvaluator(llm=llm)
    done = asyncio.run(async_evaluate_dataframe(frame, [evaluator], concurrency=at_once, hide_tqdm_bar=True))
    return int(done["faithfulness_score"].notna().sum())


def opik(cases: Cases, address: str, at_once: int) -> int:
    """Its Hallucination metric, awaited 50 at a time."""
    from opik.evaluation.metrics import Hallucination

    metric = Hallucination(model="gpt-4o", track=False)

    async def score(case: dict[str, Any]) -> Any:
        return await metric.ascore(input=case["input"], output=case["output"], context=case["context"])

    return asyncio.run(_at_once(cases, score, at_once))


def deepeval(cases: Cases, address: str, at_once: int) -> int:
    """Its HallucinationMetric through `evaluate`."""
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.metrics import HallucinationMetric
    from deepeval.models import OpenAIModel
    from deepeval.test_case import LLMTestCase

    model = OpenAIModel(model="gpt-4o", base_url=address, api_key="none")
    given = [LLMTestCase(input=c["input"], actual_output=c["output"], context=c["context"]) for c in cases]
    done = evaluate(
        given,
        [HallucinationMetric(model=model)],
        async_config=AsyncConfig(max_concurrent=at_once),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        cache_config=CacheConfig(write_cache=False),
    )
    return sum(result.metrics_data[0].score is not None for result in done.test_results)


def ragas(cases: Cases, address: str, at_once: int) -> int:
    """Its Faithfulness through `evaluate`."""
    from ragas import EvaluationDataset, RunConfig, evaluate
    from ragas.llms import LangchainLLMWrapper
    from ragas.metrics import Faithfulness

    dataset = EvaluationDataset.from_list(
        [{"user_input": c["input"], "response": c["output"], "retrieved_contexts": c["context"]} for c in cases]
    )
    chat: Any = import_module("langchain_openai").ChatOpenAI
    llm = LangchainLLMWrapper(chat(model="gpt-4o", base_url=address, api_key="none"))
    config = RunConfig(max_workers=at_once)
    done = evaluate(dataset, [Faithfulness(llm=llm)], run_config=config, show_progress=False)
    return int(done.to_pandas()["faithfulness"].notna().sum())


async def _at_once(cases: Cases, score: Callable[[dict[str, Any]], Awaitable[Any]], at_once: int) -> int:
    room = asyncio.Semaphore(at_once)

    async def one(case: dict[str, Any]) -> bool:
        async with room:
            return await score(case) is not None

    return sum(await asyncio.gather(*map(one, cases)))


TOOLS: dict[str, tuple[str, Callable[[Cases, str, int], int]]] = {
    "halluscope label": ("halluscope", halluscope("label")),
    "halluscope hallucination": ("halluscope", halluscope("hallucination")),
    "halluscope faithfulness": ("halluscope", halluscope("faithfulness")),
    "phoenix-evals Faithfulness": ("phoenix", phoenix),
    "opik Hallucination": ("opik", opik),
    "ragas Faithfulness": ("ragas", ragas),
    "deepeval Hallucination": ("deepeval", deepeval),
}


def measure(tool: str, address: str, cases: int, at_once: int) -> None:
    """In a process of its own: run the tool and print what it took."""
    warnings.simplefilter("ignore")
    run = TOOLS[tool][1]
    given = list(rows(cases))
    run(given[:5], address, at_once)
    calls = _calls(address)
    wall, cpu = time.perf_counter(), time.process_time()
    scored = run(given, address, at_once)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"wall": wall, "cpu": cpu, "calls": _calls(address) - calls, "scored": scored}))


def _calls(address: str) -> int:
    with urllib.request.urlopen(f"{address}/calls") as response:
        return int(json.load(response)["calls"])


def main() -> None:
    """Print a line per tool."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--only", choices=list(TOOLS), action="append")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--address", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measure(given.measure, given.address, given.cases, given.at_once)
        return
    print(f"{given.cases} cases, {given.at_once} at once, {given.latency * 1000:.0f} ms latency")
    heading = f"{'tool':<28} {'scored':>6} {'calls':>6} {'wall s':>8} {'wall / ideal':>13}"
    print(f"{heading} {'CPU ms / call':>14} {'CPU ms / case':>14}")
    command = [sys.executable, "-m", "benchmarks.stub_server", "--latency", str(given.latency)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            for tool, (package, _) in TOOLS.items():
                if given.only and tool not in given.only:
                    continue
                if find_spec(package) is None:
                    print(f"{tool:<28} skipped: {package} is not installed")
                    continue
                _line(tool, address, given)
        finally:
            server.terminate()


def _line(tool: str, address: str, given: argparse.Namespace) -> None:
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": address,
        "OPENAI_API_BASE": address,
        "OPIK_TRACK_DISABLE": "true",
        "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
        "RAGAS_DO_NOT_TRACK": "true",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    command = [sys.executable, "-m", "benchmarks.against_others", "--measure", tool, "--address", address]
    command += ["--cases", str(given.cases), "--at-once", str(given.at_once)]
    with tempfile.TemporaryDirectory() as folder:  # some tools leave files where they are started
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"wall"')]
    if not lines:
        why = (done.stderr.strip().splitlines() or ["no word why"])[-1]
        print(f"{tool:<28} failed: {why[:160]}", flush=True)
        return
    took = json.loads(lines[-1])
    ideal = took["calls"] / given.at_once * given.latency
    figures = f"{took['scored']:>6} {took['calls']:>6} {took['wall']:>8.2f} {took['wall'] / ideal:>13.2f}"
    per_call, per_case = took["cpu"] / took["calls"] * 1000, took["cpu"] / given.cases * 1000
    print(f"{tool:<28} {figures} {per_call:>14.2f} {per_case:>14.2f}", flush=True)


if __name__ == "__main__":
    main()
