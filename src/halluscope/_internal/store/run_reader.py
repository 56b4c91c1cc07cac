"""Reading runs back: page by page, so that a run of any size fits in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from ..case import Case
from ..errors import StoreDamaged
from ..figures.comparison import Asked, Light
from ..plumbing.public import public
from ..result import Direction, Result, Usage
from .database import Store
from .integrity import intact, must_be_intact
from .packing import about_outcome, unpack
from .samples import unpacked

if TYPE_CHECKING:
    from ..stats.arrays import Floats

_PAGE = 256


@public
class ScorerInfo(Struct, frozen=True):
    """A metric of a run, with what its scores mean and who judged."""

    metric: str
    version: str
    judge: str
    direction: Direction
    threshold: float
    scale: float


@public
class RunInfo(Struct, frozen=True, kw_only=True):
    """What is known of a run without reading its results.

    `state` is `running` (or killed while it ran), `finished`, `stopped` (a limit was reached),
    `interrupted` or `failed`; `note` says why.
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


@public
class Entry(Struct, frozen=True):
    """One case of a run with the results it has, in the order of the run's metrics."""

    position: int
    case: Case
    results: tuple[Result, ...]


@public
class BadRow(Struct, frozen=True):
    """A row of the data that could not be read: `place` is its line or row, counted from 1."""

    place: str
    reason: str


def list_runs(store: Store, name: str | None = None) -> list[RunInfo]:
    """All runs, the latest last, or the one of that name."""
    where, values = ("WHERE name = ?", (name,)) if name is not None else ("", ())
    columns = f"{intact('runs')}, id, name, state, note, data, created, updated, seconds"
    found = store.rows(f"SELECT {columns} FROM runs {where} ORDER BY updated, id", values)  # noqa: S608
    with store.trouble():
        must_be_intact(*(row[0] for row in found), what="the list of runs")
    return [_info(store, *row[1:]) for row in found]


def _info(store: Store, ref: int, *values: Any) -> RunInfo:
    name, state, note, data, created, updated, seconds = values
    scorers = store.rows(
        f"SELECT {intact('scorers', 's')} AND {intact('run_scorers', 'r')}, "  # noqa: S608
        "s.metric, s.version, s.judge, s.direction, s.threshold, s.scale FROM run_scorers r "
        "JOIN scorers s ON s.id = r.scorer WHERE r.run = ? ORDER BY r.place",
        (ref,),
    )
    with store.trouble():
        must_be_intact(*(row[0] for row in scorers), what="the list of a run's metrics")
    return RunInfo(
        id=ref,
        name=name,
        state=state,
        note=note,
        data=data,
        created=created,
        updated=updated,
        seconds=seconds,
        scorers=tuple(ScorerInfo(*scorer[1:]) for scorer in scorers),
        cases=store.rows("SELECT count(*) FROM run_cases WHERE run = ?", (ref,))[0][0],
        bad_rows=store.rows("SELECT count(*) FROM run_bad_rows WHERE run = ?", (ref,))[0][0],
    )


def entries(store: Store, run: int, after: int = -1) -> Iterator[Entry]:
    """The cases of a run in the order of its data, those behind a position."""
    while True:
        page = store.rows(
            f'SELECT {intact("run_cases", "r")}, r.position, r.name, r.extra, r."case", c.key, c.body FROM run_cases r '  # noqa: S608
            'JOIN cases c ON c.id = r."case" WHERE r.run = ? AND r.position > ? ORDER BY r.position LIMIT ?',
            (run, after, _PAGE),
        )
        if not page:
            return
        with store.trouble():
            must_be_intact(*(row[0] for row in page), what="the list of a run's cases")
        first, after = page[0][1], page[-1][1]
        results = _results(store, run, first, after)
        for _, position, name, extra, ref, key, body in page:
            with store.trouble():
                case = _case(name, extra, key, body)
                made = tuple(_result(case, ref, row) for row in results.get(position, ()))
            yield Entry(position, case, made)


