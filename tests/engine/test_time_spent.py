"""The latency of a result is the time spent on its case, whatever else is scored at the same time."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from halluscope._internal.core.case import Case
from halluscope._internal.core.plumbing.threads import cores
from halluscope._internal.engine import trail
from halluscope._internal.engine.driver import Driver, RetryPolicy
from halluscope._internal.engine.metrics import Hallucination, Label
from halluscope._internal.engine.trail import TimeSpent
from halluscope._internal.judges.chat.openai import openai_judge
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.runs.runner import evaluate
from halluscope._internal.runs.store import Store
from halluscope._internal.serving.service.service import Service
from halluscope.judges import EmbeddedJudge

from ..helpers.loopback import Faults, Loopback

FACTUAL: Any = {"label": {"verdict": "factual", "reason": ["fine"]}}


def cases(count: int) -> list[Case]:
    return [
        Case.of(f"Item {i} was made in {1900 + i}. It weighs {i} grams.", [f"Item {i} was made in {1900 + i}."])
        for i in range(count)
    ]


def bounded(latencies: list[float], since: float, at_once: int) -> bool:
    """Whether so many workers can have spent that much time. The half: code around the judge runs beside them."""
    return 0 < sum(latencies) / 1000 <= (time.perf_counter() - since) * (at_once + 0.5)


def test_in_a_run_the_wait_for_a_turn_does_not_count(tmp_path: Path) -> None:
    since = time.perf_counter()
    judge = ScriptedJudge(FACTUAL, latency=0.01)
    with Store(tmp_path / "s.db") as store:
        run = evaluate(
            [{"output": f"o{i}", "context": ["c"]} for i in range(20)], "label", judge, store=store, concurrency=1
        )
        latencies = [result.latency_ms for result in run]
    assert bounded(latencies, since, 1)
    assert min(latencies) >= 10


@pytest.mark.slow("keeps the cores busy")
async def test_nor_does_the_wait_for_a_core() -> None:
    driver, metric = Driver(EmbeddedJudge()), Hallucination()
    since = time.perf_counter()
    results = await asyncio.gather(*(driver.score(metric, case) for case in cases(24)))
    assert bounded([result.latency_ms for result in results], since, cores())


@pytest.mark.slow("keeps the cores busy")
async def test_nor_does_the_line_of_the_server() -> None:
    service = Service()
    service.local.bind()
    since = time.perf_counter()
    found = [result async for _, result in service.batch(Hallucination(), cases(24))]
    assert bounded([result.latency_ms for result in found], since, cores())
    await service.local.close()


async def test_pauses_between_retries_count(server: Loopback) -> None:
    server.faults = Faults(throttled=1.0)
    judge = openai_judge("gpt-4o", base_url=server.base_url)
    retry_policy = RetryPolicy(first_wait=0.05, longest_wait=0.05, retries=2)
    result = await Driver(judge, retry_policy=retry_policy).score(Label(), Case.of("o", ["c"]))
    assert result.failure is not None
    assert result.latency_ms >= 50  # two pauses of half the wait at least


def test_spans_that_overlap_count_once(monkeypatch: Any) -> None:
    now = iter([0.0, 1.0, 2.0, 3.0, 10.0, 14.0, 15.0])
    monkeypatch.setattr(trail, "time", SimpleNamespace(perf_counter=lambda: next(now)))
    spent = TimeSpent()
    with spent.span(), spent.span():
        pass  # 0 to 3 and 1 to 2
    with spent.span() as restart:  # from 10 on
        restart()  # from 14 on
    assert spent.seconds == 4.0
