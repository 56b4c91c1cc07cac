"""The MCP tools. They use the same service as the HTTP routes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import Struct

from ...core.counting import count_of
from ...core.errors import UnknownName
from ...core.result.in_words import failing_lines
from ..http import wire_messages as wire
from ..http.checking import Checking
from ..http.routes import Described
from ..http.transport.refusals import Refusal
from ..service.kept_runs import CompareRequest, ResultsRequest, RunRequest
from ..service.service import Service


class ToolAnswer(Struct, frozen=True):
    """The answer of a tool: a short text, and the complete data."""

    text: str
    data: Any


class AgentTool(Described, frozen=True):
    """A tool of agents."""

    title: str
    takes: type

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments, with an object at its root."""
        schema = msgspec.json.schema(self.takes)
        definitions = schema.pop("$defs")
        root = definitions.pop(schema["$ref"].rpartition("/")[2])
        return {**root, **({"$defs": definitions} if definitions else {})}


def tool(title: str, takes: type) -> Callable[[Callable[..., Awaitable[ToolAnswer]]], AgentTool]:
    return lambda method: AgentTool(method, title, takes)


class Toolbox:
    def __init__(self, service: Service) -> None:
        self._checking = Checking(service)
        self._kept = service.kept
        self._limits = service.limits
        self.tools = {held.name: held for held in vars(Toolbox).values() if isinstance(held, AgentTool)}

    async def call(self, name: str, arguments: dict[str, Any]) -> ToolAnswer:
        if name not in self.tools:
            raise UnknownName("tool called", name, self.tools)
        if len(msgspec.json.encode(arguments)) > self._limits.body:
            raise Refusal(413, "too_large", f"the call is larger than the limit of {self._limits.body:,} bytes.")
        chosen = self.tools[name]
        try:
            wanted: Any = msgspec.convert(arguments, chosen.takes)
        except msgspec.ValidationError as error:
            raise Refusal(422, "invalid", f"the arguments are invalid: {error}.") from None
        answer: ToolAnswer = await chosen.handler(self, wanted)
        return answer

    @tool("Check an answer", wire.CheckRequest)
    async def check(self, wanted: wire.CheckRequest) -> ToolAnswer:
        """Check whether an answer is grounded in its context. Returns for each claim whether it is supported,
        contradicted or unsupported, and quotes the evidence. Use it on your own answer before you give it: pass
        the answer as `output` and the sources as `context`. Or pass the messages of a conversation as `output`;
        with `turns` set to all, tool calls are checked too."""
        answer = await self._checking.check(wanted)
        return ToolAnswer(
            answer.reason or "" if answer.passed and not answer.failing else failing_lines(answer), answer
        )

    @tool("Repair an answer", wire.RepairRequest)
    async def repair(self, wanted: wire.RepairRequest) -> ToolAnswer:
        """Repair an answer: wrong values are replaced by those of the context, over-general claims narrowed, and
        what the context does not support is removed. Returns the text and each edit with its evidence."""
        made = await self._checking.repair(wanted)
        return ToolAnswer(made.text, made)

    @tool("Guard an answer", wire.GuardRequest)
    async def guard(self, wanted: wire.GuardRequest) -> ToolAnswer:
        """Return an answer in which each sentence that the context does not support is marked, replaced, repaired
        or removed, depending on `policy`. The result also contains the original."""
        sentences: list[Any] = []
        async for event in self._checking.guard_given(wanted):
            if isinstance(event, wire.Failed):
                raise Refusal(422, event.error.code, event.error.message)
            if isinstance(event, wire.GuardEnded):
                return ToolAnswer(event.shown, {**msgspec.to_builtins(event), "checked": sentences})
            sentences.append(event)
        raise AssertionError("a guarded text has an end")

    @tool("List runs", wire.Nothing)
    async def list_runs(self, wanted: wire.Nothing) -> ToolAnswer:
        """List the evaluation runs stored on this machine, the latest last."""
        found = await self._kept.all()
        lines = [f"{run.name}: {run.state}, {count_of(run.cases, 'case')}" for run in found.runs]
        return ToolAnswer("\n".join(lines) or "There are no runs yet.", found)

    @tool("Show a run", RunRequest)
    async def show_run(self, wanted: RunRequest) -> ToolAnswer:
        """Show the summary of a run: for each metric the mean with interval, passed cases and coverage."""
        found = await self._kept.run(wanted)
        return ToolAnswer(str(found.summary), found)

    @tool("Read results of a run", ResultsRequest)
    async def run_results(self, wanted: ResultsRequest) -> ToolAnswer:
        """Read the results of a run with their cases, in pages; with `failing` only failed ones."""
        page = await self._kept.results(wanted)
        lines = [f"{kept.case.id}: {kept.result.metric} {_figure(kept.result.score)}" for kept in page.results]
        more = "" if page.next is None else f"\nThere are more: continue with start={page.next}."
        return ToolAnswer("\n".join(lines) + more, page)

    @tool("Compare two runs", CompareRequest)
    async def compare_runs(self, wanted: CompareRequest) -> ToolAnswer:
        """Compare two runs. Differences within the confidence interval do not count as changes."""
        found = await self._kept.compare(wanted)
        lines = [f"{m.metric}: {_figure(m.before)} to {_figure(m.after)}, {m.change}" for m in found.metrics]
        return ToolAnswer("\n".join(lines), found)


def _figure(value: float | None) -> str:
    return "no score" if value is None else f"{value:.3g}"
