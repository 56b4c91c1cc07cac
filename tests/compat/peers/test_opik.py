"""Opik's tests of its Hallucination metric and of what all its metrics have."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.opik import (
    FEW_SHOT_EXAMPLES,
    BaseMetric,
    Hallucination,
    MetricComputationError,
    OpikBaseModel,
    ScoreResult,
    evaluate,
)

from ...helpers.loopback import Loopback
from . import carried

FOLDER = "opik sdks/python/tests/unit/evaluation/metrics"
PARSER = f"{FOLDER}/llm_judges/hallucination/test_parser.py"
METRIC = f"{FOLDER}/llm_judges/hullucination/test_metric.py"
TEMPLATE = f"{FOLDER}/llm_judges/hallucination/test_template.py"
FEW_SHOTS = f"{FOLDER}/llm_judges/test_few_shot_examples_default.py"
SEED = f"{FOLDER}/llm_judges/test_seed_parameter.py"
BASE = f"{FOLDER}/test_base_metric.py"

ROW = {"input": "What is the capital of Italy?", "output": "Rome.", "context": ["Rome is the capital of Italy."]}
MINE = {
    "title": "A river",
    "input": "Which river?",
    "context": ["The Seine runs through it."],
    "output": "The Seine.",
    "score": 0.0,
    "reason": "It says so.",
}
FACTUAL = {"verdict": "factual", "reason": ["It says so."]}


class Model(OpikBaseModel):
    def __init__(self, reply: str = '{"verdict": "factual", "reason": []}') -> None:
        super().__init__("mine")
        self.reply = reply
        self.sent: list[str] = []

    def generate_string(self, input: str, **kwargs: Any) -> str:
        self.sent.append(input)
        return self.reply


@carried(PARSER, "test_hallucination_score_out_of_range")
def test_a_reply_out_of_range_is_an_error() -> None:
    with pytest.raises(MetricComputationError):
        Hallucination(model=Model('{"score": 1.2, "reason": "Too much."}')).score(**ROW)


@carried(
    TEMPLATE,
    "test_few_shot_with_context_renders_full_example",
    "test_few_shot_without_context_renders_full_example",
    "test_multiple_few_shot_examples_separated",
)
@pytest.mark.parametrize("context", [ROW["context"], None])
@pytest.mark.parametrize("more", [[], [{**MINE, "output": "The Loire.", "score": 1.0}]])
def test_examples_stand_whole_in_the_prompt(context: Any, more: list[Any]) -> None:
    model = Model()
    Hallucination(model=model, few_shot_examples=[MINE, *more]).score(**{**ROW, "context": context})
    for example in [MINE, *more]:
        for field in ("input", "output", "reason"):
            assert example[field] in model.sent[0]
    assert model.sent[0].count('"verdict":"factual"') >= 1
    assert model.sent[0].count('"verdict":"hallucinated"') == len(more)


@carried(
    FEW_SHOTS,
    "test_none_few_shot_examples_uses_the_defaults",
    "test_empty_few_shot_examples_disables_them",
    "test_prompt_sent_to_model_follows_few_shot_examples",
)
@pytest.mark.parametrize(("examples", "shown"), [(None, True), ([], False)])
def test_which_examples_are_shown(examples: Any, shown: bool) -> None:
    model = Model()
    Hallucination(model=model, few_shot_examples=examples, track=False).score(**ROW)
    assert (FEW_SHOT_EXAMPLES[0]["output"] in model.sent[0]) is shown
    assert "What is the capital of Italy?" in model.sent[0]


@carried(SEED, "test_hallucination_seed_parameter_passing")
def test_the_seed_reaches_the_model(server: Loopback) -> None:
    result = Hallucination(model="gpt-4o", seed=42, track=False, base_url=server.base_url).score(**ROW)
    assert server.calls[0].asked.body["seed"] == 42
    assert result.name == "hallucination_metric"


@carried(BASE, "test_base_metric_custom_name", "test_my_custom_metric_example")
@pytest.mark.parametrize("track", [True, False])
def test_name_and_tracking_are_kept(track: bool) -> None:
    metric = Hallucination(ScriptedJudge({"label": FACTUAL}), name="mine", track=track)
    result = metric.score(**ROW)
    assert (metric.name, metric.track, result.name, result.value) == ("mine", track, "mine", 0.0)


@carried(BASE, "test_base_metric_project_name_with_track_false_raises_error")
def test_a_project_needs_tracking() -> None:
    with pytest.raises(ValueError, match="project_name"):
        Hallucination(ScriptedJudge({}), track=False, project_name="mine")


@carried(BASE, "test_base_metric_ascore_returns_expected_result")
async def test_scoring_awaited_gives_the_same() -> None:
    metric = Hallucination(ScriptedJudge({"label": FACTUAL}))
    assert (await metric.ascore(**ROW)).value == 0.0


@carried(BASE, "test_base_metric_score_default_name")
def test_a_metric_of_ones_own_is_called_by_its_class() -> None:
    class Mine(BaseMetric):
        def score(self, output: str) -> ScoreResult:
            return ScoreResult(name=self.name, value=1.0)

    assert Mine().score("o").name == "Mine"


MAPPING = f"{FOLDER.rpartition('/')[0]}/test_create_scoring_inputs.py"
MAPPED: dict[str, tuple[Any, dict[str, Any]]] = {
    "test_create_scoring_inputs_no_mapping": (None, {}),
    "test_create_scoring_inputs_empty_mapping": ({}, {}),
    "test_create_scoring_inputs_string_mapping": (
        {"reference": "truth", "said": "output"},
        {"reference": "t", "said": "o"},
    ),
    "test_create_scoring_inputs_callable_mapping": (
        {"reference": lambda row: row["deep"]["truth"]},
        {"reference": "d"},
    ),
    "test_create_scoring_inputs_missing_mapping_key": ({"reference": "elsewhere"}, {}),
}


@carried(MAPPING, *MAPPED)
@pytest.mark.parametrize(("mapping", "added"), MAPPED.values(), ids=MAPPED)
def test_what_a_metric_is_given(mapping: Any, added: dict[str, Any]) -> None:
    row = {"input": "i", "truth": "t", "deep": {"truth": "d"}}
    metric = Hallucination(ScriptedJudge({"label": FACTUAL}))
    found = evaluate([row], lambda row: {"output": "o"}, [metric], scoring_key_mapping=mapping)
    assert found.test_results[0].test_case.mapped_scoring_inputs == {**row, "output": "o", **added}
