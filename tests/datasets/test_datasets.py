"""Data in: every format, other tools' columns, and rows that cannot be read."""

from __future__ import annotations

import csv
import gzip
import json
import random
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from halluscope._internal.case import Case
from halluscope._internal.datasets import AnyRow, Row, Unread, open_data
from halluscope._internal.datasets import files as files_module
from halluscope._internal.errors import DataError, InputError

ROWS: list[dict[str, Any]] = [
    {"id": "a", "input": "q1", "output": "o1", "context": ["p1", "p2"], "team": "x"},
    {"id": "b", "input": None, "output": "o2 with, comma\nand line", "context": ["p3"], "team": "y"},
    {"id": "c", "input": "q3", "output": "", "context": None, "team": "z"},
]
CASES = [
    Case.of(row["output"], row["context"], row["input"], id=row["id"], metadata={"team": row["team"]}) for row in ROWS
]


def read(data: object, **mapping: str) -> list[AnyRow]:
    return list(open_data(data, mapping or None))


def good(data: object, **mapping: str) -> list[Case]:
    rows = read(data, **mapping)
    assert all(isinstance(row, Row) for row in rows), rows
    return [row.case for row in rows if isinstance(row, Row)]


def jsonl(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def as_csv(path: Path, delimiter: str = ",") -> Path:
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(ROWS[0])
        for row in ROWS:
            context = None if row["context"] is None else json.dumps(row["context"])
            writer.writerow([row["id"], row["input"], row["output"], context, row["team"]])
    return path


@pytest.mark.parametrize("name", ["d.jsonl", "d.jsonl.gz", "d.ndjson", "D.JSONL"])
def test_json_lines(tmp_path: Path, name: str) -> None:
    assert good(jsonl(tmp_path / name)) == CASES


def test_a_packed_file_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(jsonl(tmp_path / "d.jsonl.gz").read_bytes())
    assert good(path) == CASES


def test_a_json_list(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps(ROWS, indent=1))
    assert good(path) == CASES


@pytest.mark.parametrize(("name", "delimiter"), [("d.csv", ","), ("d.csv.gz", ","), ("d.tsv", "\t")])
def test_tables_of_text(tmp_path: Path, name: str, delimiter: str) -> None:
    read = good(as_csv(tmp_path / name, delimiter))
    assert [(c.id, c.output, c.context) for c in read] == [(c.id, c.output, c.context) for c in CASES]
    assert [c.metadata for c in read] == [c.metadata for c in CASES]


def test_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "d.parquet")
    data = open_data(tmp_path / "d.parquet")
    assert data.total == 3
    assert [row.case for row in data if isinstance(row, Row)] == CASES
    assert data.fraction() == 1.0


def test_a_dataframe_holds_nan_and_arrays() -> None:
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame(ROWS)
    frame["context"] = [np.array(["p1", "p2"]), np.array(["p3"]), float("nan")]
    assert good(frame) == CASES


def test_a_hugging_face_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path))
    from datasets import Dataset, DatasetDict

    dataset = Dataset.from_list(ROWS)
    assert good(dataset) == CASES
    assert good(dataset.to_iterable_dataset()) == CASES
    with pytest.raises(DataError, match=r"several splits \(test\)"):
        open_data(DatasetDict({"test": dataset}))


def test_rows_one_by_one() -> None:
    def rows() -> Iterator[object]:
        yield ROWS[0]
        yield CASES[1]

    assert good(rows()) == CASES[:2]
    assert open_data([1, 2]).total == 2
    assert open_data(rows()).total is None


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with jsonl(tmp_path / "d.jsonl").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert good("-") == CASES


