"""What current code does with DeepEval and its Elixir port, moved over by its imports."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from halluscope._internal.core.errors import InputError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.deepeval import (
    BaseMetric,
    DeepEvalBaseLLM,
    ErrorConfig,
    EvaluationDataset,
    Evaluator,
    Faithfulness,
    FaithfulnessMetric,
    Golden,
    Hallucination,
    HallucinationMetric,
    LLMTestCase,
    TestCase,
    assert_test,
    evaluate,
    evaluate_batch,
)

from ..helpers.loopback import Loopback
from .test_deepeval_classes import claims, compares

CASE = LLMTestCase(input="How tall?", actual_output="It is 330 m tall.", context=["It is 330 m tall."])
VERDICTS = '{"verdicts": [{"id": "p1", "verdict": "no", "reason": "It is 300 m tall."}]}'


@pytest.mark.parametrize("metric", [HallucinationMetric, FaithfulnessMetric])
def test_without_a_threshold_a_metric_only_scores(metric: Any) -> None:
    made = metric(threshold=None, model=compares("no") if metric is HallucinationMetric else claims("yes"))
    assert made.measure(CASE) == 1.0
    assert (made.success, made.is_successful()) == (None, None)
    (tested,) = evaluate([CASE], [made]).test_results
    assert (tested.success, tested.metrics_data[0].success, tested.metrics_data[0].threshold) == (True, None, None)
    assert_test(CASE, [made])


def test_a_class_is_a_metric_too(monkeypatch: pytest.MonkeyPatch, server: Loopback) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    (tested,) = evaluate([CASE], [Hallucination, HallucinationMetric]).test_results
    assert [(data.name, data.score, data.success) for data in tested.metrics_data] == [("Hallucination", 0.0, True)] * 2
    with pytest.raises(InputError, match="int is no metric"):
        evaluate([CASE], [5])


class Adapter:
    def __init__(self, reply: Any = ("ok", VERDICTS)) -> None:
        self.reply = reply
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def generate(self, prompt: str, opts: dict[str, Any]) -> Any:
        self.asked.append((prompt, opts))
        return self.reply

    def generate_with_schema(self, prompt: str, schema: Any, opts: dict[str, Any]) -> Any:
        raise AssertionError("one method is enough")

    def model_name(self, opts: dict[str, Any]) -> str:
        return "mine"


def test_an_adapter_is_an_object() -> None:
    adapter = Adapter()
    result = Hallucination.measure(CASE, adapter=adapter, model="m-2", temperature=0.5, include_reason=False)
    assert (result.score, result.success) == (1.0, False)
    ((prompt, options),) = adapter.asked
    assert "330 m" in prompt and options == {"model": "m-2", "temperature": 0.5}
    assert Hallucination.measure(CASE, adapter=Adapter, include_reason=False).score == 1.0, "or its class"
    from halluscope.compat.deepeval import ApiError

    with pytest.raises(ApiError, match="no quota"):
        Hallucination.measure(CASE, adapter=Adapter(("error", "no quota")))
    with pytest.raises(InputError, match="generate"):
        Hallucination.measure(CASE, adapter=object(), model="m")


def test_a_model_is_a_pair_as_in_the_port(server: Loopback) -> None:
    assert Hallucination.measure(CASE, model=("openai", "gpt-4o"), base_url=server.base_url).score == 0.0
    assert server.calls[0].asked.body["model"] == "gpt-4o"


class WithSchema(DeepEvalBaseLLM):
    """As the guide to models of one's own has them: the reply is an instance of the schema."""

    def __init__(self) -> None:
        super().__init__("mine")
        self.schemas: list[Any] = []

    def load_model(self) -> Any:
        return "the weights"

    def generate(self, prompt: str, schema: type[BaseModel]) -> BaseModel:
        self.schemas.append(schema)
        return schema(verdicts=[{"id": "p1", "verdict": "no", "reason": "300 m"}])

    async def a_generate(self, prompt: str, schema: type[BaseModel]) -> BaseModel:
        return self.generate(prompt, schema)


def test_models_that_reply_with_an_instance_of_a_schema() -> None:
    model = WithSchema()
    metric = HallucinationMetric(model=model, include_reason=False)
    assert metric.measure(CASE) == 1.0
    assert (metric.evaluation_model, metric.verdicts[0].reason) == ("mine", "300 m")
    assert model.schemas[0].model_json_schema()["properties"]["verdicts"]["type"] == "array"


class Length(BaseMetric):
    """As documented: no call of the base's constructor, and both methods."""

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = threshold

    def measure(self, test_case: Any) -> float:
        self.score = len(test_case.actual_output) / 100
        self.success = self.score >= (self.threshold or 0.0)
        return self.score

    async def a_measure(self, test_case: Any) -> float:
        return self.measure(test_case)

    def is_successful(self) -> bool:
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return "Length"


