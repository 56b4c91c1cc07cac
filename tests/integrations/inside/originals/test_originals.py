"""The tools' own objects in the façades, and the façades' objects in the tools."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import deepeval
import opik
import pandas as pd
import pytest
from deepeval.evaluate import DisplayConfig
from deepeval.metrics import BaseMetric as DeepEvalMetric
from deepeval.test_case import LLMTestCase
from opik.evaluation.metrics import Equals, LLMJuriesJudge
from opik.evaluation.metrics.base_metric import BaseMetric as OpikMetric
from opik.evaluation.metrics.score_result import ScoreResult as OpikScore
from opik.evaluation.models.base_model import OpikBaseModel
from phoenix import evals as phoenix_evals
from phoenix.evals.llm import PromptTemplate
from phoenix.evals.utils import to_annotation_dataframe

from halluscope.compat import deepeval as our_deepeval
from halluscope.compat import opik as our_opik
from halluscope.compat import phoenix as our_phoenix

FACTS = ["The tower was built in 1889 and is 300 metres high."]
RIGHT, WRONG = "It is 300 metres high.", "The tower is 200 metres high."
CASES = [LLMTestCase(input="How high?", actual_output=output, context=FACTS) for output in (RIGHT, WRONG)]
ROWS = [{"input": "How high?", "output": output, "context": FACTS} for output in (RIGHT, WRONG)]
FRAME = pd.DataFrame([{**row, "context": FACTS[0], "span_id": str(at)} for at, row in enumerate(ROWS)])


@pytest.fixture
def opik_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server of Opik's that takes everything."""

    class Taking(BaseHTTPRequestHandler):
        def _take(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST = do_PUT = do_PATCH = _take

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("OPIK_URL_OVERRIDE", f"http://127.0.0.1:{server.server_port}/api")
    yield
    opik.flush_tracker()
    server.shutdown()


def test_deepevals_test_case_in_our_metric() -> None:
    metric = our_deepeval.HallucinationMetric(model="local")
    assert [metric.measure(case) for case in CASES] == [0.0, 1.0]
    assert our_deepeval.evaluate(CASES, [metric]).test_results[1].success is False


def test_our_metric_in_deepevals_evaluate_and_assert_test() -> None:
    metric = our_deepeval.HallucinationMetric(model="local")
    assert isinstance(metric, DeepEvalMetric)
    quietly = DisplayConfig(show_indicator=False, print_results=False)
    found = deepeval.evaluate(CASES, [metric], display_config=quietly)
    assert sorted(result.success for result in found.test_results) == [False, True]
    deepeval.assert_test(CASES[0], [metric])
    with pytest.raises(AssertionError, match="Hallucination"):
        deepeval.assert_test(CASES[1], [metric])


def test_a_metric_made_with_deepeval_in_our_evaluate() -> None:
    class Brief(DeepEvalMetric):  # type: ignore[misc]
        threshold = 0.5
        async_mode = False

        def measure(self, test_case: LLMTestCase, *_: Any, **_named: Any) -> float:
            self.score = float(len(test_case.actual_output or "") < 25)
            self.success = self.score >= self.threshold
            return self.score

        async def a_measure(self, test_case: LLMTestCase, *_: Any, **_named: Any) -> float:
            return self.measure(test_case)

        def is_successful(self) -> bool:
            return bool(self.success)

        @property
        def __name__(self) -> str:
            return "Brief"

    found = our_deepeval.evaluate(CASES, [Brief()])
    assert [result.metrics_data[0].score for result in found.test_results] == [1.0, 0.0]


def test_our_metric_in_opiks_evaluate_and_jury(opik_server: None) -> None:
    metric = our_opik.Hallucination(model="local")
    assert isinstance(metric, OpikMetric)
    found = opik.evaluate_on_dict_items(ROWS, lambda row: {"output": row["output"]}, scoring_metrics=[metric])
    values = {result.test_case.task_output["output"]: result.score_results[0].value for result in found.test_results}
    assert values == {RIGHT: 0.0, WRONG: 1.0}
    assert found.aggregate_evaluation_scores()["hallucination_metric"].mean == 0.5
    jury = LLMJuriesJudge([metric, our_opik.Hallucination(model="local", name="second")], track=False)
    assert jury.score(**ROWS[1]).value == 1.0


def test_opiks_metric_and_model_in_ours() -> None:
    class Model(OpikBaseModel):  # type: ignore[misc]
        def generate_string(self, input: str, **_: Any) -> str:
            return '{"verdict": "factual", "reason": ["It says so."]}'

        def generate_provider_response(self, messages: list[dict[str, Any]], **_: Any) -> Any:
            raise AssertionError("not asked")

    score = our_opik.Hallucination(model=Model("mine")).score(**ROWS[0])
    assert score.value == 0.0 and isinstance(score, OpikScore)
    rows = [{**row, "reference": RIGHT} for row in ROWS]
    figures = our_opik.evaluate(rows, scoring_metrics=[Equals(track=False)]).aggregate_evaluation_scores()
    assert figures["equals_metric"].values == [1.0, 0.0]


def test_our_evaluator_in_phoenix() -> None:
    evaluator = our_phoenix.HallucinationEvaluator("local")
    found = phoenix_evals.evaluate_dataframe(dataframe=FRAME, evaluators=[evaluator], hide_tqdm_bar=True)
    told = to_annotation_dataframe(dataframe=found)
    assert list(told["label"]) == ["factual", "hallucinated"]
    renamed = FRAME.rename(columns={"output": "said"})
    bound = phoenix_evals.bind_evaluator(evaluator=evaluator, input_mapping={"output": "said"})
    (score,) = bound.evaluate(renamed.iloc[1].to_dict())
    assert (score.label, score.score) == ("hallucinated", 0.0)


def test_phoenixs_evaluator_and_template_in_ours() -> None:
    @phoenix_evals.create_evaluator(name="words", kind="code")  # type: ignore[untyped-decorator]
    def words(output: str) -> int:
        return len(output.split())

    found = our_phoenix.evaluate_dataframe(dataframe=FRAME, evaluators=[words])
    assert [score["score"] for score in found["words_score"]] == [5, 6]
    template = PromptTemplate(template="Is {output} so by {context}, as an answer to {input}?")
    prompts: list[str] = []

    def model(prompt: str) -> str:
        prompts.append(prompt)
        return "factual"

    (score,) = our_phoenix.HallucinationEvaluator(model, prompt_template=template).evaluate(FRAME.iloc[0].to_dict())
    assert score.label == "factual" and RIGHT in prompts[0]
