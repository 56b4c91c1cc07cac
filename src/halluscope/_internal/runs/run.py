"""A stored run: its statistics, its results, its worst cases, and comparisons with other runs."""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ..core.case import Case
from ..core.counting import count_of
from ..core.errors import InputError
from ..core.plumbing.public import public
from ..core.result import Result, Usage
from ..core.result.turns import of_conversation
from .datasets import BadRow
from .export import export, to_pandas
from .run_summary import Summary, summarised
from .statistics.comparison import Asked, Comparison, Light, compare_metric, matched
from .store import Entry, RunInfo, Store
from .store.run_reader import bad_rows, entries, light_results, list_runs, run_named, usage_of_run
from .store.run_writer import REPAIRED

if TYPE_CHECKING:
    import pandas


@public
class Run:
    """A stored run. Results are read from the store when they are needed, so a run can have any size.

    Args:
        name: Name of the run.
        store: The store. By default the user's.

    Raises:
        UnknownRun: There is no run of that name.

    Example:
        >>> run = Run("nightly")
        >>> run.summary()["hallucination"].mean
        0.25
    """

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
        """State, data and metrics of the run at this moment."""
        return run_named(self.store, self._name)

    @property
    def state(self) -> str:
        """`finished`, `running`, `stopped`, `interrupted` or `failed`."""
        return self.info.state

    @property
    def judge(self) -> str:
        """Name of the judge, or several names if the metrics had different judges."""
        return ", ".join(dict.fromkeys(scorer.judge for scorer in self.info.scorers))

    @property
    def created(self) -> float:
        """When the run was started, in seconds since 1970."""
        return self.info.created

    @property
    def seconds(self) -> float:
        """Duration of the run in seconds."""
        return self.info.seconds

    @property
    def usage(self) -> Usage:
        """Calls, tokens and cost of this run. Results reused from other runs cost nothing."""
        return usage_of_run(self.store, self.info.id)

    def entries(self) -> Iterator[Entry]:
        """Yield each case with its results, in the order of the data."""
        return entries(self.store, self.info.id)

    def pairs(self) -> Iterator[tuple[Case, Result]]:
        """Yield each result with its case, in the order of the data."""
        for entry in self.entries():
            for result in entry.results:
                yield entry.case, result

    def results(self, metric: str | None = None) -> Iterator[Result]:
        """Yield the results.

        Args:
            metric: Name of a metric. By default all.

        Returns:
            The results in the order of the data, read when they are asked for.
        """
        return (result for _, result in self.pairs() if metric is None or result.metric == metric)

    def __iter__(self) -> Iterator[Result]:
        return self.results()

    def conversations(self, metric: str | None = None) -> Iterator[Result]:
        """Yield the conversations of a run with `turns="all"`.

        Args:
            metric: Name of a metric. By default all.

        Yields:
            For each conversation and metric a result, with those of the turns.
        """
        for _, turns in groupby(self.entries(), lambda entry: entry.case.turn and entry.case.turn.conversation):
            held = [(entry.case, entry) for entry in turns if entry.case.turn is not None]
            for scorer in self.info.scorers:
                pairs = [
                    (case, result)
                    for case, entry in held
                    for result in entry.results
                    if result.metric == scorer.metric and metric in (None, scorer.metric)
                ]
                if pairs:
                    yield of_conversation(*zip(*pairs, strict=True))

    def bad_rows(self) -> list[BadRow]:
        """Return the rows of the data that could not be read."""
        return bad_rows(self.store, self.info.id)

    def summary(self) -> Summary:
        """Return the statistics of the run."""
        return summarised(self.store, self.info)

    def compare(self, other: Run | str) -> Comparison:
        """Compare this run with an earlier one.

        Args:
            other: The earlier run, or its name in the same store.

        Returns:
            The changes of each metric and each case.

        Raises:
            InputError: The runs have no metric in common.

        Example:
            >>> Run("after").compare("before").worse
            ()
        """
        before = Run(other, self.store) if isinstance(other, str) else other
        return _compared(_Side(before), _Side(self))

    def export(self, path: str | os.PathLike[str]) -> int:
        """Write one line per result to a file.

        Args:
            path: The file. Its name must end with .jsonl, .csv or .parquet (or .jsonl.gz, .csv.gz).

        Returns:
            The number of results.

        Raises:
            InputError: The name of the file has no known ending.
        """
        return export(self.pairs(), Path(path))

    def to_pandas(self) -> pandas.DataFrame:
        """Return the results as a DataFrame with one row each."""
        return to_pandas(self.pairs())

    def report(self, path: str | os.PathLike[str], *, baseline: Run | str | None = None) -> Path:
        """Write a report as one HTML file.

        Args:
            path: The file.
            baseline: An earlier run to compare with, or its name in the same store.

        Returns:
            The path.

        Raises:
            InputError: The file cannot be written.
        """
        from .report import write_report

        return write_report(self, path, baseline=Run(baseline, self.store) if isinstance(baseline, str) else baseline)


@public
def all_runs(store: Store | None = None) -> list[RunInfo]:
    """Return all runs in a store, the latest last.

    Args:
        store: The store. By default the user's.

    Returns:
        What is known of each run without its results.

    Example:
        >>> all_runs()[-1].name
        'after'
    """
    return list_runs(store or Store())


class _Side:
    """One of two runs that are compared."""

    def __init__(self, run: Run) -> None:
        self.info = run.info
        self._run = run

    def results(self, metric: str) -> list[Light]:
        return list(light_results(self._run.store, self.info.id, metric))

    @cached_property
    def asked(self) -> dict[int, Asked]:
        """The question at each position. Reading it is slow, because it reads all texts."""
        return {entry.position: Asked.of(entry.case) for entry in self._run.entries()}


def _compared(before: _Side, after: _Side) -> Comparison:
    earlier = {scorer.metric: scorer for scorer in before.info.scorers}
    common = [scorer for scorer in after.info.scorers if scorer.metric in earlier]
    if not common:
        raise InputError(f"the runs {before.info.name!r} and {after.info.name!r} have no metric in common.")
    metrics, by_question = [], False
    for scorer in common:
        old = earlier[scorer.metric]
        found = matched(scorer.metric, before, after)
        by_question |= found.by_question
        versions = {one.version.removesuffix(REPAIRED) for one in (old, scorer)}
        same = len(versions) == 1 and old.judge == scorer.judge
        metrics.append(compare_metric(found, scorer.direction, comparable=same))
    return Comparison(
        before=before.info.name,
        after=after.info.name,
        matched_by="question" if by_question else "id",
        metrics=tuple(metrics),
        only_before=max(metric.gone for metric in metrics),
        only_after=max(metric.new for metric in metrics),
    )


class WorstCases(Struct, frozen=True):
    """The worst failed cases, and the number of all failed cases."""

    failed: int
    entries: tuple[Entry, ...]


def worst_cases(run: Run, most: int) -> WorstCases:
    """Find the cases that failed a metric by the largest difference. Reads only the texts of those cases."""
    info = run.info
    found: dict[int, float] = {}
    for scorer in info.scorers:
        for result in light_results(run.store, info.id, scorer.metric):
            if result.passed is False and result.score is not None:
                short = result.score if scorer.direction == "lower" else scorer.scale - result.score
                found[result.position] = short / scorer.scale + found.get(result.position, 0.0)
    worst = heapq.nsmallest(most, found, key=lambda position: (-found[position], position))
    shown = [entry for place in worst for entry in islice(entries(run.store, info.id, place - 1), 1)]
    return WorstCases(len(found), tuple(shown))
