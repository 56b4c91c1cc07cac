"""DeepEval's Python classes, and the names of its Elixir port."""

from __future__ import annotations

import json
from typing import Any

import pytest

from halluscope._internal.core.errors import InputError, JudgeError, MissingParameters
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.deepeval import (
    AsyncConfig,
    DeepEvalBaseLLM,
    ErrorConfig,
    Faithfulness,
    FaithfulnessMetric,
    Hallucination,
    HallucinationMetric,
    LLMTestCase,
    TestCase,
    ToolCall,
    assert_test,
    evaluate,
)

from ..helpers.loopback import Loopback

SHOES = LLMTestCase(
    input="What if the shoes are too small?",
    actual_output="You can send them back for 60 days.",
    expected_output="Send them back within 30 days.",
    context=["Shoes may be sent back within 30 days.", "Sending them back is free."],
    retrieval_context=["Shoes may be sent back within 30 days."],
    tools_called=[ToolCall(name="search")],
)


def compares(*words: str) -> ScriptedJudge:
    verdicts = [{"verdict": word, "reason": f"{word} it is"} for word in words]
    return ScriptedJudge({"compare": {"verdicts": verdicts}, "explain": "The score is what it is."})


def claims(*words: str) -> ScriptedJudge:
    basis = {"yes": "supported", "no": "contradicted", "idk": "unsupported"}
    return ScriptedJudge(
        {
            "truths": {"truths": ["Shoes may be sent back within 30 days.", "Sending them back is free."]},
            "extract": {"claims": [f"You can send back {i} shoes" for i in range(len(words))]},
            "verify": {
                "verdicts": [
                    {"id": f"c{i}", "verdict": word, "reason": "r", "basis": basis[word]}
                    for i, word in enumerate(words, start=1)
                ]
            },
            "explain": "Why not.",
        }
    )


@pytest.mark.parametrize("async_mode", [True, False])
def test_a_metric_keeps_what_it_measured(async_mode: bool) -> None:
    metric = HallucinationMetric(model=compares("no", "yes"), async_mode=async_mode)
    assert (metric.score, metric.success, metric.reason) == (None, None, None)
    assert metric.measure(SHOES) == 0.5
    assert (metric.score, metric.success, metric.threshold, metric.error) == (0.5, True, 0.5, None)
    assert metric.reason == "The score is what it is."
    assert [(verdict.verdict, verdict.reason) for verdict in metric.verdicts] == [
        ("no", "no it is"),
        ("yes", "yes it is"),
    ]
    assert (metric.is_successful(), metric.__name__, metric.evaluation_model) == (True, "Hallucination", "scripted")


async def test_measuring_can_be_awaited_and_positions_are_deepevals() -> None:
    metric = FaithfulnessMetric(0.9, claims("yes", "no"), False)
    assert await metric.a_measure(SHOES) == 0.5
    assert (metric.success, metric.reason) == (False, None)
    assert metric.truths == ["Shoes may be sent back within 30 days.", "Sending them back is free."]
    assert len(metric.claims) == 2


def test_success_follows_the_score_and_the_threshold_as_they_are() -> None:
    metric = HallucinationMetric(model=compares("no", "yes"))
    metric.measure(SHOES)
    metric.threshold = 0.2
    assert (metric.is_successful(), metric.success) == (False, False)
    metric.score = 0.1
    assert (metric.is_successful(), metric.success) == (True, True)
    metric.score = None
    assert metric.is_successful() is False


@pytest.mark.parametrize(
    ("metric", "score", "success"),
    [
        (HallucinationMetric(model=compares("no", "yes"), strict_mode=True), 1.0, False),
        (HallucinationMetric(model=compares("yes", "yes"), strict_mode=True), 0.0, True),
        (FaithfulnessMetric(model=claims("yes", "no"), strict_mode=True), 0.0, False),
        (FaithfulnessMetric(model=claims("yes", "idk"), strict_mode=True), 1.0, True),
    ],
)
def test_strict_mode_allows_nothing_wrong(metric: Any, score: float, success: bool) -> None:
    assert (metric.measure(SHOES), metric.success) == (score, success)
    assert metric.threshold == (0 if isinstance(metric, HallucinationMetric) else 1)
    if not success:
        assert (metric.reason or "").startswith(f"In strict mode the score is {score:g}")


