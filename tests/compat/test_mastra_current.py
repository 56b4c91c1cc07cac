"""Mastra's current code: camelCase, model objects, prepareRun, filters, conversations."""

from __future__ import annotations

import json
from typing import Any

import pytest

from halluscope import InputError
from halluscope._internal.core.result import Outcome
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat import mastra
from halluscope.compat.mastra import (
    Agent,
    create_hallucination_scorer,
    create_scorer,
    create_test_message,
    create_tool_invocation,
    extract_agent_response_messages,
    extract_input_messages,
    extract_tool_calls,
    not_scorable,
    run_evals,
)

from ..helpers.loopback import Loopback

CAMEL: Any = mastra
"""The module with its names in camelCase, which its stub does not list."""

ONE_LIE: dict[str, Any] = {
    "extract": {"claims": ["It is tall.", "It is red."]},
    "verify": {"verdicts": [{"id": "c1", "verdict": "no"}, {"id": "c2", "verdict": "yes"}]},
    "explain": {"reason": "It is not red."},
}
TOOL = create_tool_invocation(tool_call_id="1", tool_name="look_up", args={}, result="It is tall.")
KEY = "a key for loopback"
OUTPUT = [create_test_message(content="It is tall. It is red.", tool_invocations=[TOOL])]


def test_the_documents_options_object_with_get_context() -> None:
    scorer = create_hallucination_scorer(
        {
            "model": ScriptedJudge(ONE_LIE),
            "options": {
                "getContext": lambda run, step: [
                    json.dumps({"tool": t.toolName, "result": t.result}) for t in CAMEL.extractToolResults(run.output)
                ]
            },
        }
    )
    result: Any = scorer.run({"input": "How is it?", "output": OUTPUT, "runId": "r"})
    assert (result.score, result.runId) == (0.5, "r")
    assert result.preprocessStepResult == {"claims": ["It is tall.", "It is red."]}


def test_names_in_camel_case_work_everywhere() -> None:
    scorer: Any = CAMEL.createScorer(
        {"id": "long", "prepareRun": lambda run: {**run, "output": run.output + "!"}, "description": "d"}
    )
    scorer = scorer.preprocess(lambda run: len(run.groundTruth)).generateScore(
        lambda results: float(results.preprocessStepResult)
    )
    seen: list[Any] = []
    told: Any = CAMEL.runEvals(
        {
            "data": [{"input": "q", "groundTruth": "abc"}],
            "scorers": [scorer],
            "target": lambda question: "said",
            "onItemComplete": lambda scorerResults, targetResult: seen.append(
                (scorerResults["long"].score, targetResult)
            ),
            "targetOptions": {},
        }
    )
    assert seen == [(3.0, "said")]
    assert (told.summary.totalItems, told.thresholdResults) == (1, None)
    with pytest.raises(AttributeError, match="threshold_result"):
        _ = told.thresholdResult
    with pytest.raises(AttributeError, match="createScorers"):
        _ = CAMEL.createScorers


def test_results_are_written_in_mastras_shape() -> None:
    result = create_hallucination_scorer(ScriptedJudge(ONE_LIE), {"context": ["It is tall."]}).run(
        input="q", output="It is tall. It is red.", run_id="r"
    )
    told = json.loads(json.dumps(result.to_dict()))
    assert told["runId"] == "r" and told["score"] == 0.5 and "result" not in told and "failure" not in told
    assert told["analyzeStepResult"]["verdicts"][1]["verdict"] == "yes"
    assert told["judge"]["generateReason"]["executions"][0]["modelCallCount"] == 1
    evals = run_evals(
        data=[{"input": "q"}], scorers=[{"scorer": scored("s", 1), "threshold": 0.5}], target=lambda question: "a"
    )
    assert evals.to_dict()["thresholdResults"] == [{"id": "s", "passed": True, "averageScore": 1.0, "threshold": 0.5}]


def scored(id: str, score: Any) -> Any:
    return create_scorer(id=id).generate_score(score if callable(score) else lambda: score)


