"""The parts of training that need neither the data nor a GPU."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer
from training.corrupt import KINDS, corrupt, names
from training.deciding import located, unit_scores, units
from training.evaluate import grouped, quoting_lines
from training.evidence_rows import FILES, copied, doubles, faults
from training.evidence_rows import read_rows as evidence_rows
from training.features import DOMAINS, made
from training.figures import Scored, area, balanced_accuracy, best, calibration_error, f1, span_f1
from training.harder import without_support
from training.left_out import left_out
from training.lessons import chosen_again, chosen_first
from training.readings import answer_readings, asked, from_absences, from_evidence, key_of, viewed, withheld
from training.rows import Row, fold_of_documents, read_rows, statements, write_rows
from training.sets import SOURCES, Case, document_of, own_answers, read, sources
from training.swaps import exchanged, mentions, swapped, swaps
from training.variants import Names, changed, renamed
from training.writing import Request, requests_for, sentences_of

from halluscope._internal.judges.embedded.network.model import WEIGHTS
from halluscope._internal.judges.embedded.reading.evidence import EvidenceIndex
from halluscope._internal.text import words

SENTENCE = "On 3 March 1998 Anna Berg was elected by the larger party, and Oskar Lund left Bergen with 120 men."


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_change_is_where_it_is_said_to_be(kind: str) -> None:
    pool = [SENTENCE, "Carl Holm came to Oslo in 2004 with 75 others."]
    changed = 0
    for seed in range(30):
        change = KINDS[kind](SENTENCE, pool, random.Random(seed))
        if change is None:
            continue
        text, (start, end) = change
        changed += 1
        assert text != SENTENCE
        assert 0 <= start < end <= len(text)
        assert text[:start] == SENTENCE[:start]
    assert changed


def test_nothing_to_change_is_none() -> None:
    assert corrupt("it rains", [], random.Random(0)) is None


def test_names_are_found_by_their_surface() -> None:
    assert [SENTENCE[a:b] for a, b in names(SENTENCE)][:2] == ["March", "Anna Berg"]


def _case(output: str, label: str, spans: list[dict[str, Any]] | None = None, name: str = "ragtruth") -> dict[str, Any]:
    return {"output": output, "label": label, "spans": spans, "set": name, "context": ["x"], "task": "summ"}


def test_sentences_take_the_label_of_their_spans() -> None:
    output = "The sun rose. It was green."
    case = _case(output, "contradicted", [{"start": 21, "end": 26, "label": "contradicted"}])
    assert list(statements(case)) == [("The sun rose.", 0, ()), ("It was green.", 1, ((7, 12),))]


def test_a_wrong_output_without_spans_stays_whole() -> None:
    case = _case("One thing. Another thing.", "hallucinated", None, "summedits")
    assert list(statements(case)) == [("One thing. Another thing.", 3, None)]


def test_documents_that_share_a_sentence_share_a_fold() -> None:
    shared = "The harbour of Orvik was widened twice between the wars by local fishermen and masons."
    cases = [{"context": [f"{shared} {number} more words follow here."]} for number in range(12)]
    assert len(set(fold_of_documents(cases).values())) == 1


def test_support_can_be_taken_out() -> None:
    context = [
        "The bridge at Torvald was opened in 1931 by the mayor of the town. "
        "Ferries had crossed the river for three hundred years before. Many farmers lost their trade in winter. "
        "A railway followed some years later, and with it came a sawmill. The mill burned down in a storm. "
        "Its owner moved to the coast and never came back to the valley again, as the papers wrote at length."
    ]
    claim = "The bridge at Torvald was opened by the mayor in 1931."
    rest = without_support(claim, context)
    assert rest is not None
    assert "Torvald" not in " ".join(rest)
    assert "Torvald" in EvidenceIndex(context).select(claim).text


def test_no_set_without_a_free_licence_is_learned_from() -> None:
    learned = [*sources("base"), *sources("folds"), *own_answers(), *sources("absences")]
    assert learned
    assert not [
        source.name for source in learned if source.licence in ("none stated", "unclear") or "-NC" in source.licence
    ]
    assert len({source.name for source in SOURCES}) == len(SOURCES)


@pytest.mark.slow("reads the training data")
def test_documents_that_every_fold_learns_from_are_not_measured_under_the_same_name() -> None:
    here = {source.name: source for source in SOURCES if source.folder == "training" and source.use != "left out"}
    names = {name: {document_of(case) for case in read(Path(), source)} for name, source in here.items()}
    assert len(names["rag_answers"]) > 1000
    learnt = set[str]().union(*(names[name] for name, source in here.items() if source.use == "shared"))
    measured = set[str]().union(*(names[name] for name, source in here.items() if source.use != "shared"))
    assert learnt and measured and not learnt & measured


@pytest.mark.slow("reads the training data")
@pytest.mark.parametrize(
    ("name", "documents"),
    [("page_claims", 336), ("absences", 366), ("piece_answers", 1212), ("reworded_answers", 2510)],
)
def test_our_answers_are_as_often_right_as_wrong(name: str, documents: int) -> None:
    source = next(source for source in SOURCES if source.name == name)
    by_document: dict[str, list[Case]] = {}
    for case in read(Path(), source):
        by_document.setdefault(document_of(case), []).append(case)
    assert len(by_document) == documents
    for cases in by_document.values():
        assert abs(sum(1 if case["label"] == "supported" else -1 for case in cases)) <= 1  # one was taken out of four
    every = [case for cases in by_document.values() for case in cases]
    assert len({case["id"] for case in every}) == len(every)
    assert all(bool(case["spans"]) == (case["label"] != "supported") for case in every)
    assert all(0 <= span["start"] < span["end"] <= len(case["output"]) for case in every for span in case["spans"])


@pytest.mark.slow("reads the training data")
def test_what_is_not_told_is_learnt_with_the_whole_context_only() -> None:
    by_id = {case["id"]: case for source in sources("absences") for case in read(Path(), source)}
    found = list(from_absences(Path(), {document_of(case): 0 for case in by_id.values()}))
    assert len({reading.case for reading in found}) > 600
    for reading in found[::20]:
        context = set(words(" ".join(by_id[reading.case]["context"])))
        assert len(context - set(words(reading.evidence))) <= 0.05 * len(context)


def test_figures() -> None:
    scored = [Scored(True, 0.9), Scored(True, 0.4), Scored(False, 0.1), Scored(False, 0.2)]
    assert balanced_accuracy(scored) == 0.75
    assert f1(scored) == pytest.approx(2 / 3)
    assert area(scored) == 1.0
    assert best(scored, "balanced accuracy") == 1.0
    assert calibration_error([Scored(True, 1.0), Scored(False, 0.0)]) == 0.0


def test_span_f1_counts_characters() -> None:
    assert span_f1([([(0, 10)], [(5, 15)])]) == 0.5
    assert span_f1([([], []), ([(0, 4)], [(0, 4)])]) == 1.0


EVIDENCE = "In May Anna Berg sold 40 boats to Oskar Lund for $1,300. In June Carl Holm sold 12 for $950, up 5%."
CLAIM = "Anna Berg sold 40 boats in May."


def _row(label: int = 0, fold: int = -1, name: str = "fm2_dev", made: bool = False, claim: str = CLAIM) -> Row:
    return Row("Who sold boats?", EVIDENCE, claim, label, ((0, 4),) if label else None, name, fold, made)


def test_mentions_have_one_sort_each() -> None:
    found = mentions(EVIDENCE + " By 1998 all was gone by 9 March, a Friday.")
    assert found["month"] == ["May", "June", "March"]
    assert found["money"] == ["$1,300", "$950"]
    assert (found["percent"], found["year"], found["number"], found["day"]) == (
        ["5"],
        ["1998"],
        ["40", "12", "9"],
        ["Friday"],
    )
    assert found["name"] == ["Anna Berg", "Oskar Lund", "Carl Holm"]
    assert "name" not in mentions("Tables were set. Nobody came.\nMusic played.")


def test_an_exchange_takes_all_of_both_and_nothing_else() -> None:
    assert exchanged("3 of 13, 3.5 and 3, then 7.", "3", "7") == "7 of 13, 3.5 and 7, then 3."
    assert exchanged("Anna saw Anna Berg.", "Anna Berg", "Oskar") == "Anna saw Oskar."
    once = exchanged(EVIDENCE, "Anna Berg", "Carl Holm")
    assert once != EVIDENCE and exchanged(once, "Anna Berg", "Carl Holm") == EVIDENCE


def test_a_swap_keeps_every_word_of_the_evidence() -> None:
    rng = random.Random(1)
    made = [row for row in (swapped(_row(), rng) for _ in range(60)) if row is not None]
    in_evidence = [row for row in made if row.evidence != EVIDENCE]
    in_claim = [row for row in made if row.claim != CLAIM]
    assert len(in_evidence) + len(in_claim) == len(made) and len(in_evidence) > len(in_claim) > 0
    for row in in_evidence:
        assert sorted(row.evidence.replace(".", "").split()) == sorted(EVIDENCE.replace(".", "").split())
    assert swapped(_row(claim="it rains"), rng) is None


def test_no_swap_comes_twice() -> None:
    made = list(swaps([_row() for _ in range(300)], 1000, 0))
    assert len({(row.evidence, row.claim) for row in made}) == len(made) > 3
    assert len(list(swaps([_row() for _ in range(300)], 2, 0))) == 2


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    rows = [_row(), _row(3, 1, made=True, claim="Łódź \udc80 \u2028 end")]
    write_rows(rows, tmp_path / "rows.jsonl.gz")
    assert list(read_rows(tmp_path / "rows.jsonl.gz")) == rows


def test_what_the_teacher_learns_from() -> None:
    large = [_row() for _ in range(9000)]
    natural, made = [_row(0, 1, "ragtruth")] * 10, [_row(3, 2, "ragtruth", True)] * 10
    rows = [*large, *natural, *made]
    first = chosen_first(rows)
    assert len(first) == 8000 + 2 * 10 + 6
    assert len({place for place in first if place < 9000}) == 8000
    again = chosen_again(rows, [_row(0, 0, "written_rag_news")] * 90)
    assert sum(9000 <= place < 9010 for place in again) == 10
    assert len(again) == len(set(again)) == 10 + 12


def _request(kind: str, led: bool) -> Request:
    case = {"context": [EVIDENCE], "input": "Who sold boats?", "output": CLAIM, "set": "written_rag_news"}
    return Request(kind, "…", {**case, "label": "supported", "id": "x-1", "task": "qa", "meta": {}}, 2, led)


def test_every_kind_of_request_is_made_where_it_can_be() -> None:
    case = {**_request("ask", True).case, "context": [" ".join([EVIDENCE] * 3)]}
    stranger = {**case, "input": "How deep is the lake?"}
    kinds = set()
    for seed in range(40):
        for request in requests_for([case], stranger, 1, True, random.Random(seed)):
            kinds.add(request.kind)
            assert (CLAIM if request.kind in ("reword", "twist") else EVIDENCE) in request.text
            assert ("lake" in request.text) == (request.kind == "astray")
    assert kinds == {"tell", "ask", "astray", "reword", "twist"}
    bare = {**case, "context": ["Too short."], "input": None, "label": "contradicted"}
    assert not list(requests_for([bare], None, 1, True, random.Random(0)))


@pytest.mark.parametrize("led", [True, False])
def test_a_sentence_that_was_cut_off_is_left_out(led: bool) -> None:
    reply = "**Anna Berg** sold forty boats in May. She was paid for all of them. Then she"
    said = [row.claim for row in sentences_of(_request("ask", led), reply, whole=False)]
    assert said == ["Anna Berg sold forty boats in May.", "She was paid for all of them."]
    assert not list(sentences_of(_request("ask", led), "Then she went", whole=False))
    assert not list(sentences_of(_request("ask", led), " ", whole=True))


def test_only_what_has_a_lead_hears_what_was_said_before() -> None:
    reply = "Anna Berg sold forty boats in May. She was paid for all of them."
    led = list(sentences_of(_request("ask", True), reply, whole=True))
    assert [row.question for row in led] == ["Who sold boats?", "Who sold boats? Anna Berg sold forty boats in May."]
    alone = list(sentences_of(_request("tell", False), reply, whole=True))
    assert [row.question for row in alone] == ["", ""]
    assert {row.fold for row in [*led, *alone]} == {2}


def test_a_teacher_views_each_claim_of_an_answer_with_what_was_said_before_it() -> None:
    said = "Grown-ups pay €8 before noon. Brannoc Teague runs the till."
    case = {**_RATES, "output": said, "set": "written_rag_everyday"}
    (reading,) = answer_readings(case, 1, EvidenceIndex(case["context"]), 330, None)
    first, second = (asked(reading, claim) for claim in reading.claims)
    assert (first.question, second.question) == (case["input"], f"{case['input']} Grown-ups pay €8 before noon.")
    assert (first.claim, second.claim) == ("Grown-ups pay €8 before noon.", "Brannoc Teague runs the till.")
    view = (-0.1, -3.0, -4.0)
    taught = viewed(reading, {key_of(second.question, second.evidence, second.claim): view})
    assert [claim.view for claim in taught.claims] == [None, view]
    assert viewed(reading, {}) == reading


def test_a_claim_said_again_word_for_word_is_no_rewording() -> None:
    assert not list(sentences_of(_request("reword", False), f'"{CLAIM}"', whole=True))
    said = [
        row.claim
        for row in sentences_of(_request("twist", False), '"Anna Berg sold 41 boats in May."\nNote: changed.', True)
    ]
    assert said == ["Anna Berg sold 41 boats in May."]


_RATES: dict[str, Any] = {
    "id": "rates-1",
    "input": "What does Wenna pay at the Tolvan pool?",
    "context": [
        "Opening hours and prices of the Tolvan pool. Grown-ups pay €8 before noon. Anyone who lives in Brae and can "
        "show a card of the parish pays €5 on every day but Sunday. Brannoc Teague runs the till."
    ],
    "output": "Living in Brae, Wenna pays €5 at the Tolvan pool.",
    "label": "supported",
    "spans": [],
    "meta": {"document": "rates"},
}


def test_other_names_change_nothing_but_names_and_move_the_marks_along() -> None:
    other = ["Near Kestlemerris, Jory Angwin sold it to Demelza Pascoe of Lanyon."]
    far = {**_RATES, "context": other, "output": "As anyone living near knows, opening it was for the grown."}
    marked = {**_RATES, "label": "contradicted", "spans": [{"start": 16, "end": 31}]}
    assert marked["output"][16:31] == "Wenna pays €5 a"
    known = Names([marked, far])
    for seed in range(20):
        made = renamed(marked, known, random.Random(seed))
        told = "\n".join([*made["context"], made["input"], made["output"]])
        assert not any(name in told for name in ("Tolvan", "Wenna", "Brae", "Brannoc", "Teague"))
        assert "Opening hours and prices" in told
        assert "Sunday" in told
        (mark,) = made["spans"]
        said = made["output"][mark["start"] : mark["end"]]
        assert said.endswith(" pays €5 a")
        # The same person in question and answer is the same person still.
        assert said.split()[0] in made["input"]


def test_names_written_small_elsewhere_are_left_as_they_are() -> None:
    assert "Opening" not in Names([{**_RATES, "output": "It is opening late."}]).words
    assert "Tolvan" in Names([_RATES]).words


def test_an_answer_with_one_thing_changed_says_where() -> None:
    made = list(changed(_RATES))
    assert {case["label"] for case in made} <= {"supported", "contradicted"}
    wrong = [case for case in made if case["label"] == "contradicted"]
    assert wrong
    for case in wrong:
        (mark,) = case["spans"]
        assert case["output"][: mark["start"]] == _RATES["output"][: mark["start"]]
        assert case["output"] != _RATES["output"]


def _meant(text: str, domain: str) -> dict[str, set[Any]]:
    """The values that a text says a thing has, by the wordings of its kind of record: the longest that stand there."""
    found: dict[str, set[Any]] = {}
    for feature in DOMAINS[domain]:
        wordings = [
            (value, wording.removeprefix("it ")) for value, said in feature.says.items() for wording in said.split("|")
        ]
        there = [(value, wording) for value, wording in wordings if wording.lower() in text.lower()]
        for value, wording in there:
            if not any(wording in other != wording for _, other in there):
                found.setdefault(feature.key, set()).add(value)
    return found


def test_what_is_said_of_a_record_is_what_its_label_says() -> None:
    seen = set()
    for case in made(3000, seed=5):
        assert all(0 <= start < end <= len(case.text) for start, end in case.wrong)
        assert bool(case.wrong) == bool(case.label) == bool(case.kind)
        if not case.evidence.startswith('{"name"') or "attributes" in case.evidence or case.kind == "date":
            continue
        record = json.loads(case.evidence)
        failing = " ".join(case.text[start:end] for start, end in case.wrong)
        clashes = set()
        for key, values in _meant(case.text, record["type"]).items():
            if key not in record:
                continue
            known = record[key]
            held = {name for name, on in known.items() if on} or {False} if isinstance(known, dict) else {known}
            clashes |= {(key, known is None) for value in values if value not in held}
        assert {empty for _, empty in clashes} == ({case.label == 2} if case.label else set()), (case, failing)
        seen.add(case.label)
    assert seen == {0, 1, 2}


@pytest.mark.slow("reads the training data")
def test_rows_that_quote_the_deciding_sentence_are_what_they_say() -> None:
    rows = [row for path in FILES for row in evidence_rows(path)]
    assert len({row["id"] for row in rows}) == len(rows)
    assert [fault for row in rows for fault in faults(row)] == []
    assert doubles(rows) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"label": "supported"}, "marked words do not go with the label"),
        ({"evidence": []}, "evidence does not go with the label"),
        ({"evidence": [{"passage": 0, "start": 1, "end": 10, "quote": "It shuts"}]}, "not in its place"),
        ({"spans": [[5, 99]]}, "outside the output"),
        ({"label": "wrong"}, "unknown label"),
    ],
)
def test_a_damaged_row_is_found(change: Case, said: str) -> None:
    quote = {"passage": 0, "start": 0, "end": 18, "quote": "It shuts at eight."}
    row: Case = {"id": "a", "context": ["It shuts at eight."], "output": "It shuts at ten.", "label": "contradicted"}
    row |= {"evidence": [quote], "spans": [[12, 15]]}
    assert faults(row) == []
    assert any(said in fault for fault in faults(row | change))


def test_a_row_copied_from_a_measured_set_is_found() -> None:
    measured: Case = {"id": "m", "context": "The old mill by the weir grinds only rye since May.", "output": "Yes."}
    copy: Case = {"id": "c", "context": ["A mill by the weir grinds only rye since May, they say."], "output": "No."}
    apart: Case = {"id": "d", "context": ["The mill by the weir has ground rye since May."], "output": "Yes."}
    assert copied([copy, apart], [measured]) == ["c: shares 8 words with m"]
    assert len(doubles([copy, apart, copy])) == 1


PASSAGES = [
    "Returns. Any product may be sent back within 30 days. Laptops can be sent back only within 14 days.",
    "| Model | Price |\n| --- | --- |\n| P20 | 29 |\n| P40 | 39 |\n\nstatus: shipped\nNotes follow. They are short.",
]


def test_rows_and_lines_are_quoted_as_a_whole() -> None:
    assert [PASSAGES[0][a:b] for a, b in units(PASSAGES[0])][1:] == [
        "Any product may be sent back within 30 days.",
        "Laptops can be sent back only within 14 days.",
    ]
    found = [PASSAGES[1][a:b] for a, b in units(PASSAGES[1])]
    assert found == [
        "| Model | Price |", "| P20 | 29 |", "| P40 | 39 |", "status: shipped", "Notes follow.", "They are short.",
    ]  # fmt: skip


def test_a_quote_is_found_whatever_blanks_stand_between_its_words() -> None:
    evidence = "Laptops can be sent back only within 14 days. | P40 |  39 |"
    assert [evidence[a:b] for a, b in located(evidence, "| P40 | 39 |")] == ["| P40 |  39 |"]
    assert located(evidence, "Phones can be sent back") == []
    both = "Any product may be sent back within 30 days. Laptops can be sent back only within 14 days."
    assert [evidence[a:b] for a, b in located(evidence, both)] == ["Laptops can be sent back only within 14 days."]


def test_the_likeliest_unit_is_the_one_whose_words_are_likeliest() -> None:
    evidence = " ".join(PASSAGES[0].split())
    first = evidence.index("Laptops")
    scores = unit_scores(PASSAGES, evidence, [(0, first, 0.1), (first, len(evidence), 0.9)])
    number, start, end = max(scores, key=lambda unit: scores[unit])
    assert PASSAGES[number][start:end] == "Laptops can be sent back only within 14 days."
    assert {number for number, _, _ in scores} == {0}  # nothing was read of the other


def _laptop() -> Case:
    start = PASSAGES[0].index("Laptops")
    quote = {"passage": 0, "start": start, "end": len(PASSAGES[0]), "quote": PASSAGES[0][start:]}
    said = "A laptop has three weeks."
    return {
        **_case(said, "contradicted", [{"start": 13, "end": 24, "label": "contradicted"}]),
        "id": "laptop-a",
        "input": None,
        "context": PASSAGES,
        "evidence": [quote],
        "meta": {"document": "laptop"},
    }


def test_what_decides_is_marked_only_where_all_of_it_was_chosen() -> None:
    (reading,) = answer_readings(_laptop(), 0, EvidenceIndex(PASSAGES), 90, None)
    ((start, end, weight),) = reading.claims[0].decides or ()
    assert (reading.evidence[start:end], weight) == ("Laptops can be sent back only within 14 days.", 1.0)
    assert list(answer_readings(_laptop(), 0, EvidenceIndex(PASSAGES[1:]), 90, None)) == []


def test_without_what_decides_an_answer_is_unsupported() -> None:
    case = withheld(_laptop())
    assert case is not None
    assert case["label"] == "unsupported" and case["evidence"] == []
    assert "14 days" not in " ".join(case["context"])
    assert "30 days" in " ".join(case["context"])
    assert withheld({**_laptop(), "context": ["Laptops have 14 days."], "evidence": [
        {"passage": 0, "start": 0, "end": 21, "quote": "Laptops have 14 days."}]}) is None  # fmt: skip


@pytest.mark.slow("reads the training data")
def test_evidence_readings_mark_gold_words_and_keep_documents_in_one_fold() -> None:
    folds: dict[str, set[int]] = {}
    marked = 0
    for reading in from_evidence(2):
        folds.setdefault(reading.case.rpartition("-")[0] if not reading.made else "", set()).add(reading.fold)
        for claim in reading.claims:
            if claim.label == 2 and claim.decides is not None:
                assert claim.decides == ()
            for start, end, weight in claim.decides or ():
                marked += 1
                assert weight == 1.0 and 0 <= start < end <= len(reading.evidence)
    assert marked > 100
    assert all(len(found) == 1 for name, found in folds.items() if name)


def test_leaving_a_sentence_out_shows_what_decides() -> None:
    row = Row("", "It rains in May. Laptops have 14 days. Birds sing.", "A laptop has 14 days.", 0, None, "x", 0)
    unsure = Row("", row.evidence, "Birds are loud.", 1, None, "x", 0)

    def viewed(rows: Sequence[Row]) -> np.ndarray:
        sure = [0.9 if "Laptops" in each.evidence else 0.2 for each in rows]
        return np.log([[chance, (1 - chance) / 2, (1 - chance) / 2] for chance in sure])

    tokenizer = Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))
    found = left_out([row, unsure], viewed, tokenizer, 60)
    encoded = tokenizer.encode(row.evidence, add_special_tokens=False)
    assert found["lengths"].tolist() == [len(encoded.ids), 0]
    deciding = [place for place, percent in zip(encoded.offsets, found["decides"], strict=True) if percent == 100]
    assert row.evidence[deciding[0][0] : deciding[-1][1]] == "Laptops have 14 days."
    assert len(left_out([row], viewed, tokenizer, -1)["keys"]) == 0  # no time is left


def test_evidence_is_counted_where_the_verdict_is_right() -> None:
    right = {"set": "evidence_health", "task": "qa", "label": "supported", "supported": [0.9], "length": 3}
    right |= {"overlap": 0.5, "quote": True, "by overlap": False, "spans": [], "called": []}
    wrong = {**right, "label": "contradicted", "quote": False, "spans": [[0, 4]], "called": [[0, 4]]}
    table = "\n".join(quoting_lines(grouped([right, {**wrong, "supported": [0.8]}, {**wrong, "supported": [0.1]}])))
    assert "| answers over passages | balanced accuracy | 3 | 0.750 |" in table
    assert "| answers over passages | evidence found | 3 | 0.500 | – | 0.000 |" in table
    assert "| answers over passages | F1, marked words | 3 | 1.000 |" in table
    assert "one-line claims" not in table
