"""Phoenix's mappings, templates, frames and scores."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from halluscope._internal.core.errors import InputError, JudgeError, MissingParameters, PromptError
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.phoenix import (
    HALLUCINATION_PROMPT_TEMPLATE,
    LLM,
    FaithfulnessEvaluator,
    HallucinationEvaluator,
    PromptTemplate,
    Score,
    async_evaluate_dataframe,
    bind_evaluator,
    evaluate_dataframe,
)

from ..helpers.loopback import Faults, Loopback

ROW = {"input": "How tall?", "output": "330 m.", "context": "The tower is 330 m tall."}
NESTED = {
    "question": "How tall?",
    "answers": ["330 m.", "33 m."],
    "found": {"docs": [{"text": "The tower is 330 m tall."}, {"text": "It is in Paris."}]},
    "dotted.key": "The tower is 330 m tall.",
}


def judge() -> ScriptedJudge:
    def answer(question: Any) -> Any:
        if "broken" in question.output:
            return JudgeError("gone")
        return {"verdict": "factual" if question.output == "330 m." else "hallucinated", "reason": ["r"]}

    return ScriptedJudge(answer)


@pytest.mark.parametrize(
    "context",
    [
        "found.docs[0].text",
        "found['docs'][0]['text']",
        "found.docs[*].text",
        "found.docs[-2].text",
        "dotted.key",
        lambda row: row["found"]["docs"][0]["text"],
    ],
)
def test_inputs_are_found_by_name_by_path_and_by_function(context: Any) -> None:
    scripted = judge()
    mapping = {"input": "question", "output": "answers[0]", "context": context, "for another": "nowhere"}
    evaluator = HallucinationEvaluator(scripted)
    assert evaluator.evaluate(NESTED, mapping)[0].label == "factual"
    (asked,) = scripted.asked
    assert asked.passages[0].text == "The tower is 330 m tall."  # type: ignore[attr-defined]


def test_an_empty_mapping_falls_back_to_the_name() -> None:
    assert HallucinationEvaluator(judge()).evaluate(ROW, {"output": ""})[0].label == "factual"


@pytest.mark.parametrize("path", ["answers[2]", "answers[0].text", "found.none", "question[0]"])
def test_a_path_that_leads_nowhere_is_said(path: str) -> None:
    with pytest.raises(MissingParameters, match="path not found") as caught:
        HallucinationEvaluator(judge()).evaluate(NESTED, {"input": "question", "output": path, "context": "dotted.key"})
    assert caught.value.names == ("output",)


@pytest.mark.parametrize("path", ["answers[", "answers[x]", "found..docs", "answers]0"])
def test_what_is_no_path_is_said(path: str) -> None:
    with pytest.raises(InputError, match="no path"):
        HallucinationEvaluator(judge()).evaluate(NESTED, {"output": path})


def test_binding_makes_a_copy_and_can_be_undone() -> None:
    mapping = {"input": "question", "output": "answers[1]", "context": "dotted.key"}
    evaluator = HallucinationEvaluator(judge())
    bound = bind_evaluator(evaluator=evaluator, input_mapping=mapping)
    mapping["output"] = "answers[0]"
    assert bound.evaluate(NESTED)[0].label == "hallucinated", "a mapping is taken as it was"
    assert bound.evaluate(NESTED, mapping)[0].label == "factual", "one that is given with the call counts more"
    with pytest.raises(MissingParameters):
        evaluator.evaluate(NESTED)
    evaluator.bind(mapping)
    assert evaluator.evaluate(NESTED)[0].label == "factual"
    evaluator.unbind()
    with pytest.raises(MissingParameters):
        evaluator.evaluate(NESTED)
    assert bound.describe() == evaluator.describe()


def asked_with(template: Any) -> str:
    scripted = judge()
    HallucinationEvaluator(scripted, prompt_template=template).evaluate(ROW)
    return str(scripted.asked[0].render())


@pytest.mark.parametrize(
    "template",
    [
        "Hold {output} against {context}, for {input}. Reply {'verdict': 'factual'} or "
        '{"verdict": "hallucinated"}.',
        "Hold {{output}} against {{context}}, for {{ input }}. Reply {'verdict': 'factual'} or "
        '{"verdict": "hallucinated"}.',
        PromptTemplate(
            "Hold {output} against {context}, for {input}. Reply {'verdict': 'factual'} or "
            '{"verdict": "hallucinated"}.'
        ),
    ],
)
def test_templates_have_the_documents_slots(template: Any) -> None:
    asked = asked_with(template)
    assert asked.startswith("Hold <output-")
    assert "330 m." in asked and "The tower is 330 m tall." in asked and "How tall?" in asked
    assert "{'verdict': 'factual'}" in asked and '{"verdict": "hallucinated"}' in asked, "other braces stay"


def test_messages_are_a_template_too() -> None:
    asked = asked_with(
        [{"role": "system", "content": "Be fair."}, {"role": "user", "content": "{output} by {context}?"}]
    )
    assert asked.startswith("Be fair.\n\n<output-")


@pytest.mark.parametrize("template", ["{output} is it?", "{context}", 7, [7]])
def test_templates_without_what_must_be_seen_are_refused(template: Any) -> None:
    with pytest.raises(PromptError):
        HallucinationEvaluator(judge(), prompt_template=template)


def test_the_template_that_is_used_can_be_taken_changed_and_given_back() -> None:
    assert isinstance(HALLUCINATION_PROMPT_TEMPLATE, PromptTemplate)
    assert set(HALLUCINATION_PROMPT_TEMPLATE.variables) == {"input", "context", "output"}
    filled = HALLUCINATION_PROMPT_TEMPLATE.format(**ROW)
    assert "330 m." in filled and "{output}" not in filled
    changed = HALLUCINATION_PROMPT_TEMPLATE.template.replace("You judge", "You decide")
    assert "You decide whether the output" in asked_with(changed)
    evaluator = HallucinationEvaluator(judge())
    assert evaluator.prompt_template == HallucinationEvaluator.PROMPT == HALLUCINATION_PROMPT_TEMPLATE
    with pytest.raises(InputError, match="output"):
        HALLUCINATION_PROMPT_TEMPLATE.format(input="q", context="c")


FRAME = pd.DataFrame(
    {"question": ["q"] * 3, "said": ["330 m.", "33 m.", "broken"], "context": ["The tower is 330 m tall."] * 3},
    index=["b", "a", "b"],
)


def bound() -> HallucinationEvaluator:
    return bind_evaluator(HallucinationEvaluator(judge()), {"input": "question", "output": "said"})


def test_a_frame_gets_phoenixs_columns() -> None:
    told = evaluate_dataframe(dataframe=FRAME, evaluators=[bound()], hide_tqdm_bar=True)
    assert list(told.index) == ["b", "a", "b"]
    assert list(told.columns) == [*FRAME.columns, "hallucination_execution_details", "hallucination_score"]
    scores = list(told["hallucination_score"])
    assert [score and (score["score"], score["label"]) for score in scores] == [
        (1.0, "factual"),
        (0.0, "hallucinated"),
        None,
    ]
    details = list(told["hallucination_execution_details"])
    assert [detail["status"] for detail in details] == ["COMPLETED", "COMPLETED", "FAILED"]
    assert "gone" in details[2]["exceptions"][0] and details[0]["exceptions"] == []
    assert all(detail["execution_seconds"] >= 0 for detail in details)
    assert "hallucination_score" not in FRAME.columns


async def test_a_frame_with_several_evaluators_can_be_awaited() -> None:
    mapping = {"input": "question", "output": "said"}
    evaluators = [bound(), bind_evaluator(FaithfulnessEvaluator(judge()), mapping)]
    told = await async_evaluate_dataframe(FRAME, evaluators, concurrency=2, tqdm_bar_format=None)
    assert [score and score["label"] for score in told["faithfulness_score"]] == ["faithful", "unfaithful", None]
    assert [score and score["label"] for score in told["hallucination_score"]] == ["factual", "hallucinated", None]


def test_a_function_in_a_mapping_that_raises_fails_its_row_alone() -> None:
    mapping: dict[str, Any] = {"input": "question", "output": lambda row: {"330 m.": "330 m."}[row["said"]]}
    told = evaluate_dataframe(FRAME, [bind_evaluator(HallucinationEvaluator(judge()), mapping)])
    details = list(told["hallucination_execution_details"])
    assert [detail["status"] for detail in details] == ["COMPLETED", "FAILED", "FAILED"]
    assert "KeyError" in details[1]["exceptions"][0]


def test_a_frame_can_stop_at_the_first_error() -> None:
    frame = FRAME.iloc[::-1]
    told = evaluate_dataframe(frame, [bound()], exit_on_error=True, concurrency=1)
    statuses = [detail["status"] for detail in told["hallucination_execution_details"]]
    assert statuses == ["FAILED", "DID NOT RUN", "DID NOT RUN"]


def test_retries_can_be_counted(server: Loopback) -> None:
    server.faults = Faults(failed=1.0)
    evaluator = HallucinationEvaluator(LLM("gpt-4o", "openai", base_url=server.base_url))
    told = evaluate_dataframe(pd.DataFrame([ROW]), [evaluator], max_retries=0)
    assert told["hallucination_execution_details"][0]["status"] == "FAILED"
    assert len(server.calls) == 1


def test_an_empty_frame_has_the_columns() -> None:
    told = evaluate_dataframe(
        pd.DataFrame({"input": [], "output": [], "context": []}), [HallucinationEvaluator(judge())]
    )
    assert len(told) == 0
    assert {"hallucination_execution_details", "hallucination_score"} <= set(told.columns)


def test_wrong_arguments_of_a_frame_are_said() -> None:
    with pytest.raises(InputError, match="DataFrame"):
        evaluate_dataframe([ROW], [bound()])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="concurrency"):
        evaluate_dataframe(FRAME, [bound()], concurrency=0)
    with pytest.raises(InputError, match="max_retries"):
        evaluate_dataframe(FRAME, [bound()], max_retries=-1)


def test_faithfulness_has_its_own_words() -> None:
    evaluator = FaithfulnessEvaluator(llm=LLM(judge()))
    (score,) = evaluator.evaluate(ROW)
    assert (score.name, score.score, score.label, score.direction) == ("faithfulness", 1.0, "faithful", "maximize")
    (score,) = evaluator.evaluate({**ROW, "output": "33 m."})
    assert (score.score, score.label) == (0.0, "unfaithful")
    assert evaluator.describe()["input_schema"]["title"] == "FaithfulnessInputSchema"


def test_tokens_and_cost_are_in_the_metadata(server: Loopback) -> None:
    (score,) = HallucinationEvaluator(LLM("gpt-4o", "openai", base_url=server.base_url)).evaluate(ROW)
    told = score.metadata
    assert told["model"] == "gpt-4o"
    assert told["total_tokens"] == told["input_tokens"] + told["output_tokens"] > 0
    assert "cost" in told


def test_a_score_as_data_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    score = Score(name="test", score=0.8)
    assert score.to_dict() == {"name": "test", "score": 0.8, "metadata": {}, "source": "llm", "direction": "maximize"}
    assert (score.kind, Score().name, Score().score) == ("llm", None, None)
    score.pretty_print(indent=4)
    printed = capsys.readouterr().out
    assert json.loads(printed) == score.to_dict()
    assert '\n    "score": 0.8' in printed


def test_parameters_of_an_evaluator_reach_the_judge(server: Loopback) -> None:
    llm = LLM("gpt-4o", "openai", base_url=server.base_url, temperature=0.1)
    evaluator = HallucinationEvaluator(llm=llm, temperature=0.5, max_tokens=256)
    assert evaluator.invocation_parameters == {"temperature": 0.5, "max_tokens": 256}
    evaluator.evaluate(ROW)
    sent = server.calls[0].asked.body
    assert (sent["temperature"], sent["max_tokens"]) == (0.5, 256)
    with pytest.raises(InputError, match="temperatur"):
        HallucinationEvaluator(llm=llm, temperatur=0.5)
