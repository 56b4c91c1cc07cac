"""An agent whose answers are scored in the background while it works, and which of them each scorer looks at."""

from __future__ import annotations

import logging
import operator
import threading
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..._internal.core.conversation import messages_of, plain, text_of
from ..._internal.core.errors import InputError
from ..._internal.core.plumbing import sync
from ..._internal.core.plumbing.per_process import PerProcess
from ..._internal.engine.judge import JudgeSpec
from ..._internal.engine.metric import is_number
from ..._internal.live.background import Background
from ..._internal.live.tracing import sample_number
from .._asking import written
from .._callables import NamedValues, called_with, refuse_unknown, snake
from .._models import Judging, only_known
from ._camel_case import CamelCase, takes_camel_case
from ._evals import AnyScorer, scored_item
from ._messages import AgentResponse, asked, said
from ._scorer_run import ScorerResult
from ._tally import messages_in

_log = logging.getLogger(__name__)

_KEPT = 1000
_WAITING = 1000
_AT_ONCE = 8
_EXIT_WAIT = 60.0
_OPTIONS = ("id", "name", "model", "instructions", "scorers", "evals", "on_score")


_ROOTS = ("request_context", "entity", "entity_type", "source", "thread_id", "resource_id", "project_id")

_COMPARED = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}


class LiveScore(Struct, CamelCase, frozen=True):
    """One scorer's result for one answer."""

    scorer_id: str
    run_id: str
    result: ScorerResult


class _SampledScorer(Struct, frozen=True):
    """A scorer, and the share of answers that it looks at."""

    scorer: AnyScorer
    rate: float
    filter: Any = None

    def chosen(self, run_id: str, carried: Mapping[str, Any]) -> bool:
        """By the hash of the run, so that scorers with the same rate look at the same runs."""
        return (self.filter is None or matches(self.filter, carried)) and sample_number(run_id) < self.rate


class _Answer(Struct, frozen=True):
    scorer: AnyScorer
    input: Any
    output: Any
    run_id: str
    carried: Mapping[str, Any]


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
        only_known(options, _OPTIONS, "an agent")
        self.id = str(id or name)
        self.name = str(name or id)
        self.instructions = instructions
        self.skipped = 0
        self._judging = Judging(model, options, documented="openai/gpt-4o")
        self._entries = _sampled_scorers(evals or {}, scorers)
        self._on_score = on_score
        self._scores: deque[LiveScore] = deque(maxlen=_KEPT)
        self._lock = threading.RLock()  # the garbage collector may call this class inside any of its methods
        self._background: PerProcess[Background[_Answer]] = PerProcess(
            lambda: Background(self._score, most=_WAITING, at_once=_AT_ONCE, exit_wait=_EXIT_WAIT)
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
        for entry in self._entries if scorers is None else _sampled_scorers({}, scorers):
            if entry.chosen(response.run_id, carried):
                waiting = _Answer(entry.scorer, input, messages, response.run_id, carried)
                if not self._background().put(waiting):
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

    async def _score(self, answer: _Answer) -> None:
        result = await scored_item(answer.scorer, answer.input, answer.output, answer.run_id, **answer.carried)
        live = LiveScore(answer.scorer.id, answer.run_id, result)
        with self._lock:
            self._scores.append(live)
        if self._on_score is None:
            return
        told = NamedValues(scorer_id=live.scorer_id, run_id=live.run_id, result=live.result)
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


def _sampled_scorers(evals: Mapping[str, Any], scorers: Any) -> list[_SampledScorer]:
    """The scorers of an agent, given under `evals` or as `scorers`."""
    refuse_unknown("evals has no setting", evals, ("scorers", "sampling"))
    if scorers is not None and "scorers" in evals:
        raise InputError("scorers are given twice: as `scorers` and in `evals`.")
    listed = evals.get("scorers", ()) if scorers is None else scorers
    listed = list(listed.values()) if isinstance(listed, Mapping) else listed
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise InputError("an agent's scorers must be a list, or a dictionary, of scorers.")
    shared = _rate(evals.get("sampling"))
    return [_sampled(given if isinstance(given, Mapping) else {"scorer": given}, shared) for given in listed]


def _sampled(entry: Mapping[str, Any], shared: float) -> _SampledScorer:
    refuse_unknown("a scorer's entry has no setting", entry, ("scorer", "sampling", "filter"))
    scorer: Any = entry.get("scorer")
    filter = entry.get("filter")
    if filter is not None:
        matches(filter, {})  # what is no filter is found out here
    if not hasattr(scorer, "arun") or not hasattr(scorer, "id"):
        raise InputError(f"a {type(scorer).__name__} is no scorer: use create_hallucination_scorer(…) or the like.")
    rate = _rate(entry["sampling"]) if "sampling" in entry else shared
    return _SampledScorer(scorer, rate, filter)


def _rate(sampling: Any) -> float:
    """The share of answers to score. A setting we do not know is an error, not a guess."""
    if sampling is None:
        return 1.0
    if not isinstance(sampling, Mapping):
        raise InputError('sampling must look like {"type": "ratio", "rate": 0.5}.')
    refuse_unknown("sampling has no setting", sampling, ("type", "rate"))
    kind: Any = sampling.get("type")
    rate: Any = sampling.get("rate")
    if kind == "none":
        return 0.0
    if kind != "ratio":
        raise InputError(f"there is no sampling {kind!r}: use 'ratio' or 'none'.")
    if not is_number(rate) or not 0 <= rate <= 1:
        raise InputError(f"the sampling rate must be a number from 0 to 1, not {rate!r}.")
    return float(rate)


def matches(filter: Any, run: Mapping[str, Any]) -> bool:
    """Whether a run fits a filter such as {"op": "eq", "left": {"path": "requestContext.plan"}, "right": …}."""
    given = filter if isinstance(filter, Mapping) else {}
    op = given.get("op")
    if op in ("and", "or"):
        parts = [matches(part, run) for part in given.get("args", ())]
        return all(parts) if op == "and" else any(parts)
    if op == "not":
        return not matches(given.get("arg"), run)
    if op in ("exists", "notExists"):
        found = _value({"path": given.get("path")}, run) is not None
        return found if op == "exists" else not found
    value = _value(given.get("value", given.get("left")), run)
    if op in ("truthy", "falsy"):
        return bool(value) if op == "truthy" else not value
    if op in ("in", "notIn"):
        held = value in given.get("set", ())
        return held if op == "in" else not held
    if op not in _COMPARED:
        raise InputError(
            f"a filter has no op {op!r}: there are {', '.join(_COMPARED)}, in, exists, truthy, and, or, not."
        )
    try:
        return bool(_COMPARED[op](value, _value(given.get("right"), run)))
    except TypeError:
        return False


def _value(operand: Any, run: Mapping[str, Any]) -> Any:
    held = operand if isinstance(operand, Mapping) else {}
    if "path" not in held:
        return held.get("literal")
    root, *steps = str(held["path"]).split(".")
    if snake(root) not in _ROOTS:
        raise InputError(f"a filter cannot look at {root!r}: there are {', '.join(_ROOTS)}.")
    value = run.get(snake(root))
    if isinstance(value, Mapping) and ".".join(steps) in value:
        return value[".".join(steps)]
    for step in steps:
        value = (plain(value) or {}).get(step)
    return value
