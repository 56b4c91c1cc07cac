"""Damaged, cut and hostile files in every command: one sentence, the right exit code, and no good row lost."""

from __future__ import annotations

import errno
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from halluscope._internal.cli.app import DEBUG, app, describe
from halluscope._internal.core.errors import (
    FetchError,
    InputError,
    MissingExtra,
    ModelFileError,
    RunFailed,
    StoreError,
    WriteError,
)
from halluscope._internal.core.plumbing.whole_file import replacing
from halluscope._internal.judges.embedded.network import model

ROW = {"output": "The mill is in Ulm.", "context": ["The mill is in Ulm."], "label": "factual"}
LINE = json.dumps(ROW).encode() + b"\n"
DEEP = "[" * 100_000 + "]" * 100_000


def jsonl_gz() -> bytes:
    """Long rows that do not pack well, so that few of them stand before damage in the middle of the file."""
    drawn = random.Random(3)
    rows = ({**ROW, "note": drawn.randbytes(300).hex()} for _ in range(60))
    return gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in rows))


def parquet(folder: Path, **columns: Any) -> bytes:
    path = folder / "made.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=3)
    content = path.read_bytes()
    path.unlink()
    return content


def damaged_parquet(folder: Path) -> bytes:
    drawn = random.Random(3)
    said = [f"The mill {drawn.random()} is in Ulm." for _ in range(18)]
    content = bytearray(parquet(folder, output=said, context=said, label=["factual"] * 18))
    middle = len(content) // 2
    content[middle : middle + 60] = bytes(255 - byte for byte in content[middle : middle + 60])
    return bytes(content)


def no_date(folder: Path) -> bytes:
    when = pa.array([1, 2**30, 3], pa.date32())
    return parquet(folder, output=["The mill is in Ulm."] * 3, context=["x"] * 3, label=["factual"] * 3, when=when)