@pytest.mark.parametrize(
    "model",
    [
        {"id": "custom/m"},
        {"providerId": "custom", "modelId": "m"},
    ],
)
def test_a_model_may_be_an_object(server: Loopback, model: dict[str, Any]) -> None:
    model = {**model, "url": server.base_url, "apiKey": KEY, "headers": {"x-team": "towers"}}
    server.answer = lambda asked: {"score": 0.5}
    step = {"description": "d", "createPrompt": lambda run: f"Rate {run.output}"}
    assert create_scorer(id="s", judge={"model": model}).generate_score(step).run(output="o").score == 0.5
    call = server.calls[0]
    assert call.asked.body["model"] == "m"
    assert (call.asked.headers["x-team"], call.asked.headers["authorization"]) == (
        "towers",
        f"Bearer {KEY}",
    )
    assert Agent(name="a", model=model).generate("Hello").text
    assert create_hallucination_scorer(model).judge.name == "openai/m"


def test_a_model_object_without_an_id_is_refused() -> None:
    with pytest.raises(InputError, match="`id`"):
        _ = create_hallucination_scorer({"model": {"url": "http://127.0.0.1"}}).judge


def test_a_scorer_needs_no_id_where_it_has_a_name() -> None:
    scorer = create_scorer(name="Brief", description="d").generate_score(lambda: 1)
    assert (scorer.id, scorer.name) == ("Brief", "Brief")
    with pytest.raises(InputError, match="id=… or name=…"):
        create_scorer(description="d")


def test_calculate_score_makes_a_score_of_the_answer(server: Loopback) -> None:
    server.answer = lambda asked: {"good": 3, "bad": 1}
    schema = {"type": "object", "required": ["good", "bad"]}
    step = {
        "description": "counts",
        "outputSchema": schema,
        "createPrompt": lambda: "Count.",
        "calculateScore": lambda analyzeStepResult: analyzeStepResult["good"] / 4,
    }
    settings = {"temperature": 0.42, "maxOutputTokens": 77}
    judge = {"model": "openai/m", "instructions": "You count.", "base_url": server.base_url, "modelSettings": settings}
    assert create_scorer(id="s", judge=judge).generate_score(step).run(output="o").score == 0.75
    body = server.calls[0].asked.body
    assert (body["temperature"], body.get("max_tokens") or body.get("max_completion_tokens")) == (0.42, 77)


def test_prepare_run_changes_what_the_steps_see() -> None:
    def last_alone(run: Any) -> dict[str, Any]:
        return {**run, "output": run.output[-1:], "groundTruth": None}

    scorer = create_scorer(id="n", prepare_run=last_alone).generate_score(
        lambda run: len(run.output) + 10 * (run.ground_truth is not None)
    )
    assert scorer.run({"output": OUTPUT * 3, "groundTruth": "t"}).score == 1
    broken = create_scorer(id="n", prepare_run=lambda run: None).generate_score(lambda: 1).run(output="o")
    assert broken.score is None and "prepare_run" in (broken.reason or "")


def test_a_step_may_say_that_there_is_nothing_to_score() -> None:
    scorer = (
        create_scorer(id="refunds")
        .preprocess(
            lambda run: {"tools": 1} if extract_tool_calls(run.output).tools else not_scorable("no tool was called")
        )
        .generate_score(lambda: 1)
    )
    assert scorer.run(output=OUTPUT).score == 1
    nothing = scorer.run(output="text")
    assert (nothing.score, nothing.reason, nothing.outcome) == (None, "no tool was called", Outcome.UNJUDGEABLE)
    found = run_evals(data=[{"input": 0}, {"input": 1}], scorers=[scorer], target=lambda n: OUTPUT if n else "text")
    assert (found.scores, found.summary.without_score) == ({"refunds": 1.0}, {"refunds": 1})


