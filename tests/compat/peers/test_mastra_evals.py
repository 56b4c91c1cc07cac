"""Mastra's tests of runEvals, of its gates and thresholds, and of createScorer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from halluscope import RetryPolicy
from halluscope._internal.core.errors import InputError, JudgeRejected, JudgeUnavailable
from halluscope._internal.core.result import Usage
from halluscope._internal.engine.judge import Answer
from halluscope.compat.mastra import Agent, create_scorer, extract_tool_calls, not_scorable, run_evals
from halluscope.compat.mastra._sampling import matches

from ...helpers.loopback import Faults, Loopback
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
def test_gates_of_an_agent_with_tools() -> None:
    def model(prompt: str) -> list[dict[str, Any]]:
        call = {
            "state": "result",
            "toolCallId": "1",
            "toolName": "look_up",
            "args": {"word": "rye"},
            "result": "a grain",
        }
        return [{"role": "assistant", "content": "Rye is a grain.", "toolInvocations": [call]}]

    used = create_scorer(id="used").generate_score(lambda run: len(run.output.tool_results))
    result = evals(data=DATA[:1], target=Agent(id="a", model=model), scorers=[held(0.9)], gates=[used])
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


MIXED = {
    "Mixed scorer: with preprocess function and analyze prompt object": ("preprocess", "analyze"),
    "Mixed scorer: with preprocess prompt and analyze function": ("analyze", "preprocess"),
    "Mixed scorer: with reason function and analyze prompt": ("generate_reason", "analyze"),
    "Mixed scorer: with reason prompt and analyze function": ("analyze", "generate_reason"),
    "Async scorer: with preprocess function and analyze as prompt object": ("preprocess", "analyze"),
    "Async scorer: with preprocess prompt object and analyze function": ("analyze", "preprocess"),
    "Async scorer: with async createPrompt in preprocess": ("analyze", "preprocess"),
    "Async scorer: with async createPrompt in analyze": ("preprocess", "analyze"),
    "Async scorer: with async createPrompt in generateScore": ("analyze", "generate_score"),
    "Async scorer: with async createPrompt in generateReason": ("analyze", "generate_reason"),
}


@carried(BASE, *MIXED, "Async scorer: with basic", "Async scorer: with preprocess")
@pytest.mark.parametrize("steps", [*MIXED.values(), (None, None), ("preprocess", None)], ids=str)
async def test_functions_and_questions_together(server: Loopback, steps: tuple[str | None, str | None]) -> None:
    works, asks = steps
    server.answer = lambda asked: {"score": 1, "reason": "so.", "n": 2}

    async def work(results: Any) -> Any:
        return "so." if works == "generate_reason" else {"n": 1}

    async def prompt(run: Any) -> str:
        return f"Do it to {run.output}."

    async def one() -> int:
        return 1

    scorer = create_scorer(id="mixed", judge={"model": "openai/m", "base_url": server.base_url})
    scorer = scorer if works is None else getattr(scorer, works)(work)
    schema = None if asks in ("generate_score", "generate_reason") else {"type": "object", "required": ["n"]}
    step = {"description": "d", "createPrompt": prompt, "outputSchema": schema}
    scorer = scorer if asks is None else getattr(scorer, asks)(step)
    result = await (scorer if asks == "generate_score" else scorer.generate_score(one)).arun(output="bread")
    assert result.score == 1 and (list(result.judge) if result.judge else []) == ([asks] if asks else [])
    assert (result.reason is None) == ("generate_reason" not in steps)


def judged(server: Loopback, **judge: Any) -> Any:
    model = {"model": "openai/m", "instructions": "Judge.", "base_url": server.base_url}
    step = {"description": "d", "createPrompt": says("score this")}
    return create_scorer(
        id="judged", judge={**model, "retry_policy": RetryPolicy(first_wait=0.01), **judge}
    ).generate_score(step)


QUICK = RetryPolicy(first_wait=0.01)
PROMPTED = "Steps as prompt objects scorer: "
RETRIED = {
    PROMPTED + "retries a retryable V2 judge HTTP 429 request within the failed scorer step": "throttled",
    PROMPTED + "retries a retryable V2 judge HTTP 500 request within the failed scorer step": "failed",
    PROMPTED + "retries a narrowly matched V2 judge network error": "reset",
    PROMPTED
    + "retries the judge with jsonPromptInjection when the first attempt yields no structured object": "invalid",
}


@carried(BASE, *RETRIED)
@pytest.mark.parametrize("fault", RETRIED.values())
def test_what_may_pass_is_asked_again(server: Loopback, fault: str) -> None:
    server.answer = lambda asked: {"score": 1}
    share: dict[str, Any] = {fault: 1.0}
    server.faults = Faults(**share, times=1)
    assert judged(server).run(output="o").score == 1
    assert len(server.calls) >= 2


@carried(
    BASE,
    "given a V2 judge with an error processor but no agent retry cap: retries until the processor retry limit is "
    "reached",
    PROMPTED + "caps exhausted V2 judge retries and preserves provider context",
)
def test_retries_end(server: Loopback) -> None:
    server.faults = Faults(busy=1.0)
    result = judged(server, retry_policy=RetryPolicy(retries=2, first_wait=0.01)).run(output="o")
    assert result.score is None and len(server.calls) == 3
    assert result.failure is not None and result.failure.status == 503


@carried(
    BASE,
    PROMPTED + "does not retry terminal V2 judge authentication failure",
    PROMPTED + "does not retry terminal V2 judge invalid request",
    PROMPTED + "does not retry terminal V2 judge context-length failure",
    "Scorer run failures: records a provider attempt without fabricating completed judge telemetry",
)
@pytest.mark.parametrize("status", [401, 400, 413])
def test_what_cannot_pass_is_asked_once(status: int) -> None:
    calls = []

    def model(prompt: str) -> str:
        calls.append(prompt)
        raise JudgeRejected("refused", status=status)

    scorer = create_scorer(id="s", judge={"model": model}).generate_score({"createPrompt": says("score this")})
    result = scorer.run(output="o")
    assert result.score is None and len(calls) == 1
    (execution,) = result.judge.generate_score.executions
    assert (execution.status, execution.output, execution.usage) == ("failure", None, None)


@carried(BASE, PROMPTED + "retries a retryable V2 judge HTTP 408 request within the failed scorer step")
def test_a_request_that_came_too_slowly_is_asked_again() -> None:
    replies: list[Any] = [JudgeUnavailable("too slow", status=408), '{"score": 1}']

    def model(prompt: str) -> str:
        reply = replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return str(reply)

    judge = {"model": model, "retry_policy": QUICK}
    scorer = create_scorer(id="s", judge=judge).generate_score({"createPrompt": says("score this")})
    assert scorer.run(output="o").score == 1


@carried(
    BASE,
    PROMPTED + "does not rerun a successful score step when the reason step retries",
    "Scorer run failures: records a rejected fallback attempt without fabricating another model call",
)
def test_only_the_step_that_fails_is_asked_again() -> None:
    prompts: list[str] = []

    def model(prompt: str) -> str:
        prompts.append(prompt.partition("\n")[0])
        return '{"score": 1}' if "score" in prompts[-1] else ("no JSON: {" if len(prompts) == 2 else "It is so.")

    scorer = create_scorer(id="s", judge={"model": model})
    scorer = scorer.generate_score({"createPrompt": says("score this")})
    result = scorer.generate_reason({"createPrompt": says("explain it")}).run(output="o")
    assert (result.score, prompts.count("score this")) == (1, 1)


@carried(
    BASE,
    PROMPTED + "forwards scorer-level judge modelSettings to the judge run",
    PROMPTED + "lets the per-step judge override the scorer-level modelSettings",
    PROMPTED + "omits modelSettings from the judge run when none is configured",
)
@pytest.mark.parametrize(("whole", "step"), [(0.42, None), (0.42, 0.9), (None, None)])
def test_settings_of_the_model(server: Loopback, whole: float | None, step: float | None) -> None:
    server.answer = lambda asked: {"score": 1}

    def settings(temperature: float | None) -> dict[str, Any]:
        return {} if temperature is None else {"modelSettings": {"temperature": temperature}}

    judge = {"model": "openai/m", "base_url": server.base_url, **settings(whole)}
    asks = {"createPrompt": says("score this"), "judge": settings(step)}
    assert create_scorer(id="s", judge=judge).generate_score(asks).run(output="o").score == 1
    assert server.calls[0].asked.body["temperature"] == (step or whole or 0)


@carried(BASE, PROMPTED + "normalizes successful V1 judge usage and records model identity")
def test_what_a_question_took(server: Loopback) -> None:
    server.answer = lambda asked: {"score": 0.75}
    (execution,) = judged(server).run(output="o").judge.generate_score.executions
    assert (execution.judge_provider, execution.judge_model_id, execution.output) == ("openai", "m", {"score": 0.75})
    assert execution.usage.total_tokens > 0 and execution.model_call_count == 1


@carried(
    BASE,
    "Scorer run failures: retains analyze output when score generation fails",
    "Scorer run failures: does not create a result when the first scorer step fails without output",
)
@pytest.mark.parametrize("analyzed", [True, False])
def test_what_was_found_before_a_failure_is_kept(analyzed: bool) -> None:
    def broken() -> float:
        raise ValueError("score generation failed")

    scorer = create_scorer(id="s")
    result = (scorer.analyze(lambda: {"status": False}) if analyzed else scorer).generate_score(broken).run(output="o")
    assert result.failure is not None and "generate_score: ValueError: score generation" in result.failure.message
    assert (result.score, result.judge) == (None, None)
    assert result.analyze_step_result == ({"status": False} if analyzed else None)


@carried(BASE, "Scorer run failures: retains score zero and successful judge entries when reason generation fails")
def test_a_score_stands_where_its_reason_fails() -> None:
    def model(prompt: str) -> str:
        if "explain" in prompt:
            raise JudgeRejected("reason provider failed", status=400)
        return '{"score": 0}'

    scorer = create_scorer(id="s", judge={"model": model}).generate_score({"createPrompt": says("score this")})
    result = scorer.generate_reason({"createPrompt": says("explain it")}).run(output="o")
    assert (result.score, result.reason) == (0, None)
    assert result.failure is not None and result.failure.status == 400
    assert [e.status for e in result.judge.generate_score.executions] == ["success"]
    assert [e.status for e in result.judge.generate_reason.executions] == ["failure"]


@carried(
    BASE,
    PROMPTED + "forwards judge.jsonPromptInjection to agent.stream",
    PROMPTED + "uses automatic structured output routing by default",
    PROMPTED + "lets the per-step judge override the scorer-level jsonPromptInjection",
)
@pytest.mark.parametrize(
    ("whole", "step", "in_prompt_alone"), [(True, None, True), (None, None, False), (True, False, False)]
)
def test_where_the_form_of_a_reply_is_asked_for(
    server: Loopback, whole: bool | None, step: bool | None, in_prompt_alone: bool
) -> None:
    server.answer = lambda asked: {"score": 1}
    injected = [{} if given is None else {"jsonPromptInjection": given} for given in (whole, step)]
    judge = {"model": "openai/m", "base_url": server.base_url, **injected[0]}
    asks = {"createPrompt": says("score this"), "judge": injected[1]}
    assert create_scorer(id="s", judge=judge).generate_score(asks).run(output="o").score == 1
    body = server.calls[0].asked.body
    assert ("response_format" not in body) is in_prompt_alone
    assert '"required":["score"]' in body["messages"][-1]["content"]


@carried(
    BASE,
    PROMPTED + "awaits the caller onFinish callback inside the judge finish callback",
    PROMPTED + "propagates caller onFinish callback errors while retaining completed judge telemetry",
)
@pytest.mark.parametrize("fails", [False, True])
def test_a_judge_that_has_answered_calls_back(server: Loopback, fails: bool) -> None:
    heard: list[Any] = []

    async def on_finish(execution: Any) -> None:
        await asyncio.sleep(0)
        heard.append(execution)
        if fails:
            raise RuntimeError("cannot be told")

    server.answer = lambda asked: {"score": 1}
    result = judged(server, onFinish=on_finish).run(output="o")
    assert [(told.status, told.output, told.judge_model_id) for told in heard] == [("success", {"score": 1}, "m")]
    assert result.judge.generate_score.executions == heard, "what was answered is kept"
    assert result.score == (None if fails else 1)
    assert not fails or "generate_score: RuntimeError: cannot be told" in result.failure.message


@carried(BASE, PROMPTED + "counts multiple completed model steps within one judge attempt")
def test_calls_behind_one_answer_are_counted() -> None:
    class Twice:
        name, window, asks = "twice", None, False

        def fingerprint(self) -> str:
            return "twice"

        async def answer(self, question: Any, call: Any) -> Any:
            usage = Usage(calls=2, input_tokens=15, output_tokens=25)
            return Answer(judge="twice", reply='{"score": 1}', usage=usage)

    scorer = create_scorer(id="s", judge={"model": Twice()}).generate_score({"createPrompt": says("score this")})
    (execution,) = scorer.run(output="o").judge.generate_score.executions
    assert (execution.status, execution.model_call_count, execution.usage.total_tokens) == ("success", 2, 40)


def refused(reason: str, *names: str, group: str = PROMPTED) -> None:
    different(BASE, reason, *(group + name for name in names))


refused(
    "a judge has no memory here: the same question has the same answer",
    "forwards judge memory to the internal judge agent run",
    "merges per-step judge memory options onto scorer defaults",
)
refused(
    "a judge's answer is not streamed: the whole of it is in `judge`",
    "exposes the internal judge stream when it starts",
)
refused(
    "a judge has no processors: `retry_policy` says what is asked again, `headers` go with every request",
    "forwards scorer-level judge processors to the internal judge agent",
    "lets the per-step judge override the scorer-level error processors",
    "routes V1 judges through generateLegacy without error processors",
)
refused(
    "what may pass is asked again unless told otherwise, with RetryPolicy(retries=0)",
    "does not retry a V2 judge request when processor configuration is omitted",
)
refused(
    "each question to the judge is an execution of its own, with its own tokens",
    "aggregates current judge fallback attempts without double-counting usage and preserves callbacks",
)
refused(
    "each question to the judge is an execution of its own, with its own tokens",
    "records exhausted fallback attempts as one failed logical judge execution",
    group="Scorer run failures: ",
)
refused(
    "scores go to no server unless asked: halluscope.live sends them to OpenTelemetry and other places",
    "should emit addScore when targetTraceId is provided",
    "should suppress addScore without leaking internal controls into the result",
    "should emit addScore without a target trace id when unanchored scoring is allowed",
    "should include scoreTraceId when scorer tracing is enabled",
    "requestContext persistence on the scorer-run input: persists nothing when requestContextKeys is omitted",
    "requestContext persistence on the scorer-run input: persists only the listed keys, including nested paths, and "
    "drops the rest",
    'requestContext persistence on the scorer-run input: persists the whole safe context with the ["*"] wildcard',
    "requestContext persistence on the scorer-run input: redacts the framework auth token even with the wildcard",
    "should include hasGroundTruth metadata when ground truth is provided",
    "should forward live target correlation context and metadata to addScore",
    "should emit addScore with correlation context even when targetTraceId is absent",
    "should not fail scorer.run when addScore throws",
    group="Observability score emission: ",
)
refused(
    "scores go to no server unless asked: halluscope.live sends them to OpenTelemetry and other places",
    "does not emit a recovered score to observability",
    group="Scorer run failures: ",
)


MULTI = "mastra packages/core/src/evals/run/multi-turn.scenario.test.ts"
INPUTS = "multi-turn (inputs array): "
TURNS = "turns (per-turn assertions): "


def messages(least: int) -> Any:
    return create_scorer(id="messages").generate_score(
        lambda run: float(len(getattr(run.output, "messages", run.output)) >= least)
    )


@carried(
    MULTI,
    "basic multi-turn execution: accumulates output from multiple turns",
    "basic multi-turn execution: sends each turn sequentially (all turns executed)",
    "scoring accumulated output: scorer receives all turn outputs for evaluation",
    "multi-turn with gates and thresholds: gates work with multi-turn data items",
    "multi-turn with gates and thresholds: failing gate produces verdict: failed in multi-turn mode",
    "multi-turn with gates and thresholds: thresholds work with multi-turn accumulated output",
    "mixed single-turn and multi-turn data items: handles both input and inputs items in the same run",
)
@carried(
    RUN,
    INPUTS + "should execute multiple turns sequentially and accumulate outputs",
    INPUTS + "should work with gates in multi-turn mode",
)
@pytest.mark.parametrize("gate", [0.0, 1.0])
def test_conversations(gate: float) -> None:
    asked: list[str] = []

    def model(prompt: str) -> str:
        asked.append(prompt)
        return "It is sunny."

    told = Agent(id="a", model=model)
    data: list[Any] = [{"input": "ignored", "inputs": ["Weather?", "Tomorrow?", "Compare."]}, {"input": "Weather?"}]
    sunny = create_scorer(id="sunny").generate_score(lambda run: float("sunny" in str(run.output)))
    held = {"scorer": fixed("q", 0.85), "threshold": 0.7}
    result = evals(data=data, scorers=[messages(3), sunny, held], gates=[fixed("gate", gate)], target=told)
    assert (len(asked), result.summary.total_items) == (4, 2)
    assert [item.scorer_results["messages"].score for item in result.items] == [1.0, 0.0]
    assert (result.scores["sunny"], result.verdict) == (1.0, "passed" if gate else "failed")
    assert result.threshold_results[0].average_score == 0.85


@carried(MULTI, "validation: rejects empty inputs array")
@carried(
    RUN,
    INPUTS + "should validate that inputs is a non-empty array",
    TURNS + "rejects an empty turns array",
    TURNS + "rejects a turn without an input",
    TURNS + "rejects combining turns with input",
)
@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"inputs": []}, "non-empty list"),
        ({"turns": []}, "non-empty list"),
        ({"turns": [{"gates": []}]}, "must look like"),
        ({"input": "x", "turns": [{"input": "y"}]}, "both"),
    ],
)
def test_what_is_no_conversation(item: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        evals(data=[item])


@carried(
    RUN,
    TURNS + "scores each turn against only its own output and returns turnResults",
    TURNS + "fails the verdict when a per-turn gate fails on one turn (wrong turn cannot satisfy)",
    TURNS + "yields 'scored' when a per-turn threshold is missed but gates pass",
    TURNS + "supports mixing a single-turn item with a turns item",
)
def test_turns() -> None:
    alone = create_scorer(id="alone").generate_score(lambda run: float(len(run.output) == 1))
    calls = create_scorer(id="calls").generate_score(lambda run: float("call" in run.input))
    turns = [{"input": "please call", "gates": [calls], "scorers": [alone]}, {"input": "do not", "gates": [calls]}]
    held = {"turns": [{"input": "q", "scorers": [{"scorer": fixed("low", 0.3), "threshold": 0.8}]}]}
    result = evals(data=[{"input": "single"}, {"turns": turns}], scorers=[messages(2)], target=lambda q: [said(q)])
    assert [item.scorer_results["messages"].score for item in result.items] == [0.0, 1.0]
    assert result.verdict == "failed" and [t.gate_results[0].passed for t in result.turn_results] == [True, False]
    assert result.turn_results[0].scores == {"alone": 1.0}
    missed = evals(data=[held], scorers=())
    assert missed.verdict == "scored" and not missed.turn_results[0].threshold_results[0].passed


def said(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


class Remembers:
    """An agent with a memory of its own, by thread and resource."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], list[str]] = {}

    def generate(self, question: str, *, memory: dict[str, str] | None = None) -> str:
        held = self.kept.setdefault((memory["thread"], memory["resource"]), []) if memory else []
        held.append(question)
        return " ".join(held)


