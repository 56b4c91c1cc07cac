"""Sets in their own formats, fetching them, and what is measured on them."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import http.server
import json
import math
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec import structs
from sklearn import metrics as sk

from halluscope import metrics
from halluscope.bench import SETS, LabelledCase, bench, load, measure, read_label, run_judge, sample
from halluscope.bench.baselines import baselines, best_threshold
from halluscope.bench.cases import fingerprint, labelled
from halluscope.bench.fetch import RemoteFile, fetched
from halluscope.bench.formats import FORMATS
from halluscope.bench.measure import worst_mistakes
from halluscope.bench.picture import svg
from halluscope.bench.run import JudgeRun
from halluscope.bench.tradeoff import tradeoff
from halluscope.driver import Patience
from halluscope.errors import FetchError, InputError, JudgeRejected, MissingExtra, UnknownName
from halluscope.judge import Answer, Call
from halluscope.judges.scripted import ScriptedJudge
from halluscope.questions import ExtractClaims, LabelAnswer, Labelled, Question
from halluscope.result import Usage


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
        path.write_text(json.dumps({"samples": rows}, indent=2))
    elif path.name == "summedits.json":
        path.write_text(json.dumps(rows))
    else:
        lines(path, *rows)
    return path


@pytest.mark.parametrize("name", SAMPLES)
def test_each_set_is_read_in_its_own_format_and_recognised(name: str, tmp_path: Path) -> None:
    file, rows, expected = SAMPLES[name]
    path = written(tmp_path / name / file, rows)
    told = load(name, file=path)
    assert [item.hallucinated for item in told.cases] == expected
    assert load(str(path)) == told
    assert load(name, file=path.parent).cases == told.cases
    assert len({item.case.id for item in told.cases}) == len(expected)
    assert told.licence == SETS[name].licence
    if name != "halueval-general":
        assert all(item.case.context for item in told.cases)


def test_fields_land_where_they_belong(tmp_path: Path) -> None:
    right, wrong = load("halueval-qa", file=lines(tmp_path / "qa.json", QA)).cases
    assert right.case.input == wrong.case.input == QA["question"]
    assert right.case.context == (QA["knowledge"],)
    assert (right.case.output, wrong.case.output) == (QA["right_answer"], QA["hallucinated_answer"])
    general = load("halueval-general", file=written(tmp_path / "g.json", SAMPLES["halueval-general"][1])).cases
    assert general[0].spans == ((6, 7),)
    assert general[1].spans == ()
    assert general[0].case.context is None
    marked, benign, clean = load("faithbench", file=written(tmp_path / "batch_1.json", SAMPLES["faithbench"][1])).cases
    assert (marked.spans, benign.spans, clean.spans) == (((2, 7),), (), ())
    supported, partly, not_at_all = load("wice", file=written(tmp_path / "w.jsonl", SAMPLES["wice"][1])).cases
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
    loaded = load(str(folder))
    bad, good = loaded.cases
    assert loaded.name == "ragtruth"
    assert (bad.hallucinated, bad.spans, bad.group, bad.case.input) == (True, ((0, 4),), "QA", "how?")
    assert bad.case.context == ("Wash it.", "Bake it.")
    assert (good.hallucinated, good.spans) == (False, ())
    assert good.case.context == ('{"name":"Bar"}',)
    assert load("ragtruth", file=folder / "response.jsonl").cases == loaded.cases
    assert [item.case.id for item in load("ragtruth", file=folder, split="train").cases] == ["ragtruth-12"]
    (folder / "source_info.jsonl").unlink()
    with pytest.raises(InputError, match="in one folder"):
        load("ragtruth", file=folder)


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
    cases = load("true", file=folder).cases
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
            load("halubench", file=path)
        return
    pq.write_table(pa.Table.from_pylist(SAMPLES["halubench"][1]), path)
    assert [item.hallucinated for item in load("halubench", file=path).cases] == [False, True]


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
    (item,) = load(str(lines(tmp_path / "mine.jsonl.gz", row))).cases
    assert item.hallucinated is expected
    assert item.spans == ((0, 3),)


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
        cases = load(str(path)).cases
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
        (b'{"output": "o", "label": 1, "spans": [[0, 9]]}\n', r"row 1 .*does not lie in the output"),
        (b'{"output": "o", "label": 1, "spans": [7]}\n', r"row 1 .*needs a `start` and an `end`"),
        (b'{"output": "o", "label": 1}\n{"output": \n', r"line 2 of bad\.jsonl is not JSON"),
        (b'{"output": "o", "label": 1}\n[1]\n', r"row 2 of bad\.jsonl is a list"),
        (b"", r"there is no case in bad\.jsonl"),
        (b"\x1f\x8b\x08nonsense", r"not a complete gzip file"),
        (b'{"output": 1.5, "context": true, "label": 1}\n', r"row 1 .*the context is a bool"),
    ],
)
def test_a_bad_row_is_named_and_nothing_is_measured(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        load(str(path))


def test_names_that_are_neither_set_nor_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the sets are: halueval-qa"):
        load("halueval")
    with pytest.raises(UnknownName, match="there is no format"):
        load("mine", file=tmp_path)
    with pytest.raises(UnknownName, match="split of halueval-qa"):
        load("halueval-qa", split="dev", offline=True)
    with pytest.raises(InputError, match="there is no file"):
        load("halueval-qa", file=tmp_path / "none.json")


def test_every_public_set_has_a_reader_a_licence_and_a_revision() -> None:
    for name, item in SETS.items():
        assert name in FORMATS
        assert item.licence
        assert item.split in item.files
        for remote in (file for files in item.files.values() for file in files):
            assert remote.url.startswith("https://")
            pinned = remote.revision is not None and remote.revision in remote.url
            assert pinned or "not pinned" in item.note


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
        thread = threading.Thread(target=server.serve_forever)
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


def test_what_cannot_be_fetched_says_what_to_do(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FetchError, match="answered 404"):
        fetched("set", RemoteFile(url=f"{web}/missing.jsonl"))
    with pytest.raises(FetchError, match="pass a copy with --file"):
        fetched("set", RemoteFile(url="http://127.0.0.1:9/data.jsonl"))
    with pytest.raises(FetchError, match="pass a copy with --file"):
        fetched("set", RemoteFile(url=f"{web}/data.jsonl"), offline=True)
    with pytest.raises(InputError, match="not a web address"):
        fetched("set", RemoteFile(url="file:///etc/passwd"))
    gated = RemoteFile(url=f"{web}/gated.jsonl", gated=True)
    with pytest.raises(FetchError, match="set HF_TOKEN"):
        fetched("set", gated)
    monkeypatch.setenv("HF_TOKEN", "secret")
    assert fetched("set", gated).exists()
    assert fetched("set", RemoteFile(url=f"{web}/open.jsonl")).exists()
    assert Files.headers_seen[-2:] == ["Bearer secret", None]


def test_a_set_by_name_is_fetched_and_read(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"test": (RemoteFile(url=f"{web}/r1/data.jsonl", revision="r1"),)}
    monkeypatch.setattr(Files, "content", json.dumps(QA).encode() + b"\n")
    monkeypatch.setitem(SETS, "halueval-qa", structs.replace(SETS["halueval-qa"], files=files))
    loaded = load("halueval-qa")
    assert len(loaded.cases) == 2
    assert "revision r1" in loaded.source
    assert loaded.licence == "MIT"


# -- measuring --------------------------------------------------------------------------------------


def cases(n: int = 200, seed: int = 0) -> list[LabelledCase]:
    rng = np.random.default_rng(seed)
    made = []
    for i in range(n):
        wrong = bool(rng.random() < 0.4)
        start = f"In case {i} the number is "
        output = f"{start}{i if not wrong else i + 1}." + " Or so." * int(rng.integers(0, 4))
        spans = [(len(start), len(start) + len(str(i + 1)))] if wrong else []
        group = "even" if i % 2 == 0 else "odd"
        made.append(
            labelled(
                output=output,
                context=[f"In case {i} the number is {i}."],
                hallucinated=wrong,
                id=str(i),
                spans=spans,
                group=group,
            )
        )
    return made


class Noisy:
    """A judge that knows the answer and doubts it: its probabilities are drawn by the case's id."""

    asks = False
    window = None

    def __init__(self, known: list[LabelledCase], name: str = "noisy", spread: float = 0.3, cost: float = 0.0) -> None:
        self._truth = {item.case.output: item.hallucinated for item in known}
        self._spread = spread
        self._cost = cost
        self.name = name
        self.at_once = self.most_at_once = 0

    def fingerprint(self) -> str:
        return self.name

    async def answer(self, question: Question[Any], call: Call) -> Answer[Any]:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        assert isinstance(question, LabelAnswer)
        rng = np.random.default_rng(len(question.output) + int("".join(c for c in question.output if c.isdigit())))
        middle = 0.5 + (0.3 if self._truth[question.output] else -0.3)
        p = float(np.clip(middle + self._spread * rng.standard_normal(), 0, 1))
        label = Labelled("hallucinated" if p >= 0.5 else "factual", ("so it seems",), p)
        usage = Usage(calls=1, input_tokens=10, output_tokens=2, cost=self._cost)
        return Answer(judge=self.name, value=label, usage=usage)


