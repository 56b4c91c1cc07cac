"""The texts of messages, chunks of streams and documents, in the formats of OpenAI, Anthropic, LangChain and Mastra."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from ..plumbing.json_values import decode_json, json_text

ASSISTANT = frozenset({"assistant", "ai", "model"})
USER = frozenset({"user", "human"})
SYSTEM = frozenset({"system", "developer"})
TOOL = frozenset({"tool", "function"})

_SPOKEN = frozenset({"text", "output_text", "input_text"})
TYPED_ITEMS = {
    "message": "content",
    "function_call": "call_id",
    "function_call_output": "call_id",
    "reasoning": "summary",
    "tool-result": "toolCallId",
    "tool-call": "toolCallId",
}
"""Types of items that may have no role, each with a field that distinguishes it from other data."""
_LISTS = ("messages", "inputMessages", "input_messages", "uiMessages", "output")
_DELTAS = frozenset({"response.output_text.delta", "text-delta", "text_delta", "text"})
"""Types of events with text of the answer."""
_SPOKEN_IN = ("delta", "text", "textDelta")
_DOCUMENT_TEXT = ("text", "content", "page_content", "document", "passage", "snippet")


def messages_of(value: Any) -> list[dict[str, Any]] | None:
    """Return the messages in a list, a message, or a response of a model or agent. None for anything else."""
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
    """Return the text of a message, without tool calls, images and reasoning."""
    content = message.get("content")
    if isinstance(content, str) and content.strip():
        return content
    for held in _holders(message):
        # Some formats store the same text twice.
        texts = [part.get("text") for part in held if part.get("type", "text") in _SPOKEN]
        spoken = [text for text in texts if isinstance(text, str)]
        if spoken:
            return "\n".join(spoken)
    if isinstance(content, Mapping) and isinstance(content.get("content"), str):
        return str(content["content"])
    return ""


def text_of_piece(piece: Any) -> str | None:
    """Return the text in a chunk of a stream, which may be empty. None if the object is no chunk."""
    if isinstance(piece, str):
        return piece
    if piece is None or isinstance(piece, (bytes, int, float)):
        return None
    choices = _get(piece, "choices")
    if isinstance(choices, (list, tuple)):
        return "".join(_get(_get(choice, "delta"), "content") or "" for choice in choices[:1])
    kind = _get(piece, "type")
    if isinstance(kind, str) and kind not in ("AIMessageChunk", "ai"):
        return _in_event(piece, kind)
    if _get(piece, "content") is not None:
        return text_of({"content": _get(piece, "content")})
    return None


def _in_event(event: Any, kind: str) -> str:
    if kind == "content_block_delta":
        event, kind = _get(event, "delta"), str(_get(_get(event, "delta"), "type"))
    if kind not in _DELTAS:
        return ""
    held = _get(event, "payload") or event
    found = (_get(held, name) for name in _SPOKEN_IN)
    return next((text for text in found if isinstance(text, str)), "")


def _get(held: Any, name: str) -> Any:
    return held.get(name) if isinstance(held, Mapping) else getattr(held, name, None)


def parts_of(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for held in _holders(message):
        yield from held


def _holders(message: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield the lists that contain parts of a message."""
    content = message.get("content")
    inner = plain(content) if not isinstance(content, (str, list, tuple)) else None
    for held in (content, (inner or {}).get("parts"), message.get("parts")):
        if isinstance(held, (list, tuple)):
            parts = [{"type": "text", "text": part} if isinstance(part, str) else plain(part) for part in held]
            yield [part for part in parts if part is not None]


def plain(value: Any) -> dict[str, Any] | None:
    """Return the fields of a mapping, a pydantic model, a dataclass or any object with attributes."""
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
    return isinstance(held.get("role"), str) or held.get("type") in TYPED_ITEMS


def passages_in(result: Any) -> Iterator[str]:
    """A text or data as passages: one for each item of a list of texts or documents, also where it is in JSON."""
    given = result
    if isinstance(result, str) and result.lstrip().startswith(("[", "{")):
        with suppress(ValueError):
            result = decode_json(result)
    inner = list(result.values()) if isinstance(result, Mapping) and len(result) == 1 else [result]
    listed = inner[0] if isinstance(inner[0], (list, tuple)) and inner[0] else ()
    texts = [_document(item) for item in listed]
    if texts and all(text is not None for text in texts):
        yield from (text for text in texts if text is not None)
    else:
        yield given if isinstance(given, str) else json_text(given)


def _document(item: Any) -> str | None:
    """The text of a document; None where the item holds more than a text and what names it."""
    if isinstance(item, str):
        return item
    held = plain(item)
    texts = [held[key] for key in _DOCUMENT_TEXT if isinstance(held.get(key), str)] if held else []
    return texts[0] if len(texts) == 1 else None
