from __future__ import annotations

import asyncio
import math
from typing import Any

import dspy
import pytest
from deepeval.errors import MissingTestCaseParamsError
from deepeval.test_case import LLMTestCase
from haystack import Pipeline
from inspect_ai import Task
from inspect_ai import eval as run_task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageTool, ModelOutput, get_model
from inspect_ai.solver import Generate, TaskState, solver
from langchain_core.documents import Document
from pydantic_evals import Case, Dataset

from halluscope import HalluscopeError, InputError
from halluscope.integrations import deepeval, haystack, inspect_ai, langchain, llama_index, pydantic_evals
from halluscope.integrations.dspy import Groundedness as DSPyGroundedness

PASSAGE = "The tower was built in 1889 and is 300 metres high."
RIGHT, WRONG, REFUSAL = "It is 300 metres high.", "The tower is 200 metres high.", "I cannot answer that."


def test_deepeval_wants_a_context_and_has_no_score_for_a_refusal() -> None:
    metric = deepeval.Groundedness()
    with pytest.raises(MissingTestCaseParamsError):
        metric.measure(LLMTestCase(input="How high?", actual_output=RIGHT))
    with pytest.raises(HalluscopeError, match=r"no score \(refusal\)"):
        metric.measure(LLMTestCase(input="How high?", actual_output=REFUSAL, context=[PASSAGE]))
    assert metric.is_successful() is False
    assert asyncio.run(metric.a_measure(LLMTestCase(input="", actual_output=WRONG, context=[PASSAGE]))) == 0.0
    assert "300 metres" in str(metric.reason) and metric.is_successful() is False


def test_pydantic_evals_reports_a_missing_score_as_a_failure() -> None:
    dataset = Dataset(
        name="towers",
        cases=[Case(name="height", inputs={"question": "How high?", "passages": [PASSAGE]})],
        evaluators=[pydantic_evals.Groundedness()],
    )
    report = dataset.evaluate_sync(lambda inputs: REFUSAL, progress=False)
    assert "no score (refusal)" in report.cases[0].evaluator_failures[0].error_message


def test_inspect_reads_tool_results_and_leaves_refusals_unscored() -> None:
    @solver  # type: ignore[untyped-decorator]
    def answer(text: str) -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.messages.append(ChatMessageTool(content=PASSAGE, tool_call_id="1", function="search"))
            state.output = ModelOutput.from_content("mockllm/model", text)
            return state

        return solve

    for text, expected in ((WRONG, 0.0), (REFUSAL, math.nan)):
        task = Task(dataset=[Sample(input="How high?")], solver=answer(text), scorer=inspect_ai.groundedness())
        (log,) = run_task(task, model=get_model("mockllm/model"), display="none")
        assert log.samples and log.samples[0].scores, log.error
        score = log.samples[0].scores["groundedness"]
        assert score.as_float() == expected or (math.isnan(expected) and score.reason == "refusal")


def test_langchain_runs_in_batches_and_without_blocking_the_loop() -> None:
    check = langchain.Groundedness(context="found")
    rows = [{"answer": text, "found": [Document(PASSAGE)]} for text in (RIGHT, WRONG, REFUSAL)]
    scores = [row["groundedness"]["score"] for row in check.batch(rows)]
    assert scores == [1.0, 0.0, None]
    assert asyncio.run(check.ainvoke(rows[1]))["groundedness"]["passed"] is False
    with pytest.raises(InputError, match="`found`"):
        check.invoke({"answer": RIGHT})


def test_llama_index_marks_a_missing_score_as_invalid() -> None:
    evaluator = llama_index.GroundednessEvaluator()
    found = asyncio.run(evaluator.aevaluate(query="How high?", response=REFUSAL, contexts=[PASSAGE]))
    assert found.invalid_result and "refusal" in str(found.invalid_reason) and found.score is None


def test_haystack_pipelines_can_be_saved_and_lengths_must_agree() -> None:
    pipeline = Pipeline()
    pipeline.add_component("groundedness", haystack.GroundednessEvaluator(options={"threshold": 0.5}))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["halluscope.integrations.haystack"])
    rows = {"questions": ["", ""], "contexts": [[PASSAGE]] * 2, "predicted_answers": [WRONG, REFUSAL]}
    found = again.run({"groundedness": rows})["groundedness"]
    assert found["individual_scores"] == [0.0, None] and found["score"] == 0.0
    with pytest.raises(InputError, match="1 questions"):
        haystack.GroundednessEvaluator().run([""], [], [WRONG])


def test_dspy_optimizers_get_feedback_or_whether_it_passed() -> None:
    metric = DSPyGroundedness()
    example = dspy.Example(question="How high?", context=[PASSAGE])
    wrong = dspy.Prediction(answer=WRONG)
    feedback = metric(example, wrong, None, "answer", [])
    assert feedback.score == 0.0 and "300 metres" in feedback.feedback
    assert (
        metric(example, wrong, trace=[]) is False and metric(example, dspy.Prediction(answer=RIGHT), trace=[]) is True
    )
