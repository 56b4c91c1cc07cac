"""Taking things out of the store: runs that are no longer wanted, and replies."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from ..errors import InputError, UnknownName
from .database import Store
from .run_reader import list_runs

_LISTS = ("run_results", "run_cases", "run_scorers", "run_bad_rows")


class CacheSize(Struct, frozen=True):
    """How many replies are kept, and how many bytes they and the whole file take."""

    replies: int
    bytes: int
    file: int


def remove_run(store: Store, name: str) -> None:
    """Take a run out, with the texts and results that no other run has. Replies stay: they were paid for."""
    found = list_runs(store, name)
    if not found:
        raise UnknownName("run called", name, [info.name for info in list_runs(store)][-10:] or ("(none yet)",))
    if found[0].state == "running":
        raise InputError(f"the run {name!r} is under way: stop it first, or let it come to its end.")
    with store.writing() as connection:
        for table in _LISTS:
            connection.execute(f"DELETE FROM {table} WHERE run = ?", (found[0].id,))  # noqa: S608 - our own names
        connection.execute("DELETE FROM runs WHERE id = ?", (found[0].id,))
        _sweep(connection)


def _sweep(connection: sqlite3.Connection) -> None:
    """Take out what no run points to any longer."""
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
    """How much is kept."""
    ((count, size),) = store.rows("SELECT count(*), coalesce(sum(length(entry)), 0) FROM replies")
    file = sum(
        path.stat().st_size for path in (store.path, store.path.with_name(store.path.name + "-wal")) if path.exists()
    )
    return CacheSize(count, size, file)


def clear_replies(store: Store) -> int:
    """Take out all replies; runs and their results stay. Returns how many there were, and gives the room back."""
    gone = store.write("DELETE FROM replies", ())
    store.shrink()
    return gone
