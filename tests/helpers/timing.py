"""Measuring how much work something is, whatever else the machine does meanwhile and however fast it is."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import cache


def taken(work: Callable[[], object]) -> float:
    """Seconds of CPU time that the work takes here. Waiting for a turn does not count, nor does old garbage."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        work()
        return time.thread_time() - began
    finally:
        if collecting:
            gc.enable()


def paces(work: Callable[[], object]) -> float:
    """How often this machine could have counted to a million in that time; here it takes some 0.05 s to do it once."""
    return taken(work) / _pace()


@cache
def _pace() -> float:
    def count() -> None:
        number = 0
        while number < 1_000_000:
            number += 1

    return min(taken(count) for _ in range(3))
