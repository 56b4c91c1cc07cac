"""Data in: every format, other tools' columns, and rows that cannot be read."""

from __future__ import annotations

import csv
import gzip
import json
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from halluscope._internal.core.case import Case
from halluscope._internal.core.errors import DataError, InputError
from halluscope._internal.runs.datasets import AnyRow, BadRow, Row, open_data
from halluscope._internal.runs.datasets import files as files_module

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
    assert isinstance(row, BadRow)
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
    unread = {row.place: row.reason for row in rows if isinstance(row, BadRow)}
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
    assert [(row.place, row.reason) for row in rows if isinstance(row, BadRow)] == [
        ("line 4", "the row has 3 cells, the heading 2"),
        ("line 5", "the row has 1 cells, the heading 2"),
        ("line 7", "the row is not UTF-8 text"),
    ]
    assert [row.case.output for row in rows if isinstance(row, Row)] == ["two\nlines", "last"]


@pytest.mark.slow("reads large files")
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
    assert isinstance(rows[-1], BadRow)
    assert "cut off" in rows[-1].reason
    assert 1000 < len(rows) < 20_000
    assert all(isinstance(row, Row) for row in rows[:-1])


def test_a_line_without_end_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "LONGEST_LINE", 1000)
    path = tmp_path / "d.jsonl"
    path.write_text('{"output": "a"}\n' + "x" * 10_500 + '\n{"output": "b"}\n')
    rows = read(path)
    assert [type(row) for row in rows] == [Row, BadRow, Row]
    assert rows[2].place == "line 3"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.jsonl", None, "there is no file"),
        ("d.xlsx", b"x", "has no known ending"),
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


def test_a_folder_and_a_number_are_refused_as_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder"):
        open_data(tmp_path)
    with pytest.raises(DataError, match="a int cannot be used as data"):
        open_data(5)
    with pytest.raises(DataError, match="a dict cannot be used as data"):
        open_data({"output": "o"})


@pytest.mark.slow("reads large files")
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
    assert isinstance(bad, BadRow)
    assert "the messages of the row are no conversation" in bad.reason


def test_a_column_that_only_sounds_like_a_conversation_stays_data() -> None:
    (case,) = good([{"output": "o", "context": ["p"], "turns": 3}])
    assert case.metadata == {"turns": 3}


def test_lists_as_python_writes_them(tmp_path: Path) -> None:
    lists: list[Any] = [
        ["it's", 'say "so"', "both ' and \""],
        ["back\\slash", "line\nbreak", "tab\t", "nul\0", "é", "\u2028", "\U0001f600"],
        ["None, True", "True"],
        [{"text": "a", "page": 3, "seen": True, "by": None}],
        [],
    ]
    path = tmp_path / "d.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["output", "context"], *(["o", repr(cell)] for cell in lists)])
    expected = [Case.of("o", cell).context for cell in lists]
    assert [case.context for case in good(path)] == expected


