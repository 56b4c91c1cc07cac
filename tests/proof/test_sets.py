"""Public sets in their own formats, on samples made up here, and how they are fetched."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import json
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from msgspec import structs

from halluscope._internal.core.errors import FetchError, InputError, MissingExtra, UnknownName
from halluscope._internal.proof.sets.fetch import RemoteFile, fetched
from halluscope._internal.proof.sets.formats import FORMATS
from halluscope._internal.proof.sets.public_sets import SETS, load_set
from halluscope._internal.runs.datasets import NAMES
from halluscope._internal.runs.labelled_case import LabelledCase, read_label


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HALLUSCOPE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def lines(path: Path, *rows: dict[str, Any]) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


# -- the sets' own formats, on samples made up here ------------------------------------------------

QA = {
    "knowledge": "The tower is in Paris.",
    "question": "Where is the tower?",
    "right_answer": "In Paris.",
    "hallucinated_answer": "The tower is in Rome, in Italy.",
}
SAMPLES: dict[str, tuple[str, list[dict[str, Any]], list[bool]]] = {
    "halueval-qa": ("qa_data.json", [QA], [False, True]),
    "halueval-dialogue": (
        "dialogue_data.json",
        [
            {
                "knowledge": "Dune was written by Frank Herbert.",
                "dialogue_history": "[Human]: Who wrote Dune?",
                "right_response": "Frank Herbert.",
                "hallucinated_response": "Isaac Asimov.",
            }
        ],
        [False, True],
    ),
    "halueval-summarization": (
        "summarization_data.json",
        [{"document": "It rained.", "right_summary": "Rain.", "hallucinated_summary": "Snow fell."}],
        [False, True],
    ),
    "halueval-general": (
        "general_data.json",
        [
            {"ID": "1", "user_query": "2+2?", "chatgpt_response": "It is 5.", "hallucination": "yes",
             "hallucination_spans": ["5"]},
            {"ID": "2", "user_query": "1+1?", "chatgpt_response": "It is 2.", "hallucination": "no",
             "hallucination_spans": []},
        ],
        [True, False],
    ),
    "llm-aggrefact": (
        "aggrefact.csv",
        [
            {"dataset": "Wice", "doc": "A, or B.", "claim": "A.", "label": 1},
            {"dataset": "ExpertQA", "doc": "A\nand B.", "claim": "C.", "label": 0},
        ],
        [False, True],
    ),
    "faithbench": (
        "batch_1.json",
        [
            {"sample_id": 0, "source": "A cat.", "summary": "A black cat.", "annotations": [
                {"annot_id": 1, "label": ["Unwanted", "Unwanted.Instrinsic"], "summary_start": 2, "summary_end": 7},
                {"annot_id": 2, "label": ["Benign"], "summary_start": 8, "summary_end": 11}]},
            {"sample_id": 1, "source": "A cat.", "summary": "A cat, a pet.", "annotations": [
                {"annot_id": 3, "label": ["Benign"], "summary_start": 7, "summary_end": 12}]},
            {"sample_id": 2, "source": "A cat.", "summary": "A cat.", "annotations": []},
        ],
        [True, False, False],
    ),
    "wice": (
        "test.jsonl",
        [
            {"label": "supported", "supporting_sentences": [[0]], "claim": "A.", "evidence": ["A.", "B."],
             "meta": {"id": "test1"}},
            {"label": "partially_supported", "supporting_sentences": [[0]], "claim": "A, C.", "evidence": ["A."],
             "meta": {"id": "test2"}},
            {"label": "not_supported", "supporting_sentences": [], "claim": "D.", "evidence": ["A."],
             "meta": {"id": "test3"}},
        ],
        [False, True, True],
    ),
    "halubench": (
        "halubench.jsonl",
        [
            {"id": "x1", "passage": "A.", "question": "?", "answer": "A.", "label": "PASS", "source_ds": "DROP"},
            {"id": "x2", "passage": "A.", "question": "?", "answer": "B.", "label": "FAIL", "source_ds": "RAGTruth"},
        ],
        [False, True],
    ),
    "summedits": (
        "summedits.json",
        [
            {"id": "s1", "domain": "news", "doc": "A.", "summary": "A.", "label": 1},
            {"id": "s2", "domain": "news", "doc": "A.", "summary": "B.", "label": 0},
        ],
        [False, True],
    ),
    "true": (
        "paws_download.csv",
        [
            {"grounding": 'A, "so to say".', "generated_text": "A.", "label": 1},
            {"grounding": "A.", "generated_text": "B.", "label": 0},
        ],
        [False, True],
    ),
}  # fmt: skip


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The rows in the shape their set has on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        import csv

        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, ["", *rows[0]])
            table.writeheader()
            table.writerows({"": i, **row} for i, row in enumerate(rows))
    elif path.name.startswith("batch_"):
        path.write_text(json.dumps({"samples": rows}, indent=2), encoding="utf-8")
    elif path.name == "summedits.json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    else:
        lines(path, *rows)
    return path


@pytest.mark.parametrize("name", SAMPLES)
def test_each_set_is_read_in_its_own_format_and_recognised(name: str, tmp_path: Path) -> None:
    file, rows, expected = SAMPLES[name]
    path = written(tmp_path / name / file, rows)
    told = load_set(name, file=path)
    assert [item.hallucinated for item in told.cases] == expected
    assert load_set(str(path)) == told
    assert load_set(name, file=path.parent).cases == told.cases
    assert len({item.case.id for item in told.cases}) == len(expected)
    assert told.licence == SETS[name].licence
    if name != "halueval-general":
        assert all(item.case.context for item in told.cases)


def test_fields_land_where_they_belong(tmp_path: Path) -> None:
    right, wrong = load_set("halueval-qa", file=lines(tmp_path / "qa.json", QA)).cases
    assert right.case.input == wrong.case.input == QA["question"]
    assert right.case.context == (QA["knowledge"],)
    assert (right.case.output, wrong.case.output) == (QA["right_answer"], QA["hallucinated_answer"])
    general = load_set("halueval-general", file=written(tmp_path / "g.json", SAMPLES["halueval-general"][1])).cases
    assert general[0].spans == ((6, 7),)
    assert general[1].spans == ()
    assert general[0].case.context is None
    marked, benign, clean = load_set(
        "faithbench", file=written(tmp_path / "batch_1.json", SAMPLES["faithbench"][1])
    ).cases
    assert (marked.spans, benign.spans, clean.spans) == (((2, 7),), (), ())
    supported, partly, not_at_all = load_set("wice", file=written(tmp_path / "w.jsonl", SAMPLES["wice"][1])).cases
    assert supported.case.context == ("A.", "B.")
    assert [item.label for item in (partly, not_at_all)] == ["partially_supported", "not_supported"]


def ragtruth(folder: Path) -> Path:
    source = {"question": "how?", "passages": "passage 1:Wash it.\n\npassage 2:Bake it.\n\n"}
    lines(
        folder / "source_info.jsonl",
        {"source_id": "1", "task_type": "QA", "source": "MARCO", "source_info": source, "prompt": "…"},
        {"source_id": "2", "task_type": "Data2txt", "source": "Yelp", "source_info": {"name": "Bar"}, "prompt": "…"},
        {"source_id": "3", "task_type": "Summary", "source": "CNN", "source_info": "News.", "prompt": "…"},
    )
    span = {"start": 0, "end": 4, "text": "Fry ", "label_type": "Evident Conflict"}
    common = {"split": "test", "quality": "good", "model": "m", "temperature": 1.0}
    lines(
        folder / "response.jsonl",
        {"id": "10", "source_id": "1", "labels": [span], "response": "Fry it.", **common},
        {"id": "11", "source_id": "2", "labels": [], "response": "A bar.", **common},
        {"id": "12", "source_id": "3", "labels": [], "response": "News.", **common, "split": "train"},
        {"id": "13", "source_id": "3", "labels": [], "response": "New", **common, "quality": "truncated"},
    )
    return folder


def test_ragtruth_joins_its_two_files(tmp_path: Path) -> None:
    folder = ragtruth(tmp_path / "dataset")
    loaded = load_set(str(folder))
    bad, good = loaded.cases
    assert loaded.name == "ragtruth"
    assert (bad.hallucinated, bad.spans, bad.group, bad.case.input) == (True, ((0, 4),), "QA", "how?")
    assert bad.case.context == ("Wash it.", "Bake it.")
    assert (good.hallucinated, good.spans) == (False, ())
    assert good.case.context == ('{"name":"Bar"}',)
    assert load_set("ragtruth", file=folder / "response.jsonl").cases == loaded.cases
    assert [item.case.id for item in load_set("ragtruth", file=folder, split="train").cases] == ["ragtruth-12"]
    (folder / "source_info.jsonl").unlink()
    with pytest.raises(InputError, match="in one folder"):
        load_set("ragtruth", file=folder)


def test_true_is_read_from_the_sources_it_is_made_of(tmp_path: Path) -> None:
    def votes(*answers: str) -> list[dict[str, str]]:
        return [{"worker_id": str(i), "response": answer} for i, answer in enumerate(answers)]

    folder = tmp_path / "true"
    fine = {"sentence": "Fine.", "responses": votes("yes", "yes", "no")}
    bad = {"sentence": "Bad.", "responses": votes("no", "yes", "no")}
    lines(
        folder / "mturk_xsum.jsonl",
        {"article": "A.", "summary_sentences": [fine]},
        {"article": "A.", "summary_sentences": [fine, bad]},
    )
    (folder / "cross_annotation.csv").write_text(
        "knowledge,dodeca_response,dodeca_label,memnet_response,memnet_label\nK.,right,0,wrong,1\n"
    )
    (folder / "dev_05_24_21.tsv").write_text(
        "evidence\tresponse\tgold label\nE.\tyes\tentailment\nE.\tmaybe\tneutral\n"
    )
    cases = load_set("true", file=folder).cases
    assert [(item.case.output, item.hallucinated) for item in cases] == [
        ("right", False),
        ("wrong", True),
        ("yes", False),
        ("maybe", True),
        ("Fine.", False),
        ("Fine. Bad.", True),
    ]
    assert {item.group for item in cases} == {"cross_annotation", "dev_05_24_21", "mturk_xsum"}


def test_parquet_is_read_where_pyarrow_is_there(tmp_path: Path) -> None:
    path = tmp_path / "test.parquet"
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        path.write_bytes(b"PAR1")
        with pytest.raises(MissingExtra, match="halluscope\\[parquet\\]"):
            load_set("halubench", file=path)
        return
    pq.write_table(pa.Table.from_pylist(SAMPLES["halubench"][1]), path)
    assert [item.hallucinated for item in load_set("halubench", file=path).cases] == [False, True]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("supported", False),
        ("contradicted", True),
        ("unsupported", True),
        ("hallucinated", True),
        ("factual", False),
        (" Factual ", False),
        (0, False),
        (1, True),
        ("0", False),
        ("1", True),
        (1.0, True),
        (False, False),
    ],
)
def test_labels_of_ones_own(label: object, expected: bool, tmp_path: Path) -> None:
    row = {"input": "Q", "context": ["C."], "output": "Out.", "label": label, "spans": [{"start": 0, "end": 3}]}
    (item,) = load_set(str(lines(tmp_path / "mine.jsonl.gz", row))).cases
    assert item.hallucinated is expected
    assert item.spans == ((0, 3),)


@pytest.mark.parametrize("output", NAMES["output"])
@pytest.mark.parametrize("context", NAMES["context"])
def test_what_eval_takes_for_a_column_bench_takes_too(output: str, context: str, tmp_path: Path) -> None:
    (item,) = load_set(str(lines(tmp_path / "own.jsonl", {output: "said", context: "known", "label": 1}))).cases
    assert (item.case.output, item.case.context) == ("said", ("known",))


def test_shapes_of_a_file_that_say_the_same(tmp_path: Path) -> None:
    """One object per line, a list, a list spread over lines, an object with the list inside; a byte order mark."""
    rows = [{"id": "1", "output": "A.", "context": "A.", "label": 0}, {"id": "2", "output": "B.", "label": 1}]
    one_per_line = "\r\n\n".join(json.dumps(row) for row in rows)
    shapes = [one_per_line, json.dumps(rows), json.dumps(rows, indent=1), json.dumps({"data": rows}, indent=2)]
    shapes += ["\ufeff" + shapes[0]]
    expected = None
    for i, text in enumerate(shapes):
        path = tmp_path / f"{i}" / "mine.json"
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8", newline="")
        cases = load_set(str(path)).cases
        expected = expected or cases
        assert len(cases) == 2
        assert cases == expected


@pytest.mark.parametrize("label", ["yes", "no", "maybe", 2, 0.5, "true", "pass"])
def test_labels_that_can_be_read_both_ways_are_refused(label: object) -> None:
    with pytest.raises(InputError, match="is not known"):
        read_label(label)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"output": "o", "label": 1}\n{"output": "o"}\n', r"row 2 of bad\.jsonl: there is no field `label`"),
        (b'{"output": "o", "label": "so-so"}\n', r"row 1 of bad\.jsonl: the label 'so-so' is not known"),
        (b'{"output": "o", "label": 1, "spans": [[0, 9]]}\n', r"row 1 .*is outside the output"),
        (b'{"output": "o", "label": 1, "spans": [7]}\n', r"row 1 .*needs a `start` and an `end`"),
        (b'{"output": "o", "label": 1}\n{"output": \n', r"line 2 of bad\.jsonl cannot be read: not a JSON object"),
        (b'{"output": "o", "label": 1}\n[1]\n', r"line 2 of bad\.jsonl is a list"),
        (b"", r"there is no case in bad\.jsonl"),
        (b"\x1f\x8b\x08nonsense", r"the packed file is damaged or cut off"),
        (b'{"output": 1.5, "context": true, "label": 1}\n', r"row 1 .*the context is a bool"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_measured(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        load_set(str(path))


def test_unknown_datasets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are: rag, evidence, halueval-qa"):
        load_set("halueval")
    with pytest.raises(UnknownName, match="there is no format"):
        load_set("mine", file=tmp_path)
    with pytest.raises(UnknownName, match="split of halueval-qa"):
        load_set("halueval-qa", split="dev", offline=True)
    with pytest.raises(InputError, match="there is no file"):
        load_set("halueval-qa", file=tmp_path / "none.json")


def test_every_public_set_has_a_reader_a_licence_and_a_revision() -> None:
    for name, item in SETS.items():
        assert name in FORMATS
        assert item.licence
        assert item.split in item.splits
        assert (item.packaged is None) == bool(item.files)
        for remote in (file for files in item.files.values() for file in files):
            assert remote.url.startswith("https://")
            pinned = remote.revision is not None and remote.revision in remote.url
            assert pinned or "not pinned" in item.note


def test_the_rag_set_comes_with_the_package_whole(home: Path) -> None:
    """Nothing is fetched; of each context four answers are right and four wrong, and only the wrong ones are marked."""
    loaded = load_set("rag", offline=True)
    assert not home.exists(), "nothing is kept of it"
    assert len({item.case.id for item in loaded.cases}) == len(loaded.cases) == 2112
    documents: dict[str, list[LabelledCase]] = {}
    for item in loaded.cases:
        assert item.case.input and item.case.context and item.kind
        assert bool(item.spans) == item.hallucinated, item.case.id
        documents.setdefault(item.case.metadata["document"], []).append(item)
    assert len(documents) == 264
    for answers in documents.values():
        assert [a.hallucinated for a in answers].count(True) == 4, answers[0].case.id
        assert len({a.case.context for a in answers}) == 1
        assert len({a.case.output for a in answers}) == 8
    kinds = {item.kind for item in loaded.cases}
    page = (Path(__file__).parents[2] / "docs" / "bench-rag.md").read_text(encoding="utf-8")
    assert {f"`{kind}`" for kind in kinds} <= set(re.findall(r"`\w+`", page)), "a kind that the page does not explain"
    with pytest.raises(UnknownName, match="split of rag"):
        load_set("rag", split="train")


# -- fetching ---------------------------------------------------------------------------------------


class Files(http.server.BaseHTTPRequestHandler):
    content: ClassVar[bytes] = b'{"output": "o", "context": "c", "label": 1}\n'
    cut: ClassVar[bool] = False
    asked: ClassVar[list[str]] = []
    headers_seen: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        Files.asked.append(self.path)
        Files.headers_seen.append(self.headers.get("Authorization"))
        if "missing" in self.path:
            self.send_error(404)
            return
        if "moved" in self.path:
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{self.server.server_port}/elsewhere.jsonl")  # type: ignore[attr-defined]
            self.end_headers()
            return
        if "gated" in self.path and not self.headers.get("Authorization"):
            self.send_error(401)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.content) + (10 if self.cut else 0)))
        self.end_headers()
        self.wfile.write(self.content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Files, "asked", [])
    monkeypatch.setattr(Files, "headers_seen", [])
    monkeypatch.setattr(Files, "cut", False)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_file_is_fetched_once_and_its_hash_kept(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    remote = RemoteFile(url=f"{web}/abc/data.jsonl", revision="abcdef")
    path = fetched("set", remote)
    assert path.read_bytes() == Files.content
    assert fetched("set", remote) == path
    assert Files.asked == ["/abc/data.jsonl"]
    assert json.loads((path.parent / "lock.json").read_text()) == {
        "data.jsonl": hashlib.sha256(Files.content).hexdigest()
    }
    path.write_bytes(b"tampered")
    with pytest.raises(FetchError, match="changed or damaged"):
        fetched("set", remote)
    path.unlink()
    monkeypatch.setattr(Files, "content", b"the home was changed")
    with pytest.raises(FetchError, match="changed or damaged"):
        fetched("set", remote)
    assert not path.exists()


def test_a_known_hash_is_checked_on_the_first_download(web: str) -> None:
    with pytest.raises(FetchError, match="changed or damaged"):
        fetched("set", RemoteFile(url=f"{web}/data.jsonl", revision="r", sha256="0" * 64))
    good = hashlib.sha256(Files.content).hexdigest()
    assert fetched("set", RemoteFile(url=f"{web}/data.jsonl", revision="r", sha256=good)).exists()


def test_half_a_download_is_no_file(web: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Files, "cut", True)
    with pytest.raises(FetchError):
        fetched("set", RemoteFile(url=f"{web}/data.jsonl", revision="r"))
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_a_failed_download_says_what_to_do(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FetchError, match="answered 404"):
        fetched("set", RemoteFile(url=f"{web}/missing.jsonl"))
    with pytest.raises(FetchError, match="pass a copy with --file"):
        fetched("set", RemoteFile(url="http://127.0.0.1:9/data.jsonl"))
    with pytest.raises(FetchError, match="pass a copy with --file"):
        fetched("set", RemoteFile(url=f"{web}/data.jsonl"), offline=True)
    with pytest.raises(InputError, match="is not a URL"):
        fetched("set", RemoteFile(url="file:///etc/passwd"))
    gated = RemoteFile(url=f"{web}/gated.jsonl", gated=True)
    with pytest.raises(FetchError, match="set HF_TOKEN"):
        fetched("set", gated)
    monkeypatch.setenv("HF_TOKEN", "secret")
    assert fetched("set", gated).exists()
    assert fetched("set", RemoteFile(url=f"{web}/open.jsonl")).exists()
    assert Files.headers_seen[-2:] == ["Bearer secret", None]


def test_a_token_is_not_shown_to_another_host(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    assert fetched("set", RemoteFile(url=f"{web}/moved.jsonl", gated=True)).read_bytes() == Files.content
    assert Files.asked == ["/moved.jsonl", "/elsewhere.jsonl"]
    assert Files.headers_seen == ["Bearer secret", None]


def test_without_the_extra_a_set_that_is_here_is_read_and_another_says_what_to_install(
    web: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = RemoteFile(url=f"{web}/data.jsonl", revision="r")
    path = fetched("set", here)
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert fetched("set", here) == path
    with pytest.raises(MissingExtra, match=r"halluscope\[bench\]"):
        fetched("set", RemoteFile(url=f"{web}/other.jsonl", revision="r"))


def test_a_set_by_name_is_fetched_and_read(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"test": (RemoteFile(url=f"{web}/r1/data.jsonl", revision="r1"),)}
    monkeypatch.setattr(Files, "content", json.dumps(QA).encode() + b"\n")
    monkeypatch.setitem(SETS, "halueval-qa", structs.replace(SETS["halueval-qa"], files=files))
    loaded = load_set("halueval-qa")
    assert len(loaded.cases) == 2
    assert "revision r1" in loaded.source
    assert loaded.licence == "MIT"


@pytest.mark.slow("reads the training data")
def test_the_evidence_set_quotes_its_contexts_and_shares_no_text_with_what_the_judge_learns_from() -> None:
    packaged = SETS["evidence"].packaged
    assert packaged is not None
    rows = [json.loads(line) for line in gzip.decompress(packaged.read_bytes()).splitlines()]
    assert len(rows) == len(load_set("evidence", offline=True).cases) == 480
    for row in rows:
        assert bool(row["evidence"]) == (row["label"] != "unsupported"), row["id"]
        for quote in row["evidence"]:
            assert row["context"][quote["passage"]][quote["start"] : quote["end"]] == quote["quote"]
    learnt = {
        run
        for path in sorted((Path(__file__).parents[2] / "training").rglob("*.jsonl.gz"))
        if path.parent.name == "evidence"
        for line in gzip.decompress(path.read_bytes()).splitlines()
        for run in runs_of_eight(json.loads(line))
    }
    assert learnt and not {run for row in rows for run in runs_of_eight(row)} & learnt


def runs_of_eight(row: dict[str, Any]) -> set[tuple[str, ...]]:
    """Runs of eight words in the texts of a row."""
    context = row["context"] if isinstance(row["context"], list) else [row["context"]]
    split = [text.casefold().split() for text in (row["output"], *context)]
    return {tuple(words[i : i + 8]) for words in split for i in range(len(words) - 7)}
