"""Tests that need something large run in the worker that has started it, and long ones are begun first."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .workers import FIRST, TOGETHER, Together, begin_with_long_ones

ROOT = Path(__file__).parents[2]


class Worker:
    """One that notes what it is given."""

    def __init__(self) -> None:
        self.given: list[int] = []
        self.shutting_down = False
        self.gateway = SimpleNamespace(id="a worker")

    def send_runtest_some(self, indices: list[int]) -> None:
        self.given += indices

    def shutdown(self) -> None:
        self.shutting_down = True


def test_the_files_are_there() -> None:
    assert [file for file in (*TOGETHER, *FIRST) if not (ROOT / file).is_file()] == []


def test_a_file_stays_together_and_the_rest_goes_to_whoever_is_free() -> None:
    large = [f"{TOGETHER[0]}::test_{number}[a::b]" for number in range(4)]
    small = [f"tests/core/test_case.py::test_{number}" for number in range(8)]
    every = [*small[:4], *large, *small[4:]]
    config: Any = SimpleNamespace(getvalue={"tx": ["2*popen"]}.get, option=SimpleNamespace(loadscopereorder=True))
    scheduler = Together(config)
    workers: list[Any] = [Worker(), Worker()]
    for worker in workers:
        scheduler.add_node(worker)
    for worker in workers:
        scheduler.add_node_collection(worker, every)
    scheduler.schedule()
    done = [0, 0]
    while scheduler.has_pending:
        for number, worker in enumerate(workers):
            if done[number] < len(worker.given):
                scheduler.mark_test_complete(worker, worker.given[done[number]])
                done[number] += 1
    names = [[every[index] for index in worker.given] for worker in workers]
    assert sorted(names[0] + names[1]) == sorted(every)
    assert names[0][:4] == large and names[1][:2] == small[:2]


def test_long_ones_are_begun_first() -> None:
    items: list[Any] = [SimpleNamespace(path=ROOT / file) for file in ("tests/core/test_case.py", FIRST[1], FIRST[0])]
    begin_with_long_ones(items, ROOT)
    assert [item.path for item in items] == [ROOT / FIRST[0], ROOT / FIRST[1], ROOT / "tests/core/test_case.py"]