@pytest.mark.parametrize(
    ("words", "penalized", "score"),
    [
        (("yes", "idk"), False, 1.0),
        (("yes", "idk"), True, 0.5),
        (("idk", "idk"), True, 0.0),
        (("no", "idk"), True, 0.0),
    ],
)
def test_ambiguous_claims_can_be_penalized(words: tuple[str, ...], penalized: bool, score: float) -> None:
    judge = claims(*words)
    metric = FaithfulnessMetric(model=judge, penalize_ambiguous_claims=penalized)
    assert metric.measure(SHOES) == score
    assert [verdict.verdict for verdict in metric.verdicts] == list(words)
    explained = str(judge.asked[-1].render())
    assert ("claims that the facts support / claims" in explained) is penalized, "the reason is asked for by this rule"
    port = Faithfulness.measure(
        TestCase(input="q", actual_output="a", context=["c"]),
        model=claims(*words),
        penalize_ambiguous_claims=penalized,
    )
    assert port.score == score


@pytest.mark.parametrize("given", ["truths_extraction_limit", "truths_limit"])
def test_truths_can_be_limited(given: str) -> None:
    limit: dict[str, Any] = {given: 1}
    result = Faithfulness.measure(TestCase(input="q", actual_output="a", context=["c"]), model=claims("yes"), **limit)
    assert result.metadata["truths"] == ["Shoes may be sent back within 30 days."]
    assert result.metadata["truths_extraction_limit"] == 1
    metric = FaithfulnessMetric(model=claims("yes"), truths_extraction_limit=1)
    metric.measure(SHOES)
    assert len(metric.truths) == 1


def test_what_it_cost_is_told(server: Loopback) -> None:
    metric = HallucinationMetric(model="gpt-4o-mini", base_url=server.base_url)
    metric.measure(SHOES)
    assert metric.evaluation_cost is not None and metric.evaluation_cost > 0
    unknown = HallucinationMetric(model="openai/nobody-knows-it", base_url=server.base_url)
    unknown.measure(SHOES)
    assert unknown.evaluation_cost is None
    priced = Hallucination.measure(
        TestCase(input="q", actual_output="a", context=["c"]), model=compares("yes"), include_reason=False
    )
    assert priced.evaluation_cost == 0.0


class Mine(DeepEvalBaseLLM):
    def generate(self, prompt: str) -> str:
        word = "no" if "60 days" in prompt else "yes"
        return json.dumps({"verdicts": [{"id": "p1", "verdict": word}, {"id": "p2", "verdict": "yes"}]})


class Awaited(Mine):
    async def a_generate(self, prompt: str) -> str:
        return self.generate(prompt)

    def get_model_name(self) -> str:
        return "mine, awaited"


@pytest.mark.parametrize(("model", "name"), [(Mine(), "Mine"), (Mine("m"), "m"), (Awaited(), "mine, awaited")])
def test_a_model_of_ones_own(model: Any, name: str) -> None:
    metric = HallucinationMetric(model=model, include_reason=False)
    assert (metric.measure(SHOES), metric.evaluation_model) == (0.5, name)


def test_a_judge_that_fails_is_raised_and_kept() -> None:
    metric = HallucinationMetric(model=ScriptedJudge({"compare": JudgeError("gone", status=500)}))
    with pytest.raises(JudgeError):
        metric.measure(SHOES)
    assert (metric.score, metric.success, metric.error, metric.is_successful()) == (None, False, "gone", False)


def test_evaluate_measures_each_case_with_each_metric() -> None:
    plain = LLMTestCase(input="q", actual_output="a", context=["c", "d"], name="plain")
    metrics = [HallucinationMetric(0.3, compares("no", "yes")), HallucinationMetric(0.7, compares("no", "yes"))]
    result = evaluate([SHOES, plain], metrics, async_config=AsyncConfig(max_concurrent=2))
    assert [test.name for test in result.test_results] == ["test_case_0", "plain"]
    first = result.test_results[0]
    assert [(data.name, data.score, data.success) for data in first.metrics_data] == [
        ("Hallucination", 0.5, False),
        ("Hallucination", 0.5, True),
    ]
    assert (first.success, first.input, first.index) == (False, SHOES.input, 0)
    assert [metric.score for metric in metrics] == [None, None], "each case has a metric of its own"


