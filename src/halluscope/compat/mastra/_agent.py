"""An agent whose answers are scored while it works."""

from __future__ import annotations

import queue
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from ..._internal.conversation import ToolResult, extract_tool_results, messages_of, text_of
from ..._internal.errors import InputError
from ..._internal.judge import JudgeSpec
from ..._internal.plumbing import sync
from .._judging import only_known
from .._writing import Model
from ._agent_tools import instructed, invoked, read_tools, told_to_model, wanted
from ._background import AgentScoring, LiveScore, sampled_scorers
from ._messages import asked, said

_OPTIONS = ("id", "name", "model", "instructions", "scorers", "tools", "evals", "on_score", "max_steps")


class AgentResponse(Struct, frozen=True):
    """What an agent answered: its text, and the messages with the tool calls behind it."""

    text: str
    messages: list[dict[str, Any]]
    run_id: str

    @property
    def tool_results(self) -> list[ToolResult]:
        """What the tools returned."""
        return extract_tool_results(self.messages)


class AgentStream:
    """An answer while it is written: iterate over it, with `for` or `async for`, once.

    `response` is there once it is read to its end; then it is scored as well. `text` is the whole of it.
    """

    def __init__(self, pieces: AsyncGenerator[str, None], finish: Callable[[str], AgentResponse]) -> None:
        self._pieces = pieces
        self._finish = finish
        self._begun = False
        self.response: AgentResponse | None = None

    @property
    def text_stream(self) -> AgentStream:
        """The pieces of text."""
        return self

    @property
    def text(self) -> str:
        """The whole text; what is not read yet is waited for."""
        if self.response is None:
            for _ in self:
                pass
        assert self.response is not None
        return self.response.text

    async def __aiter__(self) -> AsyncIterator[str]:
        if self._begun:
            raise InputError("a stream can be read once: its whole text is in `text`.")
        self._begun = True
        whole: list[str] = []
        async for piece in self._pieces:
            whole.append(piece)
            yield piece
        self.response = self._finish("".join(whole))

    def __iter__(self) -> Iterator[str]:
        pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()

        async def pump() -> None:
            try:
                async for piece in self:
                    pieces.put(piece)
            finally:
                pieces.put(None)

        done = sync.start(pump())
        try:
            while (piece := pieces.get()) is not None:
                yield piece
            done.result()
        finally:
            done.cancel()