@carried(
    RUN,
    INPUTS + "should use the same threadId across all turns",
    "multi-turn memory integration: injects a resourceId so a memory-backed agent persists and recalls across turns",
    "multi-turn memory integration: preserves a caller-provided memory.resource (thread optional in options)",
)
@pytest.mark.parametrize("resource", [None, "user-1"])
def test_an_agents_own_memory_is_told_the_conversation(resource: str | None) -> None:
    agent = Remembers()
    data: list[Any] = [
        {"inputs": ["My city is Ulm.", "Which?"]},
        {"inputs": ["Mine is Rome.", "Which?"]},
        {"input": "?"},
    ]
    options = {"memory": {"resource": resource}} if resource else {}
    if resource:
        data.pop()
    result = evals(data=data, target=agent, target_options=options)
    assert [item.target_result for item in result.items][:2] == ["My city is Ulm. Which?", "Mine is Rome. Which?"]
    assert len({thread for thread, _ in agent.kept}) == 2, "a thread for each conversation"
    assert resource is None or {held for _, held in agent.kept} == {resource}


different(
    RUN,
    "nothing is sent or stored behind the caller's back: `turn_results` has every turn's score",
    TURNS + "persists per-turn scores to storage (one score per turn)",
    TURNS + "preserves existing score metadata and links each turn to its own trace span",
)
different(
    RUN,
    "workflows are not part of the documents, and the façade has none",
    TURNS + "rejects turns for Workflow targets",
    TURNS + "gives a trajectory-typed gate a WORKFLOW trajectory built from stepResults",
)
TOOLS = "Trajectory scoring with tool-calling agent: "
different(
    RUN,
    "a scorer reads the messages: extract_tool_calls and extract_tool_results give the tools' part of them",
    TOOLS + "should pre-extract trajectory for trajectory scorers in AgentScorerConfig",
    TOOLS + "should preserve step ordering in the extracted trajectory",
    TOOLS + "should pass groundTruth to trajectory scorers",
    TOOLS + "should include step input/output data in trajectory steps",
    TOOLS + "should preserve rawOutput on trajectory for scorers that need message context",
    TURNS + "hands a trajectory-typed PER-TURN gate a Trajectory and threads expectedTrajectory",
)
different(
    RUN,
    "a gate that fails to score has no score, and fails the verdict: 0 would say that it had scored",
    "gates and verdict: should convert a throwing gate into score 0 and verdict failed",
    TURNS + "logs the cause when a gate throws, while still scoring it 0",
)


