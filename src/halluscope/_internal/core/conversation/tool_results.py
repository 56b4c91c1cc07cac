"""Finding the calls of tools in a conversation, and their results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from msgspec import UNSET, Struct, UnsetType, structs

from ..errors import CaseError
from ..plumbing.json_values import TOO_DEEP, decode_json, json_text, too_deep
from .messages import ASSISTANT, messages_of, parts_of, plain, text_of

_WRAPS = ("text", "json", "content")


class ToolCall(Struct, frozen=True):
    """A call of a tool, or a part of one. `result` is `UNSET` if none has come back, or the error if `is_error`."""

    tool_name: str
    tool_call_id: str | None
    args: Any = None
    result: Any | UnsetType = UNSET
    is_error: bool = False

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments by name; those that are no object are under "arguments"."""
        if isinstance(self.args, Mapping):
            return {str(name): value for name, value in self.args.items()}
        return {} if self.args in (None, "") else {"arguments": self.args}

    def __str__(self) -> str:
        return f"{self.tool_name}({', '.join(f'{name}={json_text(value)}' for name, value in self.arguments.items())})"


def extract_tool_calls(output: Any) -> list[ToolCall]:
    """All tool calls in messages, or in a response of a model or agent, in order."""
    if too_deep(output):
        raise CaseError(f"the messages cannot be read: {TOO_DEEP}.")
    within = (part for message in messages_of(output) or () for part in _in_message(message))
    held = None if isinstance(output, (list, tuple)) else plain(output)
    return _by_call(_once(within, _in_lists(held or {})))


def extract_tool_results(output: Any) -> list[ToolCall]:
    """Those that have come back."""
    return [call for call in extract_tool_calls(output) if call.result is not UNSET]


def tool_calls(message: Mapping[str, Any]) -> list[ToolCall]:
    """The calls of tools in a message of the assistant."""
    if message.get("role") not in ASSISTANT and message.get("type") not in ("function_call", "tool-call"):
        return []
    return [call for call in _by_call(_in_message(message)) if call.tool_name]


def as_passage(found: ToolCall) -> str:
    return found.result if isinstance(found.result, str) else json_text(found.result)


def _by_call(parts: Iterable[ToolCall]) -> list[ToolCall]:
    seen: dict[str, ToolCall] = {}
    for part in parts:
        key = part.tool_call_id or _unanswered(seen, part)
        seen[key] = _joined(seen[key], part) if key in seen else part
    return list(seen.values())


def _unanswered(seen: Mapping[str, ToolCall], part: ToolCall) -> str:
    """The key of a call without an id. A result belongs to the open call of the same tool."""
    if part.result is not UNSET:
        for key, known in seen.items():
            if known.tool_call_id is None and known.tool_name == part.tool_name and known.result is UNSET:
                return key
    return f"without id {len(seen)}"


def _joined(known: ToolCall, more: ToolCall) -> ToolCall:
    """Combine two parts of a call. If both have a result, the first one counts."""
    return structs.replace(
        known if known.result is not UNSET else more,
        tool_call_id=known.tool_call_id or more.tool_call_id,
        tool_name=known.tool_name or more.tool_name,
        args=more.args if known.args is None else known.args,
    )


def _in_message(message: Mapping[str, Any]) -> Iterator[ToolCall]:
    return _once(_in_lists(message), _in_lists(plain(message.get("content")) or {}), _in_text(message))


def _once(*sources: Iterable[ToolCall]) -> Iterator[ToolCall]:
    """Combine the calls of several sources. Equal ones without an id are the same call."""
    seen: list[ToolCall] = []
    for source in sources:
        before = list(seen)
        for part in source:
            if part.tool_call_id is None and part in before:
                before.remove(part)
                continue
            seen.append(part)
            yield part


