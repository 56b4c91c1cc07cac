"""The operations of the server: its status, checks and stored runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ...core.version import __version__
from ...engine.metrics import METRICS
from ...repair.repairing import Repair
from ...runs.datasets.sample_data import sample
from ...runs.statistics.comparison import Comparison
from ..service.kept_runs import (
    CompareRequest,
    ReportRequest,
    ResultPage,
    ResultsRequest,
    RunAnswer,
    RunList,
    RunRequest,
)
from ..service.service import Service
from . import wire_messages as wire
from .checking import Checking
from .routes import description, operation, operations_of
from .transport.bodies import LINES, Feed
from .transport.prometheus import Measures
from .transport.refusals import Refusal
from .transport.streams import Streamed, begun, lines, read_out, while_connected

_RUN_REFUSALS = (404, 422, 429, 503, 504)


class Api:
    """The operations. `state` is `starting`, `ready` or `ending`."""

    def __init__(self, service: Service, measures: Measures, state: Callable[[], str]) -> None:
        self._service = service
        self._checking = Checking(service, measures.judged)
        self._kept = service.kept
        self._measures = measures
        self._state = state

    @operation("GET", "/healthz", gives=wire.ServerState, open=True)
    async def healthz(self, *_: Any) -> wire.ServerState:
        """Whether the process is alive."""
        return wire.ServerState("alive")

    @operation("GET", "/readyz", gives=wire.ServerState, open=True, refusals=(503,))
    async def readyz(self, *_: Any) -> wire.ServerState:
        """Whether requests are accepted: the model is loaded and the server is not shutting down."""
        state = self._state()
        if state != "ready":
            raise Refusal(503, state, f"the server is {state}.", {"retry-after": "1"})
        return wire.ServerState("ready")

    @operation("GET", "/metrics", media_type="text/plain")
    async def metrics(self, *_: Any) -> Response:
        """Measurements for Prometheus."""
        return self._measures.response()

    @operation("GET", "/v1/about", query=wire.Nothing, gives=wire.About, refusals=(422,))
    async def about(self, *_: Any) -> wire.About:
        """Judges, metrics, limits and examples."""
        return self._about

    @operation("GET", "/openapi.json", gives=dict, open=True)
    async def openapi(self, *_: Any) -> dict[str, object]:
        """This OpenAPI description."""
        return self._description

    @operation("POST", "/v1/check", takes=wire.CheckRequest, gives=wire.CheckAnswer, streams=wire.CheckEvent)
    async def check(self, request: Request, wanted: wire.CheckRequest) -> Response | wire.CheckAnswer:
        """Check one output. If the request accepts lines, claims and verdicts are sent when available."""
        if LINES in request.headers.get("accept", ""):
            return lines(await begun(self._checking.events(wanted)))
        return await self._checking.check(wanted)

    @operation("POST", "/v1/repair", takes=wire.RepairRequest, gives=Repair)
    async def repair(self, request: Request, wanted: wire.RepairRequest) -> Repair:
        """Repair one output: wrong values are replaced, over-general claims narrowed, unsupported ones removed.
        Returns the text, the edits, and the results before and after."""
        return await self._checking.repair(wanted)

    @operation("POST", "/v1/batch", takes=wire.BatchRequest, gives=wire.BatchEvent, media_type=LINES)
    async def batch(self, request: Request, wanted: wire.BatchRequest) -> Response:
        """Check several outputs: one line for each when it is ready, and one at the end."""
        return lines(await begun(self._checking.batch(wanted)))

    @operation("POST", "/v1/guard", takes=wire.GuardRequest, gives=wire.GuardEvent, media_type=LINES, feeds=True)
    async def guard(self, request: Request, wanted: wire.GuardRequest | None) -> Response:
        """Check a text sentence by sentence: one line for each, and one at the end. A request sent as lines (the
        settings, then pieces of the text) is checked while it is sent."""
        if wanted is not None:
            return lines(await begun(self._checking.guard_given(wanted)))
        feed = Feed(request, self._service.limits)
        settings = await feed.first(wire.GuardSettings)
        events = self._checking.guard(settings, (piece.text async for piece in feed.rest(wire.GuardPiece)))
        return lines(await while_connected(request.receive, begun(events), feed.left()), feed.left())

    @operation("GET", "/v1/runs", query=wire.Nothing, gives=RunList, refusals=(422, 429, 503, 504))
    async def runs(self, request: Request, query: wire.Nothing) -> RunList:
        """All stored runs, the latest last."""
        return await self._kept.all()

    @operation("GET", "/v1/comparison", query=CompareRequest, gives=Comparison, refusals=_RUN_REFUSALS)
    async def comparison(self, request: Request, query: CompareRequest) -> Comparison:
        """Compare two runs, with confidence intervals."""
        return await self._kept.compare(query)

    @operation("GET", "/v1/runs/{run}/results", query=ResultsRequest, gives=ResultPage, refusals=_RUN_REFUSALS)
    async def results(self, request: Request, query: ResultsRequest) -> ResultPage:
        """The results of a run with their cases, in pages."""
        return await self._kept.results(query)

    @operation("GET", "/v1/runs/{run}/report", query=ReportRequest, media_type="text/html", refusals=_RUN_REFUSALS)
    async def report(self, request: Request, query: ReportRequest) -> Streamed:
        """The report of a run as one HTML file."""
        # The file contains its own Content-Security-Policy, which allows its script.
        return Streamed(read_out(await self._kept.report(query)), "text/html; charset=utf-8")

    @operation("GET", "/v1/runs/{run}", query=RunRequest, gives=RunAnswer, refusals=_RUN_REFUSALS)
    async def run(self, request: Request, query: RunRequest) -> RunAnswer:
        """A run and its summary."""
        return await self._kept.run(query)

    @cached_property
    def _about(self) -> wire.About:
        known = tuple(wire.MetricAbout(m.name, m.summary, m.formula, m.direction) for m in METRICS.values())
        rows = sample().read_bytes().splitlines()
        examples = tuple(msgspec.json.decode(row, type=wire.Example) for row in rows)
        return wire.About(__version__, tuple(self._service.judges), known, self._service.limits, examples)

    @cached_property
    def _description(self) -> dict[str, object]:
        return description(operations_of(self))