@carried(RUN, TOOLS + "should pass flat scorers with raw MastraDBMessage[] output")
def test_scorers_see_the_messages_with_their_tools() -> None:
    call = {"toolCallId": "1", "toolName": "weather", "args": {}, "result": "sunny", "state": "result"}
    tools = create_scorer(id="tools").generate_score(
        lambda run: float("weather" in extract_tool_calls(run.output).tools)
    )
    assert evals(scorers=[tools], target=lambda q: [{**said("ok"), "toolInvocations": [call]}]).scores["tools"] == 1


VERDICTS = {
    "should return verdict: passed when all gates score 1.0": ([0.9], [1.0], "passed"),
    "should return verdict: failed when a gate scores below 1.0": ([0.9], [0.5], "failed"),
    "should return verdict: scored when gates pass but threshold fails": ([(0.3, 0.7)], [1.0], "scored"),
    "should not include verdict when no gates or thresholds are provided": ([0.8], [], None),
    "should support threshold-only mode without gates": ([(0.9, 0.7)], [], "passed"),
    "should work with mixed bare scorers and threshold scorers": ([0.8, (0.85, 0.8)], [], "passed"),
    "should support max threshold (score must be at or below max)": ([(0.9, {"max": 0.3})], [], "scored"),
    "should pass max threshold when score is at or below max": ([(0.1, {"max": 0.3})], [], "passed"),
    "should support { min, max } range threshold": ([(0.5, {"min": 0.3, "max": 0.7})], [], "passed"),
    "should fail when score is outside { min, max } range": ([(0.9, {"min": 0.3, "max": 0.7})], [], "scored"),
}


