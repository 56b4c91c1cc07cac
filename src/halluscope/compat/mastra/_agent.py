"""An agent whose answers are scored in the background while it works."""

from __future__ import annotations

import logging
import threading
import uuid
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct, structs

from ..._internal.core.conversation import messages_of, text_of
from ..._internal.core.errors import InputError
from ..._internal.core.plumbing import sync
from ..._internal.core.plumbing.per_process import PerProcess
from ..._internal.engine.judge import JudgeSpec
from ..._internal.live.background import Background
from .._asking import written
from .._callables import NamedValues, called_with
from .._models import Judging
from ._camel_case import CamelCase, takes_camel_case
from ._evals import scored_item
from ._messages import AgentResponse, asked, said
from ._sampling import sampled_scorers
from ._scorer_run import ScorerResult
from ._tally import messages_in

_log = logging.getLogger(__name__)

_KEPT = 1000
_WAITING = 1000
_AT_ONCE = 8
_EXIT_WAIT = 60.0
_OPTIONS = ("id", "name", "model", "instructions", "scorers", "evals", "on_score")


class LiveScore(Struct, CamelCase, frozen=True):
    """One scorer's result for one answer."""

    scorer_id: str
    run_id: str
    result: ScorerResult


class Agent(CamelCase):
    """Answers with a model, and has its answers scored in the background.

    Scoring never delays or breaks an answer. `scores` has the last thousand results, and `skipped` counts answers that
    were not scored because too many were waiting.

    Args:
        id: Name in results. By default `name`.
        name: Name for people. By default `id`.
        model: Name of a chat model, or a function from prompt to answer: a text, or messages with the tool calls.
        instructions: What the model is told first.
        scorers: A list or dictionary of scorers, each as such or as
            `{"scorer": …, "sampling": {"type": "ratio", "rate": 0.1}, "filter": …}`.
        evals: The same under `scorers`, with one `sampling` for all.
        on_score: Called with `scorer_id`, `run_id` and `result` of each score.
        options: Options of the model: `base_url`, `timeout`, …

    Raises:
        InputError: There is no name, an option is unknown, or a scorer is none.

    Example:
        >>> agent = Agent(name="guide", model="openai/gpt-4o", scorers=[create_faithfulness_scorer()])
        >>> agent.generate("How tall is the tower?").text
    """

    @takes_camel_case
    def __init__(
        self,
        *,
        id: str | None = None,
        name: str | None = None,
        model: JudgeSpec = None,
        instructions: str = "",
        scorers: Sequence[Any] | Mapping[str, Any] | None = None,
        evals: Mapping[str, Any] | None = None,
        on_score: Callable[..., Any] | None = None,
        **options: Any,
    ) -> None:
        if "tools" in options:
            raise InputError(
                "this agent runs no tools: pass as model=… a function that calls them and returns the messages, "
                "tool calls included."
            )
        if not id and not name:
            raise InputError("an agent needs a name: pass id=… or name=….")
        self.id = str(id or name)
        self.name = str(name or id)
        self.instructions = instructions
        self.skipped = 0
        self._judging = Judging(model, options, "an agent", _OPTIONS)
        self._entries = sampled_scorers(evals or {}, scorers)
        self._on_score = on_score
        self._scores: deque[LiveScore] = deque(maxlen=_KEPT)
        self._lock = threading.RLock()  # the garbage collector may call this class inside any of its methods
        self._background: PerProcess[Background[Callable[[], Coroutine[Any, Any, None]]]] = PerProcess(
            lambda: Background(lambda job: job(), most=_WAITING, at_once=_AT_ONCE, exit_wait=_EXIT_WAIT)
        )

    @property
    def scores(self) -> list[LiveScore]:
        """What has been scored so far, oldest first."""
        with self._lock:
            return list(self._scores)

    @takes_camel_case
    async def agenerate(
        self,
        input: Any,
        *,
        history: Sequence[Mapping[str, Any]] = (),
        run_id: str | None = None,
        request_context: Any = None,
        scorers: Sequence[Any] | Mapping[str, Any] | None = None,
    ) -> AgentResponse:
        """Answer a question.

        Args:
            input: A text, or a list of messages.
            history: The messages before.
            run_id: Id of the answer. By default a new one.
            request_context: What filters and scorers get.
            scorers: Scorers for this answer, in place of the agent's own.

        Returns:
            The answer, with the messages and the results of tools behind it.
        """
        answer = await written(self._judging, self.instructions, _transcript(input, history))
        text = str(said(answer))
        messages = messages_of(answer) or [{"role": "assistant", "content": text}]
        response = AgentResponse(text, messages, run_id or uuid.uuid4().hex)
        carried = {} if request_context is None else {"request_context": request_context}
        for entry in self._entries if scorers is None else sampled_scorers({}, scorers):
            if entry.chosen(response.run_id, carried):
                job = partial(self._score, entry.scorer, input, messages, response.run_id, carried)
                if not self._background().put(job):
                    with self._lock:
                        self.skipped += 1
        return response

    generate = sync.blocking_method(agenerate, "generate")

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything answered so far is scored; False where time ran out. The end of a program does."""
        return self._background().flush(timeout)

    async def aflush(self) -> None:
        """Like `flush`, to be awaited."""
        await self._background().aflush()

    async def _score(self, scorer: Any, input: Any, output: Any, run_id: str, carried: Mapping[str, Any]) -> None:
        live = LiveScore(scorer.id, run_id, await scored_item(scorer, input, output, run_id, **carried))
        with self._lock:
            self._scores.append(live)
        if self._on_score is None:
            return
        told = NamedValues(structs.asdict(live))
        try:
            await called_with(self._on_score, told, tuple(told))
        except Exception:
            _log.warning("on_score of agent %r failed", self.name, exc_info=True)


def _transcript(input: Any, history: Sequence[Mapping[str, Any]]) -> str:
    """The conversation as one text; a single question stays as it is."""
    messages = [*history, *messages_in(input, "user")] if history else messages_of(input) or ()
    if len(messages) <= 1:
        return str(asked(input))
    return "\n\n".join(f"{message.get('role', 'user')}: {text_of(message)}" for message in messages)
