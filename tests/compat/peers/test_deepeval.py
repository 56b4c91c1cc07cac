"""DeepEval's tests of its two metrics."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope.compat.deepeval import (
    DeepEvalBaseLLM,
    FaithfulnessMetric,
    HallucinationMetric,
    LLMTestCase,
    MissingTestCaseParamsError,
    ToolCall,
    evaluate,
)

from ...helpers.loopback import Loopback
from ..test_deepeval_classes import claims, compares
from . import carried, different

FOLDER = "deepeval tests/test_metrics"
HALLUCINATION = f"{FOLDER}/test_hallucination_metric.py"
FAITHFULNESS = f"{FOLDER}/test_faithfulness_metric.py"
EMPTY = f"{FOLDER}/test_hallucination_metric_empty_context.py"
BLANK = f"{FOLDER}/test_faithfulness_empty_retrieval_context.py"
WORDS = f"{FOLDER}/test_hallucination_verdict_normalization.py"
KINDS = f"{FOLDER}/test_hallucination_verdict_classification.py"
SUCCESS = f"{FOLDER}/test_is_successful_recompute.py"
RETURNED = f"{FOLDER}/test_measure_return_value.py"

METRICS = pytest.mark.parametrize("metric", [HallucinationMetric, FaithfulnessMetric])


def case(**fields: Any) -> LLMTestCase:
    texts = ["Shoes may be sent back within 30 days."]
    given: dict[str, Any] = {
        "input": "What if the shoes are too small?",
        "actual_output": "Send them back within 30 days.",
        "expected_output": "Send them back.",
        "context": texts,
        "retrieval_context": texts,
        "tools_called": [ToolCall(name="look up")],
        "expected_tools": [ToolCall(name="look up")],
    }
    return LLMTestCase(**{**given, **fields})


@carried(HALLUCINATION, "test_normal_sync_metric_measure", "test_normal_async_metric_measure")
@carried(FAITHFULNESS, "test_normal_sync_metric_measure", "test_normal_async_metric_measure")
@METRICS
@pytest.mark.parametrize("async_mode", [True, False])
def test_measuring(server: Loopback, metric: Any, async_mode: bool) -> None:
    made = metric(model="gpt-4o", async_mode=async_mode, base_url=server.base_url)
    made.measure(case())
    assert made.score is not None and made.reason is not None


@carried(HALLUCINATION, "test_normal_evaluate_method")
@carried(FAITHFULNESS, "test_normal_evaluate_method")
@METRICS
def test_evaluating(server: Loopback, metric: Any) -> None:
    results = evaluate([case()], [metric(model="gpt-4o", base_url=server.base_url)])
    assert len(results.test_results) == 1


for _file in (HALLUCINATION, FAITHFULNESS):
    different(
        _file,
        "images are not judged: the documents are about text",
        "test_multimodal_async_metric_measure",
        "test_multimodal_sync_metric_measure",
        "test_multimodal_evaluate_method",
    )


@carried(HALLUCINATION, "test_invalid_model_throws_error_for_multimodal")
@carried(FAITHFULNESS, "test_invalid_model_throws_error_for_multimodal")
@METRICS
@pytest.mark.parametrize("field", ["input", "context"])
def test_an_image_in_a_text_is_refused(metric: Any, field: str) -> None:
    image = "A car: [DEEPEVAL:IMAGE:1f2e]"  # what DeepEval's MLLMImage writes into a text
    fields: dict[str, Any] = (
        {"input": image} if field == "input" else {"context": [image], "retrieval_context": [image]}
    )
    with pytest.raises(ValueError, match="images are not judged: give what they show as text"):
        metric(model=Untouched()).measure(case(**fields))


@carried(HALLUCINATION, "TestHallucinationPenalizeAmbiguousClaims: test_no_verdict_still_penalized")
def test_what_contradicts_is_counted_with_the_option_too() -> None:
    metric = HallucinationMetric(model=compares("no", "yes"), penalize_ambiguous_claims=True)
    assert metric.measure(case(context=["a", "b"])) == 0.5


@carried(HALLUCINATION, "TestHallucinationPenalizeAmbiguousClaims: test_idk_not_penalized_by_default")
def test_what_does_not_contradict_is_not_counted() -> None:
    metric = HallucinationMetric(model=compares("yes", "yes"), penalize_ambiguous_claims=False)
    assert metric.measure(case(context=["a", "b"])) == 0.0


different(
    HALLUCINATION,
    "by the document a passage has one of two verdicts, yes and no: there is nothing ambiguous to penalize. "
    "FaithfulnessMetric, which has idk, takes the option",
    "TestHallucinationPenalizeAmbiguousClaims: test_idk_penalized_when_flag_set",
)


class Untouched(DeepEvalBaseLLM):
    def generate(self, prompt: str) -> str:
        raise AssertionError("nobody may ask")


@carried(EMPTY, "test_sync_empty_context_raises", "test_async_empty_context_raises")
async def test_an_empty_context_is_a_missing_one() -> None:
    metric = HallucinationMetric(model=Untouched(), async_mode=False)
    empty = case(context=[], retrieval_context=None)
    with pytest.raises(MissingTestCaseParamsError):
        metric.measure(empty)
    with pytest.raises(MissingTestCaseParamsError):
        await metric.a_measure(empty)


@carried(
    BLANK,
    "test_retrieval_context_only_empty_string_raises",
    "test_retrieval_context_only_whitespace_strings_raises",
)
@pytest.mark.parametrize("blank", [[""], ["   ", "\n"]])
def test_a_blank_context_is_a_missing_one(blank: list[str]) -> None:
    with pytest.raises(MissingTestCaseParamsError, match="retrieval_context"):
        FaithfulnessMetric(model=Untouched()).measure(case(context=None, retrieval_context=blank))


@carried(BLANK, "test_retrieval_context_with_real_content_does_not_raise")
def test_a_context_with_one_text_is_one() -> None:
    metric = FaithfulnessMetric(model=claims("yes"))
    assert metric.measure(case(context=None, retrieval_context=["", "Shoes may be sent back."])) == 1.0


different(
    BLANK,
    "an empty list is nothing to compare with, as in the document: 0 / 0 is no score",
    "test_empty_retrieval_context_list_does_not_raise",
)


@carried(
    WORDS,
    "test_is_contradiction_matrix",
    "test_reason_buckets_agree_with_score",
)
@carried(
    KINDS,
    "test_predicate_matrix",
    "test_reason_bucket_matches_score",
    "test_untagged_verdict_does_not_contradict_score",
)
@pytest.mark.parametrize(
    ("word", "contradicts"),
    [("no", True), ("no.", True), (" NO ", True), ("NO!", True), ("yes", False), ("yes.", False), (" Yes ", False)],
)
def test_words_are_read_as_they_are_meant(word: str, contradicts: bool) -> None:
    metric = HallucinationMetric(model=compares(word))
    assert metric.measure(case()) == float(contradicts)
    assert metric.verdicts[0].verdict == ("no" if contradicts else "yes")


different(
    WORDS,
    "today's DeepEval has turned the direction round: by the document the score is the share that is contradicted, "
    "0 is best",
    "test_malformed_yes_scores_aligned",
    "test_malformed_no_counts_as_contradiction",
    "test_mixed_verdicts_score",
)
different(WORDS, "no verdict at all is an error here, never a score", "test_empty_verdicts_score_one")


@carried(
    SUCCESS,
    "test_is_successful_recomputes_pass_when_never_measured",
    "test_is_successful_recomputes_fail",
    "test_is_successful_overwrites_stale_success",
)
@pytest.mark.parametrize(("score", "before", "after"), [(0.9, None, True), (0.1, None, False), (0.9, False, True)])
def test_success_is_what_score_and_threshold_say(score: float, before: bool | None, after: bool) -> None:
    metric = FaithfulnessMetric(model=Untouched())
    metric.score, metric.success = score, before
    assert (metric.is_successful(), metric.success) == (after, after)


@carried(
    RETURNED,
    "test_measure_returns_score_with_default_async_mode",
    "test_sync_mode_still_matches_async_result",
)
@pytest.mark.parametrize("async_mode", [True, False])
def test_measure_returns_the_score(async_mode: bool) -> None:
    metric = HallucinationMetric(model=compares("no"), async_mode=async_mode)
    assert metric.measure(case(), _show_indicator=False) == metric.score == 1.0


different(RETURNED, "the façade has no prompt optimizer", "test_optimizer_scorer_helper_receives_float")