@carried(RUN, *(f"gates and verdict: {name}" for name in VERDICTS))
@pytest.mark.parametrize(("scores", "gates", "verdict"), VERDICTS.values(), ids=VERDICTS)
def test_verdicts_of_a_run(scores: list[Any], gates: list[float], verdict: str | None) -> None:
    scorers: list[Any] = [
        {"scorer": fixed(f"s{n}", s[0]), "threshold": s[1]} if isinstance(s, tuple) else fixed(f"s{n}", s)
        for n, s in enumerate(scores)
    ]
    result = evals(scorers=scorers, gates=[fixed(f"g{n}", gate) for n, gate in enumerate(gates)])
    assert result.verdict == verdict


@carried(
    RUN,
    "gates and verdict: should reject invalid threshold values",
    "gates and verdict: should reject invalid { min, max } threshold values",
    "gates and verdict: should average gate scores across multiple data items",
)
def test_thresholds_of_a_run() -> None:
    for threshold, problem in (
        (1.5, "between 0 and 1"),
        (-0.1, "between 0 and 1"),
        (float("nan"), "between 0 and 1"),
        ({"max": 1.5}, "between 0 and 1"),
        ({"min": 0.8, "max": 0.3}, "greater than max"),
    ):
        with pytest.raises(InputError, match=problem):
            evals(scorers=[{"scorer": fixed("s", 0.8), "threshold": threshold}])
    scores = iter([1.0, 0.0])
    gate = create_scorer(id="sometimes").generate_score(lambda: next(scores))
    result = evals(gates=[gate])
    assert result.verdict == "failed" and result.gate_results[0].score == 0.5


