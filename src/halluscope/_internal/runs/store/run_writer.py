"""Writing a run: its cases, the results reused from other runs, and new results."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Sequence

import msgspec
from msgspec import Struct, structs

from ...core.case import Case
from ...core.counting import count_of
from ...core.result import Outcome, Result
from .database import Store
from .packing import about_case, about_outcome, pack, sample_for, verify
from .run_reader import ScorerInfo

CHUNK = 128
"""Cases to add in one transaction."""

_MOST_KEPT_BACK = 256
_REUSABLE = frozenset(Outcome) - {Outcome.FAILED, Outcome.INCOMPLETE}
"""Outcomes that can be reused. A judge that failed may succeed next time."""


class Job(Struct, frozen=True):
    """A case that needs a result. `scorer` is the index of the metric."""

    position: int
    case: Case
    case_ref: int
    scorer: int


REPAIRED = "+repair"
"""Behind the version of a scorer whose outputs are repaired."""


class ScorerRow(ScorerInfo, frozen=True):
    """A metric with a judge. `key` is its identity, including the code."""

    key: bytes


class RunWriter:
    """Writes a run.

    Results are buffered and written together. The replies are in the cache by then, so nothing that was paid for is
    lost if the process dies.
    """

    def __init__(
        self,
        store: Store,
        name: str,
        data: str,
        scorers: Sequence[ScorerRow],
        *,
        new: bool = False,
        joins: bool = False,
        reuse: bool = True,
    ) -> None:
        """Continue the run of that name, or create it.

        `new` always creates one, `joins` unless the run has the same metrics: a number follows a name that is taken.
        `reuse` reuses results of other runs.
        """
        self._store = store
        self._reuse = reuse
        self._kept_back: list[tuple[Job, Result]] = []
        self._started = time.monotonic()
        self.notes: list[str] = []
        with store.writing() as connection:
            alike = {scorer.key for scorer in scorers} if joins else None
            self.name = _free(connection, name, alike) if new or joins else name
            self.run = self._open(connection, self.name, data)
            self._scorers = [_scorer_id(connection, scorer) for scorer in scorers]
            self._enlist(connection, scorers)

    def _open(self, connection: sqlite3.Connection, name: str, data: str) -> int:
        now = time.time()
        connection.execute(
            "INSERT INTO runs (name, state, data, created, updated) VALUES (?, 'running', ?, ?, ?) "
            "ON CONFLICT (name) DO UPDATE SET state = 'running', note = '', data = excluded.data, "
            "updated = excluded.updated",
            (name, data, now, now),
        )
        run = int(connection.execute("SELECT id FROM runs WHERE name = ?", (name,)).fetchone()[0])
        connection.execute("DELETE FROM run_bad_rows WHERE run = ?", (run,))
        return run

    def _enlist(self, connection: sqlite3.Connection, scorers: Sequence[ScorerRow]) -> None:
        """Add the metrics. Results of the same metric with another judge or version are removed from the run."""
        listed = connection.execute(
            "SELECT s.id, s.metric, s.judge FROM run_scorers r JOIN scorers s ON s.id = r.scorer WHERE r.run = ?",
            (self.run,),
        ).fetchall()
        for ref, metric, judge in listed:
            if ref not in self._scorers and any(scorer.metric == metric for scorer in scorers):
                connection.execute("DELETE FROM run_scorers WHERE run = ? AND scorer = ?", (self.run, ref))
                gone = connection.execute("DELETE FROM run_results WHERE run = ? AND scorer = ?", (self.run, ref))
                if gone.rowcount:
                    results = count_of(gone.rowcount, "result")
                    are = "is" if gone.rowcount == 1 else "are"
                    self.notes.append(f"the run's {results} of {metric} by {judge} {are} replaced")
        kept = {ref for ref, _, _ in listed}
        for place, ref in enumerate(self._scorers, start=len(kept)):
            connection.execute(
                "INSERT OR IGNORE INTO run_scorers (run, scorer, place) VALUES (?, ?, ?)", (self.run, ref, place)
            )

    def admit(self, rows: Sequence[tuple[int, Case]]) -> tuple[list[Job], int]:
        """Add cases. Returns the jobs to do, and the number of reused results."""
        jobs: list[Job] = []
        found: list[tuple[int, int, int, int, int]] = []
        with self._store.writing() as connection:
            for position, case in rows:
                ref = self._add_case(connection, position, case)
                for place, scorer in enumerate(self._scorers):
                    outcome = _reusable(connection, scorer, ref) if self._reuse else None
                    if outcome is None:
                        jobs.append(Job(position, case, ref, place))
                    else:
                        found.append((self.run, position, scorer, outcome, 1))
            _enter(connection, found)
        return jobs, len(found)

    def append(self, entries: Sequence[tuple[Case, Sequence[tuple[int, Result]]]]) -> None:
        """Append cases, each with its results by the index of the metric.

        Several processes may append to a run at the same time.
        """
        with self._store.writing() as connection:
            last = connection.execute("SELECT max(position) FROM run_cases WHERE run = ?", (self.run,)).fetchone()[0]
            scored: list[tuple[Job, Result]] = []
            for position, (case, results) in enumerate(entries, start=0 if last is None else last + 1):
                ref = self._add_case(connection, position, case)
                scored += [(Job(position, case, ref, scorer), result) for scorer, result in results]
            self._write(connection, scored)
            now = (time.time(), self.run)
            connection.execute("UPDATE runs SET state = 'running', updated = ? WHERE id = ?", now)

    def _add_case(self, connection: sqlite3.Connection, position: int, case: Case) -> int:
        """Add a case to the run. Returns the id of its texts, which are stored once."""
        body = _case_body(case)
        key = hashlib.blake2b(body, digest_size=16).digest()
        known = connection.execute("SELECT id FROM cases WHERE key = ?", (key,)).fetchone()
        if known is None:
            made = connection.execute("INSERT INTO cases (key, body) VALUES (?, ?)", (key, pack(body, key)))
            known = (made.lastrowid,)
        connection.execute(
            'INSERT INTO run_cases (run, position, "case", name, extra) VALUES (?, ?, ?, ?, ?) '
            'ON CONFLICT (run, position) DO UPDATE SET "case" = excluded."case", name = excluded.name, '
            "extra = excluded.extra",
            (self.run, position, known[0], case.id, _extra(case, about_case(self.run, position, case.id))),
        )
        return int(known[0])

    def keep(self, job: Job, result: Result) -> None:
        """Buffer a result. It is written with the next `flush`, or when the buffer is full."""
        self._kept_back.append((job, result))
        if len(self._kept_back) >= _MOST_KEPT_BACK:
            self.flush()

    def flush(self) -> None:
        """Write all buffered results."""
        if not self._kept_back:
            return
        with self._store.writing() as connection:
            self._write(connection, self._kept_back)
        self._kept_back.clear()

    def _write(self, connection: sqlite3.Connection, results: Sequence[tuple[Job, Result]]) -> None:
        written = [
            (self.run, job.position, self._scorers[job.scorer], self._outcome(connection, job, result), 0)
            for job, result in results
        ]
        _enter(connection, written)

    def _outcome(self, connection: sqlite3.Connection, job: Job, result: Result) -> int:
        scorer = self._scorers[job.scorer]
        reusable = result.outcome in _REUSABLE
        passed = None if result.passed is None else int(result.passed)
        about = about_outcome(job.case_ref, result.outcome.value, result.score, passed, result.label)
        if reusable and not self._reuse:
            connection.execute(
                'UPDATE outcomes SET reusable = 0 WHERE scorer = ? AND "case" = ? AND reusable', (scorer, job.case_ref)
            )
        usage = result.usage
        body = msgspec.msgpack.encode(structs.replace(result, case_id="", metadata={}))
        made = connection.execute(
            'INSERT OR IGNORE INTO outcomes (scorer, "case", reusable, outcome, score, passed, label, calls, '
            "input_tokens, output_tokens, cost, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                scorer,
                job.case_ref,
                int(reusable),
                result.outcome.value,
                result.score,
                passed,
                result.label,
                usage.calls,
                usage.input_tokens,
                usage.output_tokens,
                usage.cost,
                pack(body, about, sample_for(connection, scorer, body)),
            ),
        )
        if made.rowcount:
            return int(made.lastrowid or 0)
        # Another process, or a row with the same texts, was first.
        same = 'SELECT id FROM outcomes WHERE scorer = ? AND "case" = ? AND reusable'
        return int(connection.execute(same, (scorer, job.case_ref)).fetchone()[0])

    def bad_rows(self, rows: Sequence[tuple[int, str, str]]) -> None:
        """Save rows that could not be read: position, place and reason."""
        with self._store.writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO run_bad_rows (run, position, place, reason) VALUES (?, ?, ?, ?)",
                [(self.run, *row) for row in rows],
            )

    def close(self, state: str, note: str = "", end: int | None = None) -> None:
        """Write buffered results and the state of the run. `end` is the number of rows in the data."""
        self.flush()
        with self._store.writing() as connection:
            if end is not None:
                for table in ("run_cases", "run_results", "run_bad_rows"):
                    connection.execute(
                        f"DELETE FROM {table} WHERE run = ? AND position >= ?",  # noqa: S608 - our own names
                        (self.run, end),
                    )
            connection.execute(
                "UPDATE runs SET state = ?, note = ?, updated = ?, seconds = seconds + ? WHERE id = ?",
                (state, note, time.time(), time.monotonic() - self._started, self.run),
            )
        self._started = time.monotonic()


def _free(connection: sqlite3.Connection, name: str, alike: set[bytes] | None = None) -> str:
    """Return the name, with a number if it is taken. A run with the scorers in `alike` may share its name."""
    free, number = name, 2
    while found := connection.execute("SELECT id FROM runs WHERE name = ?", (free,)).fetchone():
        listed = "SELECT s.key FROM run_scorers r JOIN scorers s ON s.id = r.scorer WHERE r.run = ?"
        if alike is not None and {key for (key,) in connection.execute(listed, found)} == alike:
            break
        free, number = f"{name}-{number}", number + 1
    return free


def _case_body(case: Case) -> bytes:
    texts = (case.output, case.context, case.input)
    return msgspec.msgpack.encode((*texts, "tool call") if case.is_tool_call else texts)


def _extra(case: Case, about: bytes) -> bytes:
    turn = () if case.turn is None else (case.turn,)
    return pack(msgspec.msgpack.encode((case.metadata, case.notes, *turn), enc_hook=str), about)


def _enter(connection: sqlite3.Connection, results: Sequence[tuple[int, int, int, int, int]]) -> None:
    # A result that the run already has stays, with its cost.
    connection.executemany(
        "INSERT INTO run_results (run, position, scorer, outcome, reused) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (run, position, scorer) DO UPDATE SET outcome = excluded.outcome, reused = excluded.reused "
        "WHERE outcome != excluded.outcome",
        results,
    )


def _reusable(connection: sqlite3.Connection, scorer: int, case: int) -> int | None:
    """Return the result of a case that can be reused, if there is one, after checking it."""
    found = connection.execute(
        'SELECT id, outcome, score, passed, label, body FROM outcomes WHERE scorer = ? AND "case" = ? AND reusable',
        (scorer, case),
    ).fetchone()
    if found is None:
        return None
    ref, *row, body = found
    verify(body, about_outcome(case, *row))
    return int(ref)


def _scorer_id(connection: sqlite3.Connection, scorer: ScorerRow) -> int:
    connection.execute(
        "INSERT OR IGNORE INTO scorers (metric, version, judge, direction, threshold, scale, key) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        structs.astuple(scorer),
    )
    return int(connection.execute("SELECT id FROM scorers WHERE key = ?", (scorer.key,)).fetchone()[0])
