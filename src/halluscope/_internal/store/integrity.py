"""Every value in the file against its checksum, page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import StoreDamaged
from .packing import about_outcome, about_sample, verify, verify_reply

_PAGE = 256

_PACKED: tuple[tuple[str, str, Callable[..., None]], ...] = (
    ("replies", "entry, key", verify_reply),
    ("cases", "body, key", verify),
    (
        "outcomes",
        'body, "case", outcome, score, passed, label',
        lambda body, *covered: verify(body, about_outcome(*covered)),
    ),
    ("samples", "body, scorer", lambda body, scorer: verify(body, about_sample(scorer))),
)
"""Each table with a packed column, that and those that its checksum covers as well, and how it is checked."""

CHECKED = {
    "scorers": "key, metric, version, judge, direction, threshold, scale",
    "outcomes": 'scorer, "case", reusable, outcome, score, passed, label, calls, input_tokens, output_tokens, cost',
    "runs": "id, name, state, note, data, created, updated, seconds",
    "run_scorers": "run, scorer, place",
    "run_cases": 'run, position, "case", name, extra',
    "run_results": "run, position, scorer, outcome, reused",
    "run_bad_rows": "run, position, place, reason",
    "spending": "day, name, dollars",
}
"""The columns of each table that the checksum of a row covers."""


def intact(table: str, alias: str | None = None) -> str:
    """SQL that is true of a row that is as it was written."""
    name = alias or table
    columns = ", ".join(f"{name}.{column.strip()}" for column in CHECKED[table].split(","))
    return f"({name}.checksum IS checksum_of({columns}))"


def sealing(table: str) -> str:
    """SQL that gives the rows it is put behind the checksum of what stands in them."""
    return f"UPDATE {table} SET checksum = checksum_of({CHECKED[table]})"  # noqa: S608 - our own names


def must_be_intact(*rows: object, what: str) -> None:
    """Raise `StoreDamaged` unless all of these flags, as `intact` gives them, are set."""
    if not all(rows):
        raise StoreDamaged(f"{what} does not match its checksum")


def verify_all(rows: Callable[[str, Sequence[Any]], list[Any]]) -> None:
    """Raise `StoreDamaged` at the first value that is not what was written; `rows` runs a query."""
    for table in CHECKED:
        found = rows(f"SELECT 1 FROM {table} WHERE NOT {intact(table)} LIMIT 1", ())  # noqa: S608
        must_be_intact(not found, what=f"a row of {table}")
    for table, columns, check in _PACKED:
        query = f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT {_PAGE}"  # noqa: S608
        after = -1
        while page := rows(query, (after,)):
            after = page[-1][0]
            for _, *values in page:
                check(*values)
