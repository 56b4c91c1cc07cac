"""A worker gets the tests of a file together, and long ones are begun first."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .workers import DIVIDED, LONG, Together, begin_with_long_ones

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
    assert [file for file in (*LONG, *DIVIDED) if not (ROOT / file).is_file()] == []


def test_a_file_stays_together_and_a_divided_one_goes_to_whoever_is_free() -> None:
    whole = [f"{LONG[0]}::test_{number}[a::b]" for number in range(4)]
    divided = [f"{DIVIDED[0]}::test_{number}" for number in range(8)]
    others = [f"tests/core/test_case.py::test_{number}" for number in range(20)]
    every = [*whole, *divided, *others]
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
    first, second = ([every[index] for index in worker.given] for worker in workers)
    assert sorted(first + second) == sorted(every)
    assert first[:4] == whole and second[:2] == divided[:2]
    assert {test in first for test in divided} == {True, False}
    assert len({test in first for test in others}) == 1


def test_long_ones_are_begun_first() -> None:
    files = ("tests/core/test_case.py", DIVIDED[1], LONG[1], DIVIDED[0])
    items: list[Any] = [SimpleNamespace(path=ROOT / file) for file in files]
    begin_with_long_ones(items, ROOT)
    assert [item.path for item in items] == [ROOT / files[place] for place in (2, 3, 1, 0)]
