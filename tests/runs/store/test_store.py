"""The file that keeps replies and runs: shared, migrated, and never trusted when it is damaged."""

from __future__ import annotations

import gzip
import multiprocessing
import random
import sqlite3
import threading
from hashlib import sha256
from pathlib import Path

import pytest

from halluscope._internal.core.case import Case
from halluscope._internal.core.errors import StoreDamaged, StoreError
from halluscope._internal.core.result import Exchange, Outcome, Result, Usage
from halluscope._internal.core.verdict import Claim, Support, Verdict
from halluscope._internal.runs.store import MemoryReplies, Replies, RunWriter, Store, default_path
from halluscope._internal.runs.store.packing import pack, unpack
from halluscope._internal.runs.store.removal import remove_run
from halluscope._internal.runs.store.run_reader import bad_rows, entries, list_runs, usage_of_run
from halluscope._internal.runs.store.run_writer import ScorerRow
from halluscope._internal.runs.store.spending import spent_on


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "halluscope.db"


def key(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def scorer(metric: str = "hallucination", version: str = "v1", judge: str = "j") -> ScorerRow:
    name = sha256(f"{metric} {version} {judge}".encode()).digest()[:16]
    return ScorerRow(metric, version, judge, "lower", 0.5, 1.0, name)


def result(case: Case, score: float | None = 0.5, **changes: object) -> Result:
    fields: dict[str, object] = {
        "metric": "hallucination",
        "metric_version": "v1",
        "judge": "j",
        "case_id": case.id,
        "outcome": Outcome.SCORED if score is not None else Outcome.NO_CLAIMS,
        "score": score,
        "direction": "lower",
        "threshold": 0.5,
        "passed": None if score is None else score <= 0.5,
        "label": "factual",
        "reason": "because " * 100,
        "verdicts": (Verdict(Claim("c1", case.output, 0, len(case.output)), Support.SUPPORTED),),
        "exchanges": (Exchange("extract", "j", "prompt", "reply", Usage(1, 10, 5, 0.25)),),
        "usage": Usage(1, 10, 5, 0.25),
        "metadata": case.metadata,
    }
    return Result(**(fields | changes))  # type: ignore[arg-type]


def cases(count: int) -> list[tuple[int, Case]]:
    return [(i, Case.of(f"output {i}", [f"passage {i}"], metadata={"row": i})) for i in range(count)]


def test_the_home_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "here"))
    assert default_path() == tmp_path / "here" / "halluscope.db"
    monkeypatch.delenv("HALLUSCOPE_HOME")
    assert default_path().name == "halluscope.db"
    assert default_path().parent != tmp_path / "here"


def test_replies_outlive_the_process(path: Path) -> None:
    with Store(path) as store:
        Replies(store).put(key("a"), b"x" * 5000)
        Replies(store).put(key("b"), b"short")
    with Store(path) as store:
        assert Replies(store).get(key("a")) == b"x" * 5000
        assert Replies(store).get(key("b")) == b"short"
        assert Replies(store).get(key("c")) is None


def test_a_reply_is_committed_when_put_returns(path: Path) -> None:
    """Another process sees it at once: so will the next one, if this one is killed now."""
    with Store(path) as store, Store(path) as other:
        Replies(store).put(key("a"), b"answer")
        assert Replies(other).get(key("a")) == b"answer"


def test_fresh_replies_replace_old_ones(path: Path) -> None:
    with Store(path) as store:
        Replies(store).put(key("a"), b"old")
        fresh = Replies(store, reread=False)
        assert fresh.get(key("a")) is None
        fresh.put(key("a"), b"new")
        assert fresh.get(key("a")) == b"new"
        assert Replies(store).get(key("a")) == b"new"


def test_memory_replies_forget_the_oldest() -> None:
    replies = MemoryReplies(most=2)
    for name in ("a", "b", "c"):
        replies.put(name, name.encode())
    assert replies.get("a") is None
    assert replies.get("c") == b"c"


@pytest.mark.parametrize("size", [0, 1, 2047, 2048, 100_000])
def test_packing_gives_back_what_it_was_given(size: int) -> None:
    content = bytes(i * 31 % 251 for i in range(size))
    assert unpack(pack(content, b"about"), b"about") == content


@pytest.mark.parametrize("own", [0, 500, 100_000])
def test_what_is_packed_like_a_sample_is_unpacked_with_no_other(own: int) -> None:
    draw = random.Random(3)
    sample = draw.randbytes(4000)
    content = sample[:3000] + draw.randbytes(own)
    packed = pack(content, b"about", sample)
    assert unpack(packed, b"about", sample) == content
    for other in (b"", sample[1:], draw.randbytes(4000)):
        with pytest.raises(StoreDamaged):
            unpack(packed, b"about", other)


