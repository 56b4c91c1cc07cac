"""Conversations of Mastra, OpenAI and Anthropic: what was said in them, and what tools returned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from halluscope._internal.core.result import Outcome
from halluscope._internal.judges.scripted import ScriptedJudge
from halluscope.compat.mastra import ToolResult, create_faithfulness_scorer, extract_tool_results
from halluscope.compat.mastra._messages import asked, said

ARGS = {"city": "Paris"}
RESULT = {"degrees": 21}
INVOCATION = {"toolCallId": "t1", "toolName": "weather", "args": ARGS}

MASTRA_V4 = [
    {
        "role": "assistant",
        "content": "21 degrees.",
        "toolInvocations": [{"state": "result", **INVOCATION, "result": RESULT}],
    }
]
MASTRA_STORED = [
    {
        "role": "assistant",
        "content": {
            "format": 2,
            "parts": [
                {"type": "step-start"},
                {"type": "tool-invocation", "toolInvocation": {"state": "result", **INVOCATION, "result": RESULT}},
                {"type": "text", "text": "21 degrees."},
            ],
            "toolInvocations": [{"state": "result", **INVOCATION, "result": RESULT}],
            "content": "21 degrees.",
        },
    }
]
MASTRA_V5 = [
    {"role": "user", "parts": [{"type": "text", "text": "How warm is it?"}]},
    {
        "role": "assistant",
        "parts": [
            {"type": "reasoning", "text": "I should look it up."},
            {
                "type": "tool-weather",
                "toolCallId": "t1",
                "state": "output-available",
                "input": ARGS,
                "output": RESULT,
            },
            {"type": "text", "text": "21 degrees."},
        ],
    },
]
MASTRA_V5_DYNAMIC = [
    {
        "role": "assistant",
        "parts": [
            {
                "type": "dynamic-tool",
                "toolName": "weather",
                "toolCallId": "t1",
                "state": "output-available",
                "input": ARGS,
                "output": RESULT,
            },
            {"type": "text", "text": "21 degrees."},
        ],
    }
]
CORE_V4 = [
    {"role": "assistant", "content": [{"type": "tool-call", **INVOCATION}]},
    {
        "role": "tool",
        "content": [{"type": "tool-result", "toolCallId": "t1", "toolName": "weather", "result": RESULT}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "21 degrees."}]},
]
CORE_V5 = [
    {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolCallId": "t1", "toolName": "weather", "input": ARGS}],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "t1",
                "toolName": "weather",
                "output": {"type": "json", "value": RESULT},
            }
        ],
    },
    {"role": "assistant", "content": "21 degrees."},
]
RESPONSE = {
    "text": "21 degrees.",
    "toolResults": [{"type": "tool-result", "payload": {**INVOCATION, "result": RESULT}}],
}
RESPONSE_WITH_MESSAGES = {
    "text": "21 degrees.",
    "messages": MASTRA_V4,
    "toolResults": [{**INVOCATION, "result": RESULT}],
}

OPENAI: list[dict[str, Any]] = [
    {"role": "user", "content": "How warm is it?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "t1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "t1", "content": "21 degrees"},
    {"role": "assistant", "content": "21 degrees."},
]
OPENAI_PARTS = [*OPENAI[:2], {**OPENAI[2], "content": [{"type": "text", "text": "21 degrees"}]}, OPENAI[3]]
OPENAI_LEGACY = [
    {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": '{"city": "Paris"}'}},
    {"role": "function", "name": "weather", "content": "21 degrees"},
    {"role": "assistant", "content": "21 degrees."},
]
OPENAI_RESPONSES = [
    {"type": "reasoning", "summary": []},
    {"type": "function_call", "call_id": "t1", "name": "weather", "arguments": '{"city": "Paris"}'},
    {"type": "function_call_output", "call_id": "t1", "output": "21 degrees"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "21 degrees."}]},
]
OLLAMA = [
    {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "weather", "arguments": ARGS}}]},
    {"role": "tool", "tool_name": "weather", "content": "21 degrees"},
    {"role": "assistant", "content": "21 degrees."},
]
ANTHROPIC = [
    {"role": "user", "content": "How warm is it?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "I should look it up."},
            {"type": "tool_use", "id": "t1", "name": "weather", "input": ARGS},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "21 degrees"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "21 degrees."}]},
]
ANTHROPIC_BLOCKS = [
    *ANTHROPIC[:2],
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "21 degrees"}]}],
    },
    ANTHROPIC[3],
]

DATA = [MASTRA_V4, MASTRA_STORED, MASTRA_V5, MASTRA_V5_DYNAMIC, CORE_V4, CORE_V5, RESPONSE, RESPONSE_WITH_MESSAGES]
TEXTS = [OPENAI, OPENAI_PARTS, OPENAI_RESPONSES, ANTHROPIC, ANTHROPIC_BLOCKS]
WITHOUT_IDS = [OPENAI_LEGACY, OLLAMA]


@pytest.mark.parametrize("output", DATA)
def test_results_that_are_data(output: Any) -> None:
    assert extract_tool_results(output) == [ToolResult("weather", "t1", ARGS, RESULT)]


@pytest.mark.parametrize("output", TEXTS)
def test_results_that_are_text(output: Any) -> None:
    assert extract_tool_results(output) == [ToolResult("weather", "t1", ARGS, "21 degrees")]


@pytest.mark.parametrize("output", WITHOUT_IDS)
def test_results_without_an_id_find_their_call_by_name(output: Any) -> None:
    assert extract_tool_results(output) == [ToolResult("weather", None, ARGS, "21 degrees")]


@pytest.mark.parametrize("output", [*DATA, *TEXTS, *WITHOUT_IDS])
def test_what_was_said_is_what_the_assistant_said(output: Any) -> None:
    assert said(output) == "21 degrees."


@pytest.mark.parametrize("messages", [MASTRA_V5, OPENAI, ANTHROPIC])
def test_what_was_asked_is_what_the_user_said(messages: Any) -> None:
    assert asked(messages) == "How warm is it?"
    assert asked({"inputMessages": messages}) == "How warm is it?"


def test_several_calls_keep_their_order_and_their_results() -> None:
    calls = [
        {"id": id, "type": "function", "function": {"name": "weather", "arguments": f'{{"city": "{city}"}}'}}
        for id, city in (("a", "Paris"), ("b", "Rome"))
    ]
    output = [
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "b", "content": "30"},
        {"role": "tool", "tool_call_id": "a", "content": "21"},
    ]
    found = [(t.tool_call_id, t.args["city"], t.result) for t in extract_tool_results(output)]
    assert found == [("a", "Paris", "21"), ("b", "Rome", "30")]


def test_the_same_tool_called_twice_without_ids() -> None:
    output = [
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"n": n}}} for n in (1, 2)]},
        {"role": "tool", "tool_name": "f", "content": "one"},
        {"role": "tool", "tool_name": "f", "content": "two"},
    ]
    assert [(t.args, t.result) for t in extract_tool_results(output)] == [({"n": 1}, "one"), ({"n": 2}, "two")]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool-weather", "toolCallId": "t1", "state": "input-available", "input": ARGS},
        {"type": "tool-invocation", "toolInvocation": {"state": "call", **INVOCATION}},
        {"type": "tool-invocation", "toolInvocation": {"state": "partial-call", **INVOCATION, "result": None}},
        {"type": "tool-call", **INVOCATION},
        {"type": "tool_use", "id": "t1", "name": "weather", "input": ARGS},
    ],
)
def test_a_call_that_has_not_come_back_is_no_result(part: Any) -> None:
    assert extract_tool_results([{"role": "assistant", "content": [part]}]) == []


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool-weather", "toolCallId": "t1", "state": "output-error", "input": ARGS, "errorText": "down"},
        {"type": "tool_result", "tool_use_id": "t1", "content": "down", "is_error": True},
    ],
)
def test_a_tool_that_failed_is_marked(part: Any) -> None:
    (found,) = extract_tool_results([{"role": "assistant", "content": [part]}])
    assert (found.result, found.is_error) == ("down", True)


@pytest.mark.parametrize("result", [None, 0, "", [], False, {"type": "forecast", "value": 3}])
def test_results_that_look_like_nothing_are_results(result: Any) -> None:
    call = {"state": "result", **INVOCATION, "result": result}
    (found,) = extract_tool_results([{"role": "assistant", "content": "", "toolInvocations": [call]}])
    assert found.result == result
    part = {"type": "tool-weather", "toolCallId": "t1", "state": "output-available", "output": result}
    (found,) = extract_tool_results([{"role": "assistant", "parts": [part]}])
    assert found.result == result


@pytest.mark.parametrize(
    "output",
    [
        None,
        "a text",
        [],
        7,
        {},
        [{"role": "assistant", "content": "no tools"}],
        [{"role": "assistant", "tool_calls": None, "toolInvocations": None, "parts": None}],
        [{"role": "assistant", "toolInvocations": "broken", "tool_calls": [None], "content": [None, 3]}],
        [{"role": "assistant", "content": [{"type": "tool-invocation"}, {"type": None}, {}]}],
        ["not a message"],
    ],
)
def test_no_tools_and_broken_messages_are_no_error(output: Any) -> None:
    assert extract_tool_results(output) == []


def test_what_is_said_twice_of_a_call_counts_once() -> None:
    twice = [{"state": "result", **INVOCATION, "result": result} for result in ("first", "second")]
    found = extract_tool_results([{"role": "assistant", "content": "", "toolInvocations": twice}])
    assert [t.result for t in found] == ["first"]


def test_arguments_a_model_wrote_badly_stay_text() -> None:
    call = {"id": "a", "function": {"name": "f", "arguments": '{"city": '}}
    output = [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "a", "content": "x"}]
    assert extract_tool_results(output)[0].args == '{"city": '


@dataclass
class _Function:
    name: str
    arguments: str


class _Call:
    def __init__(self) -> None:
        self.id = "t1"
        self.function = _Function("weather", '{"city": "Paris"}')


class _Message:
    def model_dump(self) -> dict[str, Any]:
        return {"role": "assistant", "content": None, "tool_calls": [_Call()]}


def test_objects_of_client_libraries_are_read_like_their_data() -> None:
    output = [_Message(), *OPENAI[2:]]
    assert extract_tool_results(output) == [ToolResult("weather", "t1", ARGS, "21 degrees")]
    completion = {"choices": [{"message": {"role": "assistant", "content": "21 degrees."}}]}
    assert said(completion) == "21 degrees."


def test_the_openai_library_itself() -> None:
    from openai.types.chat import ChatCompletionMessage

    message = ChatCompletionMessage.model_validate(OPENAI[1])
    assert extract_tool_results([message, OPENAI[2]]) == [ToolResult("weather", "t1", ARGS, "21 degrees")]


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("plain", "plain"),
        (None, ""),
        ([], ""),
        ([{"role": "user", "content": "only a question"}], ""),
        ({"role": "assistant", "content": "one message"}, "one message"),
        ({"role": "assistant", "content": {"format": 2, "content": "stored"}}, "stored"),
        ({"messages": [{"role": "user", "content": "only a question"}]}, ""),
        ([{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}], "b"),
        ([{"role": "assistant", "content": "a"}, {"role": "assistant", "content": ""}], "a"),
        ({"text": "a workflow's"}, "a workflow's"),
        ({"content": "a task's"}, "a task's"),
        ({"content": [{"type": "text", "text": "in parts"}]}, "in parts"),
        ({"role": "assistant", "text": "of a test run"}, "of a test run"),
        ({"answer": 42}, {"answer": 42}),
        ([1, 2], [1, 2]),
    ],
)
def test_outputs_of_every_form(output: Any, text: Any) -> None:
    assert said(output) == text


def test_faithfulness_takes_static_context_before_tools() -> None:
    judge = ScriptedJudge(
        {"extract": {"claims": ["21 degrees"]}, "verify": {"verdicts": [{"id": "c1", "verdict": "yes"}]}}
    )
    create_faithfulness_scorer(judge, context=["static"], include_reason=False).run(output=OPENAI)
    assert [p.text for p in judge.asked[-1].passages] == ["static"]  # type: ignore[attr-defined]
    create_faithfulness_scorer(judge, include_reason=False).run(output=OPENAI)
    assert [p.text for p in judge.asked[-1].passages] == ["21 degrees"]  # type: ignore[attr-defined]


def test_faithfulness_without_tools_or_context_says_so() -> None:
    result = create_faithfulness_scorer(ScriptedJudge({})).run(output=[{"role": "assistant", "content": "A claim."}])
    assert (result.score, result.outcome) == (None, Outcome.NO_CONTEXT)


def test_structured_output_is_judged_as_json() -> None:
    judge = ScriptedJudge(
        {"extract": {"claims": ["capital: Paris"]}, "verify": {"verdicts": [{"id": "c1", "verdict": "yes"}]}}
    )
    create_faithfulness_scorer(judge, context=["c"], include_reason=False).run(output={"capital": "Paris"})
    assert judge.asked[0].output == '{"capital":"Paris"}'  # type: ignore[attr-defined]
