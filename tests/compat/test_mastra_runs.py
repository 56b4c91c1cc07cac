"""What a scorer of Mastra's is run with, what its hook may do, and what it gives back."""

from __future__ import annotations

from typing import Any

import pytest

from halluscope._internal.core.errors import InputError, MissingParameters
from halluscope._internal.core.result import Outcome
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.mastra import (
    GetContextParams,
    create_agent_test_run,
    create_faithfulness_scorer,
    create_hallucination_scorer,
    create_test_message,
    create_tool_invocation,
    extract_tool_results,
    get_assistant_message_from_run_output,
    get_combined_system_prompt,
    get_reasoning_from_run_output,
    get_system_messages_from_run_input,
    get_text_content_from_mastra_db_message,
    get_user_message_from_run_input,
)

from ..helpers.loopback import Loopback


def by_words(question: Any) -> Any:
    """Claims are sentences; those with "wrong" in them are hallucinated."""
    if question.kind == "extract":
        return {"claims": [s.strip() for s in question.output.split(".") if s.strip()]}
    if question.kind == "verify":
        return {"verdicts": [{"id": c.id, "verdict": "yes" if "wrong" in c.text else "no"} for c in question.claims]}
    return {"reason": "Because."}


def scorer(**options: Any) -> Any:
    return create_hallucination_scorer(ScriptedJudge(by_words), {"context": ["c"], **options})


@pytest.mark.parametrize("key", ["run_id", "runId"])
def test_a_run_may_be_one_object(key: str) -> None:
    result = scorer().run({"input": "q", "output": "right. wrong", key: "seven"})
    assert (result.score, result.run_id) == (0.5, "seven")


async def test_an_object_and_keywords_can_be_awaited_and_mixed() -> None:
    assert (await scorer().arun({"output": "wrong"}, run_id="eight")).run_id == "eight"


