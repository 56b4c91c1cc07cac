"""Reading runs page by page, so that they may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct, structs

from ...core.case import Case, Turn
from ...core.errors import StoreDamaged, UnknownRun
from ...core.plumbing.public import public_in
from ...core.plumbing.threads import checkpoint
from ...core.result import Direction, Result, Usage
from ..datasets.rows import BadRow
from ..statistics.comparison import Light
from .database import Store
from .packing import about_outcome, unpack, unpack_extra, unpacked

_PAGE = 256
_LIGHT_PAGE = 4096


@public_in("halluscope.runs")
class ScorerInfo(Struct, frozen=True):
    """A metric of a run.

    Attributes:
        metric: Name of the metric.
        version: Its version.
        judge: Name of the judge.
        direction: Which scores are better.
        threshold: The score that passes.
        scale: The highest possible score.
    """

    metric: str
    version: str
    judge: str
    direction: Direction
    threshold: float
    scale: float


@public_in("halluscope.runs")
class RunInfo(Struct, frozen=True, kw_only=True):
    """A run without its results.

    Attributes:
        id: Id in the store.
        name: Name of the run.
        state: `running` (or killed), `finished`, `stopped` (by a limit), `interrupted` or `failed`.
        note: Why the run is not finished.
        data: Name of the data.
        created: Start, in seconds since 1970.
        updated: Last change, in seconds since 1970.
        seconds: Duration.
        scorers: The metrics.
        cases: The number of cases.
        bad_rows: The number of rows that could not be read.
    """

    id: int
    name: str
    state: str
    note: str
    data: str
    created: float
    updated: float
    seconds: float
    scorers: tuple[ScorerInfo, ...]
    cases: int
    bad_rows: int


@public_in("halluscope.runs")
class Entry(Struct, frozen=True):
    """One case of a run.

    Attributes:
        position: Its index in the data.
        case: The case.
        results: Its results, in the order of the metrics.
    """

    position: int
    case: Case
    results: tuple[Result, ...]


def list_runs(store: Store, name: str | None = None) -> list[RunInfo]:
    """Return all runs, the latest last, or the one of that name."""
    where, values = ("WHERE name = ?", (name,)) if name is not None else ("", ())
    columns = "id, name, state, note, data, created, updated, seconds"
    found = store.rows(f"SELECT {columns} FROM runs {where} ORDER BY updated, id", values)  # noqa: S608
    return [_info(store, dict(zip(RunInfo.__struct_fields__, row, strict=False))) for row in found]


def run_named(store: Store, name: str) -> RunInfo:
    """Return a run by name. Raises `UnknownRun`."""
    found = list_runs(store, name)
    if not found:
        raise UnknownRun(name, [info.name for info in list_runs(store)][-10:])
    return found[0]


def _info(store: Store, row: dict[str, Any]) -> RunInfo:
    checkpoint()
    run = (row["id"],)
    scorers = store.rows(
        "SELECT s.metric, s.version, s.judge, s.direction, s.threshold, s.scale FROM run_scorers r "
        "JOIN scorers s ON s.id = r.scorer WHERE r.run = ? ORDER BY r.place",
        run,
    )
    return RunInfo(
        **row,
        scorers=tuple(ScorerInfo(*scorer) for scorer in scorers),
        cases=store.rows("SELECT count(*) FROM run_cases WHERE run = ?", run)[0][0],
        bad_rows=store.rows("SELECT count(*) FROM run_bad_rows WHERE run = ?", run)[0][0],
    )


def entries(store: Store, run: int, after: int = -1) -> Iterator[Entry]:
    """Yield the cases of a run after a position, in the order of the data."""
    while True:
        checkpoint()
        page = store.rows(
            'SELECT r.position, r.name, r.extra, r."case", c.key, c.body FROM run_cases r '
            'JOIN cases c ON c.id = r."case" WHERE r.run = ? AND r.position > ? ORDER BY r.position LIMIT ?',
            (run, after, _PAGE),
        )
        if not page:
            return
        first, after = page[0][0], page[-1][0]
        results = _results(store, run, first, after)
        for position, name, extra, ref, key, body in page:
            with store.trouble():
                case = _case(name, unpack_extra(extra, run, position, name), key, body)
                made = tuple(_result(case, ref, row) for row in results.get(position, ()))
            yield Entry(position, case, made)


def _results(store: Store, run: int, first: int, last: int) -> dict[int, list[Any]]:
    found = store.rows(
        'SELECT r.position, r.reused, o."case", o.outcome, o.score, o.passed, o.label, o.body, o.scorer, p.body '
        "FROM run_results r JOIN outcomes o ON o.id = r.outcome "
        "JOIN run_scorers s ON s.run = r.run AND s.scorer = r.scorer LEFT JOIN samples p ON p.scorer = o.scorer "
        "WHERE r.run = ? AND r.position BETWEEN ? AND ? ORDER BY r.position, s.place",
        (run, first, last),
    )
    results: dict[int, list[Any]] = {}
    for position, *row in found:
        results.setdefault(position, []).append(row)
    return results


def _case(name: str, extra: bytes | None, key: bytes, body: bytes) -> Case:
    output, context, asked, *_ = msgspec.msgpack.decode(unpack(body, key))
    metadata, notes, *turn = msgspec.msgpack.decode(extra) if extra is not None else ({}, ())
    return Case(
        output=output,
        context=None if context is None else tuple(context),
        input=asked,
        id=name,
        metadata=metadata,
        notes=tuple(notes),
        turn=msgspec.convert(turn[0], Turn) if turn else None,
    )


def _result(case: Case, case_ref: int, row: Sequence[Any]) -> Result:
    reused, ref, outcome, score, passed, label, body, scorer, sample = row
    if ref != case_ref:
        raise StoreDamaged("a result is listed with a case that it is not about")
    content = unpack(body, about_outcome(ref, outcome, score, passed, label), unpacked(sample, scorer))
    result = msgspec.msgpack.decode(content, type=Result)
    if reused:
        shown = tuple(structs.replace(exchange, usage=Usage(), cached=True) for exchange in result.exchanges)
        result = structs.replace(result, usage=Usage(), exchanges=shown)
    return structs.replace(result, case_id=case.id, metadata=case.metadata)


def bad_rows(store: Store, run: int) -> list[BadRow]:
    """Return the rows that could not be read."""
    found = store.rows("SELECT place, reason FROM run_bad_rows WHERE run = ? ORDER BY position", (run,))
    return [BadRow(place, reason) for place, reason in found]


def usage_of_run(store: Store, run: int) -> Usage:
    """Return calls, tokens and cost of the run."""
    calls, read, written, cost, unknown = store.rows(
        "SELECT sum(o.calls), sum(o.input_tokens), sum(o.output_tokens), sum(o.cost), "
        "sum(o.cost IS NULL AND o.calls > 0) FROM run_results r JOIN outcomes o ON o.id = r.outcome "
        "WHERE r.run = ? AND NOT r.reused",
        (run,),
    )[0]
    return Usage(calls or 0, read or 0, written or 0, None if unknown else float(cost or 0.0))


def light_results(store: Store, run: int, metric: str) -> Iterator[Light]:
    """Yield the results of a metric in the order of the data."""
    sql = (
        "SELECT r.position, c.name, o.score, o.passed, o.outcome FROM run_results r "
        "JOIN run_cases c ON c.run = r.run AND c.position = r.position JOIN outcomes o ON o.id = r.outcome "
        "JOIN scorers s ON s.id = r.scorer WHERE r.run = ? AND s.metric = ? AND r.position > ? "
        "ORDER BY r.position LIMIT ?"
    )
    after = -1
    while page := store.rows(sql, (run, metric, after, _LIGHT_PAGE)):
        checkpoint()
        after = page[-1][0]
        for position, name, score, passed, outcome in page:
            yield Light(position, name, score, None if passed is None else bool(passed), outcome)
