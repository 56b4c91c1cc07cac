"""A conversation as something to judge: its last answer, the question before it, and the context it held."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..errors import CaseError
from .messages import ASSISTANT, SYSTEM, TOOL, USER, messages_of, parts_of, plain, text_of
from .tool_results import ToolResult, as_passage, extract_tool_results

SOURCES = ("tools", "documents", "system", "user", "question", "assistant")
"""What in a conversation can be context: what tools returned, documents that were attached, the system's
instructions, what the user said before the question, the question, and the assistant's own earlier answers."""

CONTEXT_FROM = ("tools", "documents", "system", "user")
"""What is context unless told otherwise. A question may state what is false, and an earlier answer may have been
made up: neither can support an answer."""

_ROLES = ASSISTANT | USER | SYSTEM | TOOL
_TYPED = {
    "message": "content",
    "function_call": "call_id",
    "function_call_output": "call_id",
    "reasoning": "summary",
    "tool-result": "toolCallId",
    "tool-call": "toolCallId",
}
"""Items that carry a type and not always a role, each with a field that tells it from a user's own data."""
_SPOKEN_IN = ("content", "parts", "tool_calls", "toolInvocations", "tool_invocations", "function_call")
_DOCUMENT_TEXT = ("text", "content", "page_content", "document", "passage", "snippet")


class Conversation(Struct, frozen=True):
    """The last answer, the question it answers, and the context that the conversation held before it.

    `context` is None where the conversation held none. `found` counts it by source.
    """

    answer: str
    question: str | None
    context: tuple[str, ...] | None
    found: dict[str, int] = {}

    def note(self, *, with_context: bool) -> str:
        """How it was read, in words; `with_context`: its context was the one that was used."""
        parts = [f"{n} {_NAMES[source][n != 1]}" for source, n in self.found.items()]
        held = f", against {', '.join(parts)}" if parts and with_context else ""
        return f"read as a conversation, of which the last answer is judged{held}"


_NAMES = {
    "tools": ("passage from tools", "passages from tools"),
    "documents": ("attached document", "attached documents"),
    "system": ("system message", "system messages"),
    "user": ("earlier turn of the user", "earlier turns of the user"),
    "question": ("question", "questions"),
    "assistant": ("earlier answer", "earlier answers"),
}


def read_conversation(
    messages: Any, answer: Any = None, *, context_from: Iterable[str] = CONTEXT_FROM
) -> Conversation | None:
    """What there is to judge in a list of messages, a request or a response; None where it is no conversation.

    `answer` is the answer where it stands apart from what came before it: a text, a message or a client's response.
    """
    wanted = checked_sources(context_from)
    turns = _turns(messages)
    if turns is None:
        return None
    first = 0
    if answer is not None:
        turns, first = _with_answer(turns, answer)
    spoken = [i for i, turn in enumerate(turns) if i >= first and _is(turn, ASSISTANT) and text_of(turn).strip()]
    last = spoken[-1] if spoken else None
    until = turns if last is None else turns[: last + 1]
    asked = max((i for i, turn in enumerate(until) if _is(turn, USER) and text_of(turn).strip()), default=None)
    passages: list[str] = []
    found: dict[str, int] = {}
    for source, read in _READERS.items():
        if source in wanted:
            texts = list(read(until, -1 if asked is None else asked, len(until) - 1 if last is not None else -1))
            passages += texts
            if texts:
                found[source] = len(texts)
    return Conversation(
        answer="" if last is None else text_of(turns[last]),
        question=None if asked is None else text_of(until[asked]),
        context=tuple(passages) if found else None,
        found=found,
    )


def checked_sources(context_from: Iterable[str]) -> frozenset[str]:
    """The sources that are named, or the error that says which there are."""
    named = [context_from] if isinstance(context_from, str) else list(context_from)
    for source in named:
        if source not in SOURCES:
            raise CaseError(f"no context comes from {source!r}: it comes from {', '.join(SOURCES)}.")
    return frozenset(named)


