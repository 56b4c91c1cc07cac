"""Writing a report in one pass over the results, without keeping their texts in memory."""

from __future__ import annotations

import os
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from html import escape
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from ...core.case import Case, clean
from ...core.errors import InputError
from ...core.plumbing.public import public, public_in
from ...core.plumbing.whole_file import replacing
from ...core.result import Outcome, Result, change_between
from ...core.verdict import Support
from ..statistics.comparison import Gathered, MetricComparison, compare_metric, matched
from ..statistics.partial import Partial
from .groups import MetadataGroups
from .page import TABLE, TITLE, around_data, table
from .page_records import CasePlaces, case_record, encode, result_record
from .source import Moment, Pairs, ReportSource, Results, Sample, shown_moment
from .totals import MetricTotals, totals

MOST = 50_000
"""Default maximum number of cases in a report. Browsers are slow with more."""

BLOCK = 256 * 1024
"""Size of a block in characters of JSON."""

_SNIPPET = 160
_UNREAD = 100
_OUTCOMES = [outcome.value for outcome in Outcome]

CHANGES = ("same", "worse", "better", "lost", "gained", "new")
"""`lost` means that a case no longer has a score, `gained` that it now has one, `new` that it is a new case."""


@public
def write_report(
    run: ReportSource, path: str | os.PathLike[str], *, baseline: ReportSource | None = None, most: int = MOST
) -> Path:
    """Write the report of a run as one HTML file.

    Args:
        run: The run.
        path: The file.
        baseline: An earlier run to compare with.
        most: Maximum number of cases in the file. The statistics include all.

    Returns:
        The path.

    Raises:
        InputError: The file cannot be written.

    Example:
        >>> write_report(Run("after"), "report.html", baseline=Run("before"))
    """
    if most < 1:
        raise InputError("a report must show at least one case: pass `most` of 1 or more.")
    target = Path(path)
    with replacing(target) as file:
        write_report_to(file, run, baseline=baseline, most=most)
    return target


def write_report_to(
    file: BinaryIO, run: ReportSource, *, baseline: ReportSource | None = None, most: int = MOST
) -> None:
    """Write the report of a run into an open file."""
    earlier = None if baseline is None else Gathered(baseline.pairs())
    page = TextIOWrapper(file, encoding="utf-8", newline="\n")
    _write(page, run, baseline, earlier, most)
    page.detach()


@public_in("halluscope.runs")
def write_results(
    pairs: Pairs,
    path: str | os.PathLike[str],
    *,
    name: str = "results",
    judge: str = "",
    created: Moment = None,
    baseline: Pairs | None = None,
    most: int = MOST,
) -> Path:
    """Write a report of cases and results that belong to no run.

    Args:
        pairs: The cases with their results.
        path: The file.
        name: The title.
        judge: Name of the judge.
        created: When the results were made.
        baseline: Earlier results to compare with.
        most: Maximum number of cases in the file.

    Returns:
        The path.

    Raises:
        InputError: The file cannot be written.

    Example:
        >>> case = Case.of("It closed in 1969.", ["It closed in 1921."])
        >>> write_results([(case, Hallucination().score_case(case))], "report.html")
    """
    earlier = None if baseline is None else Results(given=baseline, name="the earlier results")
    run = Results(given=pairs, name=name, judge=judge, created=created)
    return write_report(run, path, baseline=earlier, most=most)


def _write(page: TextIO, run: ReportSource, baseline: ReportSource | None, earlier: Gathered | None, most: int) -> None:
    before, after = around_data()
    page.write(before.replace(TITLE, escape(clean(run.name)), 1))
    contents = Contents(page, earlier, most)
    for case, result in run.pairs():
        contents.add(case, result)
    figures = contents.finish()
    if isinstance(run, Sample):
        figures = contents.in_order(run.totals)
    index = {
        "run": _described(run),
        "unread": _unread(run),
        "baseline": None if baseline is None else _described(baseline),
        "metrics": [metric.record for metric in figures],
        "total": run.cases if isinstance(run, Sample) else contents.total,
        "sampled": isinstance(run, Sample),
        "outcomes": _OUTCOMES,
        "changes": CHANGES,
        "cases": contents.cases,
        "results": contents.results,
        "groups": contents.groups.record(contents.shown),
        "blocks": {"texts": contents.texts.starts, "exchanges": contents.exchanges.starts},
    }
    page.write(block("index", encode(index)))
    page.write(after.replace(TABLE, table(run.name, [metric.figures for metric in figures]), 1))


def _described(run: ReportSource) -> dict[str, Any]:
    seconds = getattr(run, "seconds", None)
    return {"name": run.name, "judge": run.judge, "created": shown_moment(run.created), "seconds": seconds}


def _unread(run: ReportSource) -> dict[str, Any]:
    """Return the rows that could not be read."""
    rows: Sequence[Any] = getattr(run, "bad_rows", tuple)()
    count = run.unread if isinstance(run, Sample) else len(rows)
    return {"count": count, "first": [{"place": row.place, "reason": row.reason} for row in rows[:_UNREAD]]}


_RESULT = "case metric outcome score passed record supported contradicted unsupported change before".split()

Columns = dict[str, list[Any]]
"""A table by column, which is smaller than a list of objects."""


def _added(table: Columns, **values: Any) -> int:
    """Add a row. Returns its number."""
    for name, value in values.items():
        table.setdefault(name, []).append(value)
    return len(next(iter(table.values()))) - 1


