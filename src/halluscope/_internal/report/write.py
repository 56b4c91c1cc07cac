"""Writing a report: one pass over the results, with only numbers kept in memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from msgspec import Struct

from ..case import Case, clean
from ..errors import InputError
from ..figures.comparison import Gathered, MetricComparison, compare_metric, matched
from ..plumbing.public import public
from ..plumbing.whole_file import replacing
from ..result import Outcome, Result, change_between
from ..verdict import Support
from .blocks import Blocks, block
from .page import closing, opening
from .page_records import CasePlaces, case_record, encode, result_record
from .source import KnowsBadRows, Moment, Pairs, ReportSource, Results, Sampled, Timed, shown_moment
from .totals import MetricTotals, Tally
from .without_script import table

MOST = 50_000
"""Cases in one file, unless told otherwise: beyond this browsers begin to struggle."""

_SNIPPET = 160
_UNREAD = 100
_OUTCOMES = [outcome.value for outcome in Outcome]

CHANGES = ("same", "worse", "better", "lost", "gained", "new")
"""`lost` had a score and has none now, `gained` the other way round, `new` was not in the earlier run."""


@public
def write_report(
    run: ReportSource, path: str | os.PathLike[str], *, baseline: ReportSource | None = None, most: int = MOST
) -> Path:
    """Write the report of a run, and what changed since `baseline` where one is given.

    All results count in the totals; beyond `most` cases, the list holds the first ones and says so.
    """
    if most < 1:
        raise InputError("a report must show at least one case: pass `most` of 1 or more.")
    target = Path(path)
    earlier = None if baseline is None else Gathered(baseline.pairs())
    with replacing(target) as file, TextIOWrapper(file, encoding="utf-8", newline="\n") as page:
        _write(page, run, baseline, earlier, most)
    return target


def report_bytes(run: ReportSource) -> bytes:
    """The report of a run, to be written to wherever it belongs."""
    made = BytesIO()
    with TextIOWrapper(made, encoding="utf-8", newline="\n") as page:
        _write(page, run, None, None, MOST)
        page.flush()
        return made.getvalue()


@public
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
    """Write a report of cases and results that belong to no run."""
    earlier = None if baseline is None else Results(given=baseline, name="the earlier results")
    run = Results(given=pairs, name=name, judge=judge, created=created)
    return write_report(run, path, baseline=earlier, most=most)


def _write(page: TextIO, run: ReportSource, baseline: ReportSource | None, earlier: Gathered | None, most: int) -> None:
    page.write(opening(clean(run.name)))
    contents = Contents(page, earlier, most)
    for case, result in run.pairs():
        contents.add(case, result)
    totals = contents.finish()
    if isinstance(run, Sampled):
        totals = contents.in_order(run.totals())
    index = {
        "run": _described(run),
        "unread": _unread(run),
        "baseline": None if baseline is None else _described(baseline),
        "metrics": [metric.record() for metric in totals],
        "total": run.cases if isinstance(run, Sampled) else contents.total,
        "sampled": isinstance(run, Sampled),
        "outcomes": _OUTCOMES,
        "changes": CHANGES,
        "cases": contents.cases.columns(),
        "results": contents.results.columns(),
        "blocks": {"texts": contents.texts.starts, "exchanges": contents.exchanges.starts},
    }
    page.write(block("index", encode(index)))
    page.write(closing(table(run.name, [metric.figures for metric in totals])))


def _described(run: ReportSource) -> dict[str, Any]:
    seconds = run.seconds if isinstance(run, Timed) else None
    return {"name": run.name, "judge": run.judge, "created": shown_moment(run.created), "seconds": seconds}


def _unread(run: ReportSource) -> dict[str, Any]:
    """The rows of the data that could not be read, where the run knows of any: they have no case to be listed under."""
    rows = run.bad_rows() if isinstance(run, KnowsBadRows) else ()
    count = run.unread if isinstance(run, Sampled) else len(rows)
    return {"count": count, "first": [{"place": row.place, "reason": row.reason} for row in rows[:_UNREAD]]}


class ColumnTable:
    """Rows kept column by column: shorter to write, and quicker to read, than a list of objects."""

    def __init__(self, *names: str) -> None:
        self._lists: dict[str, list[Any]] = {name: [] for name in names}
        self._rows = 0

    def add(self, **values: Any) -> int:
        """Keep a row; returns its number."""
        for name, column in self._lists.items():
            column.append(values[name])
        self._rows += 1
        return self._rows - 1

    def set(self, row: int, **values: Any) -> None:
        """Put other values into a row."""
        for name, value in values.items():
            self._lists[name][row] = value

    def __len__(self) -> int:
        return self._rows

    def columns(self) -> dict[str, list[Any]]:
        return self._lists


class _Shown(Struct):
    """A case in the list: its row, and for as long as its results come in a row, its places."""

    row: int
    places: CasePlaces | None


class Contents:
    """The cases and results of a report: numbers and first lines here, the rest already in the page."""

    def __init__(self, page: TextIO, earlier: Gathered | None, most: int) -> None:
        self._earlier = earlier
        self._most = most
        self._tallies: dict[str, Tally] = {}
        self._shown: dict[tuple[int, int], _Shown] = {}
        self._occurrences: Counter[tuple[int, str]] = Counter()
        self._gathered = Gathered()
        self._rows: dict[int, int] = {}
        self._last: _Shown | None = None
        self.texts = Blocks(page, "texts")
        self.exchanges = Blocks(page, "exchanges")
        self.cases = ColumnTable("id", "snippet", "record")
        self.results = ColumnTable(
            *("case", "metric", "outcome", "score", "passed", "record"),
            *("supported", "contradicted", "unsupported", "change", "before"),
        )

    @property
    def total(self) -> int:
        """How many cases there are, shown or not."""
        return max([len(self.cases), *(tally.results for tally in self._tallies.values())])

    def add(self, case: Case, result: Result) -> None:
        """Take in one result."""
        tally = self._tallies.get(result.metric)
        if tally is None:
            tally = self._tallies[result.metric] = Tally(result.metric, result.direction)
        tally.add(result)
        position = None if self._earlier is None else self._gathered.add(case, result)
        shown = self._case(case, result.metric)
        if shown is not None:
            row = self._result(case, result, shown)
            if position is not None:
                self._rows[position] = row

    def finish(self) -> list[MetricTotals]:
        """Write what is left, and the figures."""
        self.texts.flush()
        self.exchanges.flush()
        return [tally.totals(self._changed(tally)) for tally in self._tallies.values()]

    def in_order(self, totals: Sequence[MetricTotals]) -> list[MetricTotals]:
        """Figures of metrics in the order in which results name them; those of no result here come last."""
        places = {metric: place for place, metric in enumerate(self._tallies)}
        return sorted(totals, key=lambda metric: places.get(metric.figures.metric, len(places)))

    def _changed(self, tally: Tally) -> MetricComparison | None:
        """What became of the metric since the earlier run, also noted with each result."""
        before, after, metric = self._earlier, self._gathered, tally.metric
        if before is None:
            return None
        pairs, _ = matched(metric, before, after)
        olds = {new.position: old for old, new in pairs}
        for new in after.results(metric):
            if new.position in self._rows:
                old = olds.get(new.position)
                change = "new" if old is None else change_between(old.score, new.score, tally.direction)
                earlier = None if old is None else old.score
                self.results.set(self._rows[new.position], change=CHANGES.index(change), before=earlier)
        same = before.measures.get(metric, after.measures[metric]) == after.measures[metric]
        return compare_metric(metric, tally.direction, before, after, pairs, comparable=same)

    def _case(self, case: Case, metric: str) -> _Shown | None:
        """The case's place in the list, a new one where the same case comes twice for one metric."""
        content = hash((case.id, case.output, case.context, case.input))
        occurrence = self._occurrences[content, metric]
        shown = self._shown.get((content, occurrence))
        if shown is None:
            if len(self.cases) >= self._most:
                return None
            row = self.cases.add(id=case.id, snippet=_snippet(case.output), record=self.texts.add(case_record(case)))
            shown = self._shown[content, occurrence] = _Shown(row, None)
        self._occurrences[content, metric] += 1
        return shown

    def _result(self, case: Case, result: Result, shown: _Shown) -> int:
        if self._last is not shown and self._last is not None:
            self._last.places = None
        self._last = shown
        if shown.places is None:
            shown.places = CasePlaces(case)
        exchanges = self.exchanges.add(result.exchanges) if result.exchanges else None
        return self.results.add(
            case=shown.row,
            metric=list(self._tallies).index(result.metric),
            outcome=_OUTCOMES.index(result.outcome.value),
            score=result.score,
            passed=None if result.passed is None else int(result.passed),
            record=self.texts.add(result_record(result, shown.places, exchanges)),
            supported=result.count(Support.SUPPORTED),
            contradicted=result.count(Support.CONTRADICTED),
            unsupported=result.count(Support.UNSUPPORTED),
            change=None,
            before=None,
        )


def _snippet(output: str) -> str:
    flat = " ".join(output[: _SNIPPET * 4].split())
    return flat if len(flat) <= _SNIPPET else f"{flat[:_SNIPPET]}…"
