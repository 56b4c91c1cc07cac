"""Mastra's tests of its two scorers and of the helpers around them.

Its scorers are tested there with a paid model, for the score that its verdicts give. Here a server on loopback stands
for the model: it takes the output apart and judges it as the test there expects.
"""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct

from halluscope.compat.mastra import (
    create_agent_test_run,
    create_faithfulness_scorer,
    create_hallucination_scorer,
    create_scorer,
    create_test_message,
    create_tool_invocation,
    extract_tool_results,
    get_assistant_message_from_run_output,
    get_reasoning_from_run_output,
    get_text_content_from_mastra_db_message,
)

from ...helpers.loopback import Loopback
from . import carried, different

HALLUCINATION = "mastra packages/evals/src/scorers/llm/hallucination/index.test.ts"
FAITHFULNESS = "mastra packages/evals/src/scorers/llm/faithfulness/index.test.ts"
UTILS = "mastra packages/evals/src/scorers/utils.test.ts"


class Told(Struct, frozen=True):
    """One case: what the output claims, each with the model's word for it, and the score that comes of it."""

    name: str
    claims: dict[str, str]
    score: float
    context: tuple[str, ...] = ("The mill in Ulm was built in 1850.", "It has 30 workers.", "It grinds rye.")


HALLUCINATIONS = [
    Told("should handle perfect alignment", {"It was built in 1850.": "no", "It has 30 workers.": "no"}, 0.0),
    Told("should handle complete hallucination", {"It was built in 1950.": "yes", "It grinds coffee.": "yes"}, 1.0),
    Told(
        "should handle partial hallucination",
        {"It was built in 1850.": "no", "It has 90 workers.": "yes", "It grinds rye.": "no"},
        0.33,
    ),
    Told("should handle speculative language", {"It may have been built around 1850.": "no"}, 0.0),
    Told("should handle empty context", {"It was built in 1850.": "yes"}, 1.0, ()),
    Told(
        "should handle implicit contradictions", {"It was the first mill.": "yes", "It was built in 1849.": "yes"}, 1.0
    ),
    Told("should handle numerical approximations", {"It has about 30 workers.": "no"}, 0.0),
    Told(
        "should handle out of scope additions",
        {"It was built in 1850.": "no", "It grinds rye.": "no", "It sells worldwide.": "yes"},
        0.33,
    ),
    Told(
        "should handle temporal contradictions",
        {"It was built in 1850.": "no", "Rye came before it.": "yes", "The workers left in March.": "yes"},
        0.67,
    ),
    Told(
        "should handle numerical contradiction despite approximation",
        {"It has approximately 300 workers.": "yes"},
        1.0,
    ),
    Told(
        "should detect additional information as hallucination",
        {"It was built in 1850.": "no", "It leads its trade.": "yes", "It is known everywhere.": "yes"},
        0.67,
    ),
    Told(
        "should detect speculative claims about unknown facts as hallucination",
        {"It was built in 1850.": "no", "It might be the finest mill.": "yes"},
        0.5,
    ),
    Told("should enforce strict date matching", {"It made history in 1850.": "yes"}, 1.0),
    Told("should enforce strict numerical matching", {"It has approximately 30 workers.": "no"}, 0.0),
    Told("should handle mixed precision levels", {"It has about 25 workers.": "yes", "It has exactly 31.": "yes"}, 1.0),
    Told("should handle relative comparisons", {"It has 30 workers.": "no", "It leads the market.": "yes"}, 0.5),
]
FAITHFUL = [
    Told("should handle perfect faithfulness", {"It was built in 1850.": "yes", "It grinds rye.": "yes"}, 1.0),
    Told(
        "should handle mixed faithfulness with contradictions",
        {"It was built in 1850.": "yes", "It has 90 workers.": "no"},
        0.5,
    ),
    Told(
        "should handle claims with speculative language",
        {"It was built in 1850.": "yes", "It may have a shop.": "unsure", "It might grow.": "unsure"},
        0.33,
    ),
    Told("should handle empty context", {"It was built in 1850.": "unsure"}, 0.0, ()),
    Told("should handle subjective claims", {"The workers are happy.": "unsure", "It is lovely.": "unsure"}, 0.0),
    Told(
        "should handle claims with speculative language appropriately",
        {"It was built in 1850.": "yes", "It possibly has a shop.": "unsure", "It might grow.": "unsure"},
        0.33,
    ),
    Told(
        "should handle compound statements correctly",
        {"It was built in 1850.": "yes", "It has 30 workers.": "yes", "It grinds rye.": "yes", "It exports.": "unsure"},
        0.75,
    ),
    Told("should handle precise numerical claims", {"It has 29 workers.": "unsure"}, 0.0),
    Told("should handle partially supported claims", {"It is in Ulm.": "yes", "It is by the river.": "unsure"}, 0.5),
    Told(
        "should handle mixed factual and speculative claims",
        {"It has 30 workers.": "yes", "It will likely grow.": "unsure"},
        0.5,
    ),
    Told("should handle implicit information appropriately", {"It has stood for long.": "yes"}, 1.0),
]