FILES: dict[str, Callable[[Path], bytes]] = {
    "nested.csv": lambda _: f'output,context,label\nx is y,z,factual\nx is y,"{DEEP}",factual\n'.encode(),
    "flip.parquet": damaged_parquet,
    "date.parquet": no_date,
    "cut.parquet": lambda folder: damaged_parquet(folder)[:-50],
    "empty.parquet": lambda _: b"",
    "cut.json.gz": lambda _: gzip.compress(json.dumps([ROW] * 3000, indent=1).encode())[:200],
    "cut.jsonl.gz": lambda _: jsonl_gz()[:6000],
    "cut.csv.gz": lambda _: gzip.compress(b"output,context,label\n" + b"x is y,z,factual\n" * 9000)[:60],
    "damaged.jsonl.gz": lambda _: jsonl_gz()[:12_000] + bytes(range(256)) + jsonl_gz()[12_256:],
    "garbled.jsonl.gz": lambda _: jsonl_gz()[:10_000] + b"XXXX" + jsonl_gz()[10_004:],
    "damaged.csv.gz": lambda _: b"\x1f\x8b\x08" + bytes(range(256)),
    "list_first.jsonl": lambda _: b"[1,2]\n" + LINE * 2,
    "latin.jsonl": lambda _: LINE + '{"output": "caf\xe9", "label": "factual"}\n'.encode("latin-1"),
    "latin.csv": lambda _: "output,context,label\nx is y,caf\xe9,factual\n".encode("latin-1"),
    "mac.csv": lambda _: b"output,context,label\rx is y,z,factual\r",
    "zero.csv": lambda _: b"output,context,label\nx is y,\x00,factual\n",
    "deep.jsonl": lambda _: LINE + b'{"output":"x","label":1,"context":' + DEEP.encode() + b"}\n",
    "digits.jsonl": lambda _: LINE + b'{"output":"x is y","context":"z","label":"factual","n":' + b"9" * 5000 + b"}\n",
    "long_id.jsonl": lambda _: LINE + b'{"output":"x","context":"z","label":1,"id":' + b"9" * 4000 + b"}\n",
    "nan.jsonl": lambda _: LINE + b'{"output":NaN,"context":"z","label":"factual"}\n',
    "surrogate.jsonl": lambda _: LINE + b'{"output":"\\ud800 x","context":"z","label":"factual"}\n',
    "utf16.jsonl": lambda _: LINE.decode().encode("utf-16"),
    "nothing.jsonl": lambda _: b"",
    "nothing.csv": lambda _: b"",
    "word.json": lambda _: b'"output"',
    "null.json": lambda _: b"null",
    "samples.json": lambda _: json.dumps({"samples": [ROW, ROW]}).encode(),
    "pretty.json": lambda _: json.dumps(ROW, indent=2).encode(),
}
COMMANDS: dict[str, list[str]] = {
    "eval": ["--no-progress"],
    "bench": ["--resamples", "10"],
    "calibrate": ["--name", "p"],
    "stress": ["--kind", "added"],  # one change to each of the rows that can be read
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.mark.slow("runs every command with every bad file")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", FILES)
@pytest.mark.usefixtures("remembered_readings")
def test_a_bad_file_is_one_sentence_and_no_failed_gate(home: Path, command: str, name: str) -> None:
    path = home / name
    path.write_bytes(FILES[name](home))
    judge = ["--judge", "local"] if command != "eval" else []
    done = CliRunner().invoke(app, [command, str(path), *judge, *COMMANDS[command]])
    assert done.exit_code in (0, 2, 3), (done.exit_code, done.output, done.exception)
    assert "unexpected error" not in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    if done.exit_code:
        assert done.output.strip().splitlines()[-1].startswith("halluscope: "), done.output


KEPT = {
    "nested.csv": (1, 1),
    "flip.parquet": (15, 1),
    "date.parquet": (2, 1),
    "cut.jsonl.gz": (16, 1),
    "damaged.jsonl.gz": (23, 1),
    "list_first.jsonl": (2, 1),
    "latin.jsonl": (1, 1),
    "deep.jsonl": (1, 1),
    "digits.jsonl": (1, 1),
    "long_id.jsonl": (2, 0),
    "mac.csv": (1, 0),
    "samples.json": (2, 0),
    "pretty.json": (1, 0),
}


@pytest.mark.slow("runs every bad file")
@pytest.mark.parametrize(("name", "counts"), KEPT.items(), ids=KEPT)
@pytest.mark.usefixtures("remembered_readings")
def test_the_good_rows_are_judged(home: Path, name: str, counts: tuple[int, int]) -> None:
    path = home / name
    path.write_bytes(FILES[name](home))
    done = CliRunner().invoke(app, ["eval", str(path), "--no-progress", "--json"])
    said = json.loads(done.stdout)
    assert (said["cases"], len(said["bad_rows"])) == counts, done.output


def test_integers_of_any_size_in_rows_of_ones_own(home: Path) -> None:
    import halluscope

    rows = [{**ROW, "n": 10**9000}, {**ROW, "output": 10**9000}, {**ROW, "id": 10**9000}, ROW]
    run = halluscope.evaluate(rows, run="a", progress=False)
    assert (len(list(run.results())), len(run.bad_rows())) == (2, 2)


class _Full:
    """A disk that is full after so many bytes."""

    def __init__(self, file: Any, room: int) -> None:
        self._file, self._room = file, room

    def write(self, content: Any) -> int:
        self._room -= len(content)
        if self._room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return int(self._file.write(content))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> _Full:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.open

    def opened(self: Path, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        file = real(self, mode, *arguments, **named)
        return _Full(file, 10) if self.name.endswith(".part") else file

    monkeypatch.setattr(Path, "open", opened)


@pytest.mark.parametrize("option", ["--report", "--junit", "--markdown"])
def test_a_full_disk_while_a_file_is_written(home: Path, full_disk: None, option: str) -> None:
    data = home / "data.jsonl"
    data.write_bytes(LINE)
    target = home / "target"
    target.write_text("what was there")
    done = CliRunner().invoke(app, ["eval", str(data), "--no-progress", option, str(target)])
    assert done.exit_code == 3
    assert f"{target} cannot be written: No space left on device. The old file is unchanged." in done.output
    assert target.read_text() == "what was there"
    assert [path.name for path in home.iterdir() if path.name.endswith(".part")] == []


@pytest.mark.slow("exports a run in every format")
@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "csv", "csv.gz", "parquet"])
def test_a_full_disk_while_a_run_is_exported(home: Path, full_disk: None, ending: str) -> None:
    data = home / "data.jsonl"
    data.write_bytes(LINE)
    CliRunner().invoke(app, ["eval", str(data), "--no-progress", "--run", "a"])
    done = CliRunner().invoke(app, ["export", "a", "-o", str(home / f"x.{ending}")])
    assert (done.exit_code, "No space left" in done.output) == (3, True), done.output
    assert not (home / f"x.{ending}").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such devices")
