"""The pair model: what it says, that it always says the same, and that a changed file is noticed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from halluscope._internal.embedded.deciding.fusion import ClaimSignals, Fusion, Joined, judge_claim, logit, sigmoid
from halluscope._internal.embedded.deciding.marking import Marking, Token, in_output, tokens
from halluscope._internal.embedded.deciding.signals import Measured, measure
from halluscope._internal.embedded.network.encoding import (
    CLAIM_MET,
    CLAIM_NEW,
    CLAIM_NEW_NUMBER,
    EVIDENCE_MET,
    kinds,
    vocabulary,
)
from halluscope._internal.embedded.network.model import WEIGHTS, PairModel, PairReading, load, settings
from halluscope._internal.embedded.reading.context import ReadContext
from halluscope._internal.embedded.reading.evidence import EvidenceIndex, content_words, sentences, stem, windows_of
from halluscope._internal.errors import ModelFileError
from halluscope._internal.questions import Passage

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
        "import sys; from halluscope._internal.embedded.deciding import fusion; "
        "from halluscope._internal.embedded.network import model; "
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


def signals(**changed: float) -> ClaimSignals:
    """A claim that the context bears out, but for what is said here."""
    sure: dict[str, Any] = {
        "supported": 0.7, "contradicted": 0.2, "unsupported": 0.1, "doubt": 0.1, "coverage": 0.8, "known": 0.8,
        "pairs": 0.5, "numbers_missing": 0.0, "number_conflict": 0.0, "names_missing": 0.0, "output": 0.8,
        "company": 0.7, "complete": True, "opposite": False, "record": False, "field_conflict": 0.0, "field_open": 0.0,
    }  # fmt: skip
    return ClaimSignals(**{**sure, **changed})


def test_what_speaks_against_a_claim_lowers_its_support() -> None:
    sure = judge_claim(signals())
    for worse in (
        {"supported": 0.2, "contradicted": 0.3, "unsupported": 0.5},
        {"number_conflict": 0.9},
        {"names_missing": 1.0},
        {"company": 0.2},
        {"record": True, "field_conflict": 0.9},
        {"record": True, "field_open": 0.9},
    ):
        found = judge_claim(signals(**worse))
        assert found.supported < sure.supported, worse
        assert found.supported + found.contradicted + found.unsupported == pytest.approx(1)


def test_a_plain_sum_gives_the_models_own_view_back() -> None:
    fusion = Fusion(Joined(0.0, {"support": 1.0}), Joined(0.0, {"against": 1.0}))
    found = fusion.judge_claim(signals())
    assert found.supported == pytest.approx(0.7)
    assert found.contradicted == pytest.approx(0.2)
    assert sigmoid(logit(0.25)) == pytest.approx(0.25)
    assert sigmoid(-800.0) == pytest.approx(0.0)


def test_units_add_a_bounded_part() -> None:
    joined = Joined.of(
        {
            "constant": 1.0,
            "weights": {"a": 2.0},
            "units": [{"adds": 0.5, "constant": 0.0, "weights": {"a": 1.0, "b": -1.0}}],
        }
    )
    assert joined.score({"a": 1.0, "b": 1.0}) == pytest.approx(3.0)
    assert joined.score({"a": 1.0, "b": 1000.0}) == pytest.approx(2.5)


def test_doubtful_places_are_joined() -> None:
    marking = Marking(constant=0.0, verdict=0.0, weights={"mark": 1.0}, gap=2)
    scores = [marking.score(Token(0, 3, {"mark": mark}), 0.5) for mark in (2.0, -1.0)]
    assert scores == [2.0, -1.0]
    assert marking.stretches([(0, 3), (4, 8), (12, 15)]) == [(0, 8), (12, 15)]


def test_a_verdict_against_the_claim_makes_its_tokens_more_doubtful() -> None:
    marking = Marking(constant=0.0, verdict=-1.0, weights={})
    token = Token(0, 3, {})
    assert marking.score(token, 0.1) > 0 > marking.score(token, 0.9)


def test_tokens_are_found_in_the_output_where_the_subject_was_carried_in() -> None:
    output = "Marie Curie was born in Warsaw. She won a prize in Oslo."
    stated = "Marie Curie won a prize in Oslo."
    places = [(match.start(), match.end()) for match in re.finditer(r"\w+", stated)]
    found = list(in_output(places, stated, output, 32, len(output)))
    assert found[:2] == [None, None]
    assert [output[slice(*place)] for place in found[2:] if place] == ["won", "a", "prize", "in", "Oslo"]
    plain = list(in_output([(0, 3)], output[32:], output, 32, len(output)))
    assert plain == [(32, 35)]


def signs_at(item: Measured, word: str) -> dict[str, float]:
    start = item.stated.index(word)
    return dict(next(token.signs for token in tokens(item) if token.start <= start < token.end))


def test_tokens_know_what_the_rules_found(model: PairModel) -> None:
    context = ReadContext([Passage(0, '{"wifi": false, "seats": 40, "owner": "Ana Ruiz"}')])
    item = measure(["The café of Bo Lund has 45 seats and free wifi."], context, model)[0]
    assert signs_at(item, "wifi")["wrong field"] > 0.5
    assert signs_at(item, "Lund")["missing name"] == 1.0
    assert signs_at(item, "45")["wrong number"] + signs_at(item, "45")["missing number"] > 0
    assert [signs_at(item, "café")[sign] for sign in ("wrong field", "missing name", "wrong number")] == [0, 0, 0]


def test_numbers_keep_their_places_in_a_claim_joined_with_its_question(model: PairModel) -> None:
    question = "How many seats does the café have?"
    item = measure([f"{question} 45"], ReadContext([Passage(0, "The café has 40 seats.")]), model, question)[0]
    assert item.stated == "45"
    found = signs_at(item, "45")
    assert found["wrong number"] + found["missing number"] > 0


def test_signals_of_a_bare_answer_leave_its_question_out(model: PairModel) -> None:
    context = ReadContext([Passage(0, "Paris is the capital of France.")])
    question = "What is the capital of France?"
    found = measure([f"{question} Paris"], context, model, question)[0]
    assert found.stated == "Paris"
    assert found.signals.coverage == 1.0
    assert isinstance(found.reading, PairReading)
