"""What tools returned, found in a conversation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType, structs

from .messages import messages_of, parts_of, plain, text_of


class ToolResult(Struct, frozen=True):
    """One call of a tool that came back. `is_error` says that the tool failed, and `result` how."""

    tool_name: str
    tool_call_id: str | None
    args: Any
    result: Any
    is_error: bool = False


class _Sighting(Struct, frozen=True):
    """What one place in a conversation says of a call. Name and arguments often stand in another."""

    id: str | None
    name: str = ""
    args: Any = None
    result: Any | UnsetType = UNSET
    is_error: bool = False


def extract_tool_results(output: Any) -> list[ToolResult]:
    """The results of tool calls in a list of messages, or in a model's or agent's response, in order."""
    seen: dict[str, _Sighting] = {}
    for sighting in _sightings(output):
        key = sighting.id or _unanswered(seen, sighting)
        seen[key] = _joined(seen[key], sighting) if key in seen else sighting
    return [ToolResult(s.name, s.id, s.args, s.result, s.is_error) for s in seen.values() if s.result is not UNSET]


def as_passage(found: ToolResult) -> str:
    """A tool's result as a passage of context."""
    if isinstance(found.result, str):
        return found.result
    return json.dumps(found.result, ensure_ascii=False, default=str)


def _unanswered(seen: Mapping[str, _Sighting], sighting: _Sighting) -> str:
    """The key of a call without an id: results are matched with the open call of the same tool."""
    if sighting.result is not UNSET:
        for key, known in seen.items():
            if known.id is None and known.name == sighting.name and known.result is UNSET:
                return key
    return f"without id {len(seen)}"


def _joined(known: _Sighting, more: _Sighting) -> _Sighting:
    """Two sightings of one call: some formats say the same thing twice, so the first result stands."""
    first = known if known.result is not UNSET else more
    return structs.replace(
        first,
        id=known.id or more.id,
        name=known.name or more.name,
        args=more.args if known.args is None else known.args,
    )


def _sightings(output: Any) -> Iterator[_Sighting]:
    within = (sighting for message in messages_of(output) or () for sighting in _in_message(message))
    held = None if isinstance(output, (list, tuple)) else plain(output)
    return _once(within, _in_lists(held or {}))


def _in_message(message: Mapping[str, Any]) -> Iterator[_Sighting]:
    return _once(_in_lists(message), _in_lists(plain(message.get("content")) or {}), _in_text(message))


def _once(*sources: Iterable[_Sighting]) -> Iterator[_Sighting]:
    """What several sources tell of the same calls. A call without an id that another has told of is the same one."""
    told: list[_Sighting] = []
    for source in sources:
        before = list(told)
        for sighting in source:
            if sighting.id is None and sighting in before:
                before.remove(sighting)
                continue
            told.append(sighting)
            yield sighting


def _in_text(message: Mapping[str, Any]) -> Iterator[_Sighting]:
    """Calls and results among what a message says."""
    for called in message.get("tool_calls") or ():
        call = plain(called) or {}
        function = plain(call.get("function")) or call
        yield _Sighting(_id(call, "id"), str(function.get("name") or ""), _decoded(function.get("arguments")))
    legacy = plain(message.get("function_call"))
    if legacy:
        yield _Sighting(None, str(legacy.get("name") or ""), _decoded(legacy.get("arguments")))
    role, kind, content = message.get("role"), message.get("type"), message.get("content")
    if role == "function" or (role == "tool" and ("tool_call_id" in message or isinstance(content, str))):
        name = str(_first(message, "name", "tool_name") or "")
        yield _Sighting(_id(message, "tool_call_id"), name, result=_returned(content))
    elif kind == "function_call":
        name = str(message.get("name") or "")
        yield _Sighting(_id(message, "call_id", "id"), name, _decoded(message.get("arguments")))
    elif kind == "function_call_output":
        yield _Sighting(_id(message, "call_id"), result=_returned(message.get("output")))
    elif kind in ("tool-result", "tool-call"):
        yield from _in_part(message)
    for part in parts_of(message):
        yield from _in_part(part)


def _in_lists(held: Mapping[str, Any]) -> Iterator[_Sighting]:
    """Mastra's lists of invocations and results, beside the messages or inside one."""
    for key in ("toolInvocations", "tool_invocations", "toolResults", "tool_results"):
        listed = held.get(key)
        for item in listed if isinstance(listed, (list, tuple)) else ():
            yield from _invocation(plain(item) or {})


def _invocation(call: Mapping[str, Any]) -> Iterator[_Sighting]:
    """A call with its result in one object; a `payload` around it is Mastra's, for events of a stream."""
    call = plain(call.get("payload")) or call
    id, name = _id(call, "toolCallId", "tool_call_id"), _first(call, "toolName", "tool_name") or ""
    state = call.get("state")
    if not id and not name:
        return
    args = _first(call, "args", "input")
    if state in (None, "result", "output-available", "output-error") and ("result" in call or "output" in call):
        failed = bool(_first(call, "isError", "is_error"))
        yield _Sighting(id, name, args, _unwrapped(call), failed)
    elif state == "output-error":
        yield _Sighting(id, name, args, call.get("errorText"), is_error=True)
    else:
        yield _Sighting(id, name, args)


def _in_part(part: Mapping[str, Any]) -> Iterator[_Sighting]:
    kind = str(part.get("type") or "")
    if kind == "tool-invocation":
        yield from _invocation(plain(_first(part, "toolInvocation", "tool_invocation")) or {})
    elif kind in ("tool_use", "server_tool_use"):
        yield _Sighting(_id(part, "id"), str(part.get("name") or ""), part.get("input"))
    elif kind.endswith("tool_result"):
        failed = bool(part.get("is_error"))
        yield _Sighting(_id(part, "tool_use_id"), result=_returned(part.get("content")), is_error=failed)
    elif kind in ("tool-result", "tool-call", "dynamic-tool"):
        yield from _invocation(part)
    elif kind.startswith("tool-"):
        yield from _invocation({"toolName": kind.removeprefix("tool-"), **part})


def _unwrapped(call: Mapping[str, Any]) -> Any:
    """The result; newer messages wrap it as {"type": "json", "value": …}."""
    if "result" in call:
        return call["result"]
    output = call["output"]
    wrapped = plain(output)
    if wrapped is not None and set(wrapped) >= {"type", "value"} and str(wrapped["type"]).split("-")[-1] in _WRAPS:
        return wrapped["value"]
    return output


_WRAPS = ("text", "json", "content")


def _returned(content: Any) -> Any:
    """What a tool message holds: text parts become text, anything else stays as it is."""
    if isinstance(content, (list, tuple)) and content:
        texts = [text_of({"content": [part]}) for part in content]
        if all(texts):
            return "\n".join(texts)
    return content


def _decoded(arguments: Any) -> Any:
    """Arguments travel as JSON text in OpenAI's format; a model may have written it badly."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _id(held: Mapping[str, Any], *keys: str) -> str | None:
    found = _first(held, *keys)
    return None if found is None else str(found)


def _first(held: Mapping[str, Any], *keys: str) -> Any:
    return next((held[key] for key in keys if held.get(key) is not None), None)
