"""Asynchronous code called from synchronous code."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from halluscope._internal.core.plumbing import sync

from ...helpers.systems import posix


async def double(value: int) -> int:
    await asyncio.sleep(0)
    return 2 * value


def test_the_result_and_the_error() -> None:
    async def fails() -> None:
        raise LookupError("gone")

    assert sync.run(double(4)) == 8
    with pytest.raises(LookupError, match="gone"):
        sync.run(fails())
    assert sync.run(double(5)) == 10


async def test_inside_a_running_loop() -> None:
    assert sync.run(double(4)) == 8


def test_from_many_threads_on_one_loop() -> None:
    loops: set[asyncio.AbstractEventLoop] = set()

    async def here() -> None:
        loops.add(asyncio.get_running_loop())

    threads = [threading.Thread(target=lambda: sync.run(here())) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loops) == 1


def test_a_call_from_inside_the_loop_is_refused_and_does_not_hang() -> None:
    async def outer() -> int:
        return sync.run(double(1))

    with pytest.raises(RuntimeError, match="await the asynchronous one"):
        sync.run(outer())


@posix
def test_an_interrupt_cancels_what_was_running() -> None:
    started, cancelled = threading.Event(), threading.Event()

    async def long() -> None:
        started.set()
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            await asyncio.sleep(0.2)
            cancelled.set()
            raise

    def interrupted() -> None:
        started.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupted).start()
    with pytest.raises(KeyboardInterrupt):
        sync.run(long())
    assert cancelled.is_set(), "what was cancelled had no time to end well"


@pytest.mark.slow("interrupts processes")
def test_an_interrupt_at_any_moment_ends_the_call() -> None:
    script = Path(__file__).with_name("interrupts.py")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout == "160 interrupts\n"


class Doubler:
    async def adouble(self, value: int, *, times: int = 1) -> int:
        """The value, doubled."""
        return value + value * times

    double = sync.blocking_method(adouble, "double")


class Tripler(Doubler):
    async def adouble(self, value: int, *, times: int = 1) -> int:
        return 3 * value * times


doubled = sync.blocking(double, "doubled")


def test_a_twin_has_the_parameters_of_the_other_and_its_own_name() -> None:
    assert doubled(4) == doubled(value=4) == 8
    assert Doubler().double(3, times=3) == 12
    assert str(inspect.signature(Doubler().double)) == "(value: 'int', *, times: 'int' = 1) -> 'int'"
    assert (doubled.__name__, Doubler.double.__name__) == ("doubled", "double")
    assert (doubled.__qualname__, Doubler.double.__qualname__) == ("doubled", "Doubler.double")
    assert Doubler.double.__doc__ == "The value, doubled."
    assert not inspect.iscoroutinefunction(doubled)
    with pytest.raises(TypeError, match="unexpected keyword argument 'tmes'"):
        Doubler().double(3, tmes=2)  # type: ignore[call-arg]


def test_a_twin_calls_what_a_subclass_put_in_the_place_of_the_other() -> None:
    assert Tripler().double(3) == 9
