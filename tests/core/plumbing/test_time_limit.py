"""Waiting with a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import pytest

from halluscope._internal.core.plumbing.time_limit import time_limit

T = TypeVar("T")


async def within(seconds: float, work: Awaitable[T]) -> T:
    async with time_limit(seconds):
        return await work


async def test_the_result_the_error_and_the_limit() -> None:
    async def fails() -> None:
        raise LookupError("gone")

    assert await within(60, asyncio.sleep(0, "done")) == "done"
    with pytest.raises(LookupError, match="gone"):
        await within(60, fails())
    with pytest.raises(asyncio.TimeoutError):
        await within(0.01, asyncio.sleep(60))
    await asyncio.sleep(0)  # nothing of it is left that would cancel this


async def test_a_limit_inside_a_limit() -> None:
    with pytest.raises(asyncio.TimeoutError):
        await within(60, within(0.01, asyncio.sleep(60)))
    with pytest.raises(asyncio.TimeoutError):
        await within(0.01, within(60, asyncio.sleep(60)))
    with pytest.raises(asyncio.TimeoutError):
        await within(0.01, within(0.01, asyncio.sleep(60)))


@pytest.mark.parametrize("turns", range(6))
async def test_an_interrupt_that_comes_with_the_result_is_not_lost(turns: int) -> None:
    """However many turns of the loop lie between the two: one that comes before the end ends it."""
    result: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def work() -> str:
        return await result

    task = asyncio.ensure_future(within(60, work()))
    await asyncio.sleep(0.001)
    result.set_result("too late")
    for _ in range(turns):
        await asyncio.sleep(0)
    if task.cancel():
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        assert turns and await task == "too late"
