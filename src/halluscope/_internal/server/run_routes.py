"""Runs to read: `/v1/runs` and what lies below it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from ..figures.comparison import Comparison
from ..service.kept_runs import KeptRuns, ResultPage
from .http.refusals import json_response
from .routes import Operation, query_of
from .wire_messages import CompareQuery, Nothing, ReportQuery, ResultsQuery, RunAnswer, RunList

_REFUSALS = (404, 422, 503)


class RunRoutes:
    """Reads what is kept."""

    def __init__(self, kept: KeptRuns) -> None:
        self._kept = kept

    def operations(self) -> tuple[Operation, ...]:
        return (
            Operation(
                method="GET",
                path="/v1/runs",
                name="runs",
                about="The runs that are kept, the latest last.",
                handler=self.runs,
                gives=RunList,
                refusals=(422, 503),
            ),
            Operation(
                method="GET",
                path="/v1/comparison",
                name="comparison",
                about="What changed from one run to another, with intervals.",
                handler=self.comparison,
                query=CompareQuery,
                gives=Comparison,
                refusals=_REFUSALS,
            ),
            Operation(
                method="GET",
                path="/v1/runs/{run}/results",
                name="results",
                about="The results of a run with their cases, page by page.",
                handler=self.results,
                query=ResultsQuery,
                gives=ResultPage,
                refusals=_REFUSALS,
            ),
            Operation(
                method="GET",
                path="/v1/runs/{run}/report",
                name="report",
                about="The run as one HTML file.",
                handler=self.report,
                query=ReportQuery,
                media_type="text/html",
                refusals=_REFUSALS,
            ),
            Operation(
                method="GET",
                path="/v1/runs/{run}",
                name="run",
                about="A run and its figures.",
                handler=self.run,
                gives=RunAnswer,
                refusals=_REFUSALS,
            ),
        )

    async def runs(self, request: Request) -> Response:
        query_of(request, Nothing)
        return json_response(RunList(tuple(await self._kept.all())))

    async def run(self, request: Request) -> Response:
        query_of(request, Nothing)
        info, summary = await self._kept.run(request.path_params["run"])
        return json_response(RunAnswer(info, summary))

    async def results(self, request: Request) -> Response:
        query = query_of(request, ResultsQuery)
        page = await self._kept.results(
            request.path_params["run"],
            metric=query.metric,
            failing=query.failing,
            start=query.start,
            limit=query.limit,
        )
        return json_response(page)

    async def comparison(self, request: Request) -> Response:
        query = query_of(request, CompareQuery)
        return json_response(await self._kept.compare(query.before, query.after))

    async def report(self, request: Request) -> Response:
        query = query_of(request, ReportQuery)
        page = await self._kept.report(request.path_params["run"], query.baseline)
        # The file's own policy, which lets its one script run, stands in it. Opened here it would be a page of ours.
        return Response(page, media_type="text/html; charset=utf-8")