NOTHING = "mastra packages/core/src/evals/not-scorable.test.ts"
SKIPPED = "notScorable: "


@carried(
    NOTHING,
    SKIPPED + "creates a marker that isNotScorable recognizes",
    SKIPPED + "skips all remaining steps when preprocess returns notScorable",
    SKIPPED + "runs the full pipeline when preprocess returns a normal value",
    SKIPPED + "supports notScorable from analyze and keeps earlier step results",
    SKIPPED + "never invokes the judge model when preprocess declares the run not scorable",
)
@pytest.mark.parametrize("at", ["preprocess", "analyze", None])
def test_runs_with_nothing_to_score(at: str | None) -> None:
    done: list[str] = []

    def model(prompt: str) -> str:
        done.append("judge")
        return '{"score": 1}'

    def step(name: str) -> Callable[[], Any]:
        def work() -> Any:
            done.append(name)
            return not_scorable("no refund") if name == at else {"calls": 1}

        return work

    scorer = create_scorer(id="refunds", judge={"model": model}).preprocess(step("preprocess")).analyze(step("analyze"))
    result = scorer.generate_score({"createPrompt": says("score this")}).run(SCORED)
    steps = ["preprocess", "analyze", "judge"]
    assert done == steps[: steps.index(at) + 1 if at else 3]
    assert (result.score, result.preprocess_step_result) == (
        None if at else 1,
        None if at == "preprocess" else {"calls": 1},
    )
    assert result.not_scorable == (not_scorable("no refund") if at else None)


