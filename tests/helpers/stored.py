"""Looking into the store of another process, which may be in the middle of making it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def stored(home: Path, table: str) -> int:
    """How many rows a table of the store has: none where there is no such table yet."""
    try:
        with closing(sqlite3.connect(f"file:{home / 'halluscope.db'}?mode=rw", uri=True)) as store:
            return int(store.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
