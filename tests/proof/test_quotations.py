"""Bench: whether a judge quotes the sentence that decides."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from halluscope._internal.core.errors import InputError
from halluscope._internal.engine import metrics
from halluscope._internal.engine.questions import ExtractClaims, Question
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope._internal.proof.bench.baselines import baselines
from halluscope._internal.proof.bench.figures import measure
from halluscope._internal.proof.bench.judge_run import run_judge
from halluscope._internal.proof.sets.public_sets import load_set
from halluscope._internal.runs.labelled_case import LabelledCase, labelled

CONTEXT = ["Anything else goes back within 30 days.", "The shop opens at nine. Laptops go back within 14 days."]
LAPTOPS = (1, 24, 55)
OUTPUT = "A laptop goes back within 30 days."


def case(**given: Any) -> LabelledCase:
    return labelled(**{"output": OUTPUT, "context": CONTEXT, "hallucinated": True, "evidence": [LAPTOPS], **given})


def quoting(quote: str, verdict: str = "yes") -> ScriptedJudge:
    """A judge that quotes these words for every claim."""

    def reply(question: Question[Any]) -> Any:
        if isinstance(question, ExtractClaims):
            return {"claims": [question.output]}
        if question.kind == "verify":
            return {"verdicts": [{"id": "c1", "verdict": verdict, "reason": "r", "evidence": [quote]}]}
        return {"reason": "r"}

    return ScriptedJudge(reply)


@pytest.mark.parametrize(
    ("quote", "share"),
    [
        ("Laptops go back within 14 days.", 1.0),
        ("Laptops go back", 1.0),
        ("Anything else goes back within 30 days.", 0.0),
    ],
)
def test_a_quotation_counts_where_it_is_gold(quote: str, share: float) -> None:
    run = run_judge([case()], quoting(quote), metrics.resolve("hallucination"))
    assert measure(run, resamples=10).evidence == share


def test_wrong_verdicts_and_cases_without_gold_do_not_count() -> None:
    judge = quoting("Laptops go back within 14 days.", verdict="no")
    cases = [case(id="wrong verdict"), case(id="no gold", evidence=None, hallucinated=False)]
    assert measure(run_judge(cases, judge, metrics.resolve("hallucination")), resamples=10).evidence is None


def test_word_overlap_quotes_the_near_miss() -> None:
    cases = [case(id="a"), case(id="b", hallucinated=False, output="Laptops go back within 14 days.")]
    found = {run.judge: measure(run, baseline=True, resamples=10).evidence for run in baselines(cases)}
    assert [share for share in found.values() if share is not None] == [0.5]


def test_the_packaged_set_has_gold_evidence_and_texts_named_evidence_stay_context(tmp_path: Path) -> None:
    cases = load_set("evidence").cases
    assert sum(bool(item.evidence) for item in cases) > len(cases) / 2
    file = tmp_path / "rows.jsonl.gz"
    row = {"answer": "It is so.", "evidence": ["It is so."], "label": "supported"}
    file.write_bytes(gzip.compress(json.dumps(row).encode()))
    (item,) = load_set(str(file)).cases
    assert (item.case.context, item.evidence) == (("It is so.",), None)


def test_evidence_outside_the_context_is_refused() -> None:
    with pytest.raises(InputError, match="outside the context"):
        case(evidence=[(1, 24, 99)])
