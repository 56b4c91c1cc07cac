"""The network: what it says, that it always says the same, and how an output is read with it."""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from halluscope._internal.core.errors import ModelFileError
from halluscope._internal.core.verdict import Claim
from halluscope._internal.engine.questions import Passage
from halluscope._internal.judges.embedded.network import model
from halluscope._internal.judges.embedded.network.model import (
    KINDS,
    WEIGHTS,
    ClaimView,
    Network,
    Reading,
    _overflows,
    load,
    settings,
    view_of,
)
from halluscope._internal.judges.embedded.network.passes import LADDER, PIECE_WORDS, all_looks, alone_look, look_at
from halluscope._internal.judges.embedded.reading.evidence import EvidenceIndex, ReadContext, Window

EVIDENCE = (
    "Einstein won the Nobel Prize in Physics in 1921 for the photoelectric effect. He was born in Ulm in 1879. "
    "The company has about 500 employees in Berlin."
)
RIGHT = ("Einstein won the Nobel Prize in 1921.", "Einstein was born in Ulm.", "The company employs about 500 people.")
WRONG = ("Einstein won the Nobel Prize in 1969.", "Einstein did not win the Nobel Prize.", "Einstein liked to sail.")


@pytest.fixture(scope="module")
def network() -> Network:
    return load()


def alone(claim: str, evidence: str = EVIDENCE, lead: str = "") -> Reading:
    return Reading(lead, claim, evidence, ((0, len(claim)),))


def test_right_and_wrong_claims_are_told_apart(network: Network) -> None:
    views = [view for (view,) in network.read([alone(claim) for claim in RIGHT + WRONG])]
    assert all(view.supported > 0.5 for view in views[: len(RIGHT)])
    assert all(view.supported < 0.5 for view in views[len(RIGHT) :])


def test_claims_of_one_reading_are_judged_apart(network: Network) -> None:
    text = f"{RIGHT[1]} {WRONG[0]}"
    right, wrong = network.read([Reading("", text, EVIDENCE, ((0, len(RIGHT[1])), (len(RIGHT[1]) + 1, len(text))))])[0]
    assert right.supported > 0.5 > wrong.supported
    assert all(start >= len(RIGHT[1]) for start, _, _ in wrong.marks)


def test_the_evidence_head_points_at_the_sentence_that_decides(network: Network) -> None:
    passages = (
        "Any lamp may be sent back within 30 days.",
        "The shop opens at nine. Laptops go back only within 14 days.",
    )
    windows = (Window(1, 24, 60), Window(0, 0, 41))
    evidence = " ".join(passages[window.passage][window.start : window.end] for window in windows)
    text = "A laptop can be returned within 30 days."
    ((view,),) = network.read([Reading("", text, evidence, ((0, len(text)),), windows)])
    best, *_ = ReadContext([Passage(0, passages[0]), Passage(1, passages[1])]).deciding(view.evidence)
    assert (best.passage, best.start, best.end) == (1, 24, 60)
    words = [passages[window.passage][window.start : window.end] for window, _ in view.evidence]
    assert "".join(words) == evidence.replace(" ", ""), "every token has its place in the passages"


def test_evidence_without_places_points_nowhere(network: Network) -> None:
    assert {len(view.evidence) for (view,) in network.read([alone(claim) for claim in RIGHT])} == {0}


def test_probabilities_sum_to_one_and_marks_lie_in_the_claim(network: Network) -> None:
    for claim, (view,) in zip(WRONG, network.read([alone(claim) for claim in WRONG]), strict=True):
        assert view.supported + view.contradicted + view.unsupported == pytest.approx(1)
        assert sum(view.kinds) == pytest.approx(1)
        assert len(view.kinds) == len(KINDS)
        assert all(0 <= start < end <= len(claim) and 0 <= mark <= 1 for start, end, mark in view.marks)


def test_the_changed_year_is_marked(network: Network) -> None:
    claim = WRONG[0]
    ((view,),) = network.read([alone(claim)])
    start, end, _ = max(view.marks, key=lambda mark: mark[2])
    assert claim[start:end] in ("1969", ".")


def test_who_did_what_to_whom_is_read(network: Network) -> None:
    right, wrong = network.read(
        [
            alone(claim, "John sold the house to Mary in 2019.")
            for claim in ("John sold it to Mary.", "Mary sold it to John.")
        ]
    )
    assert right[0].supported > 0.5 > wrong[0].supported
    assert KINDS[max(range(len(KINDS)), key=wrong[0].kinds.__getitem__)] == "role"