def test_the_results_of_a_scorer_are_packed_like_the_first_of_them(path: Path) -> None:
    """The prompt, which all have, takes its room once; a run without its sample is damaged, not wrong."""
    draw = random.Random(4)
    prompts = {name: draw.randbytes(2000).hex() for name in ("hallucination", "label")}
    rows = cases(40)
    with Store(path) as store:
        writer = RunWriter(store, "a", "data", [scorer(name) for name in prompts])
        for job in writer.admit(rows)[0]:
            name = list(prompts)[job.scorer]
            asked = (Exchange("extract", "j", f"{prompts[name]} {job.position}", "reply", Usage(1, 10, 5, 0.25)),)
            writer.keep(job, result(job.case, metric=name, exchanges=asked))
            writer.flush()
        writer.close("finished", end=40)
        for entry in entries(store, writer.run):
            said = {one.metric: one.exchanges[0].prompt for one in entry.results}
            assert said == {name: f"{prompt} {entry.position}" for name, prompt in prompts.items()}
        ((scorers, largest),) = store.rows("SELECT count(DISTINCT scorer), max(length(body)) FROM outcomes")
        assert (scorers, store.rows("SELECT count(*) FROM samples")) == (2, [(2,)])
        assert largest < 500
        store.check()
        store.write("UPDATE samples SET body = zeroblob(9) WHERE scorer = ?", (1,))
        with pytest.raises(StoreDamaged):
            store.check()
        with pytest.raises(StoreDamaged):
            list(entries(store, writer.run))
        store.write("DELETE FROM samples WHERE scorer = ?", (1,))
        with pytest.raises(StoreDamaged):
            list(entries(store, writer.run))
        remove_run(store, "a")
        assert store.rows("SELECT count(*) FROM samples") == [(0,)]


