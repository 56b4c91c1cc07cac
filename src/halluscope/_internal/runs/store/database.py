"""The SQLite file: its path and tables, opening it, and turning its errors into those of the package."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...core.errors import StoreDamaged, StoreError
from ...core.plumbing.home_folder import home
from ...core.plumbing.per_process import PerProcess
from ...core.plumbing.public import public
from .packing import verify_all

MIGRATIONS = {
    number: Path(__file__).with_name(f"tables-{number}.sql").read_text(encoding="utf-8").strip() for number in (6, 7, 8)
}
"""The statements that lead to each version. Earlier versions were never released."""

VERSION = max(MIGRATIONS)

_FULL_CHECK = 16 * 2**20
"""Files up to this size are checked completely when they are opened, in about 10 ms."""

_SIGNS_OF_DAMAGE = ("malformed", "unsupported file format", "Could not decode")
"""Parts of SQLite's messages for a damaged file."""

_BUSY_TIMEOUT = 60.0
"""Seconds to wait for another process that is writing."""

_open_connections: set[sqlite3.Connection] = set()
"""Keeps the connections of a parent process alive in a forked child: closing them there could damage the file."""

_uses: PerProcess[dict[object, int]] = PerProcess(dict)
"""The calls of SQLite under way in this process, and their threads."""


@contextmanager
def _using_sqlite() -> Iterator[None]:
    """Wrap calls of SQLite, so that a child that is forked meanwhile raises an error instead of waiting forever.

    SQLite has locks for the whole process. Those that another thread holds during a fork are never released in the
    child.
    """
    here = threading.main_thread().ident  # in a child, the thread that forked
    if any(thread != here for uses in _uses.of_parents() for thread in uses.values()):
        raise StoreError(
            "this process was forked while another thread of its parent used a store. Fork between checks, or start "
            "processes with the method `spawn`"
        )
    uses, use = _uses(), object()
    uses[use] = threading.get_ident()
    try:
        yield
    finally:
        del uses[use]


def default_path() -> Path:
    """Return the path of the user's store."""
    return home() / "halluscope.db"


@public
class Store:
    """A SQLite file with runs and cached replies. Several threads and processes may use it at the same time.

    Args:
        path: The file, which is created if it does not exist. By default the user's store.

    Raises:
        StoreError: The file cannot be used.
        StoreDamaged: The file is damaged.

    Example:
        >>> with Store("results.db") as store:
        ...     run = evaluate("answers.jsonl", store=store)
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(path) if path is not None else default_path()
        self._lock = PerProcess(threading.RLock)
        self._connections: dict[int, sqlite3.Connection] = {}
        """By process: a forked child has its own."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the folder {self.path.parent}: {error.strerror}.") from error
        with self._mine():
            pass

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._connections[os.getpid()]

    def _open(self) -> None:
        connection = self._connections[os.getpid()] = sqlite3.connect(
            self.path, timeout=_BUSY_TIMEOUT, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        _open_connections.add(connection)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def _mine(self) -> Iterator[sqlite3.Connection]:
        """Return the connection of this process, for one thread at a time."""
        with self._lock(), self.trouble(), _using_sqlite():
            if os.getpid() not in self._connections:
                self._open()
            yield self._connection

    def _prepare(self) -> None:
        end = time.monotonic() + _BUSY_TIMEOUT
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                # SQLite does not wait here if two processes open a new file at the same time.
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(0.01)
        # In WAL mode, nothing is lost if the process dies, and the file stays intact after a power failure.
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA wal_autocheckpoint = 4000")
        self._connection.execute("PRAGMA cache_size = -32768")
        self._connection.execute("PRAGMA temp_store = MEMORY")
        if self.path.stat().st_size <= _FULL_CHECK:
            (found,) = self._connection.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise StoreDamaged(str(found))
        self._migrate()

    def _migrate(self) -> None:
        if self._version() != VERSION:
            with self.writing() as connection:
                version = self._version()
                if version not in (0, *MIGRATIONS):
                    age = "a newer" if version > VERSION else "an unreleased"
                    raise StoreError(f"it was written by {age} halluscope: upgrade, or set HALLUSCOPE_HOME elsewhere")
                _migrate(connection, version)
        if not _definitions(self._connection) >= _expected_definitions():
            raise StoreDamaged("the definition of a table is not as it was written")

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    @contextmanager
    def trouble(self) -> Iterator[None]:
        """Turn errors of SQLite into `StoreError`, with the name of the file."""
        try:
            yield
        except (StoreError, sqlite3.Error, UnicodeDecodeError) as error:  # UnicodeDecodeError: a damaged name
            if isinstance(error, StoreError) and str(self.path) in str(error):
                raise
            if _is_damage(error):
                raise StoreDamaged(
                    f"the store {self.path} is damaged ({error}). Nothing in it is used: "
                    "restore the file from a copy, or move it away to start a new one."
                ) from error
            raise StoreError(f"the store {self.path} cannot be used: {str(error).rstrip('.')}.") from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Run the block in one transaction."""
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
        """Run a query and return all rows."""
        with self._mine() as connection:
            return connection.execute(sql, values).fetchall()

    def write(self, sql: str, values: Sequence[Any]) -> int:
        """Run and commit one statement. Returns the number of rows written."""
        with self._mine() as connection:
            return connection.execute(sql, values).rowcount

    def shrink(self) -> None:
        """Return the disk space of deleted rows."""
        with self._mine() as connection:
            connection.execute("VACUUM")

    def check(self) -> None:
        """Check the whole file. Raises `StoreDamaged` if it is damaged."""
        with self.trouble():
            (found,) = self.rows("PRAGMA integrity_check(1)")[0]
            if found != "ok":
                raise StoreDamaged(str(found))
            verify_all(self.rows)

    def close(self) -> None:
        """Close the file. May be called twice."""
        with self._lock():
            self.__del__()

    def __del__(self) -> None:
        # No warning for a store that was not closed: everything is written.
        connection = getattr(self, "_connections", {}).get(os.getpid())
        if connection is not None:
            with _using_sqlite():
                connection.close()
            _open_connections.discard(connection)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    for number, statements in MIGRATIONS.items():
        if number > version:
            for statement in statements.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")


def _definitions(connection: sqlite3.Connection) -> frozenset[tuple[str, ...]]:
    """Return the definitions in a file, without white space. With damaged ones, SQLite would read wrong values."""
    found = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return frozenset((*names, "".join(str(sql).split())) for *names, sql in found)  # a damaged one may be bytes


@lru_cache
def _expected_definitions() -> frozenset[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:")) as empty:
        _migrate(empty, 0)
        return _definitions(empty)


def _is_damage(error: Exception) -> bool:
    if isinstance(error, (sqlite3.OperationalError, sqlite3.ProgrammingError)):
        return any(sign in str(error) for sign in _SIGNS_OF_DAMAGE)
    return isinstance(error, StoreDamaged) or not isinstance(error, StoreError)
