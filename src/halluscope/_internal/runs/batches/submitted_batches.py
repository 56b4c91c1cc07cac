"""Batches that were submitted to a provider, in the store."""

from __future__ import annotations

import time
from collections.abc import Collection

from msgspec import Struct

from ..store.database import Store

_SIGN_OF_LIFE = 6.0
"""Seconds after its last sign of life from which a process counts as dead."""
_KEPT = 30 * 24 * 3600.0
"""Seconds after which a batch is forgotten. Providers keep results for 29 or 30 days."""
_COLUMNS = "key, judge, server, run, created, questions, remote, collected"


class Batch(Struct, frozen=True, kw_only=True):
    """A batch of questions, recorded at the time `created`, before it is submitted.

    `key` is our name of it, `remote` the provider's: None while it is being submitted.
    """

    key: str
    judge: str
    server: str
    run: str
    created: float
    questions: int
    remote: str | None = None
    collected: bool = False


class Batches:
    """Remembers which questions were submitted, so that none is submitted twice, whatever happens to the process.

    Every method commits before it returns.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        for batch in self.batches():
            if batch.created < time.time() - _KEPT:
                self.remove(batch.key)

    def begin(self, batch: Batch, ids: Collection[str]) -> set[str]:
        """Record a batch before it is submitted. Returns the questions that no other batch has."""
        question = "INSERT INTO batch_questions (id, batch) VALUES (?, ?) ON CONFLICT (id) DO NOTHING"
        with self._store.writing() as connection:
            mine = {id for id in ids if connection.execute(question, (id, batch.key)).rowcount}
            row = (batch.key, batch.judge, batch.server, batch.run, batch.created, len(mine), None, False)
            connection.execute(
                f"INSERT INTO batches ({_COLUMNS}, alive) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                (*row, time.time()),
            )
        return mine

    def renew(self, key: str) -> None:
        """Tell other processes that the batch is still being submitted."""
        self._store.write("UPDATE batches SET alive = ? WHERE key = ?", (time.time(), key))

    def being_submitted(self, key: str) -> bool:
        """Whether a living process is submitting the batch."""
        since = time.time() - _SIGN_OF_LIFE
        query = "SELECT 1 FROM batches WHERE key = ? AND remote IS NULL AND alive > ?"
        return bool(self._store.rows(query, (key, since)))

    def submitted(self, key: str, remote: str) -> None:
        """Record the provider's id."""
        self._store.write("UPDATE batches SET remote = ? WHERE key = ?", (remote, key))

    def collected(self, key: str) -> None:
        """Record that the results were read."""
        self._store.write("UPDATE batches SET collected = 1 WHERE key = ?", (key,))

    def remove(self, key: str) -> None:
        with self._store.writing() as connection:
            connection.execute("DELETE FROM batch_questions WHERE batch = ?", (key,))
            connection.execute("DELETE FROM batches WHERE key = ?", (key,))

    def batches(self) -> list[Batch]:
        """All batches, the oldest first."""
        rows = self._store.rows(f"SELECT {_COLUMNS} FROM batches ORDER BY created")  # noqa: S608
        return [Batch(**dict(zip(Batch.__struct_fields__, (*row[:-1], bool(row[-1])), strict=True))) for row in rows]

    def questions(self, key: str) -> set[str]:
        """The ids of a batch's questions."""
        return {id for (id,) in self._store.rows("SELECT id FROM batch_questions WHERE batch = ?", (key,))}
