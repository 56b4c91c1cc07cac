"""Conversations in the formats of OpenAI, Anthropic and Mastra."""

from .messages import messages_of, parts_of, plain, text_of, text_of_piece
from .prompt_context import PromptParts, read_prompt
from .reading import CONTEXT_FROM, SOURCES, Conversation, Source, checked_sources, read_conversation, read_turns
from .tool_results import ToolCall, as_passage, extract_tool_calls, extract_tool_results