def test_calls_of_tools_and_messages_of_a_run() -> None:
    waiting = {"toolCallId": "2", "toolName": "send", "args": {}, "state": "call"}
    output = [*OUTPUT, create_test_message(content="Done.", tool_invocations=[waiting])]
    called: Any = extract_tool_calls(output)
    assert called.tools == ["look_up", "send"]
    assert called.toolCallInfos[1] == {
        "tool_name": "send",
        "tool_call_id": "2",
        "message_index": 1,
        "invocation_index": 0,
    }
    openai = [
        {"role": "assistant", "tool_calls": [{"id": "7", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "7", "content": "r"},
    ]
    assert extract_tool_calls(openai).tools == ["f"], "a call and its result are one"
    assert extract_agent_response_messages(output) == ["It is tall. It is red.", "Done."]
    assert extract_input_messages({"inputMessages": [create_test_message(content="q", role="user")]}) == ["q"]


PLAN = {"op": "eq", "left": {"path": "requestContext.plan"}, "right": {"literal": "enterprise"}}


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        (PLAN, 1),
        ({"op": "not", "arg": PLAN}, 1),
        ({"op": "and", "args": [PLAN, {"op": "exists", "path": "requestContext.plan"}]}, 1),
        ({"op": "or", "args": [PLAN, {"op": "notExists", "path": "requestContext.plan"}]}, 1),
        ({"op": "in", "value": {"path": "requestContext.plan"}, "set": ["enterprise", "free"]}, 2),
        ({"op": "notIn", "value": {"path": "requestContext.plan"}, "set": ["free"]}, 1),
        ({"op": "truthy", "value": {"path": "requestContext.paid"}}, 0),
        ({"op": "falsy", "value": {"path": "requestContext.paid"}}, 2),
        ({"op": "gt", "left": {"path": "requestContext.plan"}, "right": {"literal": 3}}, 0),
    ],
)
def test_a_filter_chooses_which_answers_are_scored(filter: dict[str, Any], expected: int) -> None:
    scorers = {"s": {"scorer": scored("s", 1), "filter": filter, "sampling": {"type": "ratio", "rate": 1}}}
    agent = Agent(id="a", model=lambda prompt: "answer", scorers=scorers)
    for plan in ("enterprise", "free"):
        agent.generate("q", request_context={"plan": plan})
    agent.flush()
    assert len(agent.scores) == expected


@pytest.mark.parametrize("filter", [{"op": "equals"}, {"op": "truthy", "value": {"path": "output.text"}}, "enterprise"])
def test_a_filter_that_is_none_is_found_out_when_the_agent_is_made(filter: Any) -> None:
    with pytest.raises(InputError, match="filter"):
        Agent(id="a", model=lambda prompt: "a", scorers=[{"scorer": scored("s", 1), "filter": filter}])


def test_conversations_go_to_the_target_turn_by_turn() -> None:
    told: list[str] = []

    def model(prompt: str) -> str:
        told.append(prompt)
        return f"answer {len(told)}"

    whole = scored("whole", lambda run: len(extract_agent_response_messages(run.output)))
    data: list[Any] = [{"inputs": ["How tall?", "And how old?"]}, {"input": "Alone?"}]
    found = run_evals(data=data, scorers=[whole], target=Agent(id="a", model=model))
    assert [item.scorer_results["whole"].score for item in found.items] == [2.0, 1.0]
    assert told[0].endswith("How tall?")
    assert told[1].splitlines()[-1] == "user: And how old?" and "assistant: answer 1" in told[1]
    plain = run_evals(data=[{"inputs": ["a", "b"]}], scorers=[whole], target=lambda question: question.upper())
    assert plain.items[0].target_result == "B"


def says_it(letter: str) -> Any:
    return lambda run: float(letter in run.output)


def test_turns_have_scorers_and_gates_of_their_own() -> None:
    says = {letter: scored(letter, says_it(letter)) for letter in "ab"}
    turns = [
        {"input": "a", "gates": [says["a"]]},
        {"input": "b", "gates": [says["b"]], "scorers": [{"scorer": says["a"], "threshold": 0.5}]},
    ]
    found = run_evals(data=[{"turns": turns}, {"turns": turns[:1]}], target=lambda question: question)
    assert found.verdict == "scored"
    assert found.turn_results is not None
    first, second = found.turn_results
    assert first.gate_results is not None and (first.index, first.gate_results[0].passed) == (0, True)
    assert second.threshold_results is not None
    assert (second.threshold_results[0].id, second.threshold_results[0].passed) == ("a", False)
    swapped = run_evals(data=[{"turns": [{**turns[0], "input": "b"}]}], target=lambda question: question)
    assert (swapped.verdict, swapped.gate_results) == ("failed", None)
    tracked = run_evals(data=[{"turns": [{"input": "a", "scorers": [says["a"]]}]}], target=lambda question: question)
    assert tracked.turn_results is not None and tracked.turn_results[0].scores == {"a": 1.0}


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"inputs": []}, "non-empty list"),
        ({"inputs": "one"}, "non-empty list"),
        ({"input": "a", "turns": ["b"]}, "both 'input' and 'turns'"),
        ({"turns": ["a"]}, "a turn of item 0"),
        ({"turns": [{"input": "a", "metrics": []}]}, "a turn of item 0"),
        ({}, "no 'input'"),
    ],
)
def test_items_that_are_no_conversations(item: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        run_evals(data=[item], scorers=[scored("s", 1)], target=lambda question: question)
