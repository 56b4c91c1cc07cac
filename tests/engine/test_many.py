"""The one loop over many cases: bounded, and with a clean end whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator

import pytest

from halluscope import Case, Label, Outcome
from halluscope._internal.core.errors import InputError, StoreError
from halluscope._internal.engine.driver import Driver
from halluscope._internal.engine.many import collected, each, score_all
from halluscope.judges import resolve
from halluscope.metrics import Finding, Flow


async def test_no_more_at_once_than_allowed_and_all_are_done() -> None:
    busy = most = 0

    async def work(job: int) -> int:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0.001 * (job % 3))
        busy -= 1
        return job * job

    told: list[int] = []
    assert await collected(range(40), work, at_once=7, progress=told.append) == [job * job for job in range(40)]
    assert most == 7
    assert told == list(range(1, 41))


async def test_an_error_in_the_work_ends_the_others_and_is_raised() -> None:
    begun: list[int] = []
    ended: list[int] = []

    async def work(job: int) -> None:
        begun.append(job)
        if job == 3:
            raise StoreError("the disk is full")
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(job)

    with pytest.raises(StoreError, match="disk"):
        await each(range(100), work, at_once=5)
    assert sorted(ended) == [job for job in begun if job != 3]
    assert len(begun) <= 6


async def test_an_error_of_the_source_waits_for_what_it_gave() -> None:
    done: list[int] = []

    def source() -> Iterator[int]:
        yield from range(5)
        raise ValueError("cut off")

    async def work(job: int) -> None:
        await asyncio.sleep(0.01)
        done.append(job)

    with pytest.raises(ValueError, match="cut off"):
        await each(source(), work, at_once=2)
    assert sorted(done) == [0, 1, 2, 3, 4]


async def test_what_runs_beside_ends_with_the_jobs_and_its_error_ends_them() -> None:
    ticks: list[int] = []

    async def ticking() -> None:
        while True:
            ticks.append(1)
            await asyncio.sleep(0.001)

    async def work(job: int) -> None:
        await asyncio.sleep(0.01)

    assert await each(range(3), work, at_once=3, beside=ticking)
    seen = len(ticks)
    await asyncio.sleep(0.01)
    assert seen == len(ticks) > 1

    async def broken() -> None:
        raise StoreError("no store")

    async def for_ever(job: int) -> None:
        await asyncio.sleep(60)

    with pytest.raises(StoreError, match="no store"):
        await asyncio.wait_for(each(range(3), for_ever, at_once=1, beside=broken), 5)


async def test_whoever_may_not_start_ends_it_once_the_others_are_done() -> None:
    done: list[int] = []

    async def work(job: int) -> None:
        await asyncio.sleep(0.01)
        done.append(job)

    whole = await each(range(10), work, at_once=3, may_start=lambda under_way: len(done) < 4)
    assert not whole
    assert done == sorted(done) and 4 <= len(done) < 10


async def test_cancelling_leaves_nothing_running_and_the_source_closed() -> None:
    running: set[int] = set()
    closed = []

    async def source() -> AsyncGenerator[int, None]:
        try:
            for job in range(10):
                yield job
        finally:
            closed.append(True)

    async def stubborn(job: int) -> None:
        running.add(job)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
        running.discard(job)

    task = asyncio.ensure_future(each(source(), stubborn, at_once=4))
    await asyncio.sleep(0.02)
    assert len(running) == 4
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not running
    assert closed == [True]


async def test_a_metric_that_breaks_is_a_result_and_the_others_go_on() -> None:
    def judge(prompt: str) -> str:
        return '{"verdict": "factual", "reason": []}'

    class Broken(Label, frozen=True, kw_only=True):
        def flow(self, case: Case) -> Flow[Finding]:
            if case.output == "two":
                raise RuntimeError("broken")
            return (yield from super().flow(case))

    driver = Driver(resolve(judge))
    cases = [Case.of(text, ["c"]) for text in ("one", "two", "three")]
    results = await score_all(driver, Broken(), cases, at_once=2)
    assert [result.outcome for result in results] == [Outcome.SCORED, Outcome.FAILED, Outcome.SCORED]
    with pytest.raises(InputError, match="at least 1"):
        await score_all(driver, Label(), cases, at_once=0)
