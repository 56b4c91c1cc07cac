"""Figures for Prometheus: requests, claims, the line at the judge."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, PlatformCollector, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response

from ...result import Result

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Measures:
    """The figures of one process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        self._requests = Counter(
            "halluscope_requests_total", "Requests answered.", ("route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "halluscope_request_seconds",
            "Seconds from a request to its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._results = Counter(
            "halluscope_results_total", "Outputs judged.", ("metric", "judge", "outcome"), registry=self._registry
        )
        self._verdicts = Counter(
            "halluscope_verdicts_total", "Claims judged.", ("judge", "support"), registry=self._registry
        )
        self._batches = Histogram(
            "halluscope_batch_questions",
            "Questions that a worker of the embedded judge took at once.",
            buckets=(1, 2, 4, 8),
            registry=self._registry,
        )

    def watch(self, under_way: Callable[[], int], waiting: Callable[[], int]) -> None:
        """Show how many requests are under way, and how many questions wait for the embedded judge."""
        shown = (
            ("halluscope_requests_under_way", "Checks, batches and guards under way.", under_way),
            ("halluscope_questions_waiting", "Questions that wait for the embedded judge.", waiting),
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
        """The figures as Prometheus reads them."""
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)
