"""Live scoring: attached to whatever answers, out of its way."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, TypeVar, cast, overload

from ..case import Case
from ..conversation import CONTEXT_FROM
from ..conversation.reading import checked_sources
from ..engine.driver import Patience
from ..errors import InputError, UnknownName
from ..judge import JudgeSpec, is_embedded
from ..judge import resolve as resolve_judge
from ..metric import is_number
from ..metrics import MetricSpec
from ..plumbing import sync
from ..plumbing.loggers import logger
from ..plumbing.public import public_in
from ..result import Result
from ..runner.asked import metrics_of
from ..runner.evaluation import run_name
from ..store import Store
from . import telemetry as open_telemetry
from .background import Background
from .counts import Counter, Counts
from .daily_budget import DailyBudget
from .live_answer import LiveAnswer
from .live_scoring import Drawn, LiveScoring, Plan
from .sampling import drawn
from .watching import Finder, Watch

F = TypeVar("F", bound=Callable[..., Any])

_log = logger("live")

_AT_ONCE = 8
"""Answers at once for a judge over the network. The embedded judge takes one at a time: the cores are others' too."""


@public_in("halluscope.live")
class Live:
    """Scores the answers of an application in the background, and keeps the results as a run.

    `rate` is the share of answers to score, drawn by the hash of their trace so that all metrics pick the same; a
    dictionary gives metrics rates of their own. `run` names the run; a run by other metrics or another judge is
    not continued, a number is put behind the name. `filter` is called with each case and leaves it out where it
    returns nothing true. `get_context` is called with each answer (a `LiveAnswer`) and returns its passages; without it
    they are what was given or retrieved, and of a conversation what `context_from` names. `on_result` is called with
    each result and its case. `daily_budget` is in US dollars, for paid judges. `telemetry` sends each result to
    OpenTelemetry; by default where the application uses it. `queue` is how many answers may wait: more are
    dropped, and counted. `exit_wait` is how many seconds the end of the program waits for what is queued. Other options
    are those of the metrics and, for a judge given by name, of the judge.

    Nothing here raises into the application once a `Live` is made, and nothing waits for a judge or the store.
    """

    def __init__(
        self,
        metrics: MetricSpec | Sequence[MetricSpec] = "hallucination",
        judge: JudgeSpec = None,
        *,
        rate: float | Mapping[str, float] = 1.0,
        run: str = "live",
        store: Store | None = None,
        filter: Callable[[Case], object] | None = None,
        get_context: Callable[[LiveAnswer], object] | None = None,
        context_from: Sequence[str] = CONTEXT_FROM,
        on_result: Callable[[Result, Case], object] | None = None,
        daily_budget: float | None = None,
        telemetry: bool | None = None,
        queue: int = 1000,
        concurrency: int | None = None,
        exit_wait: float = 60.0,
        patience: Patience | None = None,
        **options: Any,
    ) -> None:
        asked, judge_options = metrics_of(metrics, options)
        judged_by = resolve_judge(judge, **judge_options)
        for name, number in (("queue", queue), ("concurrency", concurrency)):
            if number is not None and (not isinstance(number, int) or number < 1):
                raise InputError(f"`{name}` must be 1 or more, not {number!r}.")
        if not is_number(exit_wait) or exit_wait < 0:
            raise InputError(f"`exit_wait` must be a number of seconds, not {exit_wait!r}.")
        if telemetry:
            open_telemetry.require()
        self._rates = _rates(rate, [metric.name for metric in asked])
        self._most = max(self._rates)
        self._plan = Plan(
            metrics=tuple(asked),
            judge=judged_by,
            run=run_name(run),
            concurrency=concurrency or (1 if is_embedded(judged_by) else _AT_ONCE),
            context_from=tuple(checked_sources(context_from)),
            store=store,
            patience=patience,
            get_context=get_context,
            filter=filter,
            on_result=on_result,
            telemetry=telemetry,
        )
        self._daily_budget = daily_budget
        self._begin()
        self._background: Background[Drawn] = Background(
            lambda answer: self._scoring.score(answer),
            most=queue,
            at_once=self._plan.concurrency,
            exit_wait=exit_wait,
            beside=lambda last: self._scoring.write(last),
            given_up=lambda answer: self._scoring.give_up(answer),
            forked=self._begin,
        )
        sync.have_loop()

    def _begin(self) -> None:
        """Everything that belongs to this process: a forked child counts and keeps its own answers."""
        self._counter = Counter()
        budget = DailyBudget(self._daily_budget, self._plan.run, self._plan.judge.name)
        self._scoring = LiveScoring(self._plan, self._counter, budget)
        self._troubled = False

    def __repr__(self) -> str:
        return f"<Live {self._plan.run!r}: {self.counts}>"

    @property
    def counts(self) -> Counts:
        """What became of this process's answers so far."""
        return self._counter.now

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything answered so far is scored and stored; False where time ran out."""
        return self._background.flush(timeout)

    async def aflush(self) -> None:
        """Like `flush`, to be awaited."""
        await self._background.aflush()

    def record(
        self,
        output: object,
        context: object = None,
        input: object = None,
        *,
        trace_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Have one answer scored: texts, or a conversation as the input or the output."""
        given = {"output": output, "context": context, "input": input, "trace_id": trace_id, "metadata": metadata}
        self.quietly(lambda: self.submit(LiveAnswer(**cast("Any", given))))

    def answer(
        self,
        input: object = None,
        context: object = None,
        *,
        trace_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Answering:
        """An answer as a block: `with live.answer(input=…) as answer:`, or `async with`; set `answer.output` in it.

        What is retrieved, and what hooked clients see, inside the block belongs to this answer. A block that raises
        gave no answer.
        """
        made = LiveAnswer(input=input, context=context, trace_id=trace_id, metadata=metadata)
        return Answering(made, lambda: self.quietly(lambda: self.submit(made)))

    @overload
    def watch(self, function: F) -> F: ...

    @overload
    def watch(
        self,
        function: None = None,
        *,
        input: Finder = None,
        context: Finder = None,
        output: Callable[[Any], Any] | None = None,
        trace_id: Finder = None,
        metadata: Callable[..., Mapping[str, Any]] | Mapping[str, Any] | None = None,
    ) -> Callable[[F], F]: ...

    def watch(
        self,
        function: Callable[..., Any] | None = None,
        *,
        input: Finder = None,
        context: Finder = None,
        output: Callable[[Any], Any] | None = None,
        trace_id: Finder = None,
        metadata: Callable[..., Mapping[str, Any]] | Mapping[str, Any] | None = None,
    ) -> Any:
        """A decorator for functions that answer: plain, asynchronous, and generators of both kinds.

        `input`, `context` and `trace_id` name a parameter, or are functions of the arguments; by default parameters
        are taken that have a usual name, such as `question` and `documents`. `output` finds the answer in what is
        returned, or the text in a piece of it.
        """
        watch = Watch(
            input=input,
            context=context,
            output=output,
            trace_id=trace_id,
            metadata=metadata,
            done=self.submit,
            quietly=self.quietly,
        )
        return watch.around if function is None else watch.around(function)

    def openai(self, client: Any) -> Any:
        """Watch an OpenAI client, synchronous or not: chat completions and responses, streamed or whole.

        Returns the same client.
        """
        from .hooks.clients import watch_openai

        return watch_openai(client, self)

    def anthropic(self, client: Any) -> Any:
        """Watch an Anthropic client, synchronous or not: messages, streamed or whole. Returns the same client."""
        from .hooks.clients import watch_anthropic

        return watch_anthropic(client, self)

    def langchain(self) -> Any:
        """A callback handler for LangChain and LangGraph: `chain.invoke(…, config={"callbacks": [live.langchain()]})`.

        An answer is what the outermost run gives; retrievers and tools inside it give its context.
        """
        from .hooks.langchain import handler

        return handler(self)

    def pydantic_ai(self, agent: Any) -> Any:
        """An agent of pydantic-ai, under watch: use what this returns in the agent's place."""
        from .hooks.pydantic_ai import watched_agent

        return watched_agent(agent, self)

    def openai_agents(self) -> Any:
        """Hooks for the OpenAI Agents SDK: `Runner.run(agent, …, hooks=live.openai_agents())`."""
        from .hooks.openai_agents import run_hooks

        return run_hooks(self)

    def submit(self, answer: LiveAnswer) -> None:
        """Take an answer that is complete. This is all that the application waits for."""
        answer.freeze()
        if answer.outer is not None:
            answer.outer.inner.append(answer)
            return
        if answer.output is None:
            return
        number = drawn(answer.trace_id)
        if number >= self._most:
            self._counter.add(seen=1)
            return
        places = tuple(place for place, rate in enumerate(self._rates) if number < rate)
        self._counter.add(seen=1, sampled=1, waiting=1)
        if not self._background.put(Drawn(answer, places)):
            self._counter.add(waiting=-1, dropped=1)

    def quietly(self, action: Callable[[], Any]) -> Any:
        """What the action returns, None where it raises: the application is not told, its log is, once."""
        try:
            return action()
        except Exception as error:
            level = logging.DEBUG if self._troubled else logging.WARNING
            self._troubled = True
            _log.log(
                level, "live scoring: an answer was not understood (%s: %s)", type(error).__name__, error, exc_info=True
            )
            return None


@public_in("halluscope.live")
class Answering(AbstractContextManager[LiveAnswer], AbstractAsyncContextManager[LiveAnswer]):
    """The block in which an answer is given."""

    def __init__(self, answer: LiveAnswer, done: Callable[[], None]) -> None:
        self._answer = answer
        self._done = done

    def __enter__(self) -> LiveAnswer:
        self._current = self._answer.current()
        self._current.__enter__()
        return self._answer

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._current.__exit__(None, None, None)
        if kind is None:
            self._done()

    async def __aenter__(self) -> LiveAnswer:
        return self.__enter__()

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.__exit__(kind)


def _rates(given: float | Mapping[str, float], names: Sequence[str]) -> tuple[float, ...]:
    """The rate of each metric. A setting we do not know is an error, not a guess."""
    of = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    for name, rate in of.items():
        if name not in names:
            raise UnknownName("metric here called", str(name), names)
        if not is_number(rate) or not 0 <= rate <= 1:
            raise InputError(f"the rate must be a number from 0 to 1, not {rate!r}.")
    return tuple(float(of.get(name, 1.0)) for name in names)
