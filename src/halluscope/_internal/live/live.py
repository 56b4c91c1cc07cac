"""Live scoring: scores the answers of an application in the background."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, TypeVar, overload

from ..core.case import Case
from ..core.conversation import CONTEXT_FROM
from ..core.conversation.reading import checked_sources
from ..core.errors import InputError, UnknownName
from ..core.plumbing import sync
from ..core.plumbing.per_process import PerProcess
from ..core.plumbing.public import public_in, renamed_retry_policy
from ..core.result import Result
from ..engine.driver import RetryPolicy
from ..engine.judge import JudgeSpec, is_embedded
from ..engine.judge import resolve as resolve_judge
from ..engine.metric import is_number
from ..engine.metrics import MetricSpec
from ..repair.repairing import check_repairable
from ..runs.alerts import AlertRule
from ..runs.datasets.columns import Turns, turns_named
from ..runs.runner.asked import metrics_of
from ..runs.runner.evaluation import run_name
from ..runs.store import Store
from ..sinks.delivery import checked_webhook
from ..sinks.sink import Sink, SinkSpec, sink_of
from .counts import Counts
from .live_answer import LiveAnswer
from .live_scoring import LiveScoring, Plan, SampledAnswer
from .tracing import look_for, require_opentelemetry, sample_number
from .watching import Finder, Watch

F = TypeVar("F", bound=Callable[..., Any])

_AT_ONCE = 8
"""Answers scored at the same time by a judge over the network. The embedded judge scores one, to leave cores free."""


@public_in("halluscope.live")
class Live:
    """Scores the answers of an application in the background and stores the results as a run.

    After a `Live` is created, none of its methods raises an error into the application, and none waits for a judge or
    the store. Problems are counted and logged.

    Args:
        metrics: One or more metrics.
        judge: Name or instance of the judge.
        rate: The share of answers to score, from 0 to 1, or a share for each metric. Answers are chosen by the hash of
            their trace, so all metrics pick the same ones.
        run: Name of the run. If a run of that name has other metrics or another judge, a number is added.
        store: Where the results are kept. By default the user's store.
        filter: Called with each case. The case is skipped if the result is false.
        get_context: Called with each `LiveAnswer`. Returns its passages.
        turns: "all" also scores the tool calls since the user's last message, each as a case of its own.
        context_from: Which parts of a conversation count as context, if no other context is given.
        on_result: Called with each result and its case.
        sinks: Where scores are sent, such as `"langfuse"`.
        alerts: Alert rules, such as `"hallucination > 0.2 over 1 h"`. An alert is logged, and posted to the webhook.
        webhook: Where alerts are posted.
        daily_budget: US dollars per day for paid judges, shared by all processes with this store and run.
        repair: Repair answers that do not pass. Their results have a `repair`, which `on_result` sees.
        telemetry: Send each result to OpenTelemetry. By default if the application uses it.
        queue: Maximum number of waiting answers. Further ones are dropped and counted.
        concurrency: Answers scored at the same time.
        exit_wait: Seconds that the end of the program waits for the queue.
        retry_policy: Limits of retries and time.
        options: Options of the metrics and, for a judge given by name, of the judge.

    Raises:
        InputError: An argument is invalid.
        MissingExtra: `telemetry` is true and OpenTelemetry is not installed.

    Example:
        >>> live = Live(rate=0.1)
        >>> @live.watch
        ... def answer(question, documents): ...
    """

    @renamed_retry_policy
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
        turns: Turns = "last",
        context_from: Sequence[str] = CONTEXT_FROM,
        on_result: Callable[[Result, Case], object] | None = None,
        sinks: SinkSpec | Sequence[SinkSpec] = (),
        alerts: str | Sequence[str] = (),
        webhook: str | None = None,
        daily_budget: float | None = None,
        repair: bool = False,
        telemetry: bool | None = None,
        queue: int = 1000,
        concurrency: int | None = None,
        exit_wait: float = 60.0,
        retry_policy: RetryPolicy | None = None,
        **options: Any,
    ) -> None:
        made, judge_options = metrics_of(metrics, options)
        for metric in made if repair else ():
            check_repairable(metric)
        resolved = resolve_judge(judge, **judge_options)
        for name, number in (("queue", queue), ("concurrency", concurrency)):
            if number is not None and (not isinstance(number, int) or number < 1):
                raise InputError(f"`{name}` must be 1 or more, not {number!r}.")
        if not is_number(exit_wait) or exit_wait < 0:
            raise InputError(f"`exit_wait` must be a number of seconds, not {exit_wait!r}.")
        if telemetry:
            require_opentelemetry()
        names = [metric.name for metric in made]
        self._rates = _rates(rate, names)
        self._max_rate = max(self._rates)
        sent_to = tuple(sink_of(sink) for sink in ([sinks] if isinstance(sinks, (str, Sink)) else sinks))
        if telemetry is None and any(sink.name == "otel" for sink in sent_to):
            telemetry = False  # the sink sends the same events
        self._plan = Plan(
            metrics=tuple(made),
            judge=resolved,
            run=run_name(run),
            concurrency=concurrency or (1 if is_embedded(resolved) else _AT_ONCE),
            turns=turns_named(turns),
            context_from=tuple(checked_sources(context_from)),
            store=store,
            retry_policy=retry_policy,
            get_context=get_context,
            filter=filter,
            on_result=on_result,
            telemetry=telemetry,
            repair=repair,
            sinks=sent_to,
            alerts=tuple(AlertRule.parse(rule, names) for rule in ([alerts] if isinstance(alerts, str) else alerts)),
            webhook=checked_webhook(webhook) if webhook else None,
            daily_budget=daily_budget,
            queue=queue,
            exit_wait=exit_wait,
        )
        for sink in sent_to:
            look_for(sink.name)
        # A forked child counts and stores its own answers.
        self._process = PerProcess(lambda: LiveScoring(self._plan))
        self._process()
        sync.have_loop()

    def __repr__(self) -> str:
        return f"<Live {self._plan.run!r}: {self.counts}>"

    @property
    def counts(self) -> Counts:
        """The number of answers of this process so far, by what happened to them."""
        return self._process().counter.now

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all answers so far are scored and stored. Returns False on timeout."""
        return self._process().background.flush(timeout)

    async def aflush(self) -> None:
        """Wait until all answers so far are scored and stored."""
        await self._process().background.aflush()

    def record(
        self,
        output: object,
        context: object = None,
        input: object = None,
        *,
        trace_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Score one answer in the background.

        Args:
            output: The answer, or a conversation whose last message is the answer.
            context: The passages it should be grounded in.
            input: The question, or the conversation before the answer.
            trace_id: Decides whether the answer is sampled. By default that of the current OpenTelemetry span.
            metadata: Stored with the result.

        Example:
            >>> live.record("It closed in 1921.", ["It closed in 1921."], "When did it close?")
        """
        self.quietly(
            lambda: self.submit(
                LiveAnswer(input=input, context=context, output=output, trace_id=trace_id, metadata=metadata)
            )
        )

    def answer(
        self,
        input: object = None,
        context: object = None,
        *,
        trace_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Answering:
        """Return a context manager for a block in which an answer is given. Set `answer.output` in the block.

        What is retrieved in the block, and what watched clients send and receive, belongs to the answer. If the block
        raises an error, the answer is not scored.

        Args:
            input: The question, or the conversation before the answer.
            context: The passages the answer should be grounded in.
            trace_id: Decides whether the answer is sampled. By default that of the current OpenTelemetry span.
            metadata: Stored with the result.

        Returns:
            A context manager, for `with` and `async with`, that yields a `LiveAnswer`.

        Example:
            >>> with live.answer("When did it close?", passages) as answer:
            ...     answer.output = generate()
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
        """Decorate a function that returns answers. Async functions and generators are supported.

        Args:
            function: The function, if the decorator is used without arguments.
            input: Name of the parameter with the question, or a function of the arguments that returns it. By default
                the first parameter with a usual name, such as `question`.
            context: The same for the passages. By default a parameter such as `documents`.
            output: Returns the answer from the function's result or, if it is a stream, the text from each piece.
            trace_id: The same as `input`, for the trace.
            metadata: Stored with the result: a dictionary, or a function of the arguments that returns one.

        Returns:
            The decorated function, which behaves as before.

        Example:
            >>> @live.watch(context="found")
            ... def answer(question, found): ...
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
        """Score the answers of an OpenAI client: chat completions and responses, also streamed. Returns the client."""
        from .hooks.clients import watch_openai

        return watch_openai(client, self)

    def anthropic(self, client: Any) -> Any:
        """Score the answers of an Anthropic client, also streamed. Returns the client."""
        from .hooks.clients import watch_anthropic

        return watch_anthropic(client, self)

    def langchain(self) -> Any:
        """Return a callback handler for LangChain and LangGraph.

        The output of the outermost run is the answer. Results of retrievers and tools inside it are its context.

        Example:
            >>> chain.invoke(question, config={"callbacks": [live.langchain()]})
        """
        from .hooks.langchain import handler

        return handler(self)

    def pydantic_ai(self, agent: Any) -> Any:
        """Return a pydantic-ai agent that behaves like the given one and whose answers are scored."""
        from .hooks.pydantic_ai import watched_agent

        return watched_agent(agent, self)

    def openai_agents(self) -> Any:
        """Return hooks for the OpenAI Agents SDK: `Runner.run(agent, …, hooks=live.openai_agents())`."""
        from .hooks.openai_agents import run_hooks

        return run_hooks(self)

    def submit(self, answer: LiveAnswer) -> None:
        """Queue a complete answer."""
        answer.freeze()
        if answer.outer is not None:
            answer.outer.inner.append(answer)
            return
        if answer.output is None:
            return
        number, here = sample_number(answer.trace_id), self._process()
        if number >= self._max_rate:
            here.counter.add(seen=1)
            return
        chosen = tuple(index for index, rate in enumerate(self._rates) if number < rate)
        here.counter.add(seen=1, sampled=1, waiting=1)
        if not here.background.put(SampledAnswer(answer, chosen)):
            here.counter.add(waiting=-1, dropped=1)

    def quietly(self, action: Callable[[], Any]) -> Any:
        """Call a function and return its result. After an error, log it, the first as a warning, and return None."""
        try:
            return action()
        except Exception as error:
            self._process().report(f"an answer was not understood ({type(error).__name__}: {error})", error)
            return None


@public_in("halluscope.live")
class Answering(AbstractContextManager[LiveAnswer], AbstractAsyncContextManager[LiveAnswer]):
    """A block in which an answer is given, see `Live.answer`."""

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
    rates = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    for name, rate in rates.items():
        if name not in names:
            raise UnknownName("metric here called", str(name), names)
        if not is_number(rate) or not 0 <= rate <= 1:
            raise InputError(f"the rate must be a number from 0 to 1, not {rate!r}.")
    return tuple(float(rates.get(name, 1.0)) for name in names)
