"""What clients send and get back, in the shape that conversations are read in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...conversation import plain

_READ = frozenset({"message", "function_call", "function_call_output", "reasoning"})
"""Items of OpenAI's responses that are read as they are."""

_RESULTS = ("output", "results", "outputs", "tools")
"""Where the others keep what came back: searches, servers of tools, shells, code that was run."""


def as_messages(system: Any, items: Any) -> list[Any]:
    """A request's messages with its instructions in front: a text, or items, some of which only the server knows."""
    told = [] if not system else [{"role": "system", "content": system}]
    if isinstance(items, str):
        return [*told, {"role": "user", "content": items}]
    return [*told, *_understood(items or ())]


def tool_message(content: Any, id: Any = None) -> dict[str, Any]:
    """What a tool returned, as a message."""
    return {"role": "tool", "tool_call_id": id, "content": content}


def _understood(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        held = plain(item) or {}
        if isinstance(held.get("role"), str) or held.get("type") in _READ:
            yield held
            continue
        found = next((held[key] for key in _RESULTS if held.get(key)), None)
        if found is not None:
            yield tool_message(_texts(found), held.get("call_id") or held.get("id"))


def _texts(found: Any) -> Any:
    """A text, or a list of the texts in what was found, where there are any."""
    if not isinstance(found, Sequence) or isinstance(found, str):
        return found
    texts = [_text(item) for item in found]
    return texts if all(texts) else list(found)


def _text(item: Any) -> str | None:
    held: Mapping[str, Any] = plain(item) or {}
    text = next((held[key] for key in ("text", "logs", "stdout", "content") if held.get(key)), None)
    return text if isinstance(text, str) else None
