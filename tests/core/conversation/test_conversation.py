"""Conversations as they come: which answer is judged, and against what."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import halluscope
from halluscope import Case
from halluscope._internal.core.conversation import read_conversation
from halluscope.errors import CaseError

ASKED = "When did Ada Lovelace die?"
SAID = "She died in 1852."

OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": "Answer from the archive alone."},
    {"role": "user", "content": "I am writing about Ada Lovelace, who was born in London."},
    {"role": "assistant", "content": "She was born in Paris. What would you like to know?"},
    {"role": "user", "content": ASKED},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "t1", "type": "function", "function": {"name": "archive", "arguments": '{"q": "Ada"}'}}],
    },
    {"role": "tool", "tool_call_id": "t1", "content": "Ada Lovelace died on 27 November 1852."},
    {"role": "assistant", "content": SAID},
]

ANTHROPIC: dict[str, Any] = {
    "system": "Answer from the archive alone.",
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": ASKED}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "archive", "input": {"q": "Ada"}}]},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [{"type": "text", "text": "Ada Lovelace died on 27 November 1852."}],
                }
            ],
        },
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "1852?"}, {"type": "text", "text": SAID}]},
    ],
}

_CALL = {
    "state": "result",
    "toolCallId": "t1",
    "toolName": "archive",
    "args": {"q": "Ada"},
    "result": {"text": "Ada Lovelace died on 27 November 1852."},
}
MASTRA: list[dict[str, Any]] = [
    {"id": "m1", "role": "user", "content": {"format": 2, "parts": [{"type": "text", "text": ASKED}]}},
    {
        "id": "m2",
        "role": "assistant",
        "content": {
            "format": 2,
            "parts": [{"type": "tool-invocation", "toolInvocation": _CALL}, {"type": "text", "text": SAID}],
            "toolInvocations": [_CALL],
        },
    },
]

RESPONSES: list[dict[str, Any]] = [
    {"role": "user", "content": ASKED},
    {"type": "reasoning", "summary": []},
    {"type": "function_call", "call_id": "t1", "name": "archive", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "t1", "output": "Ada Lovelace died on 27 November 1852."},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAID}]},
]


@pytest.mark.parametrize("talk", [OPENAI, ANTHROPIC, MASTRA, RESPONSES], ids=["openai", "anthropic", "mastra", "items"])
def test_the_last_answer_is_judged_against_what_its_tools_returned(talk: Any) -> None:
    case = Case.of(talk)
    assert (case.output, case.input) == (SAID, ASKED)
    assert case.context is not None
    assert [text for text in case.context if "27 November 1852" in text] == [case.context[0]], "once, though told twice"
    assert "the last answer is judged" in case.notes[0]
    assert "1 passage from tools" in case.notes[0]


def test_the_users_earlier_turns_are_context_and_the_assistants_are_not() -> None:
    case = Case.of(OPENAI)
    assert case.context is not None
    assert case.context[1:] == (OPENAI[0]["content"], OPENAI[1]["content"])
    own = Case.of(OPENAI, context_from=["assistant"])
    assert own.context == (OPENAI[2]["content"],)
    asked = Case.of(OPENAI, context_from="question")
    assert asked.context == (ASKED,)


def test_a_made_up_earlier_answer_does_not_support_the_next() -> None:
    talk = [
        {"role": "user", "content": "The Eiffel Tower was finished in 1889."},
        {"role": "assistant", "content": "The Eiffel Tower was painted green in 1950."},
        {"role": "user", "content": "Tell me more."},
        {"role": "assistant", "content": "The Eiffel Tower was painted green in 1950."},
    ]
    assert halluscope.check(talk).label == "hallucinated"
    assert halluscope.check([talk[0], talk[2], {**talk[3], "content": talk[0]["content"]}]).label == "factual"


def test_a_context_that_is_given_is_the_context() -> None:
    case = Case.of(OPENAI, ["Another text."])
    assert case.context == ("Another text.",)
    assert "against" not in case.notes[0]


def test_what_follows_the_answer_is_not_its_context() -> None:
    later = {"role": "tool", "tool_call_id": "t9", "content": "Returned afterwards."}
    case = Case.of([*OPENAI, {"role": "user", "content": "Thanks. And her mother?"}, later])
    assert (case.output, case.input) == (SAID, ASKED)
    assert "Returned afterwards." not in (case.context or ())


def test_messages_as_the_input_come_before_the_output() -> None:
    case = Case.of(SAID, input=OPENAI[:-1])
    assert case == Case.of(OPENAI)
    assert Case.of(SAID, input=OPENAI) == case, "the answer is not told twice"
    told = Case.of({"role": "assistant", "content": "In 1851."}, input=OPENAI)
    assert told.output == "In 1851."
    assert Case.of(None, input=OPENAI[:-1]).output == "", "an answer of an earlier turn is not the one that is missing"


def test_a_clients_response_is_read_as_it_comes() -> None:
    message = SimpleNamespace(role="assistant", content=SAID, tool_calls=None)
    response = SimpleNamespace(id="r1", choices=[SimpleNamespace(index=0, message=message)])
    case = Case.of(response, input=OPENAI[:-1])
    assert (case.output, case.input) == (SAID, ASKED)


def test_without_anything_to_hold_it_against_there_is_no_context() -> None:
    case = Case.of([{"role": "user", "content": ASKED}, {"role": "assistant", "content": SAID}])
    assert case.context is None
    assert halluscope.check(case.output).outcome is halluscope.Outcome.NO_CONTEXT


def test_a_tool_that_returned_nothing_is_context_that_supports_nothing() -> None:
    talk = [dict(message) for message in OPENAI]
    talk[5]["content"] = ""
    assert Case.of(talk, context_from=["tools"]).context == ("",)


@pytest.mark.parametrize(
    ("result", "passages"),
    [
        ('[{"id": 1, "text": "One."}, {"id": 2, "text": "Two."}]', ("One.", "Two.")),
        ('{"results": ["One.", "Two."]}', ("One.", "Two.")),
        ('[{"name": "A", "price": 3}]', ('[{"name": "A", "price": 3}]',)),
        ("[not JSON", ("[not JSON",)),
        ("[]", ("[]",)),
    ],
)
def test_a_search_gives_a_passage_for_each_of_its_documents(result: str, passages: tuple[str, ...]) -> None:
    talk = [dict(message) for message in OPENAI]
    talk[5]["content"] = result
    assert Case.of(talk, context_from=["tools"]).context == passages


def test_documents_beside_the_text_are_context() -> None:
    attached = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "The facts."}}
    talk = [
        {"role": "user", "content": [attached, {"type": "text", "text": ASKED}]},
        {"role": "assistant", "content": SAID},
    ]
    assert Case.of(talk).context == ("The facts.",)


@pytest.mark.parametrize(
    "data",
    [
        {"role": "admin", "name": "Ada"},
        [{"role": "user", "name": "Ada"}],
        {"output": [{"a": 1}]},
        [{"type": "message", "severity": 3}],
        [],
        [1, 2],
        {"messages": []},
        {"choices": ["a", "b"]},
    ],
)
def test_structured_output_is_not_taken_for_a_conversation(data: Any) -> None:
    assert read_conversation(data) is None
    assert "JSON text" in Case.of(data, ["Context."]).notes[0]


def test_a_source_that_does_not_exist_is_named() -> None:
    with pytest.raises(CaseError, match="no context comes from 'tool': it comes from tools, documents"):
        Case.of(OPENAI, context_from=["tool"])
