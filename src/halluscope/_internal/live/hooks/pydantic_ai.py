"""pydantic-ai: an agent around the agent, which watches every way to run it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from ...core.errors import InputError, MissingExtra
from ..live_answer import LiveAnswer
from .common import Watcher, as_data, tool_message

_SAID = {"system-prompt": "system", "user-prompt": "user"}


def watched_agent(agent: Any, live: Watcher) -> Any:
    """Watch an agent. `run`, `run_sync`, `run_stream` and `iter` all go through `iter`."""
    try:
        from pydantic_ai.agent import AbstractAgent, WrapperAgent
    except ImportError as error:
        raise MissingExtra("pydantic-ai", "watching pydantic-ai") from error
    if not isinstance(agent, AbstractAgent):
        raise InputError(f"a {type(agent).__name__} is not an agent of pydantic-ai.")

    class WatchedAgent(WrapperAgent[Any, Any]):
        """An agent whose answers are scored."""

        @asynccontextmanager
        async def iter(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
            answer = LiveAnswer(hooked=True)
            async with super().iter(*args, **options) as run:
                yield run
            live.quietly(lambda: _finish(live, answer, run))

    return WatchedAgent(agent)


def _finish(live: Watcher, answer: LiveAnswer, run: Any) -> None:
    messages = list(run.all_messages())
    last = messages[-1] if messages else None
    if run.result is not None:
        answer.output = run.result.output
    elif last is not None and last.kind == "response":
        answer.output = last.text  # a streamed run has no result
    if isinstance(answer.output, str) and not answer.output:
        answer.output = None
    elif answer.output is not None and not isinstance(answer.output, str):
        answer.output = as_data(answer.output)
    answer.response_id = getattr(last, "provider_response_id", None)
    answer.later(lambda: answer.heard(list(_turns(messages)), first=True))
    live.submit(answer)


def _turns(messages: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield the conversation as messages: instructions, prompts, results of tools, and answers."""
    for message in messages:
        instructions = getattr(message, "instructions", None)
        if instructions:
            yield {"role": "system", "content": instructions}
        for part in message.parts:
            kind = part.part_kind
            if kind in _SAID:
                yield {"role": _SAID[kind], "content": _texts(part.content)}
            elif kind.endswith("tool-return"):
                content = part.content if isinstance(part.content, (str, list, dict)) else as_data(part.content)
                yield tool_message(content, part.tool_call_id)
            elif kind.endswith("tool-call"):
                function = {"name": part.tool_name, "arguments": part.args}
                yield {"role": "assistant", "tool_calls": [{"id": part.tool_call_id, "function": function}]}
            elif kind == "text":
                yield {"role": "assistant", "content": part.content}


def _texts(content: Any) -> str:
    """Return the text of a prompt, which may also contain images."""
    if isinstance(content, str):
        return content
    return "\n".join(item if isinstance(item, str) else str(getattr(item, "content", "")) for item in content)