@pytest.mark.parametrize("cell", ["['a', 'b'", "['a' 'b']", "[open('x')]", "['a' + 'b']", "[*'ab']", "['\\x4']", "['"])
def test_other_python_is_text(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "d.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["output", "context"], ["o", cell]])
    assert good(path)[0].context == (cell,)


def peak_of(path: Path) -> tuple[list[str], int]:
    """Return the first three rows of a file, and the memory in MB that a process of its own needed beyond its start."""
    code = (
        "import resource, sys\nfrom itertools import islice\nfrom halluscope._internal.runs.datasets import open_data\n"
        "import pyarrow.parquet, pyarrow.compute\n"
        "resource.setrlimit(resource.RLIMIT_AS, (8 << 30,) * 2)\n"
        "begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "rows = islice(open_data(sys.argv[1]), 3)\n"
        "rows = [type(row).__name__ + ' ' + str(getattr(row, 'reason', '')) for row in rows]\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begin >> 10, *rows, sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    grown, *rows = done.stdout.splitlines()
    return rows, int(grown)


def bomb(path: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = path.name.partition(".")[0]
    long = "a" * 2**21
    if kind == "repeated_texts":
        pq.write_table(pa.table({"output": [long] * 500, "context": ["x"] * 500}), path, compression="zstd")
    elif kind == "one_list":
        pq.write_table(pa.table({"output": ["x", "y"], "context": [[long] * 500, ["z"]]}), path, compression="zstd")
    elif kind == "empty_items":
        items = pa.ListArray.from_arrays([0, 3 * 2**25], pa.nulls(3 * 2**25, pa.string()))
        pq.write_table(pa.table({"output": ["x"], "context": items}), path, compression="zstd")
    elif kind == "one_page":
        table = pa.table({"output": [long] * 200, "context": ["x"] * 200})
        pq.write_table(table, path, compression="zstd", use_dictionary=False, data_page_size=2**30)
    elif kind == "cell":
        path.write_bytes(b'output,context\nHm.,"[' + b"1," * 2**21 + b']"\n')
    elif kind == "python_cell":
        path.write_bytes(b"output,context\nHm.,\"['" + b"\\'" * 2**18 + b']"\n')
    elif kind == "lists":
        path.write_bytes(gzip.compress(b'{"output": "x", "context": [' + b"[]," * 2**23 + b"[]]}\n"))
    elif kind == "list_of_lists":
        path.write_bytes(gzip.compress(b"[" + b"[]," * 2**24 + b"[]]"))
    else:
        with gzip.open(path, "wb", compresslevel=1) as file:
            file.write(b"output,context\n")
            for _ in range(2**7):
                file.write(b"x" * 2**21 if kind == "one_line" else b'"' + (b"x" * 1023 + b"\n") * 2**11 + b'",')
    return path


@pytest.mark.slow("writes and reads files that unpack to hundreds of megabytes")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit for a process")
@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("repeated_texts.parquet", "Row"),
        ("one_list.parquet", "BadRow the row is larger than 64 MB"),
        ("empty_items.parquet", "BadRow the file is damaged here, up to row 1 (context.list.element unpacks from"),
        ("one_page.parquet", "BadRow the file is damaged here, up to row 200 (output unpacks from"),
        ("cell.csv", "Row"),
        ("python_cell.csv", "Row"),
        ("lists.jsonl.gz", "BadRow not a JSON object (it holds more than 2,000,000 values)"),
        ("list_of_lists.json.gz", "BadRow one JSON value of more than 16 MB is not read"),
        ("one_line.csv.gz", "BadRow not a CSV row (it is longer than 64 MB)"),
        ("one_row.csv.gz", "BadRow not a CSV row (it is longer than 64 MB)"),
    ],
)
def test_a_small_file_takes_little_memory(tmp_path: Path, name: str, first: str) -> None:
    path = bomb(tmp_path / name)
    rows, grown = peak_of(path)
    assert rows[0].startswith(first), rows
    assert grown < 320, f"{grown} MB for a file of {path.stat().st_size >> 10} KB"
    if name == "one_list.parquet":
        assert rows[1].strip() == "Row", "the rows after it are read"


def test_a_number_of_a_million_digits_is_no_row(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text('{"output": "a", "n": ' + "1" * 10**6 + '}\n{"output": "b"}\n')
    rows = read(path)
    assert [type(row) for row in rows] == [BadRow, Row]


def test_rows_of_lists_in_parquet_are_read_as_they_were_written(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"output": f"o{n}", "context": [f"p{n % 3}", None, "q"] if n % 4 else None, "n": n} for n in range(100)]
    table = pa.Table.from_pylist(rows)
    table = table.append_column("kind", pa.array([n % 5 for n in range(100)]).dictionary_encode())
    pq.write_table(table, tmp_path / "d.parquet", row_group_size=30)
    read_back = good(tmp_path / "d.parquet")
    assert [case.metadata for case in read_back] == [{"n": n, "kind": n % 5} for n in range(100)]
    assert [case.context for case in read_back] == [Case.of("o", row["context"]).context for row in rows]
