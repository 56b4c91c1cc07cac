"""One limit for all workers: held, given back, and not kept by those who died."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import pytest

from halluscope import JudgeThrottled
from halluscope._internal.distributed.permits import SILENT, Permits, SharedThrottle
from halluscope._internal.plumbing.time_limit import time_limit


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def throttle_of(permits: Permits, worker: str) -> SharedThrottle:
    async def take(wanted: int) -> int:
        await asyncio.sleep(0)
        return await permits.take(worker, wanted)

    def left(returned: Sequence[bool | None]) -> None:
        permits.left(worker, returned)

    return SharedThrottle(take, left)


async def test_no_more_calls_at_once_than_all_may_make_together() -> None:
    permits = Permits(3)
    active = most = done = 0

    async def call(throttle: SharedThrottle) -> None:
        nonlocal active, most, done
        await throttle.enter()
        active += 1
        most = max(most, active)
        await asyncio.sleep(0.001)
        active -= 1
        done += 1
        throttle.leave(None)

    workers = [throttle_of(permits, f"worker {number}") for number in range(4)]
    await asyncio.gather(*(call(workers[number % 4]) for number in range(80)))
    assert (done, most) == (80, 3)


async def test_no_more_permits_than_the_pace_allows_and_pauses_are_not_made_up_for() -> None:
    step = 0.01
    permits = Permits(1000, per_minute=60 / step)
    for _ in range(2):  # the second time after a pause, in which many could have been taken
        start, taken = time.monotonic(), 0
        while taken < 15:
            taken += await permits.take("a worker", 100)
            assert taken <= 1 + (time.monotonic() - start) / step
        await asyncio.sleep(0.3)


async def test_a_worker_that_died_does_not_keep_its_permits() -> None:
    clock = Clock()
    permits = Permits(2, clock=clock)
    assert await permits.take("dead", 5) == 2
    waiting = asyncio.ensure_future(permits.take("alive", 1))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    clock.now += SILENT + 1
    permits.left("another", [])
    assert await waiting == 1
    permits.left("dead", [False, False])  # it was only silent: what it returns now is not returned twice
    assert await permits.take("alive", 5) == 1


async def test_a_call_that_is_given_up_while_it_waits_costs_no_permit() -> None:
    permits = Permits(1)
    throttle = throttle_of(permits, "a worker")
    await throttle.enter()
    waiting = asyncio.ensure_future(throttle.enter())
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    throttle.leave(None)
    async with time_limit(60):
        await throttle.enter()


async def test_fewer_at_once_while_the_judge_throttles_any_worker() -> None:
    permits = Permits(16)
    throttle = throttle_of(permits, "a worker")
    for _ in range(40):
        await throttle.enter()
        throttle.leave(JudgeThrottled("too fast"))
        await asyncio.sleep(0.01)
    assert await permits.take("another", 16) < 16


async def test_where_the_limit_cannot_be_asked_the_call_says_so() -> None:
    async def gone(wanted: int) -> int:
        raise RuntimeError("no such actor")

    throttle = SharedThrottle(gone, lambda returned: None)
    with pytest.raises(Exception, match="the cluster's limit of judge calls cannot be asked: no such actor"):
        await throttle.enter()
