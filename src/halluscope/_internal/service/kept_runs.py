"""Reading what is kept: runs, their figures, their results, and what changed between two."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from ..case import Case
from ..errors import UnknownName
from ..figures.comparison import Comparison
from ..plumbing.threads import in_thread
from ..result import Result
from ..runs import Run, Summary, all_runs
from ..store import RunInfo, Store
from ..store.run_reader import entries

T = TypeVar("T")

MOST = 200
"""Results on one page."""


class KeptResult(Struct, frozen=True, kw_only=True):
    """One result of a run with its case. `position` is the case's place in the data."""

    position: int
    case: Case
    result: Result


class ResultPage(Struct, frozen=True, kw_only=True):
    """Results in the order of the data. `next` is where to go on, null at the end."""

    run: str
    results: tuple[KeptResult, ...]
    next: int | None = None


class KeptRuns:
    """The runs of the store. Every reading has a thread of its own, so that nobody waits for the disk."""

    def __init__(self, store: Store | None = None) -> None:
        self._store = store
        self._opened: Store | None = None

    def _open(self) -> Store:
        if self._store is None:
            self._store = self._opened = Store()
        return self._store

    def close(self) -> None:
        """Close the store, where one was opened here."""
        if self._opened is not None:
            self._opened.close()

    async def all(self) -> list[RunInfo]:
        """Every run, the latest last."""
        return await self._read(all_runs)

    async def run(self, name: str) -> tuple[RunInfo, Summary]:
        """A run and its figures."""

        def read(store: Store) -> tuple[RunInfo, Summary]:
            run = Run(name, store)
            return run.info, run.summary()

        return await self._read(read)

    async def results(
        self, name: str, *, metric: str | None = None, failing: bool = False, start: int = 0, limit: int = 50
    ) -> ResultPage:
        """A page of results, from the case at `start` on; with `failing` only those that did not pass."""
        return await self._read(lambda store: _page(Run(name, store), metric, failing, start, min(limit, MOST)))

    async def compare(self, before: str, after: str) -> Comparison:
        """What changed from one run to another."""
        return await self._read(lambda store: Run(after, store).compare(Run(before, store)))

    async def report(self, name: str, baseline: str | None = None) -> bytes:
        """The run as one HTML file, with what changed since the baseline."""

        def written(store: Store) -> bytes:
            run = Run(name, store)
            with tempfile.TemporaryDirectory(prefix="halluscope-") as folder:
                return run.report(Path(folder) / "report.html", baseline=baseline).read_bytes()

        return await self._read(written)

    async def _read(self, reading: Callable[[Store], T]) -> T:
        return await in_thread(lambda: reading(self._open()))


def _page(run: Run, metric: str | None, failing: bool, start: int, limit: int) -> ResultPage:
    info = run.info
    if metric is not None and metric not in (known := [scorer.metric for scorer in info.scorers]):
        raise UnknownName("metric in this run called", metric, known)
    found = (
        KeptResult(position=entry.position, case=entry.case, result=result)
        for entry in entries(run.store, info.id, after=start - 1)
        for result in entry.results
        if (metric is None or result.metric == metric) and not (failing and result.passed)
    )
    # A page ends with a whole case: the next one starts at another.
    page: list[KeptResult] = []
    for kept in found:
        if len(page) >= limit and kept.position != page[-1].position:
            return ResultPage(run=info.name, results=tuple(page), next=kept.position)
        page.append(kept)
    return ResultPage(run=info.name, results=tuple(page))