@pytest.mark.parametrize(
    "columns",
    [
        {"input": "q", "actual_output": "o", "retrieval_context": ["p"], "expected_output": "e"},
        {"user_input": "q", "response": "o", "retrieved_contexts": ["p"], "reference": "e"},
        {"question": "q", "answer": "o", "contexts": ["p"], "ground_truth": "e"},
        {"input": "q", "output": "o", "context": ["p"]},
        {"query": "q", "response": "o", "reference": "p"},
        {"Question": "q", " Answer ": "o", "CONTEXTS": ["p"]},
    ],
)
def test_the_columns_of_other_tools(columns: dict[str, Any]) -> None:
    (case,) = good([columns])
    assert (case.input, case.output, case.context) == ("q", "o", ("p",))
    assert set(case.metadata) == set(columns) & {"expected_output", "ground_truth"} | (
        {"reference"} if "retrieved_contexts" in columns else set()
    )


def test_our_own_name_wins() -> None:
    (case,) = good([{"output": "ours", "answer": "theirs", "context": ["c"], "retrieval_context": ["r"]}])
    assert (case.output, case.context) == ("ours", ("c",))
    assert case.metadata == {"answer": "theirs", "retrieval_context": ["r"]}


def test_mapped_columns_win_over_names() -> None:
    row = {"output": "no", "said": "yes", "doc1": "p1", "doc2": ["p2", "p3"], "doc3": None, "key": 7}
    (case,) = good([row], output="said", context="doc1, doc2,doc3", id="key")
    assert (case.output, case.context, case.id) == ("yes", ("p1", "p2", "p3"), "7")
    assert case.metadata == {"output": "no"}


def test_a_mapping_that_makes_no_sense() -> None:
    with pytest.raises(InputError, match="no field 'outptu'"):
        open_data([], {"outptu": "x"})
    (row,) = read([{"output": "o"}], output="missing")
    assert isinstance(row, Unread)
    assert "no column 'missing', which is mapped to output (columns: output)" in row.reason


