"""A run in a folder, once it is finished: its figures, its report, and where its results are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ..case import Case
from ..datasets import Unread
from ..errors import InputError
from ..plumbing.public import public_in
from ..report.totals import MetricTotals, totals_of
from ..result import Result
from ..runs import Summary
from .file_stores import StoredFolder, open_folder
from .folder import RunFolder
from .part_figures import PartFigures

_REPORT = "report.html"
_SUMMARY = "summary.json"


@public_in("halluscope.distributed")
class ClusterRun:
    """A finished run in a folder. Its results are Parquet files in the folder `results`, one row for each case and
    metric; rows of the data that could not be read are in `bad_rows`, with their reason."""

    def __init__(self, folder: str) -> None:
        self._place: StoredFolder = open_folder(folder)
        held = self._place.read(_SUMMARY)
        if held is None:
            raise InputError(f"{folder} holds no finished run: the same call that began it goes on with it.")
        self._summary = msgspec.json.decode(held, type=Summary)

    def __repr__(self) -> str:
        return f"<ClusterRun in {self.folder}>"

    @property
    def folder(self) -> str:
        """Where the run is."""
        return self._place.name

    @property
    def results(self) -> str:
        """The folder of the results."""
        return f"{self.folder}/results"

    @property
    def bad_rows(self) -> str:
        """The folder of the rows that could not be read; there is none where all could."""
        return f"{self.folder}/bad_rows"

    @property
    def report(self) -> str:
        """The report: the figures of all cases, and a sample of them."""
        return f"{self.folder}/{_REPORT}"

    def read_report(self) -> str:
        """The report itself, which is one HTML file."""
        return (self._place.read(_REPORT) or b"").decode()

    def summary(self) -> Summary:
        """The run's figures. Intervals are those of the normal distribution, the median is true to 0.0001."""
        return self._summary


class CountedRun(Struct, frozen=True, kw_only=True):
    """A run that is counted, as its report reads it."""

    name: str
    judge: str
    created: float
    figures: PartFigures
    shown: Sequence[tuple[Case, Result]]

    @property
    def cases(self) -> int:
        return self.figures.cases

    @property
    def unread(self) -> int:
        return self.figures.bad_rows

    def bad_rows(self) -> Sequence[Unread]:
        return self.figures.first_bad

    def pairs(self) -> Sequence[tuple[Case, Result]]:
        return self.shown

    def totals(self) -> Sequence[MetricTotals]:
        rows = self.cases + self.unread
        return [totals_of(partial, rows) for partial in self.figures.metrics.values()]


def finish(folder: RunFolder, figures: PartFigures, *, data: str, metrics: Sequence[str], seconds: float) -> ClusterRun:
    """Write the summary and the report."""
    place = folder.place
    rows = figures.cases + figures.bad_rows
    ordered = {name: figures.metrics[name] for name in metrics if name in figures.metrics}
    figures.metrics = ordered
    summaries = tuple(partial.summary(rows) for partial in ordered.values())
    possible = rows * len(metrics)
    summary = Summary(
        run=place.name,
        state="finished",
        note="",
        data=data,
        cases=figures.cases,
        bad_rows=figures.bad_rows,
        coverage=sum(metric.scored for metric in summaries) / possible if possible else 0.0,
        metrics=summaries,
        usage=figures.usage,
        seconds=seconds,
    )
    drawn = sorted([*figures.not_passed, *figures.others], key=lambda lot: lot[1:])
    judge = ", ".join(dict.fromkeys(metric.judge for metric in summaries))
    shown = folder.pairs(drawn, len(metrics))
    counted = CountedRun(name=place.name, judge=judge, created=time.time(), figures=figures, shown=shown)
    place.write(_report(counted), _REPORT)
    place.write(msgspec.json.encode(summary), _SUMMARY)
    return ClusterRun(place.name)


def _report(run: Any) -> bytes:
    from ..report.write import report_bytes  # here: only those who finish a run load what makes a report

    return report_bytes(run)
