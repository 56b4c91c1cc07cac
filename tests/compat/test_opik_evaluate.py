"""Opik's evaluate over rows, metrics of one's own, and models that only chat."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from halluscope import InputError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.opik import BaseMetric, Hallucination, OpikBaseModel, ScoreResult, aevaluate, evaluate

ROWS: list[dict[str, Any]] = [
    {"id": "a", "user_question": "How tall?", "context": ["It is tall."]},
    {"id": "b", "user_question": "How red?", "context": ["It is tall."]},
]


def label(question: Any) -> Any:
    return {"verdict": "hallucinated" if "red" in question.output else "factual", "reason": ["r"]}


class Words(BaseMetric):
    def score(self, output: str, **ignored: Any) -> list[ScoreResult]:
        return [ScoreResult(name=self.name, value=len(output.split())), ScoreResult("letters", len(output))]


def answer(row: dict[str, Any]) -> dict[str, str]:
    return {"output": f"It is {row['user_question'].split()[1].strip('?')}."}


@pytest.mark.parametrize("dataset", [ROWS, pd.DataFrame(ROWS)])
def test_rows_are_scored_and_summed_up(dataset: Any) -> None:
    def brief(dataset_item: dict[str, Any], task_outputs: dict[str, Any]) -> ScoreResult:
        return ScoreResult("brief", float(len(task_outputs["output"]) < 11), dataset_item["id"])

    found = evaluate(
        dataset=dataset,
        task=answer,
        scoring_metrics=[Hallucination(ScriptedJudge(label)), Words()],
        scoring_functions=[brief],
        scoring_key_mapping={"input": "user_question", "question": lambda row: row["user_question"]},
        experiment_name="towers",
        trial_count=2,
    )
    assert (len(found.test_results), found.experiment_name) == (4, "towers")
    first = found.test_results[0]
    assert (first.test_case.dataset_item_id, first.test_case.task_output) == ("a", {"output": "It is tall."})
    assert first.test_case.mapped_scoring_inputs["question"] == "How tall?"
    assert [score.name for score in first.score_results] == ["hallucination_metric", "Words", "letters", "brief"]
    figures = found.aggregate_evaluation_scores()
    assert figures.aggregated_scores["hallucination_metric"].mean == 0.5
    assert (figures["Words"].std, figures["letters"].max, figures["brief"].values) == (0.0, 11, [0.0, 0.0, 1.0, 1.0])


async def test_a_metric_that_fails_is_a_score_that_says_so() -> None:
    class Broken(BaseMetric):
        async def ascore(self, **ignored: Any) -> ScoreResult:
            raise RuntimeError("out of order")

    found = await aevaluate(
        [{"output": "a b"}, {"output": ""}],
        scoring_metrics=[Broken(), Words("words"), Hallucination(ScriptedJudge(label))],
    )
    broken = found.test_results[0].score_results[0]
    assert (broken.value, broken.scoring_failed, broken.reason) == (None, True, "RuntimeError: out of order")
    figures = found.aggregate_evaluation_scores()
    assert "Broken" not in figures and figures["words"].values == [2, 0]
    assert "hallucination_metric" not in figures, "an input is missing: no row has a score"


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"dataset": []}, "no rows"),
        ({"dataset": "my-dataset"}, "list of dictionaries"),
        ({"scoring_metrics": []}, "no metrics"),
        ({"task": lambda row: "text"}, "the task returned a str"),
        ({"dataset_filter_string": "x"}, "dataset_filter_string"),
    ],
)
def test_what_cannot_be_evaluated_is_said(changed: dict[str, Any], problem: str) -> None:
    given: dict[str, Any] = {"dataset": ROWS, "task": answer, "scoring_metrics": [Words()], **changed}
    with pytest.raises(InputError, match=problem):
        evaluate(**given)


def test_a_model_with_a_chat_completion_alone_is_asked() -> None:
    class Mine(OpikBaseModel):
        def generate_chat_completion(self, messages: list[dict[str, Any]], **kwargs: Any) -> dict[str, Any]:
            assert messages[-1]["role"] == "user"
            return {"role": "assistant", "content": '{"verdict": "factual", "reason": ["r"]}'}

    row: dict[str, Any] = {"input": "q", "output": "It is tall.", "context": ["It is tall."]}
    assert Hallucination(model=Mine("mine")).score(**row).value == 0.0


def test_a_metric_of_ones_own_has_its_classs_name_and_needs_a_score() -> None:
    assert Words().name == "Words"
    with pytest.raises(NotImplementedError, match="score or ascore"):
        BaseMetric("m").score()
    with pytest.raises(InputError, match="project_name"):
        Words(track=False, project_name="p")