def _turns(value: Any) -> list[dict[str, Any]] | None:
    """The messages, those that a request keeps beside its list among them; None where it is no conversation.

    It is a stricter look than at something that is known to hold messages: a structured output may have a "role" too.
    """
    if value is None or isinstance(value, (str, bytes, int, float)):
        return None
    messages = messages_of(value)
    if not messages or not all(_is_turn(message) for message in messages):
        return None
    held = None if isinstance(value, (list, tuple)) else plain(value)
    instructions = (held or {}).get("system") or (held or {}).get("instructions")
    return [{"role": "system", "content": instructions}, *messages] if instructions else messages


def _is_turn(message: Mapping[str, Any]) -> bool:
    role = message.get("role")
    if role is None:
        return _TYPED.get(str(message.get("type")), "") in message
    return role in _ROLES and any(key in message for key in _SPOKEN_IN)


def _is(turn: Mapping[str, Any], roles: frozenset[str]) -> bool:
    return turn.get("role") in roles


def _with_answer(turns: list[dict[str, Any]], answer: Any) -> tuple[list[dict[str, Any]], int]:
    """The turns with the answer after them, unless they end with it already, and where the answer begins."""
    said = _turns(answer) or [{"role": "assistant", "content": answer if isinstance(answer, str) else _json(answer)}]
    known = max(0, len(turns) - len(said))
    if [text_of(turn) for turn in turns[known:]] == [text_of(turn) for turn in said] and _is(turns[-1], ASSISTANT):
        return turns, known
    return [*turns, *said], len(turns)


Reader = Callable[[Sequence[dict[str, Any]], int, int], Iterator[str]]
"""From the turns up to the answer, the place of the question and that of the answer, to passages."""


def _from_tools(turns: Sequence[dict[str, Any]], asked: int, last: int) -> Iterator[str]:
    for found in extract_tool_results(list(turns)):
        yield from passages_of(found)


def _from_documents(turns: Sequence[dict[str, Any]], asked: int, last: int) -> Iterator[str]:
    """Documents and search results that stand beside the text of a message, as Anthropic's clients send them."""
    for turn in turns:
        for part in parts_of(turn):
            if part.get("type") == "document":
                source = plain(part.get("source")) or {}
                text = source.get("data") if source.get("type") == "text" else text_of(source)
            elif part.get("type") == "search_result":
                text = text_of(part)
            else:
                continue
            if isinstance(text, str) and text.strip():
                yield text


def _spoken(roles: frozenset[str], chosen: Callable[[int, int, int], bool]) -> Reader:
    def read(turns: Sequence[dict[str, Any]], asked: int, last: int) -> Iterator[str]:
        for place, turn in enumerate(turns):
            if _is(turn, roles) and chosen(place, asked, last) and (text := text_of(turn)).strip():
                yield text

    return read


_READERS: dict[str, Reader] = {
    "tools": _from_tools,
    "documents": _from_documents,
    "system": _spoken(SYSTEM, lambda place, asked, last: True),
    "user": _spoken(USER, lambda place, asked, last: place < asked),
    "question": _spoken(USER, lambda place, asked, last: place == asked),
    "assistant": _spoken(ASSISTANT, lambda place, asked, last: place < last),
}


def passages_of(found: ToolResult) -> Iterator[str]:
    """A tool's result as passages: each of its own where a search returned a list of texts or documents."""
    result = found.result
    if isinstance(result, str) and result.lstrip().startswith(("[", "{")):
        try:
            result = json.loads(result)
        except (ValueError, RecursionError):
            result = found.result
    inner = list(result.values()) if isinstance(result, Mapping) and len(result) == 1 else [result]
    listed = inner[0] if isinstance(inner[0], (list, tuple)) and inner[0] else ()
    texts = [_document(item) for item in listed]
    if texts and all(text is not None for text in texts):
        yield from (text for text in texts if text is not None)
    else:
        yield as_passage(found)


def _document(item: Any) -> str | None:
    """The text of a document; None where the item holds more than a text and what names it."""
    if isinstance(item, str):
        return item
    held = plain(item)
    texts = [held[key] for key in _DOCUMENT_TEXT if isinstance(held.get(key), str)] if held else []
    return texts[0] if len(texts) == 1 else None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