class Agent:
    """Answers with a model, and has its answers scored in the background.

    `model` is a chat model's name, or a function from prompt to answer (a text, pieces of one, or
    messages with tool calls). `tools` are functions by name, or objects with an `execute`: a chat
    model may use them, `max_steps` times. `scorers` is a list or a dictionary of scorers, each as
    such or as {"scorer": …, "sampling": {"type": "ratio", "rate": 0.1}}; `evals` has the same with
    one sampling for all. Scoring never delays or breaks an answer: what it finds is in `scores` (the
    last thousand) and goes to `on_score`. `options` are the model's: `base_url`, `timeout`, …
    """

    def __init__(
        self,
        *,
        id: str | None = None,
        name: str | None = None,
        model: JudgeSpec = None,
        instructions: str = "",
        scorers: Sequence[Any] | Mapping[str, Any] | None = None,
        tools: Mapping[str, Any] | Sequence[Any] | None = None,
        evals: Mapping[str, Any] | None = None,
        on_score: Callable[..., Any] | None = None,
        max_steps: int = 5,
        **options: Any,
    ) -> None:
        if not id and not name:
            raise InputError("an agent needs a name: pass id=… or name=….")
        only_known(options, _OPTIONS, "an agent")
        self.id = str(id or name)
        self.name = str(name or id)
        self.instructions = instructions
        self.tools = read_tools(tools)
        self._model_spec = model
        self._options = options
        self._entries = sampled_scorers(evals or {}, scorers)
        self._background = AgentScoring(self.name, on_score)
        self._max_steps = max_steps

    @cached_property
    def _model(self) -> Model:
        return Model(self._model_spec, self._options)

    @property
    def scores(self) -> list[LiveScore]:
        """What has been scored so far, oldest first."""
        return self._background.scores

    @property
    def skipped(self) -> int:
        """Answers that were not scored because too many were waiting."""
        return self._background.skipped

    async def agenerate(
        self,
        input: Any,
        *,
        run_id: str | None = None,
        request_context: Any = None,
        scorers: Sequence[Any] | Mapping[str, Any] | None = None,
        max_steps: int | None = None,
    ) -> AgentResponse:
        """Answer a text or a list of messages. `scorers` takes the place of the agent's own for this answer."""
        answer, calls = await self._answered(_transcript(input), max_steps)
        return self._finished(input, answer, calls, run_id, request_context, scorers)

    generate = sync.blocking_method(agenerate, "generate")

    def stream(
        self,
        input: Any,
        *,
        run_id: str | None = None,
        request_context: Any = None,
        scorers: Sequence[Any] | Mapping[str, Any] | None = None,
        max_steps: int | None = None,
    ) -> AgentStream:
        """Answer piece by piece. With tools the answer comes as one piece, when it is known to be one."""
        calls: list[dict[str, Any]] = []

        def finish(text: str) -> AgentResponse:
            return self._finished(input, text, calls, run_id, request_context, scorers)

        return AgentStream(self._pieces(_transcript(input), calls, max_steps), finish)

    async def astream(self, input: Any, **options: Any) -> AgentStream:
        """Like `stream`, to be awaited."""
        return self.stream(input, **options)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything answered so far is scored; False where time ran out. The end of a program does."""
        return self._background.flush(timeout)

    async def aflush(self) -> None:
        """Like `flush`, to be awaited."""
        await self._background.aflush()

    async def _pieces(
        self, prompt: str, calls: list[dict[str, Any]], max_steps: int | None
    ) -> AsyncGenerator[str, None]:
        if not self.tools:
            async for piece in self._model.stream(self.instructions, prompt):
                yield piece
            return
        answer, made = await self._answered(prompt, max_steps)
        calls += made
        yield str(said(answer))

    async def _answered(self, prompt: str, max_steps: int | None) -> tuple[Any, list[dict[str, Any]]]:
        """The model's answer, and the calls of tools that led to it."""
        calls: list[dict[str, Any]] = []
        steps = self._max_steps if max_steps is None else max_steps
        for _ in range(steps if self.tools else 0):
            asked_so_far = f"{prompt}\n\n{told_to_model(calls)}" if calls else prompt
            answer = await self._model.answer(instructed(self.instructions, self.tools), asked_so_far)
            call = wanted(answer, self.tools)
            if call is None:
                return answer, calls
            calls.append(await invoked(*call, id=f"call-{len(calls) + 1}"))
        last = f"{prompt}\n\n{told_to_model(calls)}" if calls else prompt
        return await self._model.answer(self.instructions, last), calls

    def _finished(
        self,
        input: Any,
        answer: Any,
        calls: list[dict[str, Any]],
        run_id: str | None,
        request_context: Any,
        scorers: Any,
    ) -> AgentResponse:
        spoken = said(answer)
        text = spoken if isinstance(spoken, str) else str(spoken)
        messages = messages_of(answer) or [{"role": "assistant", "content": text}]
        if calls:
            messages = [{**messages[0], "toolInvocations": calls}, *messages[1:]]
        response = AgentResponse(text, messages, run_id or uuid.uuid4().hex)
        carried = {} if request_context is None else {"request_context": request_context}
        for entry in self._entries if scorers is None else sampled_scorers({}, scorers):
            if entry.chosen(response.run_id):
                self._background.score_later(entry.scorer, input, messages, response.run_id, carried)
        return response


def _transcript(input: Any) -> str:
    """The conversation as one text; a single question stays as it is."""
    messages: Sequence[dict[str, Any]] = messages_of(input) or ()
    if len(messages) <= 1:
        return str(asked(input))
    return "\n\n".join(f"{message.get('role', 'user')}: {text_of(message)}" for message in messages)