@pytest.mark.parametrize(
    ("given", "problem"), [({"input": "q"}, "output"), ({"output": "o", "otput": 1}, "otput"), ("a text", "a run is")]
)
def test_a_wrong_run_is_said(given: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        scorer().run(given)
    with pytest.raises(MissingParameters):
        scorer().run()


@pytest.mark.parametrize(
    ("input", "output"),
    [
        ("q", "wrong"),
        ({"prompt": "q"}, {"text": "wrong"}),
        ({"input": "q"}, {"content": "wrong"}),
        ({"content": [{"type": "text", "text": "q"}]}, {"content": [{"type": "text", "text": "wrong"}]}),
        ({"messages": [{"role": "user", "content": "q"}]}, {"role": "assistant", "text": "wrong"}),
        (
            {"inputMessages": [create_test_message(role="user", content="q")]},
            [create_test_message(content="right"), create_test_message(content="wrong")],
        ),
    ],
)
def test_inputs_and_outputs_of_every_form(input: Any, output: Any) -> None:
    judge = ScriptedJudge(by_words)
    result = create_hallucination_scorer(judge, {"context": ["c"]}).run(input=input, output=output)
    assert result.score == 1.0, "the last thing the assistant says is the answer"
    assert (judge.asked[0].input, judge.asked[0].output) == ("q", "wrong")  # type: ignore[attr-defined]


def test_what_the_hook_returns_for_the_reason_reaches_its_prompt(server: Loopback) -> None:
    def hook(params: GetContextParams) -> list[str]:
        return [f"context of {params.step}"]

    made = create_hallucination_scorer("openai/m", {"get_context": hook, "base_url": server.base_url})
    result = made.run(input="q", output="The tower is tall.")
    assert result.score is not None
    sent = {call.asked.kind: call.asked.prompt for call in server.calls}
    assert "context of analyze" in sent["verify"]
    assert "context of generateReason" in sent["explain"]
    assert result.generate_reason_prompt is not None and "context of generateReason" in result.generate_reason_prompt


def test_without_a_hook_the_prompt_for_the_reason_is_as_it_was() -> None:
    result = scorer().run(output="wrong")
    assert "explain it by" not in (result.generate_reason_prompt or "")


def test_a_context_too_long_for_the_reason_costs_the_context_not_the_reason() -> None:
    judge = ScriptedJudge(by_words, window=400)
    long = ["c " * 80] * 40
    made = create_hallucination_scorer(judge, {"get_context": lambda step: ["short"] if step == "analyze" else long})
    result = made.run(output="wrong")
    assert (result.score, result.reason) == (1.0, "Because.")
    assert result.result is not None
    assert any("context" in note for note in result.result.notes)


def raises_in(step: str) -> Any:
    def hook(params: GetContextParams) -> list[str]:
        if params.step == step:
            raise RuntimeError("no database")
        return ["c"]

    return hook


def test_a_raising_hook_is_named_and_not_the_judge() -> None:
    result = scorer(get_context=raises_in("analyze")).run(output="wrong")
    assert result.outcome is Outcome.FAILED
    assert result.reason == "No score: get_context raised RuntimeError: no database"
    assert result.failure is not None and result.failure.kind == "context"


def test_a_hook_that_raises_for_the_reason_is_named_in_the_notes() -> None:
    result = scorer(get_context=raises_in("generateReason")).run(output="wrong. right")
    assert result.score == 0.5
    assert result.result is not None
    (note,) = [note for note in result.result.notes if "no database" in note]
    assert "get_context raised" in note and "judge" not in note


@pytest.mark.parametrize(
    ("wrong", "of", "scale", "words"),
    [
        (0, 3, 1, "no hallucination"),
        (1, 10, 1, "low hallucination"),
        (1, 3, 1, "low hallucination"),
        (1, 2, 100, "mixed hallucination"),
        (3, 4, 1, "high hallucination"),
        (17, 20, 1, "complete hallucination"),
        (3, 3, 10, "complete hallucination"),
    ],
)
def test_the_documents_bands_are_the_interpretation(wrong: int, of: int, scale: float, words: str) -> None:
    output = ". ".join([f"wrong {i}" for i in range(wrong)] + [f"right {i}" for i in range(of - wrong)])
    result = scorer(scale=scale, include_reason=False).run(output=output)
    assert (result.interpretation or "").startswith(words)


@pytest.mark.parametrize(
    ("supported", "of", "words"),
    [(4, 4, "faithful"), (3, 4, "mostly"), (1, 2, "partly"), (1, 4, "hardly"), (0, 4, "not faithful")],
)
def test_the_bands_of_faithfulness(supported: int, of: int, words: str) -> None:
    def answer(question: Any) -> Any:
        if question.kind == "extract":
            return {"claims": [f"claim {i}" for i in range(of)]}
        return {"verdicts": [{"id": c.id, "verdict": "yes" if i < supported else "no"} for i, c in claims(question)]}

    def claims(question: Any) -> Any:
        return enumerate(question.claims)

    made = create_faithfulness_scorer(ScriptedJudge(answer), context=["c"], include_reason=False)
    output = ". ".join(f"This is claim {i}" for i in range(of))
    assert (made.run(output=output).interpretation or "").startswith(words)


def test_no_score_has_no_interpretation() -> None:
    result = create_hallucination_scorer(ScriptedJudge({"extract": {"claims": []}}), {"context": ["c"]}).run(
        output="Shall I go on?"
    )
    assert (result.score, result.interpretation) == (None, None)


def test_the_result_tells_of_its_judge(server: Loopback) -> None:
    made = create_hallucination_scorer("openai/m", {"context": ["The tower is tall."], "base_url": server.base_url})
    result = made.run(input="q", output="The tower is tall.")
    assert list(result.judge) == ["preprocess", "analyze", "generate_reason"]
    (execution,) = result.judge.preprocess.executions
    assert (execution.status, execution.judge_provider, execution.judge_model_id) == ("success", "openai", "m")
    assert execution.prompt == result.preprocess_prompt
    assert execution.output["claims"] == result.preprocess_step_result["claims"]
    assert execution.usage.total_tokens == execution.usage.input_tokens + execution.usage.output_tokens > 0
    assert execution.model_call_count == 1


def test_a_judge_that_failed_is_told_of_too() -> None:
    judge = ScriptedJudge({"extract": "no JSON"})
    result = create_hallucination_scorer(judge, {"context": ["c"]}).run(output="wrong")
    executions = result.judge.preprocess.executions
    assert {execution.status for execution in executions} == {"failure"}
    assert executions[0].output == "no JSON"


CALL = {"state": "result", "toolName": "facts", "args": {"q": 1}, "result": "The tower is tall."}


@pytest.mark.parametrize("id", [{}, {"toolCallId": "a"}])
@pytest.mark.parametrize(
    "message",
    [
        lambda call: {"role": "assistant", "content": {"toolInvocations": [call], "parts": [part(call)]}},
        lambda call: {"role": "assistant", "content": "x", "toolInvocations": [call], "parts": [part(call)]},
        lambda call: {"role": "assistant", "content": {"toolInvocations": [call]}, "toolInvocations": [call]},
    ],
)
def test_a_call_told_twice_is_one(message: Any, id: dict[str, str]) -> None:
    call = {**CALL, **id}
    assert len(extract_tool_results([message(call)])) == 1
    twice = message(call)
    holder = twice["content"] if isinstance(twice["content"], dict) else twice
    holder["toolInvocations"] = [{**call, "toolCallId": "1"}, {**call, "toolCallId": "2"}]
    assert len(extract_tool_results([twice])) >= 2, "two calls with the same result are two"


def part(call: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool-invocation", "toolInvocation": call}


def test_the_same_call_made_twice_without_ids_is_two() -> None:
    message = {"role": "assistant", "content": {"toolInvocations": [CALL, CALL], "parts": [part(CALL), part(CALL)]}}
    assert len(extract_tool_results([message])) == 2


def test_a_text_kept_twice_was_said_once() -> None:
    said = [{"type": "text", "text": "The tower is tall."}]
    message = {"role": "assistant", "content": said, "parts": said}
    assert get_assistant_message_from_run_output([message]) == "The tower is tall."


def test_helpers_for_scorers_of_ones_own() -> None:
    thinking = {"type": "reasoning", "reasoning": "", "details": [{"type": "text", "text": "Let me see."}]}
    answer = {"role": "assistant", "content": {"parts": [thinking, {"type": "text", "text": "It is tall."}]}}
    run_input = {
        "inputMessages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How tall?"}],
        "systemMessages": [{"role": "system", "content": "Be kind."}],
        "taggedSystemMessages": {"memory": [{"role": "system", "content": "They like towers."}]},
    }
    assert get_assistant_message_from_run_output([answer]) == "It is tall."
    assert get_assistant_message_from_run_output(None) is None
    assert get_assistant_message_from_run_output({"role": "user", "content": "no answer"}) is None
    assert get_user_message_from_run_input(run_input) == "How tall?"
    assert get_user_message_from_run_input({"nothing": 1}) is None
    assert get_reasoning_from_run_output([answer]) == "Let me see."
    assert get_reasoning_from_run_output([{"role": "assistant", "content": "It is tall."}]) is None
    assert get_system_messages_from_run_input(run_input) == ["Be kind.", "Be brief.", "They like towers."]
    assert get_combined_system_prompt(run_input) == "Be kind.\n\nBe brief.\n\nThey like towers."
    assert get_text_content_from_mastra_db_message(create_test_message(content="text")) == "text"


def test_runs_made_for_tests_are_runs() -> None:
    call = create_tool_invocation(tool_call_id="1", tool_name="facts", result="The tower is tall.")
    run = create_agent_test_run(
        input_messages=[create_test_message(role="user", content="How tall?")],
        output=[create_test_message(content="right", tool_invocations=[call])],
    )
    result = create_faithfulness_scorer(ScriptedJudge(lambda q: by_words(q)), include_reason=False).run(run)
    assert result.result is not None and result.score is not None
    assert len(extract_tool_results(run["output"])) == 1
