"""The tools: what each takes, does and says. They stand on the same service as the server's routes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from ..errors import UnknownName
from ..report.failing import failing_lines
from ..server.checking import Checking
from ..server.http.refusals import Refusal
from ..server.wire_messages import (
    CheckRequest,
    CompareQuery,
    Failed,
    GuardEnded,
    GuardRequest,
    Nothing,
    ResultsQuery,
    RunAnswer,
    RunList,
)
from ..service.kept_runs import KeptRuns
from ..service.limits import Limits
from ..text.counting import count_of

T = TypeVar("T")


class RunRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run by its name."""

    run: str


class RunResultsRequest(ResultsQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Some results of a run."""

    run: str


class ToolAnswer(Struct, frozen=True):
    """What a tool gives: a few lines to read, and all of it as data."""

    text: str
    data: Any


class AgentTool(Struct, frozen=True, kw_only=True):
    """One tool."""

    name: str
    title: str
    about: str
    takes: type
    call: Callable[[Any], Awaitable[ToolAnswer]]

    def input_schema(self) -> dict[str, Any]:
        """What it takes, as a schema with an object at its root."""
        schema = msgspec.json.schema(self.takes)
        definitions = schema.pop("$defs")
        root = definitions.pop(schema["$ref"].rpartition("/")[2])
        return {**root, **({"$defs": definitions} if definitions else {})}


class Toolbox:
    """All tools, by name."""

    def __init__(self, checking: Checking, kept: KeptRuns, limits: Limits) -> None:
        self._checking = checking
        self._kept = kept
        self._limits = limits
        self.tools = {tool.name: tool for tool in self._made()}

    async def call(self, name: str, arguments: dict[str, Any]) -> ToolAnswer:
        """What the tool says to these arguments."""
        if name not in self.tools:
            raise UnknownName("tool called", name, self.tools)
        if len(msgspec.json.encode(arguments)) > self._limits.body:
            raise Refusal(413, "too_large", f"the call is larger than the {self._limits.body:,} bytes that are taken.")
        tool = self.tools[name]
        try:
            wanted: Any = msgspec.convert(arguments, tool.takes)
        except msgspec.ValidationError as error:
            raise Refusal(422, "invalid", f"the arguments do not have the form that is wanted: {error}.") from None
        return await tool.call(wanted)

    def _made(self) -> tuple[AgentTool, ...]:
        return (
            AgentTool(
                name="check",
                title="Check an answer",
                about=(
                    "Tells whether an answer holds up against the context it rests on. Every claim of the output is "
                    "supported, contradicted or unsupported, with the evidence quoted. Use it on your own answer "
                    "before you give it: pass the answer as `output` and the sources as `context`."
                ),
                takes=CheckRequest,
                call=self._check,
            ),
            AgentTool(
                name="guard",
                title="Guard an answer",
                about=(
                    "Gives an answer back with each sentence that the context does not hold up marked, replaced or "
                    "left out, as `policy` says. The original is in the result too."
                ),
                takes=GuardRequest,
                call=self._guard,
            ),
            AgentTool(
                name="list_runs",
                title="List runs",
                about="The evaluation runs that are kept on this machine, the latest last.",
                takes=Nothing,
                call=self._runs,
            ),
            AgentTool(
                name="show_run",
                title="Show a run",
                about="The figures of a run: for each metric its mean with an interval, how many passed, coverage.",
                takes=RunRequest,
                call=self._run,
            ),
            AgentTool(
                name="run_results",
                title="Read results of a run",
                about="Results of a run with their cases, page by page; `failing` leaves out those that passed.",
                takes=RunResultsRequest,
                call=self._results,
            ),
            AgentTool(
                name="compare_runs",
                title="Compare two runs",
                about="What changed from one run to another, with intervals, so that noise is not called a change.",
                takes=CompareQuery,
                call=self._compare,
            ),
        )

    async def _check(self, wanted: CheckRequest) -> ToolAnswer:
        answer = await self._checking.check(wanted)
        return ToolAnswer(
            answer.reason or "" if answer.passed and not answer.failing else failing_lines(answer), answer
        )

    async def _guard(self, wanted: GuardRequest) -> ToolAnswer:
        sentences: list[Any] = []
        async for event in self._checking.guard_given(wanted):
            if isinstance(event, Failed):
                raise Refusal(422, event.error.code, event.error.message)
            if isinstance(event, GuardEnded):
                return ToolAnswer(event.shown, {**msgspec.to_builtins(event), "checked": sentences})
            sentences.append(event)
        raise AssertionError("a guarded text has an end")

    async def _runs(self, wanted: Nothing) -> ToolAnswer:
        found = await self._kept.all()
        lines = [f"{run.name}: {run.state}, {count_of(run.cases, 'case')}" for run in found]
        return ToolAnswer("\n".join(lines) or "There are no runs yet.", RunList(tuple(found)))

    async def _run(self, wanted: RunRequest) -> ToolAnswer:
        info, summary = await self._kept.run(wanted.run)
        return ToolAnswer(str(summary), RunAnswer(info, summary))

    async def _results(self, wanted: RunResultsRequest) -> ToolAnswer:
        page = await self._kept.results(
            wanted.run, metric=wanted.metric, failing=wanted.failing, start=wanted.start, limit=wanted.limit
        )
        lines = [f"{kept.case.id}: {kept.result.metric} {_figure(kept.result.score)}" for kept in page.results]
        more = "" if page.next is None else f"\nThere are more: go on with start={page.next}."
        return ToolAnswer("\n".join(lines) + more, page)

    async def _compare(self, wanted: CompareQuery) -> ToolAnswer:
        found = await self._kept.compare(wanted.before, wanted.after)
        lines = [f"{m.metric}: {_figure(m.before)} to {_figure(m.after)}, {m.change}" for m in found.metrics]
        return ToolAnswer("\n".join(lines), found)


def _figure(value: float | None) -> str:
    return "no score" if value is None else f"{value:.3g}"