class Contents:
    """The cases and results of a report. Texts are written to the page at once."""

    def __init__(self, page: TextIO, earlier: Gathered | None, most: int) -> None:
        self._earlier = earlier
        self._most = most
        self._tallies: dict[str, Partial] = {}
        self._shown: dict[tuple[int, int], int] = {}
        self._occurrences: Counter[tuple[int, str]] = Counter()
        self._gathered = Gathered()
        self._rows: dict[int, int] = {}
        self._places: tuple[int, CasePlaces] | None = None
        """The row of the last case, and its offsets: the results of a case are usually adjacent."""
        self.texts = Blocks(page, "texts")
        self.exchanges = Blocks(page, "exchanges")
        self.cases: Columns = {name: [] for name in ("id", "snippet", "record", "turn")}
        self.groups = MetadataGroups()
        self.results: Columns = {name: [] for name in _RESULT}

    @property
    def shown(self) -> int:
        """The number of cases in the list."""
        return len(self.cases["id"])

    @property
    def total(self) -> int:
        """The number of cases, including those that are not shown."""
        return max([self.shown, *(tally.results for tally in self._tallies.values())])

    def add(self, case: Case, result: Result) -> None:
        tally = self._tallies.get(result.metric)
        if tally is None:
            tally = self._tallies[result.metric] = Partial(result.metric, result.direction)
        tally.add(result)
        position = None if self._earlier is None else self._gathered.add(case, result)
        shown = self._case(case, result.metric)
        if shown is not None:
            row = self._result(case, result, shown)
            if position is not None:
                self._rows[position] = row

    def finish(self) -> list[MetricTotals]:
        """Write the last blocks. Returns the statistics."""
        self.texts.flush()
        self.exchanges.flush()
        return [totals(tally, tally.results, self._changed(tally)) for tally in self._tallies.values()]

    def in_order(self, figures: Sequence[MetricTotals]) -> list[MetricTotals]:
        """Sort statistics by the order of the metrics in the results."""
        places = {metric: place for place, metric in enumerate(self._tallies)}
        return sorted(figures, key=lambda metric: places.get(metric.figures.metric, len(places)))

    def _changed(self, tally: Partial) -> MetricComparison | None:
        """Compare the metric with the earlier run, and add the change to each result."""
        before, after, metric = self._earlier, self._gathered, tally.metric
        if before is None:
            return None
        found = matched(metric, before, after)
        olds = {new.position: old for old, new in found.pairs}
        for new in after.results(metric):
            if new.position in self._rows:
                old = olds.get(new.position)
                change = "new" if old is None else change_between(old.score, new.score, tally.direction)
                earlier = None if old is None else old.score
                row = self._rows[new.position]
                self.results["change"][row], self.results["before"][row] = CHANGES.index(change), earlier
        same = before.measures.get(metric, after.measures[metric]) == after.measures[metric]
        return compare_metric(found, tally.direction, comparable=same)

    def _case(self, case: Case, metric: str) -> int | None:
        """Return the row of a case. If it occurs twice for a metric, it has two rows."""
        content = hash((case.id, case.output, case.context, case.input))
        occurrence = self._occurrences[content, metric]
        row = self._shown.get((content, occurrence))
        if row is None:
            if self.shown >= self._most:
                return None
            row = self._shown[content, occurrence] = _added(
                self.cases,
                id=case.id,
                snippet=_snippet(case.output),
                record=self.texts.add(case_record(case)),
                turn=case.turn and (case.turn.number, case.turn.of, case.turn.tool),
            )
            self.groups.add(row, case.metadata)
        self._occurrences[content, metric] += 1
        return row

    def _result(self, case: Case, result: Result, row: int) -> int:
        if self._places is None or self._places[0] != row:
            self._places = (row, CasePlaces(case))
        exchanges = self.exchanges.add(result.exchanges) if result.exchanges else None
        return _added(
            self.results,
            case=row,
            metric=list(self._tallies).index(result.metric),
            outcome=_OUTCOMES.index(result.outcome.value),
            score=result.score,
            passed=None if result.passed is None else int(result.passed),
            record=self.texts.add(result_record(result, self._places[1], exchanges)),
            supported=result.count(Support.SUPPORTED),
            contradicted=result.count(Support.CONTRADICTED),
            unsupported=result.count(Support.UNSUPPORTED),
            change=None,
            before=None,
        )


def _snippet(output: str) -> str:
    flat = " ".join(output[: _SNIPPET * 4].split())
    return flat if len(flat) <= _SNIPPET else f"{flat[:_SNIPPET]}…"


def block(id: str, content: bytes) -> str:
    """Return an element with the content. Base64 needs no escaping in HTML."""
    packed = b64encode(zlib.compress(content, 6)).decode("ascii")
    return f'<script type="text/plain" id="{id}">{packed}</script>\n'


class Blocks:
    """Records of one kind in compressed blocks, numbered from 0. The page unpacks a block to show a case in it."""

    def __init__(self, page: TextIO, kind: str) -> None:
        self._page = page
        self._kind = kind
        self._waiting: list[bytes] = []
        self._size = 0
        self._next = 0
        self.starts: list[int] = []
        """The number of the first record in each block."""

    def add(self, record: Any) -> int:
        """Add a record. Returns its number."""
        content = encode(record)
        if not self._waiting:
            self.starts.append(self._next)
        self._waiting.append(content)
        self._size += len(content)
        self._next += 1
        if self._size >= BLOCK:
            self.flush()
        return self._next - 1

    def flush(self) -> None:
        """Write the last block."""
        if self._waiting:
            self._page.write(block(f"{self._kind}-{len(self.starts) - 1}", b"[" + b",".join(self._waiting) + b"]"))
            self._waiting = []
            self._size = 0
