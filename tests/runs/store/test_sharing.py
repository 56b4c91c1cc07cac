"""Several processes on one store: every question is paid for once, and a process that dies holds nobody up."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import pytest

from halluscope import evaluate
from halluscope._internal.core.case import Case
from halluscope._internal.core.errors import StoreDamaged, StoreError
from halluscope._internal.core.result import Result
from halluscope._internal.engine.driver import Driver
from halluscope._internal.engine.metrics.label import Label
from halluscope._internal.engine.questions import Question
from halluscope._internal.engine.reply_turns import Turns
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.runs.store import Replies, Store, reply_cache
from halluscope._internal.runs.store.run_reader import entries, list_runs

from ...helpers.loopback import Loopback
from ...helpers.waiting import until

CASE = Case.of("The mill is in Ulm.", ["The mill is in Ulm."])
ROWS = [
    {"id": f"case-{n}", "output": f"The mill {n} is in Ulm.", "context": ["The mill is in Ulm."]} for n in range(60)
]


@pytest.mark.slow("starts processes")
def test_three_processes_on_one_run_pay_once(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    with Loopback(latency=0.05) as server:
        command = [sys.executable, "-m", "halluscope", "eval", str(data), "--run", "a", "-m", "hallucination"]
        command += ["--judge", "openai/any", "--base-url", server.base_url, "--no-progress"]
        environment = {**os.environ, "HALLUSCOPE_HOME": str(tmp_path), "OPENAI_API_KEY": "k"}
        running = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in range(3)]
        assert [process.wait(120) for process in running] == [0, 0, 0]
        assert max(server.answered.values()) == 1, "a question was asked twice"
        assert len(server.calls) == len(server.answered)
    with Store(tmp_path / "halluscope.db") as store:
        assert store.rows("SELECT count(*) FROM leases") == [(0,)]
        store.check()


async def together(*drivers: Driver) -> list[Result]:
    return await asyncio.gather(*(driver.score(Label(), CASE) for driver in drivers))


def judge(latency: float = 0.0) -> ScriptedJudge:
    return ScriptedJudge({"label": {"verdict": "factual", "reason": ["x"]}}, latency=latency)


async def test_who_comes_second_waits_for_the_first(tmp_path: Path) -> None:
    slow, other = judge(latency=0.3), judge()
    with Store(tmp_path / "a.db") as first, Store(tmp_path / "a.db") as second:
        one, two = await together(Driver(slow, cache=Replies(first)), Driver(other, cache=Replies(second)))
    assert (len(slow.asked), len(other.asked)) == (1, 0)
    assert (one.label, two.label, two.exchanges[0].cached) == ("factual", "factual", True)


async def test_many_claims_are_written_together_and_one_alone_at_once(tmp_path: Path) -> None:
    cases = [Case.of(f"The mill {n} is in Ulm.", ["The mill is in Ulm."]) for n in range(40)]
    with Store(tmp_path / "a.db") as store:
        replies = Replies(store)
        written: list[int] = []

        class Counting(Replies):
            def claim(self, keys: Collection[str]) -> set[str]:
                written.append(len(keys))
                return replies.claim(keys)

        driver = Driver(judge(), cache=Counting(store))
        await asyncio.gather(*(driver.score(Label(), case) for case in cases))
        assert sum(written) == 40 and len(written) <= 3
        assert store.rows("SELECT count(*) FROM replies") == [(40,)]
        assert store.rows("SELECT count(*) FROM leases") == [(0,)]


async def test_answers_that_come_at_one_moment_are_written_together(tmp_path: Path) -> None:
    cases = [Case.of(f"The mill {n} is in Ulm.", ["The mill is in Ulm."]) for n in range(40)]
    written: list[int] = []

    class Counting(Replies):
        def put_all(self, entries: Mapping[str, bytes]) -> None:
            written.append(len(entries))
            super().put_all(entries)

    with Store(tmp_path / "a.db") as store:
        driver = Driver(judge(), cache=Counting(store))
        await asyncio.gather(*(driver.score(Label(), case) for case in cases))
        assert sum(written) == 40 and len(written) <= 10
        assert store.rows("SELECT count(*) FROM replies") == [(40,)]


async def test_an_answer_is_saved_after_its_caller_was_cancelled(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as store:
        turns = Turns(Replies(store))
        keeping = asyncio.ensure_future(turns.keep("ab" * 32, b"paid for"))
        await asyncio.sleep(0)
        assert keeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await keeping
        assert Replies(store).get("ab" * 32) == b"paid for"


async def test_a_claim_that_cannot_be_written_is_told_to_all_who_wait_for_it(tmp_path: Path) -> None:
    class Full(Replies):
        def claim(self, keys: Collection[str]) -> set[str]:
            raise StoreError("the disk is full")

    with Store(tmp_path / "a.db") as store:
        driver = Driver(judge(), cache=Full(store))
        told = await asyncio.gather(*(driver.score(Label(), CASE) for _ in range(3)), return_exceptions=True)
    assert [str(error) for error in told if isinstance(error, StoreError)] == ["the disk is full"] * 3


@pytest.mark.slow("waits for claims of other processes to end")
async def test_a_claim_is_renewed_for_as_long_as_the_judge_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_cache, "LEASE", 0.3)
    monkeypatch.setattr("halluscope._internal.engine.reply_turns._RENEWAL", 0.05)
    slow, other = judge(latency=1.2), judge()
    with Store(tmp_path / "a.db") as first, Store(tmp_path / "a.db") as second:
        await together(Driver(slow, cache=Replies(first)), Driver(other, cache=Replies(second)))
    assert (len(slow.asked), len(other.asked)) == (1, 0)


async def test_a_claim_of_a_process_that_died_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply_cache, "LEASE", 0.2)
    keys: list[str] = []
    with Store(tmp_path / "a.db") as store:
        died, living = Replies(store), Replies(store)
        monkeypatch.setattr(living, "get", _noting(living.get, keys))
        await Driver(judge(), cache=living).score(Label(), CASE)
        store.write("DELETE FROM replies", ())
        assert died.claim(keys[:1])
        asked = judge()
        assert (await Driver(asked, cache=living).score(Label(), CASE)).label == "factual"
        assert len(asked.asked) == 1


def _noting(get: Callable[[str], bytes | None], keys: list[str]) -> Callable[[str], bytes | None]:
    def noted(key: str) -> bytes | None:
        keys.append(key)
        return get(key)

    return noted


@pytest.mark.slow("waits for claims of other processes to end")
async def test_a_claim_of_a_process_that_was_killed_ends_by_itself(tmp_path: Path) -> None:
    code = (
        "import os, sys; from halluscope._internal.runs.store import Replies, Store, reply_cache;"
        "reply_cache.LEASE = 1;"
        "print(Replies(Store(sys.argv[1])).claim(['ab' * 32]), flush=True); os._exit(9)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "a.db")]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=False)
    assert done.stdout.strip() == b"{'" + b"ab" * 32 + b"'}"
    with Store(tmp_path / "a.db") as store:
        await until(lambda: Replies(store).claim(["ab" * 32]))
        assert not Replies(store).claim(["ab" * 32]), "that of a living one does not"


async def test_a_claim_ends_with_a_failure_and_with_being_given_up(tmp_path: Path) -> None:
    def broken(_: Question[object]) -> Exception:
        return RuntimeError("broken")

    with Store(tmp_path / "a.db") as store:
        await Driver(ScriptedJudge(broken), cache=Replies(store)).score(Label(), CASE)
        assert store.rows("SELECT count(*) FROM leases") == [(0,)]
        waiting = asyncio.create_task(Driver(judge(latency=60), cache=Replies(store)).score(Label(), CASE))
        await until(lambda: store.rows("SELECT 1 FROM leases"))
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert store.rows("SELECT count(*) FROM leases") == [(0,)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A store with a run in it, as one file."""
    return _written(tmp_path_factory.mktemp("whole") / "a.db")


