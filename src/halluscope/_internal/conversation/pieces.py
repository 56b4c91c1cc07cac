"""Pieces of an answer as clients stream them: OpenAI's (chat and responses), Anthropic's, LangChain's and Mastra's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .messages import text_of

_DELTAS = frozenset({"response.output_text.delta", "text-delta", "text_delta", "text"})
"""Events that carry text; every other event with a type carries none that is spoken."""
_SPOKEN_IN = ("delta", "text", "textDelta")


def text_of_piece(piece: Any) -> str | None:
    """The text in a piece of a stream, empty where it has none; None for an object that is no such piece."""
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
