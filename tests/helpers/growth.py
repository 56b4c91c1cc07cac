"""How the time of some work grows with the length of what it is given: a ratio, taken again where it looks bad."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

TIMES = 4
"""How much longer the longer text is. Linear work takes as many times as long, quadratic work their square."""
TOO_MANY = 10
ENOUGH = 0.03
"""Seconds of work from which on a ratio says something."""
PLENTY = 0.5
"""Seconds of work beside which what disturbs it is little, so that once is enough."""


def spent(work: Callable[[int], object], length: int) -> float:
    """Seconds of this process's time."""
    gc.disable()  # its rounds come by the number of objects there are, whoever made them
    try:
        began = time.process_time()
        work(length)
        return time.process_time() - began
    finally:
        gc.enable()


def shortest(work: Callable[[int], object], length: int) -> float:
    """The shorter of two times, where they count and may be disturbed."""
    took = spent(work, length)
    return min(took, spent(work, length)) if ENOUGH <= took < PLENTY else took


def assert_linear(work: Callable[[int], object], *, start: int, longest: int, name: str = "") -> None:
    """Fail where `TIMES` the length takes far more than `TIMES` as long, in each of three tries.

    The length starts at `start` and grows up to `longest`, until the work takes long enough to measure.
    What another process does to this one's time passes; what grows with the square does not. A disturbance of the
    longer text makes it look bad and is found out by the next try; one of the shorter text would make it look good.
    """
    length = start
    while (took := shortest(work, length)) < ENOUGH and length * TIMES <= longest:
        length *= TIMES
    if took < ENOUGH:
        return
    ratios = []
    for _ in range(3):
        ratios.append(spent(work, length * TIMES) / took)
        if ratios[-1] < TOO_MANY:
            return
        took = shortest(work, length)
    raise AssertionError(f"{name}: {TIMES} times the text takes {min(ratios):.1f} times as long, from {took:.2f} s")
