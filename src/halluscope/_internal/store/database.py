"""The file itself: where it lies, how it is opened, and how trouble with it is told."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakSet

from ..errors import StoreDamaged, StoreError
from ..plumbing.home_folder import home
from ..plumbing.public import public
from .integrity import verify_all
from .migrations import MIGRATIONS
from .packing import checksum_of

_CHECKED_WHOLE = 16 * 2**20
"""A file up to this size is checked from end to end when it is opened: some ten milliseconds."""

_PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""


def default_path() -> Path:
    """Where runs and replies are kept unless told otherwise."""
    return home() / "halluscope.db"


@public
class Store:
    """An open store. May be used from several threads, and by several processes at once."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(path) if path is not None else default_path()
        self._lock = threading.RLock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the folder {self.path.parent}: {error.strerror}.") from error
        with _opening:
            self._open()
            _opened.add(self)

    def _open(self) -> None:
        with self.trouble():
            self._connection = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False, cached_statements=256
            )
        self._process = os.getpid()
        self._connection.create_function("checksum_of", -1, checksum_of, deterministic=True)
        try:
            with self.trouble():
                self._prepare()
        except StoreError:
            self._connection.close()
            raise

    def after_fork(self) -> None:
        """In a forked child: the parent's connection is not used, and not even closed, which would touch the file."""
        _left_by_fork.append(self._connection)
        self._lock = threading.RLock()

    @contextmanager
    def _mine(self) -> Iterator[sqlite3.Connection]:
        """The connection of this process, for one thread at a time."""
        with self._lock, self.trouble():
            if self._process != os.getpid():
                self._open()
            yield self._connection

    def _prepare(self) -> None:
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                # Two processes that open a new file at the same moment: SQLite does not wait for this one.
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(0.01)
        # In WAL mode this loses nothing when the process dies, and keeps the file whole when the power does.
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA wal_autocheckpoint = 4000")
        self._connection.execute("PRAGMA cache_size = -32768")
        self._connection.execute("PRAGMA temp_store = MEMORY")
        if self.path.stat().st_size <= _CHECKED_WHOLE:
            (found,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise StoreDamaged(str(found))
        self._migrate()

    def _migrate(self) -> None:
        if self._version() == len(MIGRATIONS):
            return
        with self.writing():
            version = self._version()
            if version > len(MIGRATIONS):
                raise StoreError("it was written by a newer halluscope: upgrade, or set HALLUSCOPE_HOME elsewhere")
            for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
                for statement in step.split(";\n"):
                    if statement.strip():
                        self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {number}")

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    @contextmanager
    def trouble(self) -> Iterator[None]:
        """Tells SQLite's errors in our words, with the name of the file."""
        try:
            yield
        except StoreDamaged as error:
            if str(self.path) in str(error):
                raise
            raise StoreDamaged(self._damaged(error)) from error
        except StoreError as error:
            if str(self.path) in str(error):
                raise
            raise StoreError(f"the store {self.path} cannot be used: {error}.") from error
        except sqlite3.OperationalError as error:
            if "malformed" in str(error):
                raise StoreDamaged(self._damaged(error)) from error
            raise StoreError(f"the store {self.path} cannot be used: {error}.") from error
        except sqlite3.ProgrammingError as error:  # nothing is wrong with the file: it was closed
            raise StoreError(f"the store {self.path} cannot be used: {error}") from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # also where a name in the file is no text
            raise StoreDamaged(self._damaged(error)) from error

    def _damaged(self, error: Exception) -> str:
        return (
            f"the store {self.path} is damaged ({error}). Nothing in it is used: "
            "restore the file from a copy, or move it away to start a new one."
        )

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is written, or nothing."""
        with self._mine() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """What a query gives."""
        with self._mine() as connection:
            return connection.execute(sql, values).fetchall()

    @contextmanager
    def reading(self, sql: str, values: Sequence[Any] = ()) -> Iterator[sqlite3.Cursor]:
        """A long query, row by row, on a connection of its own: writing goes on meanwhile."""
        with self.trouble():
            with self._lock:
                connection = sqlite3.connect(self.path, timeout=_PATIENCE, check_same_thread=False)
                connection.create_function("checksum_of", -1, checksum_of, deterministic=True)
            try:
                yield connection.execute(sql, values)
            finally:
                connection.close()

    def write(self, sql: str, values: Sequence[Any]) -> int:
        """One statement, committed when this returns; how many rows it wrote."""
        with self._mine() as connection:
            return connection.execute(sql, values).rowcount

    def shrink(self) -> None:
        """Give the room of what was taken out back to the disk."""
        with self._mine() as connection:
            connection.execute("VACUUM")

    def check(self) -> None:
        """Read the whole file and every checksum in it; raise `StoreDamaged` at the first fault."""
        with self.trouble():
            (found,) = self.rows("PRAGMA integrity_check(1)")[0]
            if found != "ok":
                raise StoreDamaged(str(found))
            verify_all(self.rows)

    def close(self) -> None:
        """Close the file; safe to call twice."""
        with self._lock:
            if self._process == os.getpid():
                self._connection.close()

    def __del__(self) -> None:
        # A run that nobody closed is no reason for a warning: what was written is in the file.
        if hasattr(self, "_connection") and self._process == os.getpid():
            self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_opened: WeakSet[Store] = WeakSet()
_left_by_fork: list[sqlite3.Connection] = []
_opening = threading.Lock()
"""Held while a store is opened, and added to those above."""
_held: list[Any] = []
"""What a fork waited for, and holds until it is done."""
_LONGEST_WAIT = 10.0
"""Seconds that a fork waits for a store that another thread is at work in."""


def _before_fork() -> None:
    """Let other threads end what they do in SQLite.

    Its own locks would come along to the child without the thread that would release them, and whoever opens a
    store there would wait for good.
    """
    until = time.monotonic() + _LONGEST_WAIT
    _hold(_opening, until)
    for store in list(_opened):
        _hold(store._lock, until)


def _hold(lock: Any, until: float) -> None:
    if lock.acquire(timeout=max(0.0, until - time.monotonic())):
        _held.append(lock)


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop().release()


def _after_fork() -> None:
    global _opening
    _opening = threading.Lock()
    _held.clear()
    for store in list(_opened):
        store.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork)
