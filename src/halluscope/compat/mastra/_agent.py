"""An agent whose answers are scored while it works."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from functools import cached_property
from typing import Any

from msgspec import Struct

from ..._internal.errors import InputError
from ..._internal.judge import JudgeSpec
from ..._internal.plumbing import sync
from .._callables import Record, called_with
from ._evals import Scoring, scored
from ._messages import messages_of, said
from ._scorer import ScorerResult
from ._tools import ToolResult, extract_tool_results
from ._writer import Model

_log = logging.getLogger(__name__)

_KEPT = 1000
_WAITING = 1000
_AT_ONCE = 8


class AgentResponse(Struct, frozen=True):
    """What an agent answered: its text, and the messages with the tool calls behind it."""

    text: str
    messages: list[dict[str, Any]]
    run_id: str

    @property
    def tool_results(self) -> list[ToolResult]:
        """What the tools returned."""
        return extract_tool_results(self.messages)


class LiveScore(Struct, frozen=True):
    """One scorer's result for one answer."""

    scorer_id: str
    run_id: str
    result: ScorerResult


class _Entry(Struct, frozen=True):
    scorer: Scoring
    rate: float

    def chosen(self, run_id: str) -> bool:
        """By the hash of the run, so that scorers with the same rate look at the same runs."""
        drawn = int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:8], "big") / 2**64
        return drawn < self.rate


class Agent:
    """Answers with a model, and has its answers scored in the background.

    `model` is a chat model's name, or a function from prompt to answer (a text, or messages with
    tool calls). `evals` is {"scorers": [...], "sampling": {"type": "ratio", "rate": 0.1}}; a scorer
    may have its own sampling as {"scorer": …, "sampling": …}. Scoring never delays or breaks an
    answer: what it finds is in `scores` (the last thousand) and goes to `on_score`.
    """

    def __init__(
        self,
        *,
        name: str,
        model: JudgeSpec = None,
        instructions: str = "",
        evals: Mapping[str, Any] | None = None,
        on_score: Callable[..., Any] | None = None,
    ) -> None:
        self.name = name
        self.instructions = instructions
        self._model_spec = model
        self._entries = _entries(evals or {})
        self._on_score = on_score
        self._scores: deque[LiveScore] = deque(maxlen=_KEPT)
        self._pending: set[Future[None]] = set()
        self._lock = threading.Lock()
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self.skipped = 0
        """Answers that were not scored because too many were waiting."""

    @cached_property
    def _model(self) -> Model:
        return Model(self._model_spec)

    @property
    def scores(self) -> list[LiveScore]:
        """What has been scored so far, oldest first."""
        with self._lock:
            return list(self._scores)

    async def agenerate(self, input: Any, *, run_id: str | None = None) -> AgentResponse:
        """Answer a text or a list of messages."""
        answer = await self._model.answer(self.instructions, input)
        spoken = said(answer)
        text = spoken if isinstance(spoken, str) else str(spoken)
        messages = messages_of(answer) or [{"role": "assistant", "content": text}]
        response = AgentResponse(text, messages, run_id or uuid.uuid4().hex)
        for entry in self._entries:
            if entry.chosen(response.run_id):
                self._score_later(entry.scorer, input, response)
        return response

    generate = sync.blocking_method(agenerate, "generate")

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything answered so far is scored; False where time ran out. Call it before exit."""
        return not wait(self._waiting(), timeout).not_done

    async def aflush(self) -> None:
        """Like `flush`, to be awaited."""
        # Shielded: who gives up waiting does not give up the scores.
        await asyncio.gather(*(asyncio.shield(asyncio.wrap_future(future)) for future in self._waiting()))

    def _waiting(self) -> list[Future[None]]:
        with self._lock:
            return list(self._pending)

    def _score_later(self, scorer: Scoring, input: Any, response: AgentResponse) -> None:
        with self._lock:
            if len(self._pending) >= _WAITING:
                self.skipped += 1
                return
            future = sync.start(self._score(scorer, input, response))
            self._pending.add(future)
        future.add_done_callback(self._forget)

    def _forget(self, future: Future[None]) -> None:
        with self._lock:
            self._pending.discard(future)

    async def _score(self, scorer: Scoring, input: Any, response: AgentResponse) -> None:
        async with self._at_once:
            result = await scored(scorer, input, response.messages, response.run_id)
        live = LiveScore(scorer.id, response.run_id, result)
        with self._lock:
            self._scores.append(live)
        if self._on_score is None:
            return
        told = Record(scorer_id=live.scorer_id, run_id=live.run_id, result=live.result)
        try:
            await called_with(self._on_score, told, tuple(told))
        except Exception:
            _log.warning("on_score of agent %r failed", self.name, exc_info=True)


def _entries(evals: Mapping[str, Any]) -> list[_Entry]:
    _only("evals", evals, ("scorers", "sampling"))
    listed = evals.get("scorers", ())
    listed = list(listed.values()) if isinstance(listed, Mapping) else listed
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise InputError("evals['scorers'] must be a list of scorers.")
    shared = _rate(evals.get("sampling"))
    entries = []
    for item in listed:
        if isinstance(item, Mapping):
            _only("a scorer's entry", item, ("scorer", "sampling"))
            rate = _rate(item["sampling"]) if "sampling" in item else shared
            item = item.get("scorer")
        else:
            rate = shared
        if not hasattr(item, "arun") or not hasattr(item, "id"):
            raise InputError(f"a {type(item).__name__} is no scorer: use create_hallucination_scorer(…) or the like.")
        entries.append(_Entry(item, rate))
    return entries


def _rate(sampling: Any) -> float:
    """The share of answers to score. A setting we do not know is an error, not a guess."""
    if sampling is None:
        return 1.0
    if not isinstance(sampling, Mapping):
        raise InputError('sampling must look like {"type": "ratio", "rate": 0.5}.')
    _only("sampling", sampling, ("type", "rate"))
    kind, rate = sampling.get("type"), sampling.get("rate")
    if kind == "none":
        return 0.0
    if kind != "ratio":
        raise InputError(f"there is no sampling {kind!r}: use 'ratio' or 'none'.")
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 <= rate <= 1:
        raise InputError(f"the sampling rate must be a number from 0 to 1, not {rate!r}.")
    return float(rate)


def _only(what: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    unknown = [key for key in given if key not in known]
    if unknown:
        raise InputError(f"{what} has no setting {unknown[0]!r}; there are: {', '.join(known)}.")
