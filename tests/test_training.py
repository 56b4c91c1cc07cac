"""The parts of training that need neither the data nor a GPU."""

from __future__ import annotations

import random
from typing import Any

import pytest
from training.corrupt import KINDS, corrupt, names
from training.figures import Scored, area, balanced_accuracy, best, calibration_error, f1, span_f1
from training.harder import without_support
from training.rows import fold_of_documents, statements
from training.sets import SOURCES, sources

from halluscope._internal.embedded.reading.evidence import EvidenceIndex

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
    learned = [*sources("base"), *sources("folds"), *sources("answers")]
    assert learned
    assert not [
        source.name for source in learned if source.licence in ("none stated", "unclear") or "-NC" in source.licence
    ]
    assert len({source.name for source in SOURCES}) == len(SOURCES)


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
