"""createScorer: scorers of one's own, in steps that are functions or questions to a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from halluscope._internal.core.errors import InputError
from halluscope._internal.core.result import Outcome
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.mastra import (
    create_scorer,
    get_assistant_message_from_run_output,
    get_user_message_from_run_input,
    run_evals,
)

from ..helpers.loopback import Faults, Loopback

RUN = {"input": [{"role": "user", "content": "a question"}], "output": {"role": "assistant", "text": "an answer"}}


def lengths(run: Any) -> dict[str, int]:
    asked = get_user_message_from_run_input({"messages": run.input}) or ""
    said = get_assistant_message_from_run_output(run.output) or ""
    return {"asked": len(asked), "said": len(said)}


def test_steps_that_are_functions_see_what_the_earlier_ones_found() -> None:
    scorer = (
        create_scorer(id="longer", name="Longer", description="Whether the answer is the longer one.")
        .preprocess(lengths)
        .analyze(lambda results: results.preprocess_step_result["said"] > results.preprocess_step_result["asked"])
        .generate_score(lambda params: float(params.results.analyze_step_result))
        .generate_reason(lambda score, results: f"{score:g}, for {results.preprocess_step_result}")
    )
    result = scorer.run(RUN)
    assert result.preprocess_step_result == {"asked": 10, "said": 9}
    assert result.analyze_step_result is False
    assert (result.score, result.outcome) == (0.0, Outcome.SCORED)
    assert result.reason == "0, for {'asked': 10, 'said': 9}"
    assert (scorer.id, scorer.name, result.judge, result.preprocess_prompt) == ("longer", "Longer", None, None)


async def test_a_score_is_enough_and_functions_may_be_asynchronous() -> None:
    async def score(run: Any) -> int:
        return 1 if run.ground_truth == "truth" else 0

    scorer = create_scorer(id="mine").generate_score(score)
    assert (await scorer.arun(output="o", ground_truth="truth")).score == 1.0
    assert (await scorer.arun({"output": "o", "groundTruth": "lie"})).score == 0.0


def test_each_step_gives_a_new_scorer() -> None:
    first = create_scorer(id="mine").generate_score(lambda: 1)
    second = first.generate_reason(lambda: "why")
    assert (first.run(output="o").reason, second.run(output="o").reason) == (None, "why")


class Lengths(msgspec.Struct):
    said: int


def steps(base_url: str, schema: Any) -> Any:
    judge = {"model": "openai/m", "instructions": "You count.", "base_url": base_url}
    return (
        create_scorer(id="counted", judge=judge)
        .analyze({"create_prompt": lambda run: f"Count {run.output!r}.", "output_schema": schema})
        .generate_score(lambda results: results.analyze_step_result["said"] / 10)
        .generate_reason({"createPrompt": lambda score: f"Why {score}?", "description": "says why"})
    )


@pytest.mark.parametrize(
    "schema",
    [
        Lengths,
        {"type": "object", "properties": {"said": {"type": "integer"}}, "required": ["said"]},
    ],
)
def test_steps_that_ask_a_model(server: Loopback, schema: Any) -> None:
    def answer(asked: Any) -> Any:
        return {"said": 9} if "Count 'an answer'." in asked.prompt else {"reason": "It was counted."}

    server.answer = answer
    result = steps(server.base_url, schema).run(output="an answer")
    assert (result.score, result.reason) == (0.9, "It was counted.")
    assert (result.analyze_prompt, result.generate_reason_prompt) == ("Count 'an answer'.", "Why 0.9?")
    assert list(result.judge) == ["analyze", "generate_reason"]
    (execution,) = result.judge.analyze.executions
    assert (execution.prompt, execution.output, execution.status) == ("Count 'an answer'.", {"said": 9}, "success")
    assert server.calls[0].asked.body["messages"][0]["content"] == "You count."


def test_a_reply_of_another_form_is_asked_for_again(server: Loopback) -> None:
    replies: Iterator[dict[str, Any]] = iter([{"words": 9}, {"said": "nine"}, {"said": 9}, {"reason": "r"}])
    server.answer = lambda asked: next(replies)
    result = steps(server.base_url, Lengths).run(output="an answer")
    assert result.score == 0.9
    assert [e.status for e in result.judge.analyze.executions] == ["failure", "failure", "success"]


def test_a_score_may_be_asked_for(server: Loopback) -> None:
    server.answer = lambda asked: {"score": 0.25}
    judge = {"model": "openai/m", "base_url": server.base_url}
    scorer = create_scorer(id="asked", judge=judge).generate_score({"create_prompt": lambda: "How good is it?"})
    result = scorer.run(output="o")
    assert (result.score, result.generate_score_prompt) == (0.25, "How good is it?")


def test_a_step_has_a_model_of_its_own() -> None:
    def mine(prompt: str) -> str:
        assert prompt.startswith("How good is it?")
        return '{"score": 1}'

    step = {"create_prompt": lambda: "How good is it?", "judge": {"model": mine}}
    assert create_scorer(id="own", judge={"model": ScriptedJudge({})}).generate_score(step).run(output="o").score == 1.0


@pytest.mark.parametrize(
    ("step", "kind", "says"),
    [
        (lambda: 1 / 0, "scorer", "ZeroDivisionError"),
        (lambda: "high", "scorer", "must be a number"),
        (lambda: None, "scorer", "must be a number"),
        (lambda: float("nan"), "scorer", "must be a number"),
        ({"create_prompt": lambda: 7, "judge": {"model": len}}, "scorer", "create_prompt returned a int"),
        ({"create_prompt": lambda: "p", "judge": {"model": "local"}}, "unjudgeable", "embedded"),
    ],
)
def test_a_step_that_fails_is_a_result_that_names_it(step: Any, kind: str, says: str) -> None:
    scorer = create_scorer(id="mine").preprocess(lambda: "kept").generate_score(step)
    result = scorer.run(output="o")
    assert (result.score, result.outcome, result.preprocess_step_result) == (None, Outcome.FAILED, "kept")
    assert result.failure is not None and result.failure.kind == kind
    assert result.failure.message.startswith("generate_score: ") and says in result.failure.message


def test_a_server_that_fails_is_a_result_too(server: Loopback) -> None:
    server.faults = Faults(failed=1.0)
    judge = {"model": "openai/m", "base_url": server.base_url, "timeout": 0.2}
    result = create_scorer(id="asked", judge=judge).generate_score({"create_prompt": lambda: "p"}).run(output="o")
    assert result.failure is not None and result.failure.kind == "unavailable"


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: create_scorer(id=""), "id"),
        (lambda: create_scorer(id="m", judge={"modle": "x"}), "modle"),
        (lambda: create_scorer(id="m", judge={"errorProcessors": []}), "'errorProcessors': a judge takes retry_policy"),
        (lambda: create_scorer(id="m").generate_score(7), "is a int"),  # type: ignore[arg-type]
        (lambda: create_scorer(id="m").analyze({"prompt": len}), "'prompt'"),
        (lambda: create_scorer(id="m").analyze({"description": "d"}), "create_prompt"),
        (lambda: create_scorer(id="m").analyze(len).run(output="o"), "generate_score"),
    ],
)
def test_wrong_scorers_are_said(make: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        make()


def test_own_scorers_take_part_in_evaluations() -> None:
    knows = create_scorer(id="knows").generate_score(lambda run: float(run.output == run.ground_truth))
    result = run_evals(
        data=[{"input": "a", "ground_truth": "a"}, {"input": "b", "groundTruth": "c"}], scorers=[knows], target=str
    )
    assert result.scores == {"knows": 0.5}
