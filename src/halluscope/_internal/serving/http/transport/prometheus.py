"""Measurements for Prometheus: requests, results, verdicts, and the queue of the judge."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, PlatformCollector, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response

from ....core.result import Result

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Measures:
    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        counter = partial(Counter, registry=self._registry)
        histogram = partial(Histogram, registry=self._registry)
        self._requests = counter("halluscope_requests_total", "Requests answered.", ("route", "status"))
        self._seconds = histogram(
            "halluscope_request_seconds", "Seconds from a request to its answer.", ("route",), buckets=_SECONDS
        )
        self._results = counter("halluscope_results_total", "Outputs judged.", ("metric", "judge", "outcome"))
        self._verdicts = counter("halluscope_verdicts_total", "Claims judged.", ("judge", "support"))
        self._batches = histogram(
            "halluscope_batch_questions", "Questions in a batch of the embedded judge.", buckets=(1, 2, 4, 8)
        )

    def watch(self, under_way: Callable[[], int], waiting: Callable[[], int]) -> None:
        """Add gauges for open requests and for questions waiting for the embedded judge."""
        shown = (
            ("halluscope_requests_under_way", "Open checks, batches, guards and reads of the store.", under_way),
            ("halluscope_questions_waiting", "Questions waiting for the embedded judge.", waiting),
        )
        for name, about, read in shown:
            Gauge(name, about, registry=self._registry).set_function(read)

    def answered(self, route: str, status: int, seconds: float) -> None:
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def judged(self, result: Result) -> None:
        self._results.labels(result.metric, result.judge, result.outcome.value).inc()
        for verdict in result.verdicts:
            self._verdicts.labels(result.judge, verdict.support.value).inc()

    def batched(self, questions: int) -> None:
        self._batches.observe(questions)

    def response(self) -> Response:
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)
