"""What was asked and said in the inputs and outputs that Mastra's scorers are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, structs

from ..._internal.core.conversation import ToolCall, messages_of, parts_of, plain, text_of
from ..._internal.core.conversation import extract_tool_calls as calls_in
from ..._internal.core.conversation import extract_tool_results as results_in
from ..._internal.core.conversation.messages import ASSISTANT, SYSTEM, USER
from .._callables import NamedValues
from ._camel_case import CamelCase, takes_camel_case

_SAID_IN = ("text", "content")
_ASKED_IN = ("prompt", "text", "content", "input", "user")


def said(value: Any) -> object:
    """The answer in an output: what the last assistant message says, or the output itself where it holds none."""
    if value is None or isinstance(value, str):
        return value or ""
    found = get_assistant_message_from_run_output(value)
    return found if found is not None else _as_it_is(value)


def asked(value: Any) -> object:
    """What the user says in an input, in all of its messages."""
    if value is None or isinstance(value, str):
        return value or ""
    spoken = _spoken(value, USER)
    found = "\n".join(spoken) if spoken else _held_text(value, _ASKED_IN)
    return found if found is not None else _as_it_is(value)


def get_assistant_message_from_run_output(output: Any = None) -> str | None:
    """What the assistant answers in an output: its last message that says something; None where there is none."""
    if output is None or isinstance(output, str):
        return output
    spoken = _spoken(output, ASSISTANT)
    if spoken:
        return spoken[-1]
    held = plain(output)
    if held is not None and held.get("role") is not None and held["role"] not in ASSISTANT:
        return None
    return _held_text(output, _SAID_IN)


def get_user_message_from_run_input(input: Any = None) -> str | None:
    """What the user asks in an input: the last message, or its `prompt`; None where there is none."""
    if input is None or isinstance(input, str):
        return input
    spoken = _spoken(input, USER)
    return spoken[-1] if spoken else _held_text(input, _ASKED_IN)


def extract_input_messages(input: Any = None) -> list[str]:
    """The texts of the user's messages in an input."""
    return [input] if isinstance(input, str) else _spoken(input, USER)


def extract_agent_response_messages(output: Any = None) -> list[str]:
    """The texts of the assistant's messages in an output."""
    return [output] if isinstance(output, str) else _spoken(output, ASSISTANT)


class ToolResult(ToolCall, CamelCase, frozen=True):
    """One call of a tool that came back. `is_error` says that the tool failed, and `result` how."""


def extract_tool_results(output: Any = None) -> list[ToolResult]:
    """The results of tool calls in a list of messages, or in a model's or agent's response, in order."""
    return [ToolResult(*structs.astuple(found)) for found in results_in(output)]


class AgentResponse(Struct, CamelCase, frozen=True):
    """What an agent answered: its text, and the messages with the tool calls behind it."""

    text: str
    messages: list[dict[str, Any]]
    run_id: str

    @property
    def tool_results(self) -> list[ToolResult]:
        """What the tools returned."""
        return extract_tool_results(self.messages)


def extract_tool_calls(output: Any = None) -> Any:
    """The tools that were called, whatever came of it: their names in `tools`, and each call in `tool_call_infos`."""
    infos: dict[Any, NamedValues] = {}
    for place, message in enumerate(messages_of(output) or ()):
        for index, call in enumerate(calls_in([message])):
            told = {"tool_name": call.tool_name, "tool_call_id": call.tool_call_id}
            key = call.tool_call_id or (place, index)
            infos.setdefault(key, NamedValues(told, message_index=place, invocation_index=index))
    return NamedValues(tools=[info.tool_name for info in infos.values()], tool_call_infos=list(infos.values()))


def get_system_messages_from_run_input(input: Any = None) -> list[str]:
    """The system's instructions in an input, those that Mastra tags by their origin last."""
    held = plain(input) or {}
    given: Any = held.get("systemMessages") or held.get("system_messages") or ()
    tagged = plain(held.get("taggedSystemMessages") or held.get("tagged_system_messages")) or {}
    last = [message for messages in tagged.values() for message in messages]
    apart = [[get_text_content_from_mastra_db_message(m) for m in messages] for messages in (given, last)]
    return [text for text in (*apart[0], *_spoken(input, SYSTEM), *apart[1]) if text]