class OnlyMeasure(BaseMetric):
    threshold = 0.1

    def measure(self, test_case: Any) -> float:
        if not test_case.context:
            raise ZeroDivisionError("no context")
        self.score = 1.0
        return self.score


def test_metrics_of_your_own() -> None:
    (tested,) = evaluate([CASE], [Length(), OnlyMeasure(), HallucinationMetric(model=compares("yes"))]).test_results
    assert [(data.name, data.score, data.success) for data in tested.metrics_data] == [
        ("Length", 0.17, False),
        ("Base Metric", 1.0, True),
        ("Hallucination", 0.0, True),
    ]
    with pytest.raises(AssertionError, match="Length"):
        assert_test(CASE, [Length()])
    empty = LLMTestCase(input="q", actual_output="a")
    with pytest.raises(ZeroDivisionError):
        evaluate([empty], [OnlyMeasure()])
    (tested,) = evaluate([empty], [OnlyMeasure()], error_config=ErrorConfig(ignore_errors=True)).test_results
    assert (tested.success, tested.metrics_data[0].error) == (False, "no context")


def test_verbose_mode_prints(capsys: pytest.CaptureFixture[str]) -> None:
    metric = HallucinationMetric(model=compares("no"), verbose_mode=True)
    metric.measure(CASE)
    printed = capsys.readouterr().out
    assert "Hallucination by" in printed and "no: " in printed and "FAIL (100.0%)" in printed
    HallucinationMetric(model=compares("no")).measure(CASE)
    assert capsys.readouterr().out == ""


class Template:
    @staticmethod
    def generate_verdicts(actual_output: str, contexts: list[str]) -> str:
        return f"Speak like a pirate. Contexts: {contexts}. Output: {actual_output}. Reply with verdicts in JSON."


def test_prompts_of_your_own(server: Loopback) -> None:
    server.answer = lambda asked: VERDICTS
    metric = HallucinationMetric(
        model="gpt-4o", base_url=server.base_url, evaluation_template=Template, include_reason=False
    )
    assert metric.measure(CASE) == 1.0
    prompt = str(server.calls[0].asked.body["messages"])
    assert "like a pirate" in prompt and prompt.count("It is 330 m tall.") == 2


def test_datasets_and_goldens() -> None:
    dataset = EvaluationDataset(goldens=[Golden(input="How tall?", context=["It is 330 m tall."])])
    dataset.add_golden(Golden(input="Where?", context=["In Paris."]))
    metric = HallucinationMetric(model=compares("yes"))
    for golden in dataset.evals_iterator(metrics=[metric]):
        dataset.add_test_case(LLMTestCase(input=golden.input, actual_output="Yes.", context=golden.context))
    assert dataset.results is not None and [t.success for t in dataset.results.test_results] == [True, True]
    assert (
        len(evaluate(dataset, [metric]).test_results) == len(evaluate(dataset.test_cases, [metric]).test_results) == 2
    )


PORT = TestCase(input="How tall?", actual_output="It is 300 m tall.", context=["It is 330 m tall."])


def test_a_batch_in_the_port() -> None:
    events: list[Any] = []
    broken = TestCase(input="How tall?", actual_output="x")
    results = evaluate_batch(
        [PORT, broken],
        [Hallucination, (Faithfulness, {"threshold": 0.9})],
        model=ScriptedJudge(
            {
                "compare": {"verdicts": [{"id": "p1", "verdict": "no"}]},
                "truths": {"truths": ["t"]},
                "extract": {"claims": ["It is 300 m tall."]},
                "verify": {"verdicts": [{"id": "c1", "verdict": "no"}]},
                "explain": {"reason": "r"},
            }
        ),
        concurrency=1,
        on_event=lambda *event: events.append(event),
    )
    assert [[result.score for result in row] for row in results] == [[1.0, 0.0], [None, None]]
    assert results[1][0].reason == "Missing required parameters: context"
    assert (results[0][1].threshold, results[1][1].threshold) == (0.9, 0.9)
    names = [name[1:] for name, _, _ in events]
    assert names[0] == ("evaluation", "start") and names[-1] == ("evaluation", "stop")
    assert names.count(("metric", "start")) == 4 and names.count(("metric", "exception")) == 2
    assert events[0][1] == {"test_case_count": 2, "metric_count": 2}
    assert {"duration", "score"} <= events[2][1].keys() and events[2][2]["metric"] == "Hallucination"
    with pytest.raises(InputError, match="no metric of the port"):
        Evaluator.evaluate([PORT], [Length])


def test_a_case_of_a_batch_that_takes_too_long() -> None:
    class Slow:
        name = "slow"

        async def complete(self, prompt: str) -> str:
            await asyncio.sleep(60)
            return ""

    ((result,),) = Evaluator.evaluate([PORT], [Hallucination], model=Slow(), timeout=50)
    assert (result.score, result.success) == (None, False)
    assert result.reason is not None and "timed out" in result.reason
