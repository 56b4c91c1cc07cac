"""Checksums of rows. SQLite does not detect a changed byte in a value.

Temporary triggers write the checksums and temporary views check them. Queries write to a table such as `runs` and read
from the view `intact_runs`, which raises an error for a damaged row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from ...core.errors import StoreDamaged
from .packing import about_outcome, about_sample, checksum_of, verify, verify_reply

_PAGE = 256

CHECKED = {
    "scorers": "key, metric, version, judge, direction, threshold, scale",
    "outcomes": 'scorer, "case", reusable, outcome, score, passed, label, calls, input_tokens, output_tokens, cost',
    "runs": "id, name, state, note, data, created, updated, seconds",
    "run_scorers": "run, scorer, place",
    "run_cases": 'run, position, "case", name, extra',
    "run_results": "run, position, scorer, outcome, reused",
    "run_bad_rows": "run, position, place, reason",
    "spending": "day, name, dollars",
    "batches": "key, judge, server, run, created, questions, remote, collected, alive",
    "batch_questions": "id, batch",
}
"""The columns of each table that the checksum of a row covers."""

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
"""Tables with a packed column: the columns covered by its checksum, and how to check it."""

NOT_INTACT = "a row does not match its checksum"


def check_rows(connection: sqlite3.Connection) -> None:
    """Create the views that check rows."""
    connection.create_function("matches", -1, _matches, deterministic=True)
    for table, columns in CHECKED.items():
        # Without `likely`, SQLite expects the check to leave few rows and reads the tables in another order.
        check = f"likely(matches(checksum, {columns}))"
        connection.execute(f"CREATE TEMP VIEW intact_{table} AS SELECT * FROM {table} WHERE {check}")  # noqa: S608


def seal_rows(connection: sqlite3.Connection) -> None:
    """Create the triggers that write checksums."""
    connection.create_function("checksum_of", -1, checksum_of, deterministic=True)
    for table, columns in CHECKED.items():
        new = ", ".join(f"NEW.{column.strip()}" for column in columns.split(","))
        keys = connection.execute("SELECT name FROM pragma_table_info(?) WHERE pk", (table,))
        row = " AND ".join(f"{key} = NEW.{key}" for (key,) in keys)
        for event, name in (("INSERT", "inserted"), (f"UPDATE OF {columns}", "updated")):
            connection.execute(
                f"CREATE TEMP TRIGGER {table}_{name} AFTER {event} ON main.{table} "  # noqa: S608 - our own names
                f"BEGIN UPDATE {table} SET checksum = checksum_of({new}) WHERE {row}; END"
            )


def _matches(checksum: int, *values: int | float | str | bytes | None) -> int:
    if checksum != checksum_of(*values):
        raise StoreDamaged(NOT_INTACT)  # SQLite reports only that the function raised
    return 1


def verify_all(rows: Callable[[str, Sequence[Any]], list[Any]]) -> None:
    """Check all values. Raises `StoreDamaged` for the first damaged one. `rows` runs a query."""
    for table in CHECKED:
        rows(f"SELECT count(*) FROM intact_{table}", ())  # noqa: S608
    for table, columns, check in _PACKED:
        query = f"SELECT rowid, {columns} FROM {table} WHERE rowid > ? ORDER BY rowid LIMIT {_PAGE}"  # noqa: S608
        after = -1
        while page := rows(query, (after,)):
            after = page[-1][0]
            for _, *values in page:
                check(*values)