def test_figures_of_a_run_equal_scikit_learn() -> None:
    known = cases()
    run = run_judge(known, Noisy(known), metrics.resolve("label"))
    found = measure(run, resamples=50)
    truth = [item.hallucinated for item in known]
    p = [j.probability or 0.0 for j in run.judged]
    said = [x >= 0.5 for x in p]
    assert found.balanced_accuracy == pytest.approx(sk.balanced_accuracy_score(truth, said), abs=1e-9)
    assert found.precision == pytest.approx(sk.precision_score(truth, said), abs=1e-9)
    assert found.recall == pytest.approx(sk.recall_score(truth, said), abs=1e-9)
    assert found.f1 == pytest.approx(sk.f1_score(truth, said), abs=1e-9)
    assert found.auroc == pytest.approx(sk.roc_auc_score(truth, p), abs=1e-9)
    assert found.average_precision == pytest.approx(sk.average_precision_score(truth, p), abs=1e-9)
    assert found.brier == pytest.approx(sk.brier_score_loss(truth, p), abs=1e-9)
    tn, fp, fn, tp = sk.confusion_matrix(truth, said).ravel()
    assert found.confusion == {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    assert sum(b.n for b in found.calibration) == found.n == 200
    assert found.input_tokens == 2000
    for name, interval in found.intervals.items():
        assert interval is not None, name
        assert interval[0] <= getattr(found, name) <= interval[1]
    assert found.span_f1 is None  # a judge of whole outputs marks no spans
    groups = [g["balanced_accuracy"] for g in found.groups.values()]
    assert set(found.groups) == {"even", "odd"}
    assert found.mean_balanced_accuracy == pytest.approx(np.mean(groups))  # type: ignore[arg-type]


def test_cases_are_judged_some_at_a_time_and_stay_in_order() -> None:
    known = cases(60)
    judge = Noisy(known)
    done: list[int] = []
    run = run_judge(known, judge, metrics.resolve("label"), concurrency=7, progress=done.append)
    assert judge.most_at_once == 7
    assert done == list(range(1, 61))
    assert [j.item.case.id for j in run.judged] == [item.case.id for item in known]


def test_failures_count_against_coverage_and_not_as_mistakes() -> None:
    known = cases(40)

    def reply(question: Question[Any]) -> Any:
        assert isinstance(question, LabelAnswer)
        if "Or so." in question.output:
            return JudgeRejected("no such model", status=404)
        truth = next(item.hallucinated for item in known if item.case.output == question.output)
        return {"verdict": "hallucinated" if truth else "factual", "reason": ["known"]}

    run = run_judge(known, ScriptedJudge(reply), metrics.resolve("label"), patience=Patience(retries=0))
    found = measure(run, resamples=20)
    failed = sum("Or so." in item.case.output for item in known)
    assert 0 < failed < 40
    assert found.coverage == (40 - failed) / 40
    assert found.failures == {"failed": failed}
    assert found.balanced_accuracy == found.precision == found.recall == 1
    assert found.scored == sum(found.confusion.values()) == 40 - failed
    assert not found.graded


def test_a_judge_that_always_fails_has_no_figures_rather_than_zeros() -> None:
    known = cases(10)
    judge = ScriptedJudge({"label": JudgeRejected("down", status=401)})
    run = run_judge(known, judge, metrics.resolve("label"), patience=Patience(retries=0))
    found = measure(run, resamples=20)
    assert (found.coverage, found.f1, found.auroc, found.ece) == (0, None, None, None)
    assert found.intervals["f1"] is None


def test_span_f1_of_a_judge_that_marks_claims() -> None:
    """Whole sentences are marked where three characters are wrong: recall 1, precision as long as the sentence."""
    item = labelled(
        output="One is 1. Two is 3.", context=["One is 1. Two is 2."], hallucinated=True, id="x", spans=[(17, 18)]
    )
    plain = labelled(output="One is 1.", context=["One is 1."], hallucinated=False, id="y")

    def reply(question: Question[Any]) -> Any:
        if isinstance(question, ExtractClaims):
            return {"claims": [s for s in ("One is 1.", "Two is 3.") if s in question.output]}
        if question.kind == "verify":
            said = [{"id": c.id, "verdict": "yes" if "3" in c.text else "no", "reason": "r"} for c in question.claims]  # type: ignore[attr-defined]
            return {"verdicts": said}
        return {"reason": "So it is."}

    run = run_judge([item, plain], ScriptedJudge(reply), metrics.resolve("hallucination"))
    assert run.judged[0].spans == ((10, 19),)
    found = measure(run, resamples=20)
    assert found.span_f1 == pytest.approx(2 * 1 / (2 * 1 + 8))
    assert found.balanced_accuracy == 1


def test_the_same_seed_gives_the_same_sample_and_the_same_intervals() -> None:
    known = cases(100)
    assert [i.case.id for i in sample(known, 10, 1)] == [i.case.id for i in sample(known, 10, 1)]
    assert sample(known, 10, 1) != sample(known, 10, 2)
    assert sample(known, 1000) == known
    with pytest.raises(InputError, match="at least 1"):
        sample(known, 0)
    run = run_judge(known, Noisy(known), metrics.resolve("label"))
    assert measure(run, resamples=30, seed=4).intervals == measure(run, resamples=30, seed=4).intervals
    assert fingerprint(known) != fingerprint(known[:-1])


def test_trivial_judges_show_what_a_set_gives_away(tmp_path: Path) -> None:
    """As on HaluEval QA: the wrong answers are longer. The report says so in a line."""
    rows = [{**QA, "knowledge": f"{QA['knowledge']} It has {i} steps."} for i in range(50)]
    path = lines(tmp_path / "qa_data.json", *rows)
    judge = ScriptedJudge({"label": {"verdict": "factual", "reason": ["whatever"]}}, name="naive")
    report = bench("halueval-qa", [(judge, metrics.resolve("label"))], file=path, resamples=50)
    always, length, overlap = report.baselines
    assert (always.judge, always.recall, always.balanced_accuracy, always.auroc) == ("always hallucinated", 1, 0.5, 0.5)
    assert (length.judge, length.auroc, length.balanced_accuracy) == ("longer answers", 1, 1)
    assert overlap.auroc is not None
    assert overlap.auroc > 0.9
    assert any("only looks for longer answers reaches AUROC 1.00" in line for line in report.remarks)
    assert any("naive does not beat a trivial judge" in line for line in report.remarks)
    assert any("gives words, not probabilities" in line for line in report.remarks)
    assert length.ece is None


def test_baselines_turn_round_where_that_suits_the_set_better() -> None:
    short = [
        labelled(output="x" * (5 if wrong else 50), context=["c"], hallucinated=wrong, id=str(i))
        for i, wrong in enumerate([True, False] * 10)
    ]
    _, length, _ = baselines(short)
    assert length.name == "shorter answers"
    assert list(length.flagged) == [item.hallucinated for item in short]


def test_the_best_threshold_is_the_best_of_all() -> None:
    rng = np.random.default_rng(0)
    for seed in range(8):
        truth = rng.random(40) < 0.5
        scores = np.asarray(np.round(rng.random(40) + 0.3 * truth, 1 if seed % 2 else 6), dtype=np.float64)
        found = sk.balanced_accuracy_score(truth, scores >= best_threshold(truth, scores))
        every = max(sk.balanced_accuracy_score(truth, scores >= t) for t in scores)
        assert found == pytest.approx(every)


def test_the_worst_mistakes_are_the_surest() -> None:
    known = cases(300)
    run = run_judge(known, Noisy(known, spread=0.5), metrics.resolve("label"))
    worst = worst_mistakes(run, 5)
    sure = [abs((j.probability or 0) - 0.5) for j in worst]
    wrong = [j for j in run.judged if j.flagged != j.item.hallucinated]
    assert all(j.flagged != j.item.hallucinated for j in worst)
    assert sure == sorted(sure, reverse=True)
    assert sure[-1] >= sorted((abs((j.probability or 0) - 0.5) for j in wrong), reverse=True)[4]


def test_a_threshold_overrides_the_judges_word() -> None:
    known = cases(50)
    run = run_judge(known, Noisy(known), metrics.resolve("label"), threshold=0.9)
    assert [j.flagged for j in run.judged] == [(j.probability or 0) >= 0.9 for j in run.judged]


def two_runs(perfect: bool = True) -> tuple[JudgeRun, JudgeRun]:
    known = cases(400)
    cheap = run_judge(known, Noisy(known, spread=0.35), metrics.resolve("label"))
    costly = Noisy(known, "costly", spread=0.0 if perfect else 0.3, cost=0.01)
    return cheap, run_judge(known, costly, metrics.resolve("label"))


def test_the_curve_of_a_cascade_goes_from_the_first_judge_to_the_second() -> None:
    cheap, costly = two_runs()
    points = tradeoff(cheap, costly)
    alone, both = measure(cheap, resamples=1), measure(costly, resamples=1)
    assert points[0].balanced_accuracy == alone.balanced_accuracy
    assert points[-1].balanced_accuracy == both.balanced_accuracy == 1
    assert points[0].cost == 0
    assert points[-1].cost == pytest.approx(4.0)
    closed = next(point for point in points if math.isclose(point.share, 0.3)).errors_closed
    assert closed is not None
    assert closed > 0.4  # the doubtful are wrong more often: asking about them beats asking at random
    accuracy = [point.accuracy for point in points]
    assert accuracy == sorted(accuracy)


def test_the_picture_is_well_formed_and_nothing_in_it_is_markup(tmp_path: Path) -> None:
    path = lines(tmp_path / "q<b>.jsonl", *({"output": f"{i}", "context": "1 2", "label": i % 2} for i in range(20)))
    replies = {"label": {"verdict": "factual", "reason": ["r"]}}
    pairs = [(ScriptedJudge(replies, name=f"<script>alert({i})</script>&"), metrics.resolve("label")) for i in range(2)]
    picture = svg(bench(str(path), pairs, resamples=10))
    root = ElementTree.fromstring(picture)
    texts = ["".join(element.itertext()) for element in root.iter()]
    assert not [element for element in root.iter() if element.tag.endswith("script")]
    assert any("<script>alert(0)</script>&" in text for text in texts)
    assert any("cascade of" in text for text in texts)