def _written(path: Path) -> bytes:
    with Store(path) as store:
        evaluate(ROWS, "label", judge(), run="a", store=store, progress=False)
        store.check()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.read_bytes()


def _changed(path: Path, whole: bytes, table: str, column: str) -> None:
    """The file with one bit of this column changed in one row, as a bad disk would: SQLite itself sees no fault."""
    path.write_bytes(whole)
    connection = sqlite3.connect(path)
    connection.create_function("flipped", 1, _flipped)
    quoted = f'"{column}"'
    place = "position" if table == "run_cases" else "rowid"
    last = f"(SELECT max({place}) FROM {table})"
    connection.execute(f"UPDATE {table} SET {quoted} = flipped({quoted}) WHERE {place} = {last}")
    connection.commit()
    connection.close()


def _flipped(value: int | float | str | bytes | None) -> int | float | str | bytes | None:
    if isinstance(value, int):
        return value ^ 2**20
    if isinstance(value, float):
        return value + 2**-20
    if isinstance(value, str):
        return chr(ord(value[0]) ^ 1) + value[1:] if value else "a"
    if isinstance(value, bytes):
        return bytes((value[0] ^ 1,)) + value[1:]
    return 1


STORED = {
    "replies": ("key", "entry"),
    "cases": ("key", "body"),
    "run_cases": ("position", "name", "extra"),
    "outcomes": ("case", "outcome", "score", "passed", "label", "body"),
}
COLUMNS = [(table, column) for table, columns in STORED.items() for column in columns]


@pytest.mark.parametrize(("table", "column"), COLUMNS, ids=[".".join(pair) for pair in COLUMNS])
def test_one_bit_in_a_reply_a_text_or_a_result_is_noticed(
    tmp_path: Path, whole: bytes, table: str, column: str
) -> None:
    path = tmp_path / "a.db"
    _changed(path, whole, table, column)
    with Store(path) as store, pytest.raises(StoreDamaged, match="does not match its checksum"):
        store.check()
    with Store(path) as store:
        if table == "replies":
            (key,) = store.rows("SELECT hex(key) FROM replies ORDER BY rowid DESC LIMIT 1")[0]
            if column == "entry":
                with pytest.raises(StoreDamaged, match="does not match its checksum"):
                    Replies(store).get(key)
        else:
            with pytest.raises(StoreDamaged):
                for run in list_runs(store):
                    list(entries(store, run.id))


@pytest.mark.slow("opens a damaged store hundreds of times")
def test_single_bits_of_the_file_are_noticed_or_change_nothing(tmp_path: Path, whole: bytes) -> None:
    """Bits anywhere: what is read back is what was written, or the damage is told."""
    path = tmp_path / "a.db"

    def read() -> set[tuple[object, ...]]:
        with Store(path) as store:
            store.check()
            return {
                (
                    entry.position,
                    entry.case.id,
                    entry.case.output,
                    entry.case.context,
                    one.metric,
                    one.score,
                    one.label,
                    one.reason,
                    one.verdicts,
                )
                for run in list_runs(store)
                for entry in entries(store, run.id)
                for one in entry.results
            }

    path.write_bytes(whole)
    right = read()
    draw = random.Random(5)
    noticed = 0
    for _ in range(150):
        content = bytearray(whole)
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(content)
        for left in ("a.db-wal", "a.db-shm"):
            (tmp_path / left).unlink(missing_ok=True)
        try:
            assert read() <= right
        except Exception as error:
            assert type(error).__name__ in ("StoreDamaged", "StoreError"), error
            noticed += 1
    assert noticed