def get_combined_system_prompt(input: Any = None) -> str:
    """The system's instructions as one text."""
    return "\n\n".join(get_system_messages_from_run_input(input))


def get_reasoning_from_run_output(output: Any = None) -> str | None:
    """What the assistant thought before it answered, where the model shows it."""
    for message in messages_of(output) or ():
        if message.get("role") not in ASSISTANT:
            continue
        whole = (plain(message.get("content")) or {}).get("reasoning") or message.get("reasoning")
        if isinstance(whole, str) and whole:
            return whole
        thoughts = [_thought(part) for part in parts_of(message) if part.get("type") in ("reasoning", "thinking")]
        if any(thoughts):
            return "\n".join(thought for thought in thoughts if thought)
    return None


def get_text_content_from_mastra_db_message(message: Any) -> str:
    """The text of one message of Mastra's."""
    held = plain(message) or {}
    return text_of(held) or str(_held_text(held, _SAID_IN) or "")


@takes_camel_case
def create_test_message(
    *,
    content: str,
    role: str = "assistant",
    id: str = "test-message",
    tool_invocations: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Create a message as Mastra keeps it, for tests.

    Args:
        content: The text.
        role: Who speaks.
        id: Id of the message.
        tool_invocations: Calls of tools, see `create_tool_invocation`.
    """
    parts = [{"type": "text", "text": content}]
    held: dict[str, Any] = {"format": 2, "parts": parts, "content": content}
    if tool_invocations:
        held["toolInvocations"] = [dict(call) for call in tool_invocations]
    return {"id": id, "role": role, "content": held}


@takes_camel_case
def create_tool_invocation(
    *, tool_call_id: str, tool_name: str, args: Any = None, result: Any = None, state: str = "result"
) -> dict[str, Any]:
    """Create a call of a tool as Mastra keeps it, for tests.

    Args:
        tool_call_id: Id of the call.
        tool_name: Name of the tool.
        args: Arguments of the call.
        result: What the tool returned.
        state: `call` or `result`.
    """
    return {"toolCallId": tool_call_id, "toolName": tool_name, "args": args or {}, "result": result, "state": state}


@takes_camel_case
def create_agent_test_run(
    *, output: Any, input_messages: Sequence[Mapping[str, Any]] = (), run_id: str | None = None, **more: Any
) -> dict[str, Any]:
    """Create an agent's run as a scorer gets it, for tests.

    Args:
        output: The agent's messages.
        input_messages: The messages before.
        run_id: Id of the run.
        more: What else the run carries.

    Example:
        >>> scorer.run(create_agent_test_run(output=[create_test_message(content="In 1921.")]))
    """
    return {"input": {"inputMessages": list(input_messages)}, "output": output, "run_id": run_id, **more}


def _spoken(value: Any, roles: frozenset[str]) -> list[str]:
    """The texts of the messages that these speak, in order."""
    messages = messages_of(value) or ()
    texts = [get_text_content_from_mastra_db_message(m) for m in messages if m.get("role") in roles]
    return [text for text in texts if text.strip()]


def _held_text(value: Any, keys: Sequence[str]) -> str | None:
    """The text that an object holds under one of the keys, as such, in parts or in another object."""
    if isinstance(value, (list, tuple)):
        return "" if messages_of(value) is not None else None
    held = plain(value) or {}
    for key in keys:
        inner = held.get(key)
        if isinstance(inner, str):
            return inner
        if isinstance(inner, (list, tuple, Mapping)) and (text := text_of({"content": inner})):
            return text
    return "" if messages_of(value) is not None else None


def _as_it_is(value: Any) -> object:
    held = plain(value)
    return value if held is None or isinstance(value, Mapping) else held


def _thought(part: Mapping[str, Any]) -> str:
    details = part.get("details")
    if isinstance(details, (list, tuple)):
        texts = [(plain(detail) or {}).get("text") for detail in details]
        return "".join(text for text in texts if isinstance(text, str))
    found = part.get("reasoning") or part.get("thinking") or part.get("text")
    return found if isinstance(found, str) else ""