def test_a_table_without_the_column_is_refused_before_anything_is_paid(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("prompt,text\nq,o\n")
    with pytest.raises(DataError, match=r"no column for the output \(columns: prompt, text\).*--map output=text"):
        open_data(path)
    assert good(path, output="text")[0].output == "o"


def test_cells_hold_lists_or_text(tmp_path: Path) -> None:
    cells = ['["a","b"]', "['a', 'b']", "[not a list]", "plain", "", '[{"text": "a"}]', "[1, 2]"]
    path = tmp_path / "d.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["output", "context"], *(["o", cell] for cell in cells)])
    assert [case.context for case in good(path)] == [
        ("a", "b"),
        ("a", "b"),
        ("[not a list]",),
        ("plain",),
        None,
        ("a",),
        ("[1, 2]",),
    ]


def test_bad_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    lines = [
        b"\xef\xbb\xbf" + json.dumps({"output": "one"}).encode(),
        b'{"output": "cut off',
        b"",
        b"[1, 2]",
        b'{"answer_text": "no such column"}',
        b'{"output": "latin \xe9"}',
        b'{"output": true}',
        b'{"output": "odd", "score": NaN, "context": "lone \\ud800 surrogate"}',
        b'{"output": ' + b"[" * 100_000 + b"}",
        b'{"output": null}',
        b'{"output": "last"}',
    ]
    path = tmp_path / "d.jsonl"
    path.write_bytes(b"\n".join(lines))
    rows = read(path)
    unread = {row.place: row.reason for row in rows if isinstance(row, Unread)}
    assert list(unread) == ["line 2", "line 4", "line 5", "line 6", "line 7", "line 9"]
    assert "not a JSON object" in unread["line 2"]
    assert "not a list" in unread["line 4"]
    assert "answer_text" in unread["line 5"]
    assert "not UTF-8" in unread["line 6"]
    assert "the output is a bool" in unread["line 7"]
    cases = [row.case for row in rows if isinstance(row, Row)]
    assert [case.output for case in cases] == ["one", "odd", "", "last"]
    assert cases[1].context == ("lone \ufffd surrogate",)
    assert cases[1].metadata == {"score": None}


def test_bad_rows_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_bytes(b'output,context\n"two\nlines",c\ntoo,many,cells\nfew\n\nlatin \xe9,c\nlast,c\n')
    rows = read(path)
    assert [(row.place, row.reason) for row in rows if isinstance(row, Unread)] == [
        ("line 4", "the row has 3 cells, the heading 2"),
        ("line 5", "the row has 1 cells, the heading 2"),
        ("line 7", "the row is not UTF-8 text"),
    ]
    assert [row.case.output for row in rows if isinstance(row, Row)] == ["two\nlines", "last"]


@pytest.mark.parametrize("name", ["d.jsonl.gz", "d.csv.gz"])
def test_a_packed_file_that_was_cut_off(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    drawn = random.Random(1)
    words = [f"{drawn.random()}" for _ in range(20_000)]
    if "csv" in name:
        content = "output\n" + "\n".join(words)
    else:
        content = "".join(json.dumps({"output": word}) + "\n" for word in words)
    packed = gzip.compress(content.encode())
    path.write_bytes(packed[: len(packed) // 2])
    rows = read(path)
    assert isinstance(rows[-1], Unread)
    assert "cut off" in rows[-1].reason
    assert 1000 < len(rows) < 20_000
    assert all(isinstance(row, Row) for row in rows[:-1])


def test_a_line_without_end_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "LONGEST_LINE", 1000)
    path = tmp_path / "d.jsonl"
    path.write_text('{"output": "a"}\n' + "x" * 10_500 + '\n{"output": "b"}\n')
    rows = read(path)
    assert [type(row) for row in rows] == [Row, Unread, Row]
    assert rows[2].place == "line 3"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.jsonl", None, "there is no file"),
        ("d.xlsx", b"x", "names no format"),
        ("d.parquet", b"not parquet", "cannot be read as Parquet"),
        ("d.csv", b"", "is empty"),
        ("d.csv", b"output,output\n", "two columns named 'output'"),
    ],
)
def test_files_that_cannot_be_opened(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        open_data(str(path))


def test_a_folder_and_a_number_are_no_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder"):
        open_data(tmp_path)
    with pytest.raises(DataError, match="a int is no data"):
        open_data(5)
    with pytest.raises(DataError, match="a dict is no data"):
        open_data({"output": "o"})


@pytest.mark.parametrize("name", ["d.jsonl", "d.csv", "d.parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    rows = 6_000
    text = "some text that is a little longer " * 20
    if name == "d.jsonl":
        line = json.dumps({"output": text, "context": [text]}) + "\n"
        path.write_text(line * rows)
    elif name == "d.csv":
        path.write_text("output,context\n" + f"{text},{text}\n" * rows)
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"output": [text] * rows, "context": [text] * rows}), path, row_group_size=500)
    data = open_data(path)
    tracemalloc.start()
    try:
        assert sum(isinstance(row, Row) for row in data) == rows
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * 2**20, "8 MB of text went through"


def test_the_fraction_read_grows_to_one(tmp_path: Path) -> None:
    data = open_data(jsonl(tmp_path / "d.jsonl", [{"output": "x" * 1000}] * 1000))
    seen = [data.fraction() for _ in data]
    assert seen[0] is not None
    assert seen[0] < 0.2
    assert seen == sorted(seen, key=lambda f: f or 0.0)
    assert seen[-1] == 1.0


TALK = [
    {"role": "user", "content": "How many moons has Mars?"},
    {"role": "tool", "tool_call_id": "t", "content": "Mars has two moons."},
    {"role": "assistant", "content": "Two."},
]


def test_a_row_may_be_a_conversation(tmp_path: Path) -> None:
    whole = Case.of(TALK, id="m")
    assert good([{"id": "m", "messages": TALK}]) == [whole]
    assert good([{"id": "m", "chat": TALK, "answer": "Two."}], messages="chat") == [whole]
    path = tmp_path / "talks.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["id", "conversation"], ["m", json.dumps(TALK)], ["n", "Two."]])
    row, bad = read(path)
    assert isinstance(row, Row)
    assert row.case == whole
    assert isinstance(bad, Unread)
    assert "the row's messages are no conversation" in bad.reason


def test_a_column_that_only_sounds_like_a_conversation_stays_data() -> None:
    (case,) = good([{"output": "o", "context": ["p"], "turns": 3}])
    assert case.metadata == {"turns": 3}
