"""Citations: which passages an answer names, on what they stand, and what that is worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from halluscope import Case, Citations, InputError, Result, Store, evaluate
from halluscope._internal.engine.metrics.cited import marks_in

CONTEXT = [
    "Mill leaflet. The mill is in Ulm. It has four floors.",
    "The mill grinds nine tons of wheat each day.",
    "Opening hours: the mill opens at ten o'clock.",
]


def local(output: str, **options: Any) -> Result:
    return Citations(**options).score(output=output, context=CONTEXT)


@pytest.mark.parametrize(
    ("output", "named"),
    [
        ("It is in Ulm [1].", [(0,)]),
        ("It is in Ulm.[1][2]", [(0,), (1,)]),
        ("It is in Ulm [1, 3].", [(0, 2)]),
        ("It is in Ulm [1-3].", [(0, 1, 2)]),
        ("It is in Ulm [doc 2].", [(1,)]),
        ("It is in Ulm (source: Mill leaflet).", [(0,)]),
        ("It is in Ulm (source: 3).", [(2,)]),
        ("It is in Ulm.²", [(1,)]),
        ("It is in Ulm 【2】.", [(1,)]),
        ("It is in Ulm [7].", [()]),
        ("It is in Ulm (source: another book).", [()]),
        ("The list is [1, 2]: x[3] = 4 (2020).", []),
        ("It is in Ulm.", []),
    ],
)
def test_which_passages_a_mark_names(output: str, named: list[tuple[int, ...]]) -> None:
    found = marks_in(output, CONTEXT, {})
    if "list is" in output:
        assert all(mark.start < 20 for mark in found)
        return
    assert [mark.passages for mark in found] == named
    assert [mark.unknown for mark in found] == [not passages for passages in named]


def test_an_answer_whose_citations_hold() -> None:
    result = local("The mill is in Ulm [1]. It grinds nine tons of wheat each day [2].")
    assert (result.score, result.passed, result.label) == (1.0, True, "factual")
    assert result.figures == {"precision": 1.0, "recall": 1.0, "f1": 1.0}


def test_a_true_claim_with_the_wrong_passage_is_imprecise() -> None:
    result = local("The mill is in Ulm [3]. The mill grinds nine tons of wheat each day [2].")
    assert result.figures["precision"] == 0.5 and result.figures["recall"] == 1.0
    assert result.score == pytest.approx(2 / 3)
    assert result.passed is False
    (wrong,) = result.failing
    assert "The cited passage 3" in (wrong.reason or "")


def test_a_claim_without_a_citation_costs_recall() -> None:
    result = local("The mill is in Ulm [1]. The mill grinds nine tons of wheat each day.")
    assert result.figures["precision"] == 1.0 and result.figures["recall"] == 0.5
    assert [verdict.word for verdict in result.failing] == ["uncited"]
    assert local("The mill is in Ulm [1]. The mill grinds nine tons of wheat.", figure="precision").score == 1.0


def test_what_cites_nothing_or_nothing_there_is_has_no_good_score() -> None:
    assert local("The mill is in Ulm.").score == 0.0
    unknown = local("The mill is in Ulm [9].")
    assert unknown.figures["precision"] == 0.0 and unknown.figures["recall"] == 1.0
    assert "not in the context" in (unknown.verdicts[0].reason or "")


def test_a_mark_behind_the_full_stop_stands_on_the_sentence_before() -> None:
    result = local("The mill is in Ulm. [1] The mill grinds nine tons of wheat each day. [2]")
    assert result.score == 1.0


def test_a_mapping_of_the_users_own(tmp_path: Path) -> None:
    output = "The mill is in Ulm (source: guide). The mill opens at ten o'clock §B."
    result = local(output, sources={"guide": 1, "§B": 3})
    assert result.figures["recall"] == 1.0 and result.score == 1.0
    row = {"output": output, "context": CONTEXT}
    with Store(tmp_path / "s.db") as store:
        run = evaluate([row], Citations(sources={"guide": 1, "§B": 2}), "local", store=store)
        assert [result.figures["precision"] for result in run] == [0.5]
        run.export(tmp_path / "r.jsonl")
    assert json.loads((tmp_path / "r.jsonl").read_text())["figures"]["recall"] == 1.0
    with pytest.raises(InputError, match="passage numbers from 1"):
        Citations(sources={"guide": 0})


def test_passages_that_support_a_claim_only_together_count_together() -> None:
    asked: list[list[str]] = []

    async def model(prompt: str, schema: dict[str, Any]) -> str:
        if "claims" in schema["properties"]:
            return json.dumps({"claims": ["The mill in Ulm grinds nine tons."]})
        seen = [text for text in CONTEXT if text[:20] in prompt]
        asked.append(seen)
        word, basis = ("yes", "supported") if len(seen) == 2 else ("unsure", "unsupported")
        verdict = {"id": "c1", "statement": "The mill in Ulm grinds nine tons.", "reason": "r", "evidence": ""}
        return json.dumps({"verdicts": [{**verdict, "basis": basis, "verdict": word}]})

    case = Case.of("The mill in Ulm grinds nine tons [1][2].", CONTEXT)
    result = Citations().score_case(case, judge=model)
    assert result.score == 1.0
    assert [len(seen) for seen in asked] == [1, 1, 2], "each passage on its own, then both"
