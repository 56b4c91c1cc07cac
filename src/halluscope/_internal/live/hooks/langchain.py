"""LangChain and LangGraph: a callback handler that follows each run from its outermost chain to its last word."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from ...errors import MissingExtra
from ..live_answer import LiveAnswer
from .requests import as_messages, tool_message
from .watcher import Watcher

_MOST = 10_000
"""Runs that are followed at once; one that never ends must not be followed for ever."""
_ANSWERS = ("output", "answer", "result", "response", "text", "generation")
_QUESTIONS = ("input", "question", "query")


class _Followed:
    """One run, with all runs inside it."""

    def __init__(self, run_id: Any, asked: Any) -> None:
        self.run_id = run_id
        self.answer = LiveAnswer(hooked=True)
        if self.answer.span is None:
            self.answer.trace_id = run_id.hex
        self.asked = asked
        self.heard: list[Any] = []
        """The messages of the latest call of a model."""
        self.said: str | None = None
        """What it replied."""


def handler(live: Watcher) -> Any:
    """The callback handler."""
    try:
        from langchain_core.callbacks import BaseCallbackHandler
    except ImportError as error:
        raise MissingExtra("langchain", "watching LangChain") from error

    class LiveHandler(BaseCallbackHandler):  # type: ignore[misc,unused-ignore]
        """Follows runs. It never raises: LangChain would log it, and go on."""

        run_inline = True  # else LangChain moves it to another thread, where order is nobody's business

        def __init__(self) -> None:
            self._followed: OrderedDict[Any, _Followed] = OrderedDict()

        def _begin(self, run_id: Any, parent: Any, asked: Any) -> _Followed:
            followed = self._followed.get(parent) or _Followed(run_id, asked)
            self._followed[run_id] = followed
            while len(self._followed) > _MOST:
                self._followed.popitem(last=False)
            return followed

        def _end(self, run_id: Any, output: Any) -> None:
            followed = self._followed.pop(run_id, None)
            if followed is None or followed.run_id != run_id:
                return
            live.quietly(lambda: _finish(live, followed, output))

        def on_chain_start(
            self, serialized: Any, inputs: Any, *, run_id: Any, parent_run_id: Any = None, **_: Any
        ) -> None:
            live.quietly(lambda: self._begin(run_id, parent_run_id, inputs))

        def on_chat_model_start(
            self, serialized: Any, messages: Any, *, run_id: Any, parent_run_id: Any = None, **_: Any
        ) -> None:
            def hear() -> None:
                self._begin(run_id, parent_run_id, None).heard = list(messages[0])

            live.quietly(hear)

        def on_llm_start(
            self, serialized: Any, prompts: Any, *, run_id: Any, parent_run_id: Any = None, **_: Any
        ) -> None:
            def hear() -> None:
                self._begin(run_id, parent_run_id, None).heard = [{"role": "user", "content": prompts[0]}]

            live.quietly(hear)

        def on_llm_end(self, response: Any, *, run_id: Any, **_: Any) -> None:
            def hear() -> None:
                followed = self._followed.get(run_id)
                if followed is not None:
                    reply = response.generations[0][0]
                    followed.said = reply.text or None
                    followed.answer.response_id = getattr(getattr(reply, "message", None), "id", None)
                    self._end(run_id, followed.said)

            live.quietly(hear)

        def on_retriever_start(
            self, serialized: Any, query: Any, *, run_id: Any, parent_run_id: Any = None, **_: Any
        ) -> None:
            live.quietly(lambda: self._begin(run_id, parent_run_id, query))

        def on_retriever_end(self, documents: Any, *, run_id: Any, **_: Any) -> None:
            followed = self._followed.pop(run_id, None)
            if followed is not None:
                followed.answer.add_context(*documents)

        def on_tool_start(
            self, serialized: Any, input_str: Any, *, run_id: Any, parent_run_id: Any = None, **_: Any
        ) -> None:
            live.quietly(lambda: self._begin(run_id, parent_run_id, None))

        def on_tool_end(self, output: Any, *, run_id: Any, **_: Any) -> None:
            followed = self._followed.pop(run_id, None)
            if followed is not None:
                result = getattr(output, "content", output)
                followed.answer.later(lambda: followed.answer.heard([tool_message(result)]))

        def on_chain_end(self, outputs: Any, *, run_id: Any, **_: Any) -> None:
            self._end(run_id, outputs)

        def on_chain_error(self, error: Any, *, run_id: Any, **_: Any) -> None:
            self._followed.pop(run_id, None)

        on_llm_error = on_retriever_error = on_tool_error = on_chain_error

    return LiveHandler()


def _finish(live: Watcher, followed: _Followed, output: Any) -> None:
    from langchain_core.messages import BaseMessage, convert_to_openai_messages

    answer, talk = followed.answer, followed.heard
    if isinstance(output, Mapping) and isinstance(output.get("messages"), (list, tuple)) and output["messages"]:
        talk = list(output["messages"])
        spoken: Any = talk[-1].text if getattr(talk[-1], "type", "") == "ai" else None
    elif isinstance(output, BaseMessage):
        spoken = output.text
    elif isinstance(output, str):
        spoken = output
    else:
        held = output if isinstance(output, Mapping) else {}
        spoken = next((held[key] for key in _ANSWERS if isinstance(held.get(key), str)), followed.said)
    answer.output = str(spoken) if spoken else None

    def read() -> None:
        converted = convert_to_openai_messages([one for one in talk if isinstance(one, BaseMessage)])
        rest = [one for one in talk if not isinstance(one, BaseMessage)]
        asked = _asked(followed.asked)
        known = any(message.get("role") == "user" for message in [*converted, *rest])
        question = [] if known or asked is None else [{"role": "user", "content": asked}]
        answer.heard([*question, *as_messages(None, [*rest, *converted])], first=True)

    answer.later(read)
    live.submit(answer)


def _asked(inputs: Any) -> str | None:
    if isinstance(inputs, str):
        return inputs
    held = inputs if isinstance(inputs, Mapping) else {}
    return next((held[key] for key in _QUESTIONS if isinstance(held.get(key), str)), None)
