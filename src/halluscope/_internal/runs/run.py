"""A run that was made, kept under its name: its figures, its results, and what changed since another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..case import Case
from ..errors import UnknownName
from ..figures.comparison import Comparison
from ..plumbing.public import public
from ..result import Result, Usage
from ..store import Entry, RunInfo, Store
from ..store.run_reader import BadRow, bad_rows, entries, list_runs, usage_of_run
from ..text.counting import count_of
from .export import export, to_pandas
from .kept_comparison import KeptRun, compare
from .run_summary import Summary, summarised

if TYPE_CHECKING:
    import pandas


@public
class Run:
    """A run in a store. Everything is read when it is asked for, so a run of any size may be held."""

    def __init__(self, name: str, store: Store | None = None) -> None:
        self.store = store or Store()
        self._name = name
        _ = self.info

    def __repr__(self) -> str:
        info = self.info
        metrics = ", ".join(scorer.metric for scorer in info.scorers)
        return f"<Run {self._name!r} {info.state}: {count_of(info.cases, 'case')}, {metrics} by {self.judge}>"

    def _repr_html_(self) -> str:
        from .run_html import run_card

        return run_card(self.summary(), self.entries())

    @property
    def name(self) -> str:
        return self._name

    @property
    def info(self) -> RunInfo:
        """What is known of the run at this moment."""
        found = list_runs(self.store, self._name)
        if not found:
            known = [info.name for info in list_runs(self.store)][-10:]
            raise UnknownName("run called", self._name, known or ("(none yet)",))
        return found[0]

    @property
    def state(self) -> str:
        """`finished`, `running`, `stopped`, `interrupted` or `failed`."""
        return self.info.state

    @property
    def judge(self) -> str:
        """Who judged; several names where metrics had different judges."""
        return ", ".join(dict.fromkeys(scorer.judge for scorer in self.info.scorers))

    @property
    def created(self) -> float:
        """When the run was begun, in seconds since 1970."""
        return self.info.created

    @property
    def seconds(self) -> float:
        """How long it took to make the run."""
        return self.info.seconds

    @property
    def usage(self) -> Usage:
        """What this run paid; results that were there already cost it nothing."""
        return usage_of_run(self.store, self.info.id)

    def entries(self) -> Iterator[Entry]:
        """Each case with its results, in the order of the data."""
        return entries(self.store, self.info.id)

    def pairs(self) -> Iterator[tuple[Case, Result]]:
        """Each result with its case, in the order of the data."""
        for entry in self.entries():
            for result in entry.results:
                yield entry.case, result

    def results(self, metric: str | None = None) -> Iterator[Result]:
        """The results, of one metric or of all."""
        return (result for _, result in self.pairs() if metric is None or result.metric == metric)

    def __iter__(self) -> Iterator[Result]:
        return self.results()

    def bad_rows(self) -> list[BadRow]:
        """The rows of the data that could not be read, with the reason."""
        return bad_rows(self.store, self.info.id)

    def summary(self) -> Summary:
        """The run's figures."""
        return summarised(self.store, self.info)

    def compare(self, other: Run | str) -> Comparison:
        """How this run differs from an earlier one, case by case and in total."""
        before = Run(other, self.store) if isinstance(other, str) else other
        return compare(KeptRun(before.store, before.info), KeptRun(self.store, self.info))

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write one line per result: .jsonl, .csv or .parquet, by the file's name. Returns how many."""
        return export(self.pairs(), Path(path))

    def to_pandas(self) -> pandas.DataFrame:
        """The results as a table, one row each."""
        return to_pandas(self.pairs())

    def report(self, path: str | os.PathLike[str], *, baseline: Run | str | None = None) -> Path:
        """Write the run as one HTML file, with what changed since `baseline`."""
        from ..report import write_report  # here: only those who want a report load what makes one

        return write_report(self, path, baseline=Run(baseline, self.store) if isinstance(baseline, str) else baseline)


@public
def all_runs(store: Store | None = None) -> list[RunInfo]:
    """Every run that is kept, the latest last."""
    return list_runs(store or Store())
