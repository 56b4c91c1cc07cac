"""Messages in the shapes of OpenAI, Anthropic and Mastra: where they lie, and what text they hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

ASSISTANT = frozenset({"assistant", "ai", "model"})
USER = frozenset({"user", "human"})
SYSTEM = frozenset({"system", "developer"})
TOOL = frozenset({"tool", "function"})

_SPOKEN = frozenset({"text", "output_text", "input_text"})
_ITEMS = frozenset({"message", "function_call", "function_call_output", "reasoning", "tool-result", "tool-call"})
"""Items of a conversation that carry a type, and not always a role."""
_LISTS = ("messages", "inputMessages", "input_messages", "uiMessages", "output")


def messages_of(value: Any) -> list[dict[str, Any]] | None:
    """The messages in a list, a message, or a model's or agent's response; None for anything else."""
    if isinstance(value, (list, tuple)):
        items = [plain(item) for item in value]
        messages = [item for item in items if item is not None and _is_message(item)]
        return messages if len(messages) == len(items) else None
    held = plain(value)
    if held is None:
        return None
    if _is_message(held):
        return [held]
    for key in _LISTS:
        if isinstance(held.get(key), (list, tuple)):
            return messages_of(held[key])
    if isinstance(held.get("choices"), (list, tuple)):
        return messages_of([(plain(choice) or {}).get("message") for choice in held["choices"]])
    return None


def text_of(message: Mapping[str, Any]) -> str:
    """The text of one message, without tool calls, images and thoughts."""
    content = message.get("content")
    if isinstance(content, str) and content.strip():
        return content
    for held in _holders(message):
        # Some formats keep the same text in two places: it was said once.
        texts = [part.get("text") for part in held if part.get("type", "text") in _SPOKEN]
        spoken = [text for text in texts if isinstance(text, str)]
        if spoken:
            return "\n".join(spoken)
    if isinstance(content, Mapping) and isinstance(content.get("content"), str):
        return str(content["content"])
    return ""


def parts_of(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The parts of a message, wherever its format keeps them."""
    for held in _holders(message):
        yield from held


def _holders(message: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """The places that hold parts of a message."""
    content = message.get("content")
    inner = plain(content) if not isinstance(content, (str, list, tuple)) else None
    for held in (content, (inner or {}).get("parts"), message.get("parts")):
        if isinstance(held, (list, tuple)):
            parts = [{"type": "text", "text": part} if isinstance(part, str) else plain(part) for part in held]
            yield [part for part in parts if part is not None]


def plain(value: Any) -> dict[str, Any] | None:
    """An object's fields: of a mapping, a client library's model, a dataclass or any object with attributes."""
    if value is None or isinstance(value, (str, bytes, int, float, list, tuple, set)):
        return None
    if isinstance(value, Mapping):
        return dict(value)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        dumped = dump()
        return dict(dumped) if isinstance(dumped, Mapping) else None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    names = getattr(value, "__struct_fields__", None) or getattr(value, "__dict__", None)
    return {name: getattr(value, name) for name in names} if names else None


def _is_message(held: Mapping[str, Any]) -> bool:
    return isinstance(held.get("role"), str) or held.get("type") in _ITEMS
