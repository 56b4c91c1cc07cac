"""Mastra's tests of runEvals, of its gates and thresholds, and of createScorer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from halluscope._internal.errors import InputError
from halluscope.compat.mastra import Agent, create_scorer, run_evals

from ...loopback import Loopback
from . import carried, different

RUN = "mastra packages/core/src/evals/run/index.test.ts"
GATES = "mastra packages/core/src/evals/run/gates.scenario.test.ts"
THRESHOLDS = "mastra packages/core/src/evals/thresholds.test.ts"
BASE = "mastra packages/core/src/evals/base.test.ts"
DATA = [{"input": "What is rye?", "groundTruth": "A grain"}, {"input": "What is oat?", "groundTruth": "A grain"}]


def fixed(id: str, score: float) -> Any:
    return create_scorer(id=id, name=id, description="Always the same.").generate_score(lambda: score)


def agent(answer: str = "A grain.", **more: Any) -> Agent:
    return Agent(id="mockAgent", name="mockAgent", instructions="Answer.", model=lambda prompt: answer, **more)


def evals(**more: Any) -> Any:
    return run_evals(**{"data": DATA, "scorers": [fixed("s", 0.9)], "target": agent(), **more})


@carried(RUN, "Basic functionality: should run experiment with single scorer")
def test_one_scorer() -> None:
    result = evals(scorers=[fixed("toxicity", 0.9)])
    assert (result.scores["toxicity"], result.summary.total_items) == (0.9, 2)


@carried(RUN, "Basic functionality: should run experiment with multiple scorers")
def test_several_scorers() -> None:
    result = evals(scorers=[fixed("toxicity", 0.9), fixed("relevance", 0.7)])
    assert result.scores == {"toxicity": 0.9, "relevance": 0.7}


@carried(RUN, "Basic functionality: should calculate average scores correctly")
def test_means() -> None:
    scores = iter([0.6, 1.0])
    result = evals(scorers=[create_scorer(id="test").generate_score(lambda: next(scores))])
    assert result.scores["test"] == pytest.approx(0.8)


@carried(
    RUN,
    "V2 Agent integration: should call agent.generateLegacy with correct parameters",
    "Scorer integration: should call scorers with correct data",
)
def test_scorers_get_input_output_and_truth() -> None:
    seen: list[Any] = []
    scorer = create_scorer(id="s").generate_score(lambda run: seen.append(run) or 1)  # type: ignore[func-returns-value]
    evals(data=[{"input": "What is rye?", "groundTruth": "truth"}], scorers=[scorer])
    (run,) = seen
    assert (run.input, run.ground_truth) == ("What is rye?", "truth")
    assert run.output.text == "A grain."


class Watched:
    def __init__(self) -> None:
        self.calls: list[tuple[Any, dict[str, Any]]] = []

    def generate(self, messages: Any, **options: Any) -> dict[str, Any]:
        self.calls.append((messages, options))
        return {"text": "A grain."}


@carried(RUN, "Agent integration: should call agent.generateLegacy with correct parameters")
def test_the_agent_is_called_once_for_each_item() -> None:
    watched = Watched()
    evals(data=DATA[:1], target=watched)
    assert [asked for asked, _ in watched.calls] == ["What is rye?"]


@carried(RUN, "Agent integration: should pass requestContext when provided")
def test_the_requests_context_reaches_the_agent() -> None:
    watched = Watched()
    evals(data=[{"input": "q", "requestContext": {"userId": "u"}}], target=watched)
    assert watched.calls == [("q", {"request_context": {"userId": "u"}})]


@carried(RUN, "onItemComplete callback: should call onItemComplete for each item")
def test_the_callback_hears_of_each_item() -> None:
    heard: list[Any] = []
    evals(scorers=[fixed("toxicity", 1), fixed("relevance", 1)], on_item_complete=heard.append)
    assert [(told.item, set(told.scorer_results)) for told in heard] == [
        (item, {"toxicity", "relevance"}) for item in DATA
    ]


@carried(
    RUN,
    "Error handling: should handle empty data array",
    "Error handling: should handle empty scorers array",
)
@pytest.mark.parametrize("more", [{"data": []}, {"scorers": []}])
def test_nothing_to_do_is_an_error(more: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        evals(**more)


@carried(RUN, "targetOptions: should pass targetOptions to agent.generate (modern path)")
def test_options_reach_the_target() -> None:
    watched = Watched()
    evals(data=DATA[:1], target=watched, target_options={"maxSteps": 3})
    assert watched.calls[0][1] == {"max_steps": 3}


@carried(RUN, "targetOptions: should not allow targetOptions to override scorers or returnScorerData")
def test_options_that_an_evaluation_sets_itself_are_refused() -> None:
    for name in ("scorers", "returnScorerData"):
        with pytest.raises(InputError):
            evals(target=Watched(), target_options={name: {}})


different(
    RUN,
    "a target or scorer that fails is reported in its item, and the run goes on",
    "Error handling: should handle agent generate errors",
    "Error handling: should handle scorer errors",
)
different(
    RUN,
    "outputs come from the target itself: there is no separate scoringData that could be missing",
    "Scorer integration: should handle missing scoringData gracefully",
)
different(
    RUN,
    "there is one way to call an agent; the older method of Mastra's agents has no counterpart",
    "targetOptions: should not pass targetOptions to generateLegacy (legacy path)",
)
different(
    RUN,
    "workflows are not part of the documents, and the façade has none",
    "Workflow integration: should run experiment with workflow target",
    "Workflow integration: should override step scorers to be empty during workflow execution",
    "Workflow integration: should run scorers on individual step results",
    "Workflow integration: should capture step scorer results in experiment output",
    "targetOptions: should pass targetOptions to workflow run.start",
    "startOptions: should pass startOptions to run.start for each item",
    "startOptions: per-item startOptions should override targetOptions for the same key",
    "Score persistence: should save workflow scores to storage",
)
different(
    RUN,
    "nothing is sent or stored behind the caller's back: the result has every score",
    "Observability integration: should create tracing spans when observability is configured in Mastra",
    "Score persistence: should save scores to storage when runEvals is called",
)


def held(score: float) -> dict[str, Any]:
    return {"scorer": fixed("quality", score), "threshold": 0.7}


JUDGED = {
    "verdict with gates only: returns verdict: passed when all gates score 1.0": ([fixed("q", 0.9)], [1], "passed"),
    "verdict with gates only: returns verdict: failed when a gate scores below 1.0": ([fixed("q", 0.9)], [0], "failed"),
    "verdict with gates only: returns verdict: failed when any one gate fails among multiple": (
        [fixed("q", 0.5)],
        [1, 0],
        "failed",
    ),
    "verdict with thresholds only: returns verdict: passed when scorer meets threshold": ([held(0.85)], [], "passed"),
    "verdict with thresholds only: returns verdict: scored when scorer misses threshold": ([held(0.3)], [], "scored"),
    "verdict with gates + thresholds combined: returns verdict: scored when gates pass but threshold fails": (
        [held(0.3)],
        [1],
        "scored",
    ),
    "verdict with gates + thresholds combined: returns verdict: failed when gate fails even if threshold passes": (
        [held(0.9)],
        [0],
        "failed",
    ),
    "verdict with gates + thresholds combined: returns verdict: passed when gates and thresholds all pass": (
        [held(0.9)],
        [1],
        "passed",
    ),
    "backward compatibility: omits verdict when no gates or thresholds provided": ([fixed("q", 0.8)], [], None),
    "backward compatibility: works with mixed bare scorers and threshold scorers": (
        [fixed("bare", 0.75), held(0.9)],
        [],
        "passed",
    ),
}


@carried(GATES, *JUDGED)
@pytest.mark.parametrize(("scorers", "gates", "verdict"), JUDGED.values(), ids=JUDGED)
def test_verdicts(scorers: Any, gates: list[float], verdict: str | None) -> None:
    result = evals(scorers=scorers, gates=[fixed(f"gate {i}", score) for i, score in enumerate(gates)])
    assert result.verdict == verdict
    assert [gate.passed for gate in result.gate_results or []] == [bool(score) for score in gates]
    if verdict is None:
        assert (result.gate_results, result.threshold_results) == (None, None)


@carried(GATES, "gates with tool-calling agents: gates a tool-calling agent with custom scorers")
def test_gates_of_an_agent_with_tools(server: Loopback) -> None:
    server.answer = lambda asked: (
        "Rye is a grain." if "returned:" in asked.prompt else {"tool": "look_up", "args": {"word": "rye"}}
    )
    target = Agent(
        id="a", model="openai/m", tools={"look_up": lambda word: f"{word}: a grain"}, base_url=server.base_url
    )
    used = create_scorer(id="used").generate_score(lambda run: len(run.output.tool_results))
    result = evals(data=DATA[:1], target=target, scorers=[held(0.9)], gates=[used])
    assert (result.verdict, result.gate_results[0].score) == ("passed", 1.0)


@carried(GATES, "multi-item dataset verdict: averages gate scores across items for verdict")
def test_gates_over_several_items() -> None:
    result = evals(data=[*DATA, {"input": "c"}], gates=[fixed("gate", 1)])
    assert (result.verdict, result.summary.total_items, result.gate_results[0].score) == ("passed", 3, 1.0)


@carried(
    THRESHOLDS,
    "checkThresholdPassed: treats a numeric threshold as an inclusive minimum",
    "checkThresholdPassed: treats min and max bounds as inclusive",
    "detects threshold wrappers for generic scorer references",
)
@pytest.mark.parametrize(
    ("score", "threshold", "passed"),
    [
        (0.7, 0.7, True),
        (0.69, 0.7, False),
        (0.3, {"min": 0.3, "max": 0.7}, True),
        (0.7, {"min": 0.3, "max": 0.7}, True),
        (0.29, {"min": 0.3, "max": 0.7}, False),
        (0.71, {"min": 0.3, "max": 0.7}, False),
    ],
)
def test_thresholds_include_their_bounds(score: float, threshold: Any, passed: bool) -> None:
    result = evals(scorers=[{"scorer": fixed("quality", score), "threshold": threshold}])
    assert result.threshold_results[0].passed is passed


@carried(THRESHOLDS, "validateThresholdConfig: accepts valid numeric and range thresholds")
@pytest.mark.parametrize("threshold", [0, 1, {"min": 0.2, "max": 0.8}])
def test_right_thresholds(threshold: Any) -> None:
    assert evals(scorers=[{"scorer": fixed("quality", 1), "threshold": threshold}]).threshold_results


@carried(
    THRESHOLDS,
    "validateThresholdConfig: rejects an invalid numeric threshold (-0.1, 1.1, Infinity, NaN)",
    "validateThresholdConfig: rejects a minimum greater than the maximum",
)
@pytest.mark.parametrize(
    ("threshold", "problem"),
    [
        (-0.1, "between 0 and 1"),
        (1.1, "between 0 and 1"),
        (float("inf"), "between 0 and 1"),
        (float("nan"), "between 0 and 1"),
        ({"min": 0.8, "max": 0.2}, r"min \(0.8\) greater than max \(0.2\)"),
    ],
)
def test_wrong_thresholds(threshold: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        evals(scorers=[{"scorer": fixed("quality", 1), "threshold": threshold}])


def shout(run: Any) -> dict[str, str]:
    return {"asked": run.input[0]["content"].upper(), "said": run.output["text"].upper()}


def longer(results: Any, run: Any) -> dict[str, str]:
    held = results.get("preprocess_step_result") or shout(run)
    return {"asked": held["asked"] + "!", "said": held["said"] + "!"}


def why(score: float, results: Any) -> str:
    return f"{score:g} for {dict(results)}"


BUILT = {
    "Steps as functions scorer: should create a basic scorer with functions": (),
    "Steps as functions scorer: should create a scorer with reason": ("reason",),
    "Steps as functions scorer: should create a scorer with preprocess and reason": ("preprocess", "reason"),
    "Steps as functions scorer: should create a scorer with preprocess and analyze": ("preprocess", "analyze"),
    "Steps as functions scorer: should create a scorer with preprocess only": ("preprocess",),
    "Steps as functions scorer: should create a scorer with preprocess, analyze, and reason": (
        "preprocess",
        "analyze",
        "reason",
    ),
    "Steps as functions scorer: should create a scorer with analyze only": ("analyze",),
    "Steps as functions scorer: should create a scorer with analyze and reason": ("analyze", "reason"),
}
SCORED = {"input": [{"role": "user", "content": "what is rye"}], "output": {"role": "assistant", "text": "a grain"}}


@carried(BASE, *BUILT)
@pytest.mark.parametrize("steps", BUILT.values(), ids=BUILT)
def test_steps_that_are_functions(steps: tuple[str, ...]) -> None:
    scorer = create_scorer(id="test-scorer", name="test-scorer", description="For a test.")
    if "preprocess" in steps:
        scorer = scorer.preprocess(shout)
    if "analyze" in steps:
        scorer = scorer.analyze(longer)
    scorer = scorer.generate_score(lambda run: 1 if run.output["text"] else 0)
    if "reason" in steps:
        scorer = scorer.generate_reason(why)
    result = scorer.run(SCORED)
    assert result.run_id and result.score == 1 and result.judge is None
    assert result.preprocess_step_result == (
        {"asked": "WHAT IS RYE", "said": "A GRAIN"} if "preprocess" in steps else None
    )
    assert result.analyze_step_result == ({"asked": "WHAT IS RYE!", "said": "A GRAIN!"} if "analyze" in steps else None)
    assert (result.reason is not None) == ("reason" in steps)


ASKED = {
    "Steps as prompt objects scorer: with analyze prompt object": ("analyze",),
    "Steps as prompt objects scorer: with preprocess and analyze prompt object": ("preprocess", "analyze"),
    "Steps as prompt objects scorer: with analyze and reason prompt object": ("analyze", "generate_reason"),
    "Steps as prompt objects scorer: with generate score as prompt object": ("generate_score",),
    "Steps as prompt objects scorer: with all steps": ("preprocess", "analyze", "generate_reason"),
}


def says(prompt: str) -> Callable[[], str]:
    return lambda: prompt


@carried(BASE, *ASKED)
@pytest.mark.parametrize("steps", ASKED.values(), ids=ASKED)
def test_steps_that_ask(server: Loopback, steps: tuple[str, ...]) -> None:
    replies: dict[str, Any] = {
        "preprocess": {"n": 1},
        "analyze": {"n": 2},
        "generate_score": {"score": 1},
        "generate_reason": "so.",
    }
    server.answer = lambda asked: next(reply for step, reply in replies.items() if f"Do {step}." in asked.prompt)
    judge = {"model": "openai/m", "instructions": "Do it.", "base_url": server.base_url}
    scorer = create_scorer(id="test-scorer", judge=judge)
    for step in steps:
        scorer = getattr(scorer, step)({"description": step, "create_prompt": says(f"Do {step}.")})
    if "generate_score" not in steps:
        scorer = scorer.generate_score(lambda: 1)
    result = scorer.run(SCORED)
    assert result.score == 1 and list(result.judge) == list(steps)
    for step in steps:
        (execution,) = result.judge[step].executions
        assert (execution.status, execution.prompt) == ("success", f"Do {step}.")
        assert execution.usage.total_tokens == execution.usage.input_tokens + execution.usage.output_tokens
        assert getattr(result, f"{step}_prompt") == f"Do {step}."
    assert (result.reason == "so.") == ("generate_reason" in steps)


different(
    BASE,
    "the judge finds out by itself how its server likes to be asked",
    "Steps as prompt objects scorer: forwards judge.jsonPromptInjection to agent.stream",
    "Steps as prompt objects scorer: uses automatic structured output routing by default",
)
different(
    BASE,
    "a judge has no memory here: the same question has the same answer",
    "Steps as prompt objects scorer: forwards judge memory to the internal judge agent run",
    "Steps as prompt objects scorer: merges per-step judge memory options onto scorer defaults",
)
