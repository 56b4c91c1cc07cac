"""The longer contexts of the RAG benchmark: the text itself must stay in them, and its twin must be about others."""

from __future__ import annotations

import random
import re

from benchmarks.long_contexts import FEWEST, MOST, MOST_WORDS, by_document, surrounded, twin

from halluscope._internal.proof.sets.public_sets import load_set


def test_the_own_passages_stand_among_those_of_other_documents_of_the_domain() -> None:
    documents = by_document(load_set("rag").cases)
    for name in sorted(documents)[::17]:
        own = documents[name][0].case.context or ()
        around = surrounded(name, documents, least=1000, seed=0)
        assert around == surrounded(name, documents, least=1000, seed=0), "the same seed, the same documents"
        assert all(passage in around for passage in own)
        others = [
            other
            for other, answers in documents.items()
            if other != name and set(answers[0].case.context or ()) <= set(around)
        ]
        assert FEWEST - 1 <= len(others) <= MOST, name
        assert {other.rpartition("-")[0] for other in others} == {name.rpartition("-")[0]}
        assert 900 <= sum(len(passage.split()) for passage in around) <= MOST_WORDS


def test_a_twin_has_other_names_numbers_and_identifiers_and_the_same_days() -> None:
    text = (
        "On 12 May order SO-7741 went to the shop of Corvane Rail. It paid 1,400 in 2024 for 340 bolts, "
        "and Corvane asked for 40 more by Monday."
    )
    (other,) = twin((text,), random.Random(3))
    assert not re.search(r"Corvane|Rail|7741|1,400|2024|340|\b40\b", other), other
    assert "12 May" in other and "Monday" in other and "order SO-" in other
    names = re.findall(r"shop of (\w+) \w+\. .* and (\w+) asked", other)
    assert names and names[0][0] == names[0][1], "one name stays one name"