def run_of(told: Told | None) -> dict[str, Any]:
    said = " ".join(told.claims) if told else ""
    return create_agent_test_run(
        input_messages=[create_test_message(role="user", content="Tell me about the mill.")],
        output=[create_test_message(content=said)],
    )


def model_for(told: Told) -> Any:
    def answer(asked: Any) -> Any:
        if asked.kind == "extract":
            return {"claims": list(told.claims)}
        if asked.kind == "verify":
            given = asked.material["claims"]
            return {"verdicts": [{"id": c["id"], "verdict": told.claims[c["statement"]]} for c in given]}
        return {"reason": "Because."}

    return answer


@carried(HALLUCINATION, *(told.name for told in HALLUCINATIONS))
@pytest.mark.parametrize("told", HALLUCINATIONS, ids=lambda told: told.name)
def test_hallucination_scores(server: Loopback, told: Told) -> None:
    server.answer = model_for(told)
    scorer = create_hallucination_scorer(
        model="openai/gpt-4o", options={"context": list(told.context), "base_url": server.base_url}
    )
    assert scorer.run(run_of(told)).score == told.score


@carried(FAITHFULNESS, *(told.name for told in FAITHFUL))
@pytest.mark.parametrize("told", FAITHFUL, ids=lambda told: told.name)
def test_faithfulness_scores(server: Loopback, told: Told) -> None:
    server.answer = model_for(told)
    scorer = create_faithfulness_scorer(
        model="openai/gpt-4o", options={"context": list(told.context), "base_url": server.base_url}
    )
    assert scorer.run(run_of(told)).score == told.score


@carried(HALLUCINATION, "should handle empty output")
def test_an_empty_output_has_no_hallucination() -> None:
    scorer = create_hallucination_scorer(model="openai/gpt-4o", options={"context": ["c"], "api_key": "k"})
    assert scorer.run(run_of(None)).score == 0


@carried(FAITHFULNESS, "should handle empty output")
def test_an_empty_output_is_not_faithful() -> None:
    scorer = create_faithfulness_scorer(model="openai/gpt-4o", options={"context": ["c"], "api_key": "k"})
    assert scorer.run(run_of(None)).score == 0


@carried(UTILS, "getTextContentFromMastraDBMessage: should extract text content from content.content string")
def test_the_text_of_a_message_as_text() -> None:
    assert (
        get_text_content_from_mastra_db_message({"role": "assistant", "content": {"content": "Good day"}}) == "Good day"
    )


@carried(UTILS, "getTextContentFromMastraDBMessage: should extract text content from parts array")
def test_the_text_of_a_message_in_parts() -> None:
    held = {"format": 2, "parts": [{"type": "text", "text": "Good day"}]}
    assert get_text_content_from_mastra_db_message({"role": "assistant", "content": held}) == "Good day"


@carried(UTILS, "getAssistantMessageFromRunOutput: should extract assistant text content from output")
def test_the_assistants_text_of_an_output() -> None:
    output = [create_test_message(role="user", content="Hello?"), create_test_message(content="Good day")]
    assert get_assistant_message_from_run_output(output) == "Good day"


def thinking(*thoughts: str) -> list[dict[str, Any]]:
    parts = [{"type": "reasoning", "reasoning": "", "details": [{"type": "text", "text": text}]} for text in thoughts]
    return [{"role": "assistant", "content": {"parts": [*parts, {"type": "text", "text": "Rye."}], "content": "Rye."}}]


@carried(UTILS, "Reasoning text extraction: should extract reasoning from content.reasoning field")
def test_reasoning_in_a_field() -> None:
    output = [{"role": "assistant", "content": {"content": "Rye.", "reasoning": "What do mills grind?"}}]
    assert get_reasoning_from_run_output(output) == "What do mills grind?"


@carried(
    UTILS,
    'Reasoning text extraction: should extract reasoning from parts with type "reasoning"',
    "Reasoning text extraction: should handle multiple reasoning parts",
)
@pytest.mark.parametrize("thoughts", [("What do mills grind?",), ("What?", "Rye, mostly.")])
def test_reasoning_in_parts(thoughts: tuple[str, ...]) -> None:
    assert get_reasoning_from_run_output(thinking(*thoughts)) == "\n".join(thoughts)


@carried(UTILS, "Reasoning text extraction: should return undefined when no reasoning is present")
def test_no_reasoning_is_none() -> None:
    assert get_reasoning_from_run_output([create_test_message(content="Rye.")]) is None


