"""The pair model: what it says, that it always says the same, and that a changed file is noticed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from halluscope.embedded.encoding import CLAIM_MET, CLAIM_NEW, CLAIM_NEW_NUMBER, EVIDENCE_MET, kinds, vocabulary
from halluscope.embedded.evidence import EvidenceIndex, content_words, sentences, stem, windows_of
from halluscope.embedded.fusion import ClaimSignals, Fusion, Marking, judge_claim, logit, sigmoid
from halluscope.embedded.model import WEIGHTS, PairModel, PairReading, load, settings
from halluscope.embedded.signals import measure
from halluscope.errors import ModelFileError

EVIDENCE = (
    "Einstein won the Nobel Prize in Physics in 1921 for the photoelectric effect. He was born in Ulm in 1879. "
    "The company has about 500 employees in Berlin."
)
RIGHT = ("Einstein won the Nobel Prize in 1921.", "Einstein was born in Ulm.", "The company employs about 500 people.")
WRONG = ("Einstein won the Nobel Prize in 1969.", "Einstein did not win the Nobel Prize.", "Einstein liked to sail.")


@pytest.fixture(scope="module")
def model() -> PairModel:
    return load()


def test_right_and_wrong_claims_are_told_apart(model: PairModel) -> None:
    readings = model.read([(EVIDENCE, claim) for claim in RIGHT + WRONG])
    assert all(reading.supported > 0.5 for reading in readings[: len(RIGHT)])
    assert all(reading.supported < 0.5 for reading in readings[len(RIGHT) :])


def test_probabilities_sum_to_one_and_marks_lie_in_the_claim(model: PairModel) -> None:
    for claim, reading in zip(WRONG, model.read([(EVIDENCE, claim) for claim in WRONG]), strict=True):
        assert reading.supported + reading.contradicted + reading.unsupported == pytest.approx(1)
        assert all(0 <= start < end <= len(claim) and 0 <= mark <= 1 for start, end, mark in reading.token_marks)


def test_the_changed_year_is_marked(model: PairModel) -> None:
    claim = WRONG[0]
    marks = model.read([(EVIDENCE, claim)])[0].token_marks
    start, end, _ = max(marks, key=lambda mark: mark[2])
    assert claim[start:end] == "1969"


def test_a_reading_does_not_depend_on_its_company_or_on_threads(model: PairModel) -> None:
    pairs = [(EVIDENCE, claim) for claim in RIGHT + WRONG] + [("", "Nothing is known."), (EVIDENCE * 3, RIGHT[0])]
    alone = [model.read([pair])[0] for pair in pairs]
    single = load(threads=1)
    assert model.read(pairs) == alone
    assert model.read(pairs[::-1] * 3) == alone[::-1] * 3
    assert single.read(pairs) == alone


def test_odd_texts_are_read(model: PairModel) -> None:
    odd = ["", " ", "\ud800 broken", "数字は三です。", "word " * 400, "a" * 3000, "🙂"]
    readings = model.read([(text, other) for text in odd for other in odd])
    assert len(readings) == len(odd) ** 2
    assert all(0 <= reading.supported <= 1 for reading in readings)


def test_the_question_makes_a_bare_answer_readable(model: PairModel) -> None:
    evidence = "Paris is the capital of France. Lyon is large."
    right, wrong = model.read([(evidence, "Paris"), (evidence, "Lyon")], "What is the capital of France?")
    assert right.supported > wrong.supported


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    for name in ("model.json", "model.onnx", "tokenizer.json"):
        shutil.copyfile(WEIGHTS / name, tmp_path / name)
    with (tmp_path / "tokenizer.json").open("a", encoding="utf-8") as file:
        file.write(" ")
    with pytest.raises(ModelFileError, match=r"tokenizer\.json .* sha256"):
        load(tmp_path)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"model\.json"):
        load(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps({"files": {"model.onnx": "0"}}), encoding="utf-8")
    settings.cache_clear()
    with pytest.raises(ModelFileError, match=r"model\.onnx .* cannot be read"):
        load(tmp_path)


def test_weights_are_small_enough() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) <= 35_000_000


def test_importing_loads_no_runtime() -> None:
    code = (
        "import sys, halluscope.embedded.model, halluscope.embedded.fusion, halluscope.embedded.evidence; "
        "print([name for name in ('onnxruntime', 'tokenizers', 'numpy') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_kinds_tell_met_words_from_new_ones() -> None:
    import numpy as np

    tokens = ["[CLS]", "moved", "moves", "in", "19", "##21", "##69", "paris"]
    table = vocabulary(tokens)
    of_question, of_evidence, of_claim = kinds(
        np.array([], dtype=np.int64), np.array([1, 3, 4, 5]), np.array([2, 3, 4, 6, 7]), table
    )
    assert list(of_question) == []
    assert list(of_claim) == [CLAIM_MET, CLAIM_MET, CLAIM_NEW_NUMBER, CLAIM_NEW_NUMBER, CLAIM_NEW]
    assert list(of_evidence)[:2] == [EVIDENCE_MET, EVIDENCE_MET]


def test_sentences_have_places() -> None:
    text = 'Dr. Smith went. He said: "Hi there." Then left.\n- one item\n- two items'
    assert [text[a:b] for a, b in sentences(text)] == [
        "Dr. Smith went.", 'He said: "Hi there."', "Then left.", "- one item", "- two items",
    ]  # fmt: skip


def test_windows_cover_every_word_once() -> None:
    text = "Short. " + " ".join(f"word{number}" for number in range(200)) + ". The end of it all is here."
    joined = " ".join(text[w.start : w.end] for w in windows_of(text, 0))
    assert joined.split() == text.split()


def test_evidence_is_found_in_a_long_context() -> None:
    noise = [
        f"Paragraph {number} speaks of weather, trade and the price of bread in town {number}."
        for number in range(3000)
    ]
    noise.insert(1777, "The lighthouse of Orvik was lit for the first time by Marta Lind.")
    index = EvidenceIndex([" ".join(noise[:1500]), " ".join(noise[1500:])])
    selection = index.select("Marta Lind lit the lighthouse of Orvik.")
    assert selection.best is not None
    assert "Marta Lind" in index.text(selection.best)
    assert "Marta Lind" in selection.text
    assert len(selection.text.split()) <= 100
    assert not selection.complete


def test_a_short_context_is_taken_whole() -> None:
    selection = EvidenceIndex(["One passage here.", "Another passage there."]).select("Nothing shared")
    assert selection.complete
    assert selection.best is None
    assert selection.text == "One passage here. Another passage there."


def test_an_empty_context_gives_empty_evidence() -> None:
    for passages in ([], [""], ["   "]):
        selection = EvidenceIndex(passages).select("A claim.")
        assert selection.text == ""
        assert selection.windows == ()


def test_words_and_stems() -> None:
    assert content_words("The 1,250 moved boxes, and moving men") == ["1250", "mov", "box", "mov", "men"]
    assert stem("cities") == stem("city")


def test_fusion_is_monotone_where_it_must_be() -> None:
    base = ClaimSignals(0.6, 0.2, 0.2, 0.2, 0.8, 0.8, 0.5, 0.0, 0.0, 0.0, 0.8, False)
    worse = ClaimSignals(0.2, 0.5, 0.3, 0.7, 0.4, 0.4, 0.1, 0.0, 0.9, 0.0, 0.4, True)
    better, lesser = judge_claim(base), judge_claim(worse)
    assert better.supported > lesser.supported
    for found in (better, lesser):
        assert found.supported + found.contradicted + found.unsupported == pytest.approx(1)


def test_fusion_with_plain_coefficients() -> None:
    fusion = Fusion({"": 0.0, "support": 1.0}, {"": 0.0, "against": 1.0})
    found = fusion.judge_claim(ClaimSignals(0.7, 0.2, 0.1, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, False))
    assert found.supported == pytest.approx(0.7)
    assert found.contradicted == pytest.approx(0.2)
    assert sigmoid(logit(0.25)) == pytest.approx(0.25)
    assert sigmoid(-800.0) == pytest.approx(0.0)


def test_doubtful_places_are_joined() -> None:
    marking = Marking(constant=0.0, mark=1.0, claim=0.0, gap=2)
    marks = ((0, 3, 0.9), (4, 8, 0.8), (12, 15, 0.7), (16, 20, 0.1))
    assert marking.doubtful(marks, 0.5) == [(0, 8), (12, 15)]


def test_signals_of_a_bare_answer_leave_its_question_out(model: PairModel) -> None:
    index = EvidenceIndex(["Paris is the capital of France."])
    question = "What is the capital of France?"
    found = measure([f"{question} Paris"], index, model, question)[0]
    assert found.stated == "Paris"
    assert found.signals.coverage == 1.0
    assert isinstance(found.reading, PairReading)
