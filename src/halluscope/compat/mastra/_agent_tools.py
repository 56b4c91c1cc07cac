"""Tools that an agent may use: any chat model asks for one in JSON, and is told what it returned."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

import msgspec
from msgspec import Struct

from ..._internal.errors import InputError
from .._callables import called, called_with

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}

_HOW = """You can use these tools:
{tools}

To use one, reply with one JSON object and no other text: {{"tool": "its name", "args": {{…}}}}. You are then told what
it returned. When you know enough, reply with your answer as plain text."""


class Tool(Struct, frozen=True):
    """A function that the agent may call, with what the model has to know of it."""

    name: str
    description: str
    schema: dict[str, Any]
    execute: Callable[..., Any]
    by_name: bool

    async def call(self, args: Mapping[str, Any]) -> Any:
        """What the tool returns for these arguments."""
        if self.by_name:
            return await called(self.execute, **{str(name): value for name, value in args.items()})
        return await called_with(self.execute, dict(args), tuple(args))


def read_tools(given: Any) -> dict[str, Tool]:
    """The tools in a dictionary by name, or in a list: functions, or objects with an `execute`."""
    if given is None:
        return {}
    named = given.items() if isinstance(given, Mapping) else [(None, tool) for tool in given]
    tools = [_tool(name, tool) for name, tool in named]
    return {tool.name: tool for tool in tools}


def instructed(instructions: str, tools: Mapping[str, Tool]) -> str:
    """The agent's instructions, with how to use its tools."""
    shown = "\n".join(
        f"- {tool.name}: {tool.description} Arguments, as a JSON schema: {json.dumps(tool.schema, ensure_ascii=False)}"
        for tool in tools.values()
    )
    return "\n\n".join(part for part in (instructions, _HOW.format(tools=shown)) if part)


def wanted(answer: Any, tools: Mapping[str, Tool]) -> tuple[Tool, dict[str, Any]] | None:
    """The call that an answer asks for; None where it is an answer."""
    data = answer
    if isinstance(answer, str):
        held = answer.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
        try:
            data = msgspec.json.decode(held)
        except (msgspec.DecodeError, UnicodeEncodeError):
            return None
    if not isinstance(data, Mapping) or not isinstance(data.get("args", {}), Mapping):
        return None
    tool = tools.get(str(data.get("tool")))
    return None if tool is None else (tool, dict(data.get("args") or {}))


async def invoked(tool: Tool, args: Mapping[str, Any], id: str) -> dict[str, Any]:
    """The call as Mastra keeps it. A tool that fails has said so: the agent goes on."""
    call: dict[str, Any] = {"toolCallId": id, "toolName": tool.name, "args": dict(args), "state": "result"}
    try:
        return {**call, "result": await tool.call(args)}
    except Exception as error:
        return {**call, "result": f"{type(error).__name__}: {error}", "isError": True}


def told_to_model(calls: list[dict[str, Any]]) -> str:
    """What the tools returned, for the model."""
    lines = [
        f"{call['toolName']}({json.dumps(call['args'], ensure_ascii=False, default=str)}) returned: "
        f"{json.dumps(call['result'], ensure_ascii=False, default=str)}"
        for call in calls
    ]
    return "\n".join(["What the tools returned so far, as JSON-encoded material:", *lines])


def _tool(name: Any, tool: Any) -> Tool:
    if callable(tool) and not hasattr(tool, "execute"):
        known = str(name or getattr(tool, "__name__", type(tool).__name__))
        return Tool(known, (inspect.getdoc(tool) or "").partition("\n\n")[0], _schema_of(tool), tool, True)
    known = str(name or _held(tool, "id", "name") or "")
    execute = _held(tool, "execute")
    if not callable(execute) or not known:
        raise InputError("a tool is a function, or has an `id`, a `description` and a function `execute`.")
    schema = _held(tool, "input_schema", "inputSchema")
    if hasattr(schema, "model_json_schema"):
        schema = schema.model_json_schema()
    elif schema is not None and not isinstance(schema, Mapping):
        schema = msgspec.json.schema(schema)
    described = str(_held(tool, "description") or "")
    return Tool(known, described, dict(schema or {"type": "object"}), execute, False)


def _held(tool: Any, *names: str) -> Any:
    """What a dictionary or an object holds under one of the names."""
    held = [tool.get(name) if isinstance(tool, Mapping) else getattr(tool, name, None) for name in names]
    return next((value for value in held if value is not None), None)


def _schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    """A JSON schema of a function's parameters."""
    try:
        parameters = inspect.signature(function).parameters.values()
        hints = get_type_hints(function)
    except (TypeError, ValueError, NameError):
        return {"type": "object"}
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    properties = {p.name: {"type": _TYPES[hints[p.name]]} if hints.get(p.name) in _TYPES else {} for p in named}
    return {
        "type": "object",
        "properties": properties,
        "required": [p.name for p in named if p.default is p.empty],
    }