@carried(
    UTILS,
    "Reasoning available in scorer preprocess: should make reasoning text available in scorer preprocess function",
    "Reasoning available in scorer preprocess: should handle run output without reasoning gracefully",
)
@pytest.mark.parametrize(("output", "score"), [(thinking("What?"), 1), ([create_test_message(content="Rye.")], 0)])
def test_reasoning_is_there_for_a_scorer(output: Any, score: float) -> None:
    scorer = (
        create_scorer(id="thinks", type="agent")
        .preprocess(
            lambda run: {
                "reasoning": get_reasoning_from_run_output(run.output),
                "response": get_assistant_message_from_run_output(run.output),
            }
        )
        .generate_score(lambda results: 1 if results.preprocess_step_result["reasoning"] else 0)
    )
    result = scorer.run(create_agent_test_run(output=output))
    assert (result.score, result.preprocess_step_result["response"]) == (score, "Rye.")


def called(*calls: dict[str, Any]) -> list[dict[str, Any]]:
    return [create_test_message(content="Let me look.", tool_invocations=calls)]


MILL = create_tool_invocation(tool_call_id="1", tool_name="mills", args={"in": "Ulm"}, result={"built": 1850})


@carried(UTILS, "extractToolResults: should extract tool results from output with tool invocations")
def test_a_tools_result() -> None:
    (found,) = extract_tool_results(called(MILL))
    assert (found.tool_name, found.tool_call_id, found.args, found.result) == (
        "mills",
        "1",
        {"in": "Ulm"},
        {"built": 1850},
    )


@carried(UTILS, "extractToolResults: should return empty array for output without tool invocations")
def test_no_tools_no_results() -> None:
    assert extract_tool_results([create_test_message(content="Good day")]) == []


@carried(UTILS, "extractToolResults: should extract multiple tool results from multiple messages")
def test_results_of_several_messages() -> None:
    other = create_tool_invocation(tool_call_id="2", tool_name="prices", result={"rye": 3})
    assert [found.tool_name for found in extract_tool_results(called(MILL) + called(other))] == ["mills", "prices"]


@carried(UTILS, 'extractToolResults: should only include tool invocations with state "result"')
def test_a_call_that_has_not_come_back_is_no_result() -> None:
    waiting = create_tool_invocation(tool_call_id="2", tool_name="prices", result={}, state="call")
    assert [found.tool_name for found in extract_tool_results(called(waiting, MILL))] == ["mills"]


@carried(UTILS, "extractToolResults: should handle tool invocations with undefined result")
def test_a_call_without_a_result_is_none() -> None:
    nothing = {"toolCallId": "2", "toolName": "prices", "args": {}, "state": "result"}
    assert [found.tool_name for found in extract_tool_results(called(nothing, MILL))] == ["mills"]


HOOK = "getContext hook: "


@carried(
    HALLUCINATION,
    HOOK + "should call getContext hook when provided",
    HOOK + "should pass correct params to getContext",
    HOOK + "should use getContext result over static context",
    HOOK + "should fall back to static context when getContext is not provided",
    HOOK + "should support async getContext",
)
@pytest.mark.parametrize("hooked", ["plain", "awaited", "none"])
def test_the_hook_for_context(server: Loopback, hooked: str) -> None:
    server.answer = model_for(Told("one", {"It was built in 1850.": "no"}, 0.0))
    given: list[Any] = []

    def hook(params: Any) -> list[str]:
        given.append(params)
        return ["It is from 1850."]

    async def awaited(params: Any) -> list[str]:
        return hook(params)

    options: dict[str, Any] = {"context": ["It is of stone."]}
    hooks: dict[str, Any] = {"plain": hook, "awaited": awaited}
    options |= {"getContext": hooks[hooked]} if hooked in hooks else {}
    scorer = create_hallucination_scorer("openai/gpt-4o", options, base_url=server.base_url)
    assert scorer.run(input="q", output="It was built in 1850.").score == 0.0
    asked = next(call.asked for call in server.calls if call.asked.kind == "verify").prompt
    assert ("It is from 1850." in asked) == (hooked != "none") and ("It is of stone." in asked) == (hooked == "none")
    if hooked != "none":
        assert [params.step for params in given] == ["analyze", "generateReason"]
        assert given[0].run.output == "It was built in 1850." and given[1].score == 0.0
        assert given[0].results.preprocessStepResult == {"claims": ["It was built in 1850."]}


different(
    HALLUCINATION,
    "with neither hook nor context it expects 1: here there is no score, and `outcome` says no_context, as a forgotten "
    "option is not a lie. `context=[]` says that nothing is known, and scores 1",
    HOOK + "should use empty context when neither getContext nor context is provided",
)