@pytest.mark.slow("loads the network several times")
def test_a_reading_does_not_depend_on_others_or_on_threads(network: Network) -> None:
    readings = [alone(claim) for claim in RIGHT + WRONG] + [
        alone("Nothing is known.", ""),
        alone(RIGHT[0], EVIDENCE * 3),
    ]
    single = [network.read([reading])[0] for reading in readings]
    assert network.read(readings) == single
    assert network.read(readings[::-1] * 3) == single[::-1] * 3
    assert load(threads=1).read(readings) == single


@pytest.mark.slow("loads the network twice more")
def test_unsigned_weights_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor that overflows with signed weights reads the same as all others."""
    reading = Reading("", "It closed in 1969.", "The mill closed in 1921. Entry is free.", ((0, 18),))
    found = []
    for overflows in (_overflows, lambda: True):
        monkeypatch.setattr(model, "_overflows", overflows)
        found.append(Network(WEIGHTS, 1).read([reading]))
    assert found[0] == found[1]


def test_no_time_is_lost_to_unsigned_weights_where_signed_ones_do() -> None:
    cpu = Path("/proc/cpuinfo")
    flags = cpu.read_text(encoding="utf-8") if cpu.exists() else ""
    signed_will_do = "vnni" in flags or platform.machine() in ("aarch64", "arm64")
    assert not (signed_will_do and _overflows())


@pytest.mark.slow("reads hundreds of texts with the network")
def test_odd_texts_are_read(network: Network) -> None:
    odd = ["", " ", "\ud800 broken", "数字は三です。", "word " * 400, "a" * 3000, "🙂"]
    views = network.read([alone(text, other, other) for text in odd for other in odd])
    assert len(views) == len(odd) ** 2
    assert all(0 <= view.supported <= 1 for (view,) in views)


@pytest.mark.slow("copies and hashes the weights")
@pytest.mark.parametrize("changed", sorted(settings()["files"]))
def test_a_changed_file_is_noticed(changed: str, tmp_path: Path) -> None:
    for path in WEIGHTS.iterdir():
        shutil.copyfile(path, tmp_path / path.name)
    with (tmp_path / changed).open("r+b") as file:
        file.seek(-100, 2)
        byte = file.read(1)[0]
        file.seek(-100, 2)
        file.write(bytes([byte ^ 1]))
    with pytest.raises(ModelFileError, match=rf"{re.escape(changed)} .* BLAKE2b"):
        load(tmp_path)


def test_every_file_beside_the_settings_has_a_hash() -> None:
    assert {path.name for path in WEIGHTS.iterdir()} == {"model.json", *settings()["files"]}


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"model\.json"):
        load(tmp_path)
    (tmp_path / "model.json").write_text(json.dumps({"files": {"model.onnx": "0"}}), encoding="utf-8")
    settings.cache_clear()
    with pytest.raises(ModelFileError, match=r"model\.onnx .* cannot be read"):
        load(tmp_path)


@pytest.mark.slow("compresses the weights")
def test_weights_fit_into_a_wheel_of_95_megabytes() -> None:
    import zlib

    packed = sum(len(zlib.compress(path.read_bytes(), 1)) for path in WEIGHTS.iterdir())
    assert packed <= 94_000_000


def test_importing_loads_no_runtime() -> None:
    code = (
        "import sys; from halluscope._internal.judges.embedded.reading import evidence; "
        "from halluscope._internal.judges.embedded.network import passes, model; "
        "print([name for name in ('onnxruntime', 'tokenizers', 'numpy') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


class Asked:
    """A network that is sure of everything but what it is told not to be sure of, and notes what it was asked."""

    def __init__(self, unsure: str = "", logits: tuple[float, float, float] = (0.2, 0.0, 0.0)) -> None:
        self.unsure, self.logits = unsure, logits
        self.readings: list[Reading] = []

    def read(self, readings: Sequence[Reading]) -> list[tuple[ClaimView, ...]]:
        self.readings += readings
        return [tuple(self._view(reading.text[a:b]) for a, b in reading.claims) for reading in readings]

    def _view(self, text: str) -> ClaimView:
        logits = self.logits if self.unsure and self.unsure in text else (9.0, 0.0, 0.0)
        return view_of(logits, (0.0,) * len(KINDS), [(0, 1, 0.5)])


def claims_of(output: str, *texts: str) -> list[Claim]:
    return [
        Claim(f"c{n}", text, output.index(text), output.index(text) + len(text))
        for n, text in enumerate(texts, start=1)
    ]


LONG = [
    f"Fact {number} is about the harbour, the market and the price of bread in {1900 + number}." for number in range(90)
]


def test_claims_that_stand_together_share_a_reading() -> None:
    output = "The mill burned in 1901. It was rebuilt. It burned again."
    network = Asked("e")
    look_at(
        claims_of(output, "The mill burned in 1901.", "It was rebuilt.", "It burned again."),
        output,
        EvidenceIndex(LONG),
        network,
        "What of the mill?",
    )
    together, *alone, again = network.readings
    assert again.claims == together.claims
    assert len(together.claims) == 3
    assert together.lead == "What of the mill?"
    assert [reading.text for reading in alone] == ["The mill burned in 1901.", "It was rebuilt.", "It burned again."]
    assert {reading.lead for reading in alone} == {""}


def test_a_claim_is_read_alone_only_where_its_first_look_is_not_sure() -> None:
    output = "The mill burned in 1901. It was rebuilt. It burned again."
    network = Asked("rebuilt", (4.0, 1.0, 0.0))
    seen = look_at(
        claims_of(output, "The mill burned in 1901.", "It was rebuilt.", "It burned again."),
        output,
        EvidenceIndex(LONG),
        network,
        None,
    )
    assert [len(reading.claims) for reading in network.readings] == [3, 1]
    assert network.readings[1].text == "It was rebuilt."
    assert seen[0].alone == seen[0].view


def test_a_bare_answer_that_is_read_alone_keeps_its_question() -> None:
    question = "When did the mill burn?"
    reading = alone_look(Claim("c1", f"{question} In 1901."), EvidenceIndex(LONG), question)
    assert (reading.lead, reading.text) == (question, "In 1901.")


def test_evidence_grows_only_where_a_claim_is_not_sure() -> None:
    output = "Bread was dear in 1901."
    sure, unsure = Asked(), Asked("dear")
    for network in (sure, unsure):
        look_at(claims_of(output, output), output, EvidenceIndex(LONG), network, None)
    first, *more = (len(reading.evidence.split()) for reading in dict.fromkeys(unsure.readings))
    assert len(set(sure.readings)) == 1
    assert first <= LADDER[0]
    assert [LADDER[0] < words <= LADDER[1] for words in more] == [True]
    assert set(unsure.readings) <= set(all_looks(claims_of(output, output), output, EvidenceIndex(LONG), None))


@pytest.mark.parametrize(
    ("logits", "looks"),
    [((0.0, 9.0, 0.0), 1), ((0.0, 0.0, 9.0), 2), ((0.0, 4.0, 4.0), 2)],
    ids=["contradicted", "not found", "one of the two"],
)
def test_what_was_not_found_is_looked_for_in_more_evidence(logits: tuple[float, float, float], looks: int) -> None:
    output = "Bread was dear in 1901."
    network = Asked("dear", logits)
    look_at(claims_of(output, output), output, EvidenceIndex(LONG), network, None)
    assert len(set(network.readings)) == looks


def test_a_sentence_of_the_context_needs_no_network() -> None:
    network = Asked()
    (seen,) = look_at(claims_of(LONG[3], LONG[3]), LONG[3], EvidenceIndex(LONG), network, None)
    assert seen.view.supported > 0.99
    assert network.readings == []


def test_a_long_claim_holds_as_far_as_its_weakest_part() -> None:
    output = " ".join(["plain"] * (2 * PIECE_WORDS) + ["doubtful"] + ["plain"] * 20)
    network = Asked("doubtful")
    (seen,) = look_at(claims_of(output, output), output, EvidenceIndex(LONG[:2]), network, None)
    *parts, _alone = network.readings
    assert len(parts) == 3
    assert seen.view.supported < 0.5


def test_what_was_said_before_leads_in() -> None:
    before = " ".join(f"word{number}" for number in range(200))
    output = f"{before}. He left in 1901."
    network = Asked()
    look_at(claims_of(output, "He left in 1901."), output, EvidenceIndex(LONG), network, "When?")
    assert network.readings[0].lead.split()[:2] == ["When?", "word160"]


def test_a_bare_answer_is_read_with_its_question() -> None:
    network = Asked()
    claim = Claim("c1", "The capital of Germany is Paris.", 0, 6)
    question = "What is the capital of Germany?"
    (seen,) = look_at([claim], "Paris.", EvidenceIndex(["Berlin is the capital of Germany."]), network, question)
    assert (network.readings[0].lead, network.readings[0].text) == (question, "Paris.")
    assert seen.place == (0, 6)


def test_a_claim_from_elsewhere_is_read_by_itself() -> None:
    network = Asked()
    (seen,) = look_at([Claim("c1", "It rained.")], "Sunny.", EvidenceIndex(["It was sunny."]), network, None)
    assert network.readings[0].text == "It rained."
    assert seen.place is None
