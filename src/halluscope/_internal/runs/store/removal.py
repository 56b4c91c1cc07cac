"""Removing runs and cached replies from the store."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from ...core.errors import InputError
from .database import Store
from .run_reader import run_named

_LISTS = ("run_results", "run_cases", "run_scorers", "run_bad_rows")


class CacheSize(Struct, frozen=True):
    """The number of cached replies, their size in bytes, and that of the file."""

    replies: int
    bytes: int
    file: int


def remove_run(store: Store, name: str) -> None:
    """Remove a run, with texts and results that no other run uses. Cached replies are kept."""
    run = run_named(store, name)
    if run.state == "running":
        raise InputError(f"the run {name!r} is running: stop it first, or wait for its end.")
    with store.writing() as connection:
        for table in _LISTS:
            connection.execute(f"DELETE FROM {table} WHERE run = ?", (run.id,))  # noqa: S608 - our own names
        connection.execute("DELETE FROM runs WHERE id = ?", (run.id,))
        _sweep(connection)


def _sweep(connection: sqlite3.Connection) -> None:
    """Remove rows that no run uses."""
    connection.execute("DELETE FROM outcomes WHERE id NOT IN (SELECT outcome FROM run_results)")
    connection.execute(
        'DELETE FROM cases WHERE id NOT IN (SELECT "case" FROM run_cases) AND id NOT IN (SELECT "case" FROM outcomes)'
    )
    connection.execute(
        "DELETE FROM scorers WHERE id NOT IN (SELECT scorer FROM run_scorers) "
        "AND id NOT IN (SELECT scorer FROM outcomes)"
    )
    connection.execute("DELETE FROM samples WHERE scorer NOT IN (SELECT id FROM scorers)")


def kept(store: Store) -> CacheSize:
    """Return the number and size of cached replies."""
    ((count, size),) = store.rows("SELECT count(*), coalesce(sum(length(entry)), 0) FROM replies")
    file = sum(
        path.stat().st_size for path in (store.path, store.path.with_name(store.path.name + "-wal")) if path.exists()
    )
    return CacheSize(count, size, file)


def clear_replies(store: Store) -> int:
    """Delete all cached replies and reclaim disk space. Runs are kept. Returns the number deleted."""
    gone = store.write("DELETE FROM replies", ())
    store.shrink()
    return gone