PREDICATE = "mastra packages/core/src/evals/predicate.test.ts"
WHETHER = "evaluateScoringPredicate: "
FLAT = {"user.tier": "pro", "protocolVersion": "v3", "escalated": True}
RUNNING = {"request_context": FLAT, "entity": {"name": "support"}, "entity_type": "AGENT", "source": "LIVE"}
RUNNING["thread_id"] = "thread-9"


def equal(path: str, literal: Any) -> dict[str, Any]:
    return {"op": "eq", "left": {"path": path}, "right": {"literal": literal}}


@carried(
    PREDICATE,
    WHETHER + "resolves flattened requestContext keys via dot paths",
    WHETHER + "resolves nested (unflattened) requestContext as a fallback",
    WHETHER + "resolves entity sub-paths and scalar roots",
    WHETHER + "treats absent scalar roots as missing",
    WHETHER + "fails closed on missing paths and sub-paths of scalars",
    WHETHER + "composes and/or/not",
    "validateScoringPredicate: accepts predicates over known roots",
)
@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        (equal("requestContext.user.tier", "pro"), True),
        (equal("requestContext.protocolVersion", "v2"), False),
        (equal("entity.name", "support"), True),
        (equal("entityType", "AGENT"), True),
        ({"op": "in", "value": {"path": "source"}, "set": ["LIVE", "TEST"]}, True),
        ({"op": "exists", "path": "threadId"}, True),
        ({"op": "notExists", "path": "projectId"}, True),
        (equal("requestContext.nope", "x"), False),
        (equal("threadId.foo", "x"), False),
        (equal("unknownRoot.x", "x"), False),
        (
            {
                "op": "and",
                "args": [
                    {"op": "truthy", "value": {"path": "requestContext.escalated"}},
                    {"op": "not", "arg": equal("requestContext.protocolVersion", "v1")},
                ],
            },
            True,
        ),
    ],
)
def test_filters(filter: dict[str, Any], expected: bool) -> None:
    assert matches(filter, RUNNING) is expected
    assert matches(equal("requestContext.user.tier", "free"), {"request_context": {"user": {"tier": "free"}}})


@carried(PREDICATE, "validateScoringPredicate: rejects unknown roots, including nested and literal-side paths")
def test_filters_of_what_is_not_there() -> None:
    beside = {"op": "eq", "left": {"literal": 1}, "right": {"path": "stepResults.a"}}
    for filter in ({"op": "exists", "path": "initData.foo"}, {"op": "or", "args": [equal("threadId", "t"), beside]}):
        with pytest.raises(InputError, match=r"cannot look at '(initData|stepResults)'"):
            agent(scorers=[{"scorer": fixed("s", 1), "filter": filter}])