def _in_text(message: Mapping[str, Any]) -> Iterator[ToolCall]:
    for called in message.get("tool_calls") or ():
        call = plain(called) or {}
        function = plain(call.get("function")) or call
        yield ToolCall(str(function.get("name") or ""), _id(call, "id"), _decoded(function.get("arguments")))
    legacy = plain(message.get("function_call"))
    if legacy:
        yield ToolCall(str(legacy.get("name") or ""), None, _decoded(legacy.get("arguments")))
    role, kind, content = message.get("role"), message.get("type"), message.get("content")
    if role == "function" or (role == "tool" and ("tool_call_id" in message or isinstance(content, str))):
        name = str(_first(message, "name", "tool_name") or "")
        yield ToolCall(name, _id(message, "tool_call_id"), result=_returned(content))
    elif kind == "function_call":
        name = str(message.get("name") or "")
        yield ToolCall(name, _id(message, "call_id", "id"), _decoded(message.get("arguments")))
    elif kind == "function_call_output":
        yield ToolCall("", _id(message, "call_id"), result=_returned(message.get("output")))
    elif kind in ("tool-result", "tool-call"):
        yield from _in_part(message)
    for part in parts_of(message):
        yield from _in_part(part)


def _in_lists(held: Mapping[str, Any]) -> Iterator[ToolCall]:
    """Yield the calls in lists of Mastra, which are next to the messages or inside one."""
    for key in ("toolInvocations", "tool_invocations", "toolResults", "tool_results"):
        listed = held.get(key)
        for item in listed if isinstance(listed, (list, tuple)) else ():
            yield from _invocation(plain(item) or {})


def _invocation(call: Mapping[str, Any]) -> Iterator[ToolCall]:
    """Yield a call with its result. Mastra wraps stream events in a `payload`."""
    call = plain(call.get("payload")) or call
    id, name = _id(call, "toolCallId", "tool_call_id"), _first(call, "toolName", "tool_name") or ""
    state = call.get("state")
    if not id and not name:
        return
    args = _first(call, "args", "input")
    if state in (None, "result", "output-available", "output-error") and ("result" in call or "output" in call):
        failed = bool(_first(call, "isError", "is_error"))
        yield ToolCall(name, id, args, _unwrapped(call), failed)
    elif state == "output-error":
        yield ToolCall(name, id, args, call.get("errorText"), is_error=True)
    else:
        yield ToolCall(name, id, args)


def _in_part(part: Mapping[str, Any]) -> Iterator[ToolCall]:
    kind = str(part.get("type") or "")
    if kind == "tool-invocation":
        yield from _invocation(plain(_first(part, "toolInvocation", "tool_invocation")) or {})
    elif kind in ("tool_use", "server_tool_use"):
        yield ToolCall(str(part.get("name") or ""), _id(part, "id"), part.get("input"))
    elif kind.endswith("tool_result"):
        failed = bool(part.get("is_error"))
        yield ToolCall("", _id(part, "tool_use_id"), result=_returned(part.get("content")), is_error=failed)
    elif kind in ("tool-result", "tool-call", "dynamic-tool"):
        yield from _invocation(part)
    elif kind.startswith("tool-"):
        yield from _invocation({"toolName": kind.removeprefix("tool-"), **part})


def _unwrapped(call: Mapping[str, Any]) -> Any:
    """Return the result, which newer messages wrap as {"type": "json", "value": …}."""
    if "result" in call:
        return call["result"]
    output = call["output"]
    wrapped = plain(output)
    if wrapped is not None and set(wrapped) >= {"type", "value"} and str(wrapped["type"]).split("-")[-1] in _WRAPS:
        return wrapped["value"]
    return output


def _returned(content: Any) -> Any:
    """Return the content of a tool message. A list of text parts becomes one text."""
    if isinstance(content, (list, tuple)) and content:
        texts = [text_of({"content": [part]}) for part in content]
        if all(texts):
            return "\n".join(texts)
    return content


def _decoded(arguments: Any) -> Any:
    """Decode arguments, which are JSON in the format of OpenAI. Invalid JSON stays a text."""
    if isinstance(arguments, str):
        with suppress(ValueError):
            return decode_json(arguments)
    return arguments


def _id(held: Mapping[str, Any], *keys: str) -> str | None:
    found = _first(held, *keys)
    return None if found is None else str(found)


def _first(held: Mapping[str, Any], *keys: str) -> Any:
    return next((held[key] for key in keys if held.get(key) is not None), None)
