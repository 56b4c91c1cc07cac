"""A callback handler for LangChain and LangGraph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from ...core.errors import MissingExtra
from ..live_answer import LiveAnswer
from .common import Followed, Watcher, as_messages, tool_message

_ANSWERS = ("output", "answer", "result", "response", "text", "generation")
_QUESTIONS = ("input", "question", "query")


class _Run:
    """A run and all runs inside it."""

    def __init__(self, run_id: Any, asked: Any) -> None:
        self.run_id = run_id
        self.answer = LiveAnswer(hooked=True)
        if self.answer.span is None:
            self.answer.trace_id = run_id.hex
        self.asked = asked
        self.heard: list[Any] = []
        """The messages of the latest model call."""
        self.said: str | None = None
        """Its reply."""


def handler(live: Watcher) -> Any:
    try:
        from langchain_core.callbacks import BaseCallbackHandler
    except ImportError as error:
        raise MissingExtra("langchain", "watching LangChain") from error

    def quiet(method: Callable[..., None]) -> Callable[..., None]:
        @wraps(method)
        def called(*args: Any, **named: Any) -> None:
            live.quietly(lambda: method(*args, **named))

        return called

    class LiveHandler(BaseCallbackHandler):  # type: ignore[misc,unused-ignore]
        """Follows runs. It never raises an error."""

        run_inline = True  # otherwise LangChain calls it in another thread, in any order

        def __init__(self) -> None:
            self._followed: Followed[Any, _Run] = Followed()

        def _begin(self, run_id: Any, parent: Any, asked: Any = None) -> _Run:
            self._followed[run_id] = run = self._followed.get(parent) or _Run(run_id, asked)
            return run

        def _end(self, run_id: Any, output: Any) -> None:
            run = self._followed.pop(run_id, None)
            if run is not None and run.run_id == run_id:
                _finish(live, run, output)

        @quiet
        def on_chain_start(
            self, serialized: Any, asked: Any, *, run_id: Any, parent_run_id: Any = None, **_: Any
        ) -> None:
            self._begin(run_id, parent_run_id, asked)

        on_retriever_start = on_tool_start = on_chain_start

        @quiet
        def on_chat_model_start(
            self, serialized: Any, messages: Any, *, run_id: Any, parent_run_id: Any = None, **_: Any
        ) -> None:
            self._begin(run_id, parent_run_id).heard = list(messages[0])

        @quiet
        def on_llm_start(
            self, serialized: Any, prompts: Any, *, run_id: Any, parent_run_id: Any = None, **_: Any
        ) -> None:
            self._begin(run_id, parent_run_id).heard = [{"role": "user", "content": prompts[0]}]

        @quiet
        def on_llm_end(self, response: Any, *, run_id: Any, **_: Any) -> None:
            run = self._followed.get(run_id)
            if run is not None:
                reply = response.generations[0][0]
                run.said = reply.text or None
                run.answer.response_id = getattr(getattr(reply, "message", None), "id", None)
                self._end(run_id, run.said)

        @quiet
        def on_retriever_end(self, documents: Any, *, run_id: Any, **_: Any) -> None:
            run = self._followed.pop(run_id, None)
            if run is not None:
                run.answer.add_context(*documents)

        @quiet
        def on_tool_end(self, output: Any, *, run_id: Any, **_: Any) -> None:
            run = self._followed.pop(run_id, None)
            if run is not None:
                result = getattr(output, "content", output)
                run.answer.later(lambda: run.answer.heard([tool_message(result)]))

        @quiet
        def on_chain_end(self, outputs: Any, *, run_id: Any, **_: Any) -> None:
            self._end(run_id, outputs)

        def on_chain_error(self, error: Any, *, run_id: Any, **_: Any) -> None:
            self._followed.pop(run_id, None)

        on_llm_error = on_retriever_error = on_tool_error = on_chain_error

    return LiveHandler()


def _finish(live: Watcher, run: _Run, output: Any) -> None:
    from langchain_core.messages import BaseMessage, convert_to_openai_messages

    answer, talk = run.answer, run.heard
    if isinstance(output, Mapping) and isinstance(output.get("messages"), (list, tuple)) and output["messages"]:
        talk = list(output["messages"])
        spoken: Any = talk[-1].text if getattr(talk[-1], "type", "") == "ai" else None
    elif isinstance(output, BaseMessage):
        spoken = output.text
    else:
        found = _first_text(output, _ANSWERS)
        spoken = run.said if found is None else found
    answer.output = str(spoken) if spoken else None

    def read() -> None:
        converted = convert_to_openai_messages([one for one in talk if isinstance(one, BaseMessage)])
        rest = [one for one in talk if not isinstance(one, BaseMessage)]
        asked = _first_text(run.asked, _QUESTIONS)
        known = any(message.get("role") == "user" for message in [*converted, *rest])
        question = [] if known or asked is None else [{"role": "user", "content": asked}]
        answer.heard([*question, *as_messages(None, [*rest, *converted])], first=True)

    answer.later(read)
    live.submit(answer)


def _first_text(value: Any, names: tuple[str, ...]) -> str | None:
    """Return the value if it is a text, or the first of its items with these names that is one."""
    if isinstance(value, str):
        return value
    held = value if isinstance(value, Mapping) else {}
    return next((held[name] for name in names if isinstance(held.get(name), str)), None)
