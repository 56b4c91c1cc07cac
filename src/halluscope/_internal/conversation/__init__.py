"""Conversations in the shapes that clients and frameworks keep them in: OpenAI's, Anthropic's, Mastra's."""

from .messages import messages_of, parts_of, plain, text_of
from .pieces import text_of_piece
from .reading import CONTEXT_FROM, SOURCES, Conversation, read_conversation
from .tool_results import ToolResult, as_passage, extract_tool_results

__all__ = [
    "CONTEXT_FROM",
    "SOURCES",
    "Conversation",
    "ToolResult",
    "as_passage",
    "extract_tool_results",
    "messages_of",
    "parts_of",
    "plain",
    "read_conversation",
    "text_of",
    "text_of_piece",
]
