"""What hooks share: the part of live scoring that they need, the runs that they follow, and reading messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from ...core.conversation import plain
from ..live_answer import LiveAnswer

K = TypeVar("K")
V = TypeVar("V")

_MOST_FOLLOWED = 10_000

_READ = frozenset({"message", "function_call", "function_call_output", "reasoning"})
"""Items of the Responses API that need no conversion."""

_RESULTS = ("output", "results", "outputs", "tools")
"""Fields with results, in other items: searches, MCP servers, shells, code execution."""


class Watcher(Protocol):
    """Takes answers, and keeps the troubles of taking them from the application."""

    def submit(self, answer: LiveAnswer) -> None: ...

    def quietly(self, action: Callable[[], Any]) -> Any: ...


class Followed(dict[K, V]):
    """The latest runs. The oldest ones are dropped, because some runs never end."""

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        while len(self) > _MOST_FOLLOWED:
            del self[next(iter(self))]


def as_messages(system: Any, items: Any) -> list[Any]:
    instructions = [] if not system else [{"role": "system", "content": system}]
    if isinstance(items, str):
        return [*instructions, {"role": "user", "content": items}]
    return [*instructions, *_understood(items or ())]


def as_data(output: Any) -> Any:
    """Return a Pydantic model as plain data, and anything else as it is."""
    dump = getattr(output, "model_dump", None)
    return dump() if callable(dump) else output


def tool_message(content: Any, id: Any = None) -> dict[str, Any]:
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
    if not isinstance(found, Sequence) or isinstance(found, str):
        return found
    texts = [_text(item) for item in found]
    return texts if all(texts) else list(found)


def _text(item: Any) -> str | None:
    held: Mapping[str, Any] = plain(item) or {}
    text = next((held[key] for key in ("text", "logs", "stdout", "content") if held.get(key)), None)
    return text if isinstance(text, str) else None
