"""Hooks for the OpenAI Agents SDK."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.errors import MissingExtra
from ..live_answer import LiveAnswer
from .common import Followed, Watcher, as_data, as_messages, tool_message


def run_hooks(live: Watcher) -> Any:
    """Return the hooks, which can be used for several runs at the same time."""
    try:
        from agents import RunHooks
    except ImportError as error:
        raise MissingExtra("openai-agents", "watching the OpenAI Agents SDK") from error

    def hook(method: Callable[..., None]) -> Any:
        async def called(*args: Any) -> None:
            live.quietly(lambda: method(*args))

        return called

    class LiveHooks(RunHooks[Any]):
        """Follows runs. It never raises an error."""

        def __init__(self) -> None:
            self._answers: Followed[int, LiveAnswer] = Followed()

        def _answer(self, context: Any) -> LiveAnswer:
            # Each hook gets a new context. The usage object is the same for a whole run.
            key = id(context.usage)
            if key not in self._answers:
                self._answers[key] = LiveAnswer(hooked=True)
            return self._answers[key]

        @hook
        def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: Any) -> None:
            answer, items = self._answer(context), list(input_items)
            answer.later(lambda: answer.heard(as_messages(system_prompt, items), first=True))

        @hook
        def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
            answer, items = self._answer(context), [item for item in response.output if item.type != "message"]
            answer.response_id = response.response_id
            answer.later(lambda: answer.heard(as_messages(None, items)))

        @hook
        def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
            answer = self._answer(context)
            answer.later(lambda: answer.heard([tool_message(result)]))

        @hook
        def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
            answer = self._answer(context)
            del self._answers[id(context.usage)]
            answer.output = as_data(output)
            live.submit(answer)

    return LiveHooks()
