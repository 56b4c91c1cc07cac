"""The rows of one partition and what comes of them, in memory: what a store is to a run on one machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..case import Case
from ..datasets import AnyRow, Row, Unread
from ..result import Result
from ..store.run_writer import Job


class Sheet:
    """Takes results in whatever order they come, and gives them in the order of the rows."""

    def __init__(self, rows: Sequence[AnyRow], metrics: int) -> None:
        self._metrics = metrics
        self._rows = rows
        # The longest first: what is left at the end, while others wait for it, is short.
        good = [place for place, row in enumerate(rows) if isinstance(row, Row)]
        self._order = sorted(good, key=lambda place: -_length(rows[place]))
        self._results: dict[int, dict[int, Result]] = {}
        self.unread = [row for row in rows if isinstance(row, Unread)]

    def by_length(self) -> list[AnyRow]:
        """The rows that can be scored, as they are to be."""
        return [self._rows[place] for place in self._order]

    def admit(self, rows: Sequence[tuple[int, Case]]) -> tuple[list[Job], int]:
        jobs = [Job(position, case, 0, scorer) for position, case in rows for scorer in range(self._metrics)]
        return jobs, 0

    def bad_rows(self, rows: Sequence[tuple[int, str, str]]) -> None:
        """None come here: they were told apart before."""

    def keep(self, job: Job, result: Result) -> None:
        self._results.setdefault(self._order[job.position], {})[job.scorer] = result

    def flush(self) -> None:
        """Everything is here already."""

    def scored(self) -> Iterator[tuple[Case, tuple[Result, ...]]]:
        """Each case with its results, in the order of the metrics."""
        for place, row in enumerate(self._rows):
            if isinstance(row, Row):
                found = self._results[place]
                yield row.case, tuple(found[scorer] for scorer in range(self._metrics))


def _length(row: AnyRow) -> int:
    if not isinstance(row, Row):
        return 0
    return len(row.case.output) + sum(map(len, row.case.context or ()))
