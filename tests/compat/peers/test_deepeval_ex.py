"""DeepEvalEx's tests of its two metrics and of its test cases."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.deepeval import Faithfulness, Hallucination, MissingParameters, TestCase

from ..test_deepeval_classes import claims, compares
from . import carried

HALLUCINATION = "deep_eval_ex test/deep_eval_ex/metrics/hallucination_test.exs"
FAITHFULNESS = "deep_eval_ex test/deep_eval_ex/metrics/faithfulness_test.exs"
CASES = "deep_eval_ex test/deep_eval_ex/test_case_test.exs"
TWO = TestCase.new(input="q", actual_output="a", context=["c", "d"])


@carried(HALLUCINATION, "metric_name/0: returns Hallucination")
@carried(FAITHFULNESS, "metric_name/0: returns Faithfulness")
def test_names() -> None:
    assert [metric.metric_name() for metric in (Hallucination, Faithfulness)] == ["Hallucination", "Faithfulness"]


@carried(HALLUCINATION, "required_params/0: requires input, actual_output, and context")
@carried(FAITHFULNESS, "required_params/0: requires input, actual_output, and retrieval_context")
def test_required_params() -> None:
    assert Hallucination.required_params() == ["input", "actual_output", "context"]
    assert Faithfulness.required_params() == ["input", "actual_output", "retrieval_context"]


@carried(
    HALLUCINATION,
    "measure/2 with no hallucinations: returns score 0.0 when all contexts agree",
    "measure/2 with hallucinations: returns score 1.0 when all contexts contradict",
    "measure/2 with hallucinations: returns partial score when some contexts contradict",
)
@pytest.mark.parametrize(
    ("words", "score", "success"),
    [(("yes", "yes"), 0.0, True), (("no", "no"), 1.0, False), (("yes", "no"), 0.5, True)],
)
def test_shares_of_contradicted_contexts(words: tuple[str, str], score: float, success: bool) -> None:
    result = Hallucination.measure(TWO, model=compares(*words))
    assert (result.score, result.success, result.metric) == (score, success, "Hallucination")


@carried(
    HALLUCINATION,
    "measure/2 with empty context: returns error when context is empty list",
    "measure/2 validation: returns error when context is missing",
)
@pytest.mark.parametrize("context", [[], None])
def test_no_context_is_a_missing_parameter(context: Any) -> None:
    with pytest.raises(MissingParameters) as caught:
        Hallucination.measure(TestCase.new(input="q", actual_output="a", context=context), model=compares("yes"))
    assert caught.value.names == ("context",)


@carried(FAITHFULNESS, "measure/2 validation: returns error when retrieval_context is missing")
def test_no_retrieval_context_is_a_missing_parameter() -> None:
    with pytest.raises(MissingParameters) as caught:
        Faithfulness.measure(TestCase.new(input="q", actual_output="a"), model=claims("yes"))
    assert caught.value.names == ("retrieval_context",)


@carried(HALLUCINATION, "measure/2 with threshold: success is based on score <= threshold")
@pytest.mark.parametrize(("threshold", "success"), [(0.5, True), (0.3, False)])
def test_lower_passes(threshold: float, success: bool) -> None:
    assert Hallucination.measure(TWO, model=compares("yes", "no"), threshold=threshold).success is success


@carried(FAITHFULNESS, "measure/2 with threshold: result success is based on threshold")
@pytest.mark.parametrize(("threshold", "success"), [(0.5, True), (0.7, False)])
def test_higher_passes(threshold: float, success: bool) -> None:
    assert Faithfulness.measure(TWO, model=claims("yes", "no"), threshold=threshold).success is success


@carried(HALLUCINATION, "measure/2 without reason: skips reason generation when include_reason is false")
@carried(FAITHFULNESS, "measure/2 without reason: skips reason generation when include_reason is false")
@pytest.mark.parametrize(("metric", "judge"), [(Hallucination, compares("yes", "yes")), (Faithfulness, claims("yes"))])
def test_without_a_reason(metric: Any, judge: ScriptedJudge) -> None:
    assert metric.measure(TWO, model=judge, include_reason=False).reason is None
    assert "explain" not in [question.kind for question in judge.asked]


@carried(HALLUCINATION, "measure/2 metadata: includes verdicts and context_count in metadata")
def test_metadata_of_hallucination() -> None:
    told = Hallucination.measure(TWO, model=compares("yes", "no")).metadata
    assert (told["context_count"], [verdict["verdict"] for verdict in told["verdicts"]]) == (2, ["yes", "no"])


@carried(FAITHFULNESS, "measure/2 metadata: includes truths, claims, and verdicts in metadata")
def test_metadata_of_faithfulness() -> None:
    told = Faithfulness.measure(TWO, model=claims("yes")).metadata
    assert told["truths"] == ["Shoes may be sent back within 30 days.", "Sending them back is free."]
    assert (told["claims"], told["verdicts"]) == (["You can send back 0 shoes"], [{"verdict": "yes", "reason": "r"}])


@carried(HALLUCINATION, "measure/2 with retrieval_context alias: accepts retrieval_context as alias for context")
@carried(FAITHFULNESS, "measure/2 with context alias: accepts context as alias for retrieval_context")
@pytest.mark.parametrize(
    ("metric", "judge", "name", "score"),
    [(Hallucination, compares("yes"), "retrieval_context", 0.0), (Faithfulness, claims("yes"), "context", 1.0)],
)
def test_the_other_name_of_the_context(metric: Any, judge: ScriptedJudge, name: str, score: float) -> None:
    given: dict[str, Any] = {"input": "q", "actual_output": "a", name: ["c"]}
    assert metric.measure(TestCase.new(**given), model=judge).score == score


@carried(
    FAITHFULNESS,
    "measure/2 with perfect faithfulness: returns score 1.0 when all claims are supported",
    "measure/2 with unfaithful claims: returns score 0.0 when all claims contradict context",
    "measure/2 with unfaithful claims: returns partial score when some claims are supported",
    "measure/2 with idk verdicts: treats idk verdicts as faithful (not contradicting)",
)
@pytest.mark.parametrize(
    ("words", "score"), [(("yes",), 1.0), (("no",), 0.0), (("yes", "no"), 0.5), (("yes", "idk"), 1.0)]
)
def test_shares_of_claims(words: tuple[str, ...], score: float) -> None:
    result = Faithfulness.measure(TWO, model=claims(*words))
    assert (result.score, result.metric) == (score, "Faithfulness")


@carried(FAITHFULNESS, "measure/2 with no claims: returns score 1.0 when no claims extracted")
def test_no_claims() -> None:
    judge = ScriptedJudge({"truths": {"truths": ["It is so."]}, "extract": {"claims": []}})
    assert Faithfulness.measure(TWO, model=judge).score == 1.0


@carried(FAITHFULNESS, "measure/2 with truths_extraction_limit: respects truths_extraction_limit option")
def test_the_limit_of_truths_is_told() -> None:
    result = Faithfulness.measure(TWO, model=claims("yes"), truths_extraction_limit=5)
    assert result.metadata["truths_extraction_limit"] == 5


@carried(
    CASES,
    "new/1: creates a valid test case with required fields",
    "new/1: creates test case with all fields",
    "new/1: normalizes context to retrieval_context",
    "new!/1: creates test case and returns struct directly",
)
def test_cases() -> None:
    made = TestCase.new(
        input="q", actual_output="a", expected_output="e", context=["c"], metadata={"k": "v"}, name="n", tags=["t"]
    )
    assert (made.input, made.actual_output, made.expected_output) == ("q", "a", "e")
    assert (made.retrieval_context, made.metadata, made.name, made.tags) == (["c"], {"k": "v"}, "n", ["t"])


@carried(CASES, "new/1: returns error for missing required fields", "new!/1: raises on invalid input")
def test_a_case_needs_an_input() -> None:
    with pytest.raises(MissingParameters, match="input"):
        TestCase.new()


@carried(
    CASES,
    "validate_params/2: returns :ok when all params present",
    "validate_params/2: returns error with missing params",
)
def test_params_can_be_checked() -> None:
    TestCase.new(input="q", actual_output="a").validate_params(["input", "actual_output"])
    with pytest.raises(MissingParameters) as caught:
        TestCase.new(input="q").validate_params(["input", "actual_output", "expected_output"])
    assert caught.value.names == ("actual_output", "expected_output")


@carried(
    CASES,
    "get_retrieval_context/1: returns retrieval_context when set",
    "get_retrieval_context/1: falls back to context when retrieval_context is nil",
    "get_retrieval_context/1: returns nil when both are nil",
)
def test_the_context_under_either_name() -> None:
    assert TestCase.new(input="q", retrieval_context=["c"]).get_retrieval_context() == ["c"]
    assert TestCase.new(input="q", context=["c"]).get_retrieval_context() == ["c"]
    assert TestCase.new(input="q").get_retrieval_context() is None
