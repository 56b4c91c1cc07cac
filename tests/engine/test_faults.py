"""500 cases against a server that fails: every case gets its score, and no answer is paid for twice."""

from __future__ import annotations

import asyncio

import pytest

from halluscope._internal.core.case import Case
from halluscope._internal.core.result import Outcome, Result
from halluscope._internal.engine.driver import Driver, RetryPolicy
from halluscope._internal.engine.metric import Metric
from halluscope._internal.engine.metrics import Contradiction, Hallucination, Label
from halluscope._internal.judges.chat.anthropic import anthropic_judge
from halluscope._internal.judges.chat.openai import openai_judge

from ..helpers.loopback import Faults, Loopback

CASES = 500
PATIENCE = RetryPolicy(first_wait=0.001, longest_wait=0.05, repairs=5)

ALONE = {
    "20 % throttled": Faults(throttled=0.2),
    "20 % throttled, told when": Faults(throttled=0.2, retry_after="0.01"),
    "10 % invalid": Faults(invalid=0.1),
    "5 % reset": Faults(reset=0.05),
    "all three": Faults(throttled=0.2, invalid=0.1, reset=0.05),
    "everything": Faults(
        throttled=0.05, failed=0.03, busy=0.03, reset=0.03, hung_up=0.03, not_json=0.03, invalid=0.03, truncated=0.03,
        silently_truncated=0.03, fenced=0.03, prose=0.03, listed=0.03, number=0.03, empty=0.03, missing=0.03,
        unknown_ids=0.03, invented=0.03, retry_after="0.01",
    ),
}  # fmt: skip


def case(number: int) -> Case:
    context = [f"Mill number {number} grinds {number + 7} tons of flour each day.", f"Mill number {number} is in Ulm."]
    says = number + 7 if number % 2 else number + 8
    output = f"Mill number {number} grinds {says} tons of flour each day. Mill number {number} is in Ulm."
    return Case.of(output, context, id=str(number))


async def scored(metric: Metric, driver: Driver, count: int = CASES) -> list[Result]:
    at_once = asyncio.Semaphore(64)

    async def one(number: int) -> Result:
        async with at_once:
            return await driver.score(metric, case(number))

    return await asyncio.gather(*(one(number) for number in range(count)))


def complete(results: list[Result], right: float) -> None:
    """Every case scored, with the score that an undisturbed server gives."""
    assert len({result.case_id for result in results}) == len(results)
    assert {result.outcome for result in results} == {Outcome.SCORED}
    wrong = [r for r in results if r.score != (right if int(r.case_id) % 2 == 0 else 0.0)]
    assert not wrong


def _never(faults: Faults) -> set[str]:
    return {name for name in Faults.__annotations__ if getattr(faults, name) == 0.0}


@pytest.mark.slow("makes thousands of calls with faults")
@pytest.mark.parametrize("faults", ALONE.values(), ids=ALONE)
async def test_nothing_is_lost_and_nothing_asked_twice(server: Loopback, faults: Faults) -> None:
    server.faults = faults
    driver = Driver(openai_judge("any", base_url=server.base_url), retry_policy=PATIENCE)
    results = await scored(Hallucination(include_reason=False), driver)
    assert len(results) == CASES
    complete(results, right=0.5)
    met = {call.fault for call in server.calls if call.fault}
    assert met == {name for name in Faults.__annotations__ if isinstance(getattr(faults, name), float)} - _never(faults)
    if "truncated" not in met:
        # Two questions a case. One that was cut off is asked again in parts, which are questions of their own.
        assert len(server.answered) == 2 * CASES
    assert max(server.answered.values()) == 1, "a question that was answered is not asked again"
    assert sum(result.usage.calls for result in results) >= 2 * CASES


@pytest.mark.slow("makes thousands of calls with faults")
@pytest.mark.parametrize(("metric", "right"), [(Label(), 1.0), (Contradiction(include_reason=False), 0.5)])
async def test_other_metrics_with_all_three(server: Loopback, metric: Metric, right: float) -> None:
    server.faults = ALONE["all three"]
    results = await scored(metric, Driver(openai_judge("any", base_url=server.base_url), retry_policy=PATIENCE))
    complete(results, right)
    assert max(server.answered.values()) == 1
    assert len(server.answered) == CASES


async def test_anthropic_with_all_three(server: Loopback) -> None:
    server.faults = ALONE["all three"]
    judge = anthropic_judge("any", base_url=server.url, api_key="key")
    results = await scored(Hallucination(include_reason=False), Driver(judge, retry_policy=PATIENCE), 100)
    complete(results, right=0.5)
    assert max(server.answered.values()) == 1


async def test_faults_are_the_same_for_the_same_seed(server: Loopback) -> None:
    server.faults = ALONE["all three"]
    driver = Driver(openai_judge("any", base_url=server.base_url), retry_policy=PATIENCE)
    counts = []
    for _ in range(2):
        server.forget()
        await scored(Label(), driver, 50)
        counts.append(sorted((call.asked.key, call.fault or "") for call in server.calls))
    assert counts[0] == counts[1]


@pytest.mark.slow("makes thousands of calls with faults")
async def test_a_server_that_is_gone_is_500_failures_and_no_exception(server: Loopback) -> None:
    server.faults = Faults(failed=1.0)
    driver = Driver(
        openai_judge("any", base_url=server.base_url), retry_policy=RetryPolicy(retries=1, first_wait=0.001)
    )
    results = await scored(Label(), driver)
    assert {(r.outcome, r.score) for r in results} == {(Outcome.FAILED, None)}
    assert {r.failure.kind for r in results if r.failure} == {"unavailable"}
    assert len(server.calls) == 2 * CASES