def _results(store: Store, run: int, first: int, last: int) -> dict[int, list[Any]]:
    found = store.rows(
        f"SELECT {intact('run_results', 'r')} AND {intact('outcomes', 'o')}, "  # noqa: S608
        'r.position, r.reused, o."case", o.outcome, o.score, o.passed, o.label, o.body, o.scorer, p.body '
        "FROM run_results r JOIN outcomes o ON o.id = r.outcome "
        "JOIN run_scorers s ON s.run = r.run AND s.scorer = r.scorer LEFT JOIN samples p ON p.scorer = o.scorer "
        "WHERE r.run = ? AND r.position BETWEEN ? AND ? ORDER BY r.position, s.place",
        (run, first, last),
    )
    with store.trouble():
        must_be_intact(*(row[0] for row in found), what="the list of a run's results")
    results: dict[int, list[Any]] = {}
    for _, position, *row in found:
        results.setdefault(position, []).append(row)
    return results


def _case(name: str, extra: bytes | None, key: bytes, body: bytes) -> Case:
    output, context, asked = msgspec.msgpack.decode(unpack(body, key))
    metadata, notes = msgspec.msgpack.decode(unpack(extra)) if extra is not None else ({}, ())
    passages = None if context is None else tuple(context)
    return Case(output=output, context=passages, input=asked, id=name, metadata=metadata, notes=tuple(notes))


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
    """The rows of the data that could not be read."""
    flag = intact("run_bad_rows")
    found = store.rows(f"SELECT {flag}, place, reason FROM run_bad_rows WHERE run = ? ORDER BY position", (run,))  # noqa: S608
    with store.trouble():
        must_be_intact(*(row[0] for row in found), what="the list of rows that could not be read")
    return [BadRow(place, reason) for _, place, reason in found]


def usage_of_run(store: Store, run: int) -> Usage:
    """What the run paid."""
    calls, read, written, cost, unknown = store.rows(
        "SELECT sum(o.calls), sum(o.input_tokens), sum(o.output_tokens), sum(o.cost), "
        "sum(o.cost IS NULL AND o.calls > 0) FROM run_results r JOIN outcomes o ON o.id = r.outcome "
        "WHERE r.run = ? AND NOT r.reused",
        (run,),
    )[0]
    return Usage(calls or 0, read or 0, written or 0, None if unknown else float(cost or 0.0))


_OF_METRIC = (
    "FROM run_results r JOIN outcomes o ON o.id = r.outcome JOIN scorers s ON s.id = r.scorer "
    "WHERE r.run = ? AND s.metric = ?"
)


def tally(store: Store, run: int, metric: str) -> tuple[dict[str, int], int]:
    """How many results have each outcome, and how many passed."""
    found = store.rows(
        f"SELECT o.outcome, count(*), sum(coalesce(o.passed, 0)) {_OF_METRIC} GROUP BY o.outcome ORDER BY 2 DESC",
        (run, metric),
    )
    return {outcome: count for outcome, count, _ in found}, sum(passed for _, _, passed in found)


def scores_of(store: Store, run: int, metric: str) -> Floats:
    """The scores that there are, in the order of the data."""
    import numpy as np

    with store.reading(
        f"SELECT o.score {_OF_METRIC} AND o.score IS NOT NULL ORDER BY r.position", (run, metric)
    ) as rows:
        return np.fromiter((score for (score,) in rows), dtype=np.float64)


def light_results(store: Store, run: int, metric: str) -> Iterator[Light]:
    """The results of a metric in the order of the data."""
    sql = (
        f"SELECT {intact('run_cases', 'c')} AND {intact('run_results', 'r')} AND {intact('outcomes', 'o')}, "  # noqa: S608
        "r.position, c.name, o.score, o.passed FROM run_results r "
        "JOIN run_cases c ON c.run = r.run AND c.position = r.position JOIN outcomes o ON o.id = r.outcome "
        "JOIN scorers s ON s.id = r.scorer WHERE r.run = ? AND s.metric = ? ORDER BY r.position"
    )
    with store.reading(sql, (run, metric)) as rows:
        for whole, position, name, score, passed in rows:
            must_be_intact(whole, what="the list of a run's results")
            yield Light(position, name, score, None if passed is None else bool(passed))


def questions(store: Store, run: int) -> dict[int, Asked]:
    """What was asked in each case, by its position."""
    return {entry.position: Asked.of(entry.case) for entry in entries(store, run)}
