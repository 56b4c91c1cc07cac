"""Reading stored runs: summaries, results, reports and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, ExitStack
from tempfile import TemporaryFile
from typing import IO, Annotated, TypeVar, Union

from msgspec import Meta, Struct

from ...core.case import Case
from ...core.errors import UnknownName
from ...core.plumbing.threads import checkpoint, in_thread
from ...core.result import Result
from ...runs import Run, Summary, all_runs
from ...runs.report.write import write_report_to
from ...runs.statistics.comparison import Comparison
from ...runs.store import RunInfo, Store
from ...runs.store.run_reader import entries

T = TypeVar("T")


class RunRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Name of a run."""

    run: Annotated[str, Meta(description="Name of the run.")]


class ReportRequest(RunRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run, and the one that its report compares with."""

    baseline: Union[str, None] = None


class CompareRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two runs, the earlier and the later."""

    before: str
    after: str


class ResultsRequest(RunRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which results of a run to return."""

    metric: Union[str, None] = None
    failing: Annotated[bool, Meta(description="Only results that did not pass.")] = False
    start: Annotated[int, Meta(ge=0, le=2**53, description="Index of the first case: `next` of the previous page.")] = 0
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class KeptResult(Struct, frozen=True, kw_only=True):
    """One result of a run with its case. `position` is the index of the case in the data."""

    position: int
    case: Case
    result: Result


class ResultPage(Struct, frozen=True, kw_only=True):
    """Results in the order of the data. `next` is the start of the next page, null on the last."""

    run: str
    results: tuple[KeptResult, ...]
    next: int | None = None


class RunList(Struct, frozen=True):
    """All stored runs, the latest last."""

    runs: tuple[RunInfo, ...]


class RunAnswer(Struct, frozen=True):
    """A run and its summary."""

    info: RunInfo
    summary: Summary


class KeptRuns:
    """Reads runs from the store (the user's by default), each time in a thread and within a `turn`."""

    def __init__(self, store: Store | None, turn: Callable[[], AbstractAsyncContextManager[None]]) -> None:
        self._turn = turn
        self._store = store
        self._closing = ExitStack()

    def close(self) -> None:
        """Close the store if it was opened here."""
        self._closing.close()

    def _open(self) -> Store:
        if self._store is None:
            self._store = self._closing.enter_context(Store())
        return self._store

    async def all(self) -> RunList:
        return await self._read(lambda store: RunList(tuple(all_runs(store))))

    async def run(self, wanted: RunRequest) -> RunAnswer:
        def read(store: Store) -> RunAnswer:
            run = Run(wanted.run, store)
            return RunAnswer(run.info, run.summary())

        return await self._read(read)

    async def results(self, wanted: ResultsRequest) -> ResultPage:
        """Return a page of results."""
        return await self._read(lambda store: _page(Run(wanted.run, store), wanted))

    async def compare(self, wanted: CompareRequest) -> Comparison:
        return await self._read(lambda store: Run(wanted.after, store).compare(Run(wanted.before, store)))

    async def report(self, wanted: ReportRequest) -> IO[bytes]:
        """Write the report of a run, compared with the baseline, to a temporary file that the caller closes."""

        def written(store: Store) -> IO[bytes]:
            run, earlier = Run(wanted.run, store), None if wanted.baseline is None else Run(wanted.baseline, store)
            with ExitStack() as closing:
                file = closing.enter_context(TemporaryFile(prefix="halluscope-"))
                write_report_to(file, run, baseline=earlier)
                file.seek(0)
                checkpoint()
                closing.pop_all()
            return file

        return await self._read(written)

    async def _read(self, read: Callable[[Store], T]) -> T:
        async with self._turn():
            return await in_thread(lambda: read(self._open()))


def _page(run: Run, wanted: ResultsRequest) -> ResultPage:
    info = run.info
    if wanted.metric is not None and wanted.metric not in (known := [scorer.metric for scorer in info.scorers]):
        raise UnknownName("metric in this run called", wanted.metric, known)
    found = (
        KeptResult(position=entry.position, case=entry.case, result=result)
        for entry in entries(run.store, info.id, after=wanted.start - 1)
        for result in entry.results
        if wanted.metric in (None, result.metric) and not (wanted.failing and result.passed)
    )
    # A page always ends with the last result of a case.
    page: list[KeptResult] = []
    for kept in found:
        if len(page) >= wanted.limit and kept.position != page[-1].position:
            return ResultPage(run=info.name, results=tuple(page), next=kept.position)
        page.append(kept)
    return ResultPage(run=info.name, results=tuple(page))