def test_a_device_is_written_to_and_not_replaced() -> None:
    with replacing(Path("/dev/null")) as file:
        file.write(b"x")
    assert Path("/dev/null").is_char_device()
    if Path("/dev/full").exists():
        with pytest.raises(WriteError, match="No space left"), replacing(Path("/dev/full")) as file:
            file.write(b"x")
            file.flush()


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with replacing(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "new"


@pytest.mark.slow("runs the command line in processes")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows always has a home")
@pytest.mark.parametrize("home", ["~nobody-of-that-name/x", None])
def test_no_home(home: str | None) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("HOME", "XDG", "HALLUSCOPE"))}
    if home:
        environment["HALLUSCOPE_HOME"] = home
    code = (
        "import pwd; pwd.getpwuid = lambda _: (_ for _ in ()).throw(KeyError('uid not found'));"
        "import sys; sys.argv = ['halluscope', 'runs']; from halluscope._internal.cli.app import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "set HALLUSCOPE_HOME to a folder" in done.stderr and "Traceback" not in done.stderr


class Grouped(Exception):
    """What a task group raises if two of its tasks have failed."""

    exceptions = (BrokenPipeError(errno.EPIPE, "Broken pipe"), ValueError("the stream is closed"))


TOLD: list[tuple[BaseException, int, str]] = [
    (KeyboardInterrupt(), 130, "interrupted"),
    (InputError("x"), 2, "x"),
    (MissingExtra("parquet", "pyarrow"), 2, "parquet"),
    (StoreError("x"), 3, "x"),
    (ModelFileError("x"), 2, "x"),
    (FetchError("x"), 2, "x"),
    (RunFailed("x"), 3, "x"),
    (OSError(errno.EIO, "Input/output error", "/x"), 3, "/x: Input/output error."),
    (BrokenPipeError(errno.EPIPE, "Broken pipe"), 141, "has ended"),
    (MemoryError(), 3, "memory"),
    (RecursionError(), 2, "nested too deeply"),
    (EOFError("cut"), 2, "damaged"),
    (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), 2, "damaged"),
    (pa.ArrowInvalid("bad page"), 2, "bad page"),
    (KeyError("oops"), 70, "unexpected error"),
    (Grouped(), 141, "has ended"),
]


@pytest.mark.parametrize(("error", "code", "words"), TOLD, ids=lambda value: type(value).__name__)
def test_whatever_is_raised_is_one_sentence(error: BaseException, code: int, words: str) -> None:
    said, ended = describe(error)
    assert (ended, "\n" in said, words in said) == (code, False, True), said


@pytest.mark.slow("copies and hashes the weights")
@pytest.mark.parametrize("words", [["check", "-o", "It has 3 floors.", "-c", "It has 4."], ["eval", "rows.jsonl"]])
def test_damaged_weights_have_one_exit_code(home: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    (home / "rows.jsonl").write_text('{"output": "It has 3 floors.", "context": "It has 4."}\n')
    weights = home / "weights"
    shutil.copytree(model.WEIGHTS, weights)
    with (weights / "tokenizer.json").open("a", encoding="utf-8") as file:
        file.write(" ")
    monkeypatch.setattr(model, "WEIGHTS", weights)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2, done.output
    assert "tokenizer.json" in done.stderr and "is not the one this version was measured with" in done.stderr


def test_with_debug_the_error_itself_is_shown(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DEBUG, "1")
    done = CliRunner().invoke(app, ["eval", str(home / "none.jsonl")])
    assert done.exception is not None and "there is no file" in str(done.exception)


def test_control_characters_are_escaped_in_json_and_say_the_same(home: Path) -> None:
    hostile = "The mill \x9b31m is\x7f in \u202eUlm\u2028. \x1b[2J"
    done = CliRunner().invoke(app, ["check", "-o", hostile, "-c", "The mill", "--json"])
    assert not any(character in done.stdout for character in "\x9b\x7f\u202e\u2028\x1b\x85")
    assert any("\x9b" in verdict["claim"]["text"] for verdict in json.loads(done.stdout)["verdicts"])
