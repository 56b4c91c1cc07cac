"""The OpenAI Agents SDK: hooks for a run, from its first call of a model to its final output."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ...errors import MissingExtra
from ..live_answer import LiveAnswer
from .requests import as_messages, tool_message
from .watcher import Watcher

_MOST = 10_000
"""Runs that are followed at once; one that never ends must not be followed for ever."""


def run_hooks(live: Watcher) -> Any:
    """The hooks; one object serves any number of runs at once."""
    try:
        from agents import RunHooks
    except ImportError as error:
        raise MissingExtra("openai-agents", "watching the OpenAI Agents SDK") from error

    class LiveHooks(RunHooks[Any]):
        """Follows runs. What it does is quick and never raises."""

        def __init__(self) -> None:
            self._answers: OrderedDict[int, LiveAnswer] = OrderedDict()

        def _answer(self, context: Any) -> LiveAnswer:
            # Contexts are made anew for each hook, and run in tasks of their own; a run has one count of its usage.
            key = id(context.usage)
            if key not in self._answers:
                self._answers[key] = LiveAnswer(hooked=True)
                while len(self._answers) > _MOST:
                    self._answers.popitem(last=False)
            return self._answers[key]

        async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: Any) -> None:
            def hear() -> None:
                answer, items = self._answer(context), list(input_items)
                answer.later(lambda: answer.heard(as_messages(system_prompt, items), first=True))

            live.quietly(hear)

        async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
            def hear() -> None:
                answer, items = self._answer(context), [item for item in response.output if item.type != "message"]
                answer.response_id = response.response_id
                answer.later(lambda: answer.heard(as_messages(None, items)))

            live.quietly(hear)

        async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
            def hear() -> None:
                answer = self._answer(context)
                answer.later(lambda: answer.heard([tool_message(result)]))

            live.quietly(hear)

        async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
            def finish() -> None:
                answer = self._answer(context)
                del self._answers[id(context.usage)]
                dump = getattr(output, "model_dump", None)
                answer.output = dump() if callable(dump) else output
                live.submit(answer)

            live.quietly(finish)

    return LiveHooks()
