"""How the server stands: `/healthz`, `/readyz`, `/metrics`, `/v1/about` and `/openapi.json`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ..datasets.sample_data import sample
from ..metrics import METRICS
from ..service.service import Service
from ..version import __version__
from .http.prometheus import Measures
from .http.refusals import Refusal, json_response
from .openapi import description
from .routes import Operation, query_of
from .wire_messages import About, Example, MetricAbout, Nothing, ServerState


class StandingRoutes:
    """Says what the server is and how it is. `state` is `starting`, `ready` or `ending`."""

    def __init__(
        self,
        service: Service,
        measures: Measures,
        state: Callable[[], str],
        operations: Callable[[], Sequence[Operation]],
    ) -> None:
        self._service = service
        self._measures = measures
        self._state = state
        self._operations = operations

    def operations(self) -> tuple[Operation, ...]:
        return (
            Operation(
                method="GET",
                path="/healthz",
                name="healthz",
                about="Whether the process lives.",
                handler=self.healthz,
                gives=ServerState,
                open=True,
            ),
            Operation(
                method="GET",
                path="/readyz",
                name="readyz",
                about="Whether requests are taken: the model is loaded, and the end has not begun.",
                handler=self.readyz,
                gives=ServerState,
                open=True,
                refusals=(503,),
            ),
            Operation(
                method="GET",
                path="/metrics",
                name="metrics",
                about="Figures for Prometheus.",
                handler=self.metrics,
                media_type="text/plain",
            ),
            Operation(
                method="GET",
                path="/v1/about",
                name="about",
                about="Judges, metrics, limits and examples.",
                handler=self.about,
                gives=About,
                refusals=(422,),
            ),
            Operation(
                method="GET",
                path="/openapi.json",
                name="openapi",
                about="This description.",
                handler=self.openapi,
                gives=dict,
                open=True,
            ),
        )

    async def healthz(self, request: Request) -> Response:
        return json_response(ServerState("alive"))

    async def readyz(self, request: Request) -> Response:
        state = self._state()
        if state != "ready":
            raise Refusal(503, state, f"the server is {state}.", {"retry-after": "1"})
        return json_response(ServerState("ready"))

    async def metrics(self, request: Request) -> Response:
        return self._measures.response()

    async def about(self, request: Request) -> Response:
        query_of(request, Nothing)
        return json_response(self._about)

    @cached_property
    def _about(self) -> About:
        known = tuple(MetricAbout(m.name, m.summary, m.formula, m.direction) for m in METRICS.values())
        lines = sample().read_bytes().splitlines()
        examples = tuple(msgspec.json.decode(line, type=Example) for line in lines)
        return About(__version__, tuple(self._service.judges), known, self._service.limits, examples)

    async def openapi(self, request: Request) -> Response:
        return json_response(self._description)

    @cached_property
    def _description(self) -> dict[str, object]:
        return description(self._operations())
