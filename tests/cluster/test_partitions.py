"""Files that are found by pattern, cut into partitions, and a folder that holds what became of them."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from halluscope import InputError
from halluscope._internal.cluster.file_stores import find_files, open_folder
from halluscope._internal.cluster.folder import Manifest, RunFolder
from halluscope._internal.cluster.partitions import Partition, PartitionName, file_key, partitions_of
from halluscope._internal.runs.datasets import BadRow, Row
from halluscope.errors import DataError


def lines(count: int) -> str:
    return "".join(json.dumps({"id": f"c{i}", "output": f"O{i}.", "context": ["C."]}) + "\n" for i in range(count))


def test_patterns_find_what_shells_find(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl", "b.csv", "deep/c.jsonl", "deep/er/d.jsonl", "x[1].jsonl", "deep/_log.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")

    def found(*patterns: str) -> list[str]:
        return [file.name.removeprefix(f"{tmp_path}/") for file in find_files([f"{tmp_path}/{p}" for p in patterns])]

    assert found("a.jsonl") == ["a.jsonl"]
    assert found("*.jsonl") == ["a.jsonl", "b.jsonl", "x[1].jsonl"]
    assert found("?.jsonl") == ["a.jsonl", "b.jsonl"]
    assert found("[ab].*") == ["a.jsonl", "b.csv", "b.jsonl"]
    assert found("**/*.jsonl") == sorted(
        ["a.jsonl", "b.jsonl", "x[1].jsonl", "deep/c.jsonl", "deep/er/d.jsonl", "deep/_log.jsonl"]
    )
    assert found("*/c.jsonl") == ["deep/c.jsonl"]
    assert found("deep", "b.csv") == ["b.csv", "deep/c.jsonl"]
    for wrong in ("none.jsonl", "*.parquet", "nowhere/*.csv"):
        with pytest.raises(DataError, match="there is no file"):
            found(wrong)
    with pytest.raises(DataError, match="is in no store that can be reached"):
        find_files("nonsense://a/b.jsonl")


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    """A store that is no folder of this machine: files over HTTP."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_file_in_another_store_is_read_like_one_on_disk(tmp_path: Path, web: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines(5), encoding="utf-8")
    pq.write_table(pa.table({"output": ["O."], "context": [["C."]]}), tmp_path / "b.parquet")
    (there,) = find_files(f"{web}/a.jsonl")
    (here,) = find_files(tmp_path / "a.jsonl")
    read_there, read_here = (
        [row.case for part in partitions_of(file, size=2) for row in part.rows if isinstance(row, Row)]
        for file in (there, here)
    )
    assert len(read_there) == 5 and read_there == read_here
    (table,) = find_files(f"{web}/b.parquet")
    assert [len(partition.rows) for partition in partitions_of(table, size=2)] == [1]


@pytest.mark.parametrize("count", [0, 1, 4, 5, 6, 10])
def test_every_row_is_in_one_partition_and_the_last_says_so(tmp_path: Path, count: int) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(lines(count).encode()))
    (file,) = find_files(path)
    packed = [msgspec.msgpack.encode(partition) for partition in partitions_of(file, size=5)]
    made = [msgspec.msgpack.decode(one, type=Partition) for one in packed]
    assert [row.case.id for part in made for row in part.rows if isinstance(row, Row)] == [
        f"c{i}" for i in range(count)
    ]
    assert [part.name.last for part in made] == [False] * (len(made) - 1) + [True]
    assert [part.name.number for part in made] == list(range(max(1, -(-count // 5))))
    assert all(PartitionName.read(f"{part.name}.json") == part.name for part in made)
    again = list(partitions_of(file, size=5, done={0}))
    assert [part.name for part in again] == [part.name for part in made[1:]]


def test_a_changed_file_has_another_key(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(lines(3), encoding="utf-8")
    before = file_key(find_files(path)[0])
    assert file_key(find_files(path)[0]) == before
    path.write_text(lines(4), encoding="utf-8")
    assert file_key(find_files(path)[0]) != before


def test_a_file_that_cannot_be_opened_is_a_bad_row_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"nothing of the kind")
    ((row,),) = [part.rows for part in partitions_of(find_files(path)[0], size=5)]
    assert isinstance(row, BadRow) and row.place == str(path) and "cannot be read as Parquet" in row.reason


def test_a_folder_holds_one_run(tmp_path: Path) -> None:
    folder = RunFolder(open_folder(tmp_path / "out"))
    asked = Manifest(data=("a",), map={}, partition_rows=10, scorers=())
    assert folder.begin(asked, fresh=False) == asked
    other_size = Manifest(data=("a",), map={}, partition_rows=99, scorers=())
    assert folder.begin(other_size, fresh=False).partition_rows == 10, "the run goes on as it began"
    with pytest.raises(InputError, match="holds a run of other data"):
        folder.begin(Manifest(data=("b",), map={}, partition_rows=10, scorers=()), fresh=False)
    (tmp_path / "out" / "run.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"run\.json cannot be read"):
        folder.begin(asked, fresh=False)
    with pytest.raises(InputError, match="is a file: name a folder"):
        open_folder(tmp_path / "out" / "run.json")