@pytest.mark.parametrize("size", [3, 4000])
def test_no_changed_byte_goes_unnoticed(size: int) -> None:
    packed = pack(bytes(i % 7 for i in range(size)), b"about")
    for place in range(0, len(packed), max(1, len(packed) // 50)):
        changed = bytearray(packed)
        changed[place] ^= 0x10
        with pytest.raises(StoreDamaged):
            unpack(bytes(changed), b"about")
    with pytest.raises(StoreDamaged):
        unpack(packed, b"something else")
    with pytest.raises(StoreDamaged):
        unpack(packed[:3], b"about")


def test_a_run_is_read_back_without_loss(path: Path) -> None:
    rows = cases(600)
    with Store(path) as store:
        writer = RunWriter(store, "night", "file.jsonl", [scorer()])
        for start in range(0, 600, 100):
            jobs, reused = writer.admit(rows[start : start + 100])
            assert (len(jobs), reused) == (100, 0)
            for job in jobs:
                writer.keep(job, result(job.case, score=job.position / 600))
        writer.close("finished", end=600)
        run = list_runs(store, "night")[0]
        read = list(entries(store, run.id))
        assert [entry.position for entry in read] == list(range(600))
        assert [entry.case for entry in read] == [case for _, case in rows]
        assert [entry.results for entry in read] == [(result(case, score=i / 600),) for i, case in rows]
        assert usage_of_run(store, run.id) == Usage(600, 6000, 3000, 150.0)


def test_results_are_kept_once_and_cost_the_second_run_nothing(path: Path) -> None:
    rows = cases(10)
    with Store(path) as store:
        first = RunWriter(store, "one", "data", [scorer()])
        for job in first.admit(rows)[0]:
            first.keep(job, result(job.case))
        first.close("finished")
        second = RunWriter(store, "two", "data", [scorer()])
        jobs, reused = second.admit(rows)
        second.close("finished")
        assert (jobs, reused) == ([], 10)
        assert store.rows("SELECT count(*) FROM outcomes")[0][0] == 10
        assert usage_of_run(store, second.run) == Usage()
        shown = next(entries(store, second.run)).results[0]
        assert shown.exchanges[0].cached
        assert shown.usage == Usage()


@pytest.mark.parametrize("other", [scorer(version="v2"), scorer(judge="other")])
def test_another_version_or_judge_never_meets_an_old_result(path: Path, other: ScorerRow) -> None:
    rows = cases(3)
    with Store(path) as store:
        writer = RunWriter(store, "one", "data", [scorer()])
        for job in writer.admit(rows)[0]:
            writer.keep(job, result(job.case))
        writer.close("finished")
        later = RunWriter(store, "one", "data", [other])
        assert len(later.admit(rows)[0]) == 3
        assert "3 results of hallucination by j are replaced" in later.notes[0]
        assert all(not entry.results for entry in entries(store, later.run))


def test_a_failed_judge_is_asked_again_and_the_old_run_keeps_its_failure(path: Path) -> None:
    rows = cases(1)
    with Store(path) as store:
        first = RunWriter(store, "one", "data", [scorer()])
        for job in first.admit(rows)[0]:
            first.keep(job, result(job.case, score=None, outcome=Outcome.FAILED))
        first.close("finished")
        second = RunWriter(store, "two", "data", [scorer()])
        (job,) = second.admit(rows)[0]
        second.keep(job, result(job.case, score=0.25))
        second.close("finished")
        assert [r.outcome for e in entries(store, first.run) for r in e.results] == [Outcome.FAILED]
        assert [r.score for e in entries(store, second.run) for r in e.results] == [0.25]


def test_a_case_that_changed_has_no_result_until_it_is_scored_again(path: Path) -> None:
    with Store(path) as store:
        writer = RunWriter(store, "one", "data", [scorer()])
        for job in writer.admit(cases(3))[0]:
            writer.keep(job, result(job.case))
        writer.close("finished")
        changed = Case.of("other", ["passage"], id="1")
        (job,) = RunWriter(store, "one", "data", [scorer()]).admit([(1, changed)])[0]
        read = list(entries(store, writer.run))
        assert [(entry.case.output, len(entry.results)) for entry in read] == [
            ("output 0", 1),
            ("other", 0),
            ("output 2", 1),
        ]
        writer.keep(job, result(job.case))
        writer.flush()
        assert [len(entry.results) for entry in entries(store, writer.run)] == [1, 1, 1]


def test_rows_that_left_the_data_leave_the_run(path: Path) -> None:
    with Store(path) as store:
        for count in (5, 3):
            writer = RunWriter(store, "one", "data", [scorer()])
            for job in writer.admit(cases(count))[0]:
                writer.keep(job, result(job.case))
            writer.close("finished", end=count)
        assert [entry.position for entry in entries(store, writer.run)] == [0, 1, 2]


def test_two_rows_with_the_same_texts_have_a_result_each(path: Path) -> None:
    twin = Case.of("same", ["passage"])
    rows = [(0, Case.of("same", ["passage"], id="a")), (1, Case.of("same", ["passage"], id="b")), (2, twin)]
    with Store(path) as store:
        writer = RunWriter(store, "one", "data", [scorer()])
        for job in writer.admit(rows)[0]:
            writer.keep(job, result(job.case))
        writer.close("finished")
        assert [r.case_id for e in entries(store, writer.run) for r in e.results] == ["a", "b", twin.id]


def test_no_result_is_lost_when_writing_fails_for_once(path: Path) -> None:
    with Store(path) as store:
        writer = RunWriter(store, "one", "data", [scorer()])
        (job,) = writer.admit(cases(1))[0]
        writer.keep(job, result(job.case))
        store._connection.execute("ALTER TABLE outcomes RENAME TO hidden")
        with pytest.raises(StoreError, match="cannot be used"):
            writer.flush()
        store._connection.execute("ALTER TABLE hidden RENAME TO outcomes")
        writer.flush()
        assert [len(entry.results) for entry in entries(store, writer.run)] == [1]


def test_what_is_not_a_database_is_said(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is a text, not a database\n" * 400)
    with pytest.raises(StoreDamaged, match=r"damaged .* move it away"):
        Store(path)


def test_a_file_that_was_cut_off_is_said(path: Path) -> None:
    with Store(path) as store:
        for i in range(200):
            Replies(store).put(key(str(i)), bytes(range(256)) * 4 + str(i).encode() * 300)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(size // 2)
    with pytest.raises(StoreDamaged, match=str(path)):
        Store(path)


def test_a_changed_byte_in_a_value_is_said_when_it_is_read(path: Path) -> None:
    with Store(path) as store:
        Replies(store).put(key("a"), b"needle in the file")
        writer = RunWriter(store, "one", "data", [scorer()])
        for job in writer.admit(cases(1))[0]:
            writer.keep(job, result(job.case, reason="haystack", verdicts=(), exchanges=()))
        writer.close("finished")
    content = path.read_bytes()
    for word, use in ((b"needle", "reply"), (b"haystack", "result")):
        assert content.count(word) == 1
        path.write_bytes(content.replace(word, word[:-1] + b"?"))
        with Store(path) as store:
            with pytest.raises(StoreDamaged, match="checksum"):
                store.check()
            with pytest.raises(StoreDamaged, match="checksum"):
                if use == "reply":
                    Replies(store).get(key("a"))
                else:
                    list(entries(store, 1))
            if use == "result":
                with pytest.raises(StoreDamaged, match=str(path)):
                    RunWriter(store, "two", "data", [scorer()]).admit(cases(1))
    path.write_bytes(content)
    with Store(path) as store:
        store.check()


def damaged(path: Path, change: str) -> None:
    """Change the file behind the back of the store, as a bad disk would."""
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()


def test_a_changed_score_is_noticed(path: Path) -> None:
    with Store(path) as store:
        writer = RunWriter(store, "one", "data", [scorer()])
        for job in writer.admit(cases(1))[0]:
            writer.keep(job, result(job.case))
        writer.close("finished")
        damaged(path, "UPDATE outcomes SET score = 0.0")
        with pytest.raises(StoreDamaged):
            list(entries(store, writer.run))


def test_a_result_that_belongs_to_another_case_is_noticed(path: Path) -> None:
    with Store(path) as store:
        writer = RunWriter(store, "one", "data", [scorer()])
        for job in writer.admit(cases(2))[0]:
            writer.keep(job, result(job.case))
        writer.close("finished")
        damaged(path, "UPDATE run_results SET outcome = 1")
        with pytest.raises(StoreDamaged, match="listed with a case that it is not about"):
            list(entries(store, writer.run))


OLDER = Path(__file__).parent / "older-6.db.gz"
"""A store of schema version 6, with two runs of the same data: `first` with two metrics, a row that could not be read
and a failed judge, and `second` with one metric, of which all results are reused."""


def contents(path: Path) -> list[object]:
    """All that can be read of a store."""
    with Store(path) as store:
        return [
            (run.name, run.state, run.data, run.scorers, list(entries(store, run.id)), bad_rows(store, run.id))
            for run in list_runs(store)
        ]


OLDER_7 = Path(__file__).parent / "older-7.db.gz"
"""One of version 7: the same two runs of one metric, with prompts that are packed like the first of them, a pending
batch, and checksums of rows."""


def test_a_store_with_checksums_of_rows_is_read_and_continued(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(gzip.decompress(OLDER_7.read_bytes()))
    with Store(path) as store:
        store.check()
        first, second = list_runs(store)
        good, bad, failed = (Outcome.SCORED, 0.0), (Outcome.SCORED, 1.0), (Outcome.FAILED, None)
        read = [(entry.case.id, *((r.outcome, r.score) for r in entry.results)) for entry in entries(store, first.id)]
        assert read == [(f"case-{n}", one) for n, one in enumerate((good, good, bad, good, failed, good))]
        prompt = list(entries(store, first.id))[3].results[0].exchanges[0].prompt
        assert prompt is not None and "The mill 3 is in Ulm." in prompt
        assert [row.place for row in bad_rows(store, first.id)] == ["row 7"]
        assert [entry.results[0].exchanges[0].cached for entry in entries(store, second.id)] == [True] * 4
        assert Replies(store).get("ab" * 32) == b"an answer"
        assert spent_on(store, "2026-11-18", "live", 0.5) == 0.75
        assert store.rows("SELECT id, batch FROM batch_questions") == [("q1", "k"), ("q2", "k")]
        before = contents(path)
        writer = RunWriter(store, "third", "data", [scorer()])
        for job in writer.admit(cases(3))[0]:
            writer.keep(job, result(job.case))
        writer.close("finished")
        store.check()
    assert contents(path)[:2] == before


def test_a_store_of_an_earlier_version_is_read_and_continued(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(gzip.decompress(OLDER.read_bytes()))
    with Store(path) as store:
        store.check()
        first, second = list_runs(store)
        assert [(scorer.metric, scorer.judge) for scorer in first.scorers] == [
            ("hallucination", "scripted"),
            ("label", "scripted"),
        ]
        read = [
            (entry.case.id, entry.case.metadata, [(r.outcome, r.score) for r in entry.results])
            for entry in entries(store, first.id)
        ]
        good, bad = [(Outcome.SCORED, 0.0)] * 2, [(Outcome.SCORED, 1.0)] * 2
        failed = [(Outcome.FAILED, None), (Outcome.SCORED, 1.0)]
        assert read == [
            (f"case-{n}", {"team": "a" if n < 3 else "b"}, failed if n == 4 else good if n % 2 else bad)
            for n in range(6)
        ]
        assert [row.place for row in bad_rows(store, first.id)] == ["row 7"]
        assert usage_of_run(store, first.id).calls == 22
        assert usage_of_run(store, second.id) == Usage()
        assert [entry.results[0].exchanges[0].cached for entry in entries(store, second.id)] == [True] * 4
        assert Replies(store).get("ab" * 32) == b"an answer"
        assert spent_on(store, "2026-11-18", "live", 0.5) == 0.75
        before = contents(path)
        writer = RunWriter(store, "third", "data", [scorer()])
        for job in writer.admit(cases(3))[0]:
            writer.keep(job, result(job.case))
        writer.close("finished")
        store.check()
    assert contents(path)[:2] == before


@pytest.mark.slow("opens a store 4,096 times")
def test_a_changed_byte_among_the_definitions_of_the_tables_is_noticed(path: Path) -> None:
    """A run must never be read as empty because the name of a table or the type of a column was damaged."""
    path.parent.mkdir()
    whole = gzip.decompress(OLDER.read_bytes())
    path.write_bytes(whole)
    right = contents(path)
    noticed = 0
    for place in range(4096):
        content = bytearray(whole)
        content[place] ^= 1 << place % 8
        for left in path.parent.iterdir():
            left.unlink()
        path.write_bytes(content)
        try:
            assert contents(path) == right, f"the change of byte {place} went unnoticed"
        except StoreDamaged:
            noticed += 1
        except StoreError as error:
            # SQLite only reads a file with another write version, and this one has to be brought up to date.
            assert "newer halluscope" in str(error) or (place == 18 and "readonly" in str(error)), (place, error)
    assert noticed > 2500


def test_a_definition_that_is_no_text_any_more_is_noticed(path: Path) -> None:
    Store(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = CAST(sql AS BLOB) WHERE name = 'spending'")
    connection.close()
    with pytest.raises(StoreError):
        Store(path)


def test_a_file_of_a_newer_version_is_left_alone(path: Path) -> None:
    Store(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer halluscope"):
        Store(path)
    assert path.read_bytes() == before


def test_a_closed_store_is_not_called_damaged(path: Path) -> None:
    store = Store(path)
    store.close()
    with pytest.raises(StoreError, match="closed") as caught:
        list_runs(store)
    assert not isinstance(caught.value, StoreDamaged)


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot make the folder"):
        Store(tmp_path / "file" / "below" / "x.db")


def _write_many(path: Path, who: int, count: int) -> None:
    with Store(path) as store:
        replies = Replies(store)
        writer = RunWriter(store, f"run {who}", "data", [scorer()])
        for i in range(count):
            replies.put(key(f"{who} {i}"), f"{who} {i}".encode())
        for job in writer.admit(cases(50))[0]:
            writer.keep(job, result(job.case))
        writer.close("finished")


@pytest.mark.slow("starts processes")
def test_processes_share_the_file(path: Path) -> None:
    """Three open a file that is not there yet, at the same moment, and write into it."""
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_write_many, args=(path, who, 200)) for who in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(300)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    with Store(path) as store:
        store.check()
        replies = Replies(store)
        for who in range(3):
            for i in range(200):
                assert replies.get(key(f"{who} {i}")) == f"{who} {i}".encode()
        assert store.rows("SELECT count(*) FROM outcomes")[0][0] == 50
        for info in list_runs(store):
            assert [len(entry.results) for entry in entries(store, info.id)] == [1] * 50


def _start_runs(path: Path, count: int) -> None:
    with Store(path) as store:
        for _ in range(count):
            RunWriter(store, "same second", "data", [scorer()], new=True).close("finished")


def test_runs_that_start_at_the_same_moment_are_not_one(path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_start_runs, args=(path, 20)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(300)
    assert [worker.exitcode for worker in workers] == [0, 0]
    with Store(path) as store:
        names = {info.name for info in list_runs(store)}
    assert names == {"same second", *(f"same second-{number}" for number in range(2, 41))}


def test_threads_share_a_store(path: Path) -> None:
    with Store(path) as store:
        replies = Replies(store)

        def work(who: int) -> None:
            for i in range(100):
                replies.put(key(f"{who} {i}"), b"x")
                assert replies.get(key(f"{who} {i}")) == b"x"

        threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.rows("SELECT count(*) FROM replies")[0][0] == 400
