"""Waiting until something is so, however slow the machine is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

LONG = 300.0
"""Seconds after which a thing that has not come will not come, on a machine that is busy with other things as well."""


async def until(condition: Callable[[], object], longest: float = LONG, every: float = 0.002) -> None:
    """Let the loop turn until the condition holds."""
    end = time.monotonic() + longest
    while not condition():
        assert time.monotonic() < end, f"what was waited for has not come in {longest:g} s"
        await asyncio.sleep(every)


def wait_until(condition: Callable[[], object], longest: float = LONG, every: float = 0.002) -> None:
    """The same where there is no loop."""
    end = time.monotonic() + longest
    while not condition():
        assert time.monotonic() < end, f"what was waited for has not come in {longest:g} s"
        time.sleep(every)