def test_evaluate_can_keep_errors_and_leave_out_what_lacks_fields() -> None:
    bare = LLMTestCase(input="q", actual_output="a")
    broken = HallucinationMetric(model=ScriptedJudge({"compare": JudgeError("gone")}))
    with pytest.raises(MissingParameters):
        evaluate([bare], [broken])
    with pytest.raises(JudgeError):
        evaluate([SHOES], [broken])
    kept = evaluate([SHOES, bare], [broken], error_config=ErrorConfig(ignore_errors=True)).test_results
    assert [test.metrics_data[0].success for test in kept] == [False, False]
    assert kept[0].metrics_data[0].error == "gone" and "context" in (kept[1].metrics_data[0].error or "")
    left_out = evaluate([bare], [broken], error_config=ErrorConfig(skip_on_missing_params=True)).test_results
    assert (left_out[0].metrics_data, left_out[0].success) == ([], False)
    keyless = HallucinationMetric(model="openai/gpt-4o")
    (test,) = evaluate([SHOES], [keyless], error_config=ErrorConfig(ignore_errors=True)).test_results
    assert "OPENAI_API_KEY" in (test.metrics_data[0].error or "")
    for cases, metrics in (([], [broken]), ([SHOES], [])):
        with pytest.raises(InputError, match="pass at least one"):
            evaluate(cases, metrics)


def test_assert_test_fails_with_the_metric_and_its_reason() -> None:
    assert_test(SHOES, [HallucinationMetric(model=compares("yes", "yes"))])
    with pytest.raises(AssertionError, match=r"Hallucination \(score: 0.5, threshold: 0.2, strict: False.*what it is"):
        assert_test(SHOES, [HallucinationMetric(0.2, compares("no", "yes"))])


@pytest.mark.parametrize("metric", [HallucinationMetric, FaithfulnessMetric])
@pytest.mark.parametrize(
    "fields", [{"actual_output": ""}, {"actual_output": None}, {"context": [], "retrieval_context": [" "]}]
)
def test_missing_fields_are_an_error_and_cost_nothing(metric: Any, fields: dict[str, Any]) -> None:
    judge = ScriptedJudge({})
    case = LLMTestCase(**{"input": "q", "actual_output": "a", "context": None, **fields})
    with pytest.raises(MissingParameters):
        metric(model=judge).measure(case)
    assert judge.asked == []


def test_each_metric_goes_by_its_own_context() -> None:
    case = LLMTestCase(input="q", actual_output="a", context=["meant"], retrieval_context=["found"])
    judge = compares("yes")
    HallucinationMetric(model=judge, include_reason=False).measure(case)
    assert [p.text for p in judge.asked[0].passages] == ["meant"]  # type: ignore[attr-defined]
    judge = claims("yes")
    FaithfulnessMetric(model=judge, include_reason=False).measure(case)
    assert [p.text for p in judge.asked[0].passages] == ["found"]  # type: ignore[attr-defined]


def test_a_test_case_can_be_changed_and_checks_its_context() -> None:
    case = LLMTestCase(input="q", context=["c"])
    case.actual_output = "a"
    assert HallucinationMetric(model=compares("yes"), include_reason=False).measure(case) == 0.0
    with pytest.raises(InputError, match="list of texts"):
        LLMTestCase(input="q", actual_output="a", context="one text")
    with pytest.raises(MissingParameters):
        LLMTestCase(input=" ")
    with pytest.raises(InputError, match="thresold"):
        HallucinationMetric(thresold=0.5)


def test_names_and_parameters_of_the_port() -> None:
    assert (Hallucination.metric_name(), Faithfulness.metric_name()) == ("Hallucination", "Faithfulness")
    assert Hallucination.required_params() == ["input", "actual_output", "context"]
    assert Faithfulness.required_params() == ["input", "actual_output", "retrieval_context"]


def test_fields_of_the_ports_test_case() -> None:
    case = TestCase.new(
        input="q", actual_output="a", context=["c"], expected_output="e", name="n", tags=["t"], metadata={"k": 1}
    )
    assert (case.retrieval_context, case.get_retrieval_context()) == (["c"], ["c"])
    assert (case.name, case.tags, case.metadata) == ("n", ["t"], {"k": 1})
    assert TestCase.new(input="q").get_retrieval_context() is None
    case.validate_params(["input", "actual_output", "expected_output", "retrieval_context", "context"])
    with pytest.raises(MissingParameters) as caught:
        TestCase.new(input="q").validate_params(["input", "actual_output", "expected_output"])
    assert caught.value.names == ("actual_output", "expected_output")


def test_a_result_has_a_line_that_says_it() -> None:
    case = TestCase(input="q", actual_output="a", context=["c", "d"])
    result = Hallucination.measure(case, model=compares("no", "yes"))
    assert result.summary() == "Hallucination: PASS (50.0%) - The score is what it is."
