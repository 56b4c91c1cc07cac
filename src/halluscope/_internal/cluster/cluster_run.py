"""A finished run in a folder: its summary, its report and its results."""

from __future__ import annotations

import time
from collections.abc import Sequence
from io import BytesIO

import msgspec

from ..core.case import Case
from ..core.errors import InputError
from ..core.plumbing.public import public_in
from ..core.result import Result
from ..runs import Summary
from ..runs.report.source import Sample
from ..runs.report.totals import totals
from ..runs.report.write import write_report_to
from .file_stores import StoredFolder, open_folder
from .folder import RunFolder
from .part_statistics import PartStatistics

_REPORT = "report.html"
_SUMMARY = "summary.json"


@public_in("halluscope.distributed")
class ClusterRun:
    """A finished run in a folder. The results are Parquet files with one row for each case and metric.

    Args:
        folder: The folder that was passed to `evaluate` as `output`.

    Raises:
        InputError: The folder holds no finished run.

    Example:
        >>> ClusterRun("s3://bucket/scored").summary()["hallucination"].mean
        0.25
    """

    def __init__(self, folder: str) -> None:
        self._place: StoredFolder = open_folder(folder)
        held = self._place.read(_SUMMARY)
        if held is None:
            raise InputError(f"{folder} holds no finished run: repeat the call that started it to continue it.")
        self._summary = msgspec.json.decode(held, type=Summary)

    def __repr__(self) -> str:
        return f"<ClusterRun in {self.folder}>"

    @property
    def folder(self) -> str:
        """The folder of the run."""
        return self._place.name

    @property
    def results(self) -> str:
        """The folder of the results."""
        return f"{self.folder}/results"

    @property
    def bad_rows(self) -> str:
        """The folder of the rows that could not be read. It does not exist if there are none."""
        return f"{self.folder}/bad_rows"

    @property
    def report(self) -> str:
        """The report: statistics of all cases, and a sample of the cases."""
        return f"{self.folder}/{_REPORT}"

    def read_report(self) -> str:
        """Return the report as HTML."""
        return (self._place.read(_REPORT) or b"").decode()

    def summary(self) -> Summary:
        """Return the statistics. Intervals assume a normal distribution; means and medians are exact to 0.000001."""
        return self._summary


def sample_of(
    statistics: PartStatistics, shown: Sequence[tuple[Case, Result]], *, name: str, judge: str, created: float
) -> Sample:
    """Return the source of the report: merged statistics, and a sample of the cases."""
    rows = statistics.cases + statistics.bad_rows
    return Sample(
        given=shown,
        name=name,
        judge=judge,
        created=created,
        cases=statistics.cases,
        unread=statistics.bad_rows,
        first_unread=statistics.first_bad,
        totals=[totals(partial, rows) for partial in statistics.metrics.values()],
    )


def finish(
    folder: RunFolder, statistics: PartStatistics, *, data: str, metrics: Sequence[str], seconds: float
) -> ClusterRun:
    """Write the summary and the report."""
    place = folder.place
    rows = statistics.cases + statistics.bad_rows
    ordered = {name: statistics.metrics[name] for name in metrics if name in statistics.metrics}
    statistics.metrics = ordered
    summaries = tuple(partial.summary(rows) for partial in ordered.values())
    possible = rows * len(metrics)
    summary = Summary(
        run=place.name,
        state="finished",
        note="",
        data=data,
        cases=statistics.cases,
        bad_rows=statistics.bad_rows,
        coverage=sum(metric.scored for metric in summaries) / possible if possible else 0.0,
        metrics=summaries,
        usage=statistics.usage,
        seconds=seconds,
    )
    drawn = sorted([*statistics.not_passed, *statistics.others], key=lambda case: case[1:])
    judge = ", ".join(dict.fromkeys(metric.judge for metric in summaries))
    shown = folder.pairs(drawn, len(metrics))
    report = BytesIO()
    write_report_to(report, sample_of(statistics, shown, name=place.name, judge=judge, created=time.time()))
    place.write(report.getvalue(), _REPORT)
    place.write(msgspec.json.encode(summary), _SUMMARY)
    return ClusterRun(place.name)
