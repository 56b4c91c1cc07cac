"""OpenTelemetry: an event for each score, sent with OTLP over HTTP to any collector."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from ..core.errors import InputError
from ..core.plumbing.public import public_in
from ..core.result import Outcome, Result
from ..core.version import __version__
from .score import Ids, Score
from .sink import Flow, Request, Sink, first_set

EVENT = "gen_ai.evaluation.result"


_TRACE, _SPAN = re.compile(r"[0-9a-f]{32}", re.IGNORECASE), re.compile(r"[0-9a-f]{16}", re.IGNORECASE)

_INFO = 9
"""OpenTelemetry's number for the severity INFO."""


def event_attributes(result: Result, response_id: str | None = None) -> dict[str, Any]:
    """The event's attributes, those that there are."""
    failed = result.outcome in (Outcome.FAILED, Outcome.INCOMPLETE)
    kind = result.failure.kind if result.failure is not None else str(result.outcome)
    label = result.label if result.score is not None else None if failed else str(result.outcome)
    found = {
        "gen_ai.evaluation.name": result.metric,
        "gen_ai.evaluation.score.value": result.score,
        "gen_ai.evaluation.score.label": label,
        "gen_ai.evaluation.explanation": result.reason,
        "gen_ai.response.id": response_id,
        "error.type": kind if failed else None,
        "halluscope.judge": result.judge,
        "halluscope.passed": result.passed,
    }
    return {name: value for name, value in found.items() if value is not None}


@public_in("halluscope.sinks")
class OpenTelemetry(Sink):
    """A collector: an event `gen_ai.evaluation.result` for each score, on the span or the trace.

    Args:
        url: The address of the collector, by default OTEL_EXPORTER_OTLP_ENDPOINT, or else http://localhost:4318.
        headers: HTTP headers, by default those in OTEL_EXPORTER_OTLP_HEADERS.
        service: The service's name, by default OTEL_SERVICE_NAME.

    Example:
        >>> OpenTelemetry("http://localhost:4318")
        OpenTelemetry('http://localhost:4318')
    """

    name = "otel"
    batch = 200

    def __init__(
        self, url: str | None = None, *, headers: Mapping[str, str] | None = None, service: str | None = None
    ) -> None:
        logs = None if url else first_set("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
        base = url or first_set("OTEL_EXPORTER_OTLP_ENDPOINT") or "http://localhost:4318"
        self.service = service or first_set("OTEL_SERVICE_NAME") or "halluscope"
        set_ones = first_set("OTEL_EXPORTER_OTLP_LOGS_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")
        super().__init__(logs or base, headers if headers is not None else _read_headers(set_ones or ""))
        self._path = "" if logs or self.url.endswith("/v1/logs") else "/v1/logs"

    def ids(self, ids: Ids) -> Ids:
        trace = ids.trace.removeprefix("tr-").replace("-", "")
        if not _TRACE.fullmatch(trace) or (ids.span and not _SPAN.fullmatch(ids.span)):
            raise InputError(
                f"{ids.span if _TRACE.fullmatch(trace) else ids.trace!r} is no id of OpenTelemetry: a trace's has 32 "
                "hexadecimal digits, a span's 16."
            )
        return Ids(trace.lower(), ids.span.lower() if ids.span else None)

    def flow(self, scores: Sequence[Score]) -> Flow:
        scope = {"name": "halluscope", "version": __version__}
        logs = {
            "resource": {"attributes": _attributes({"service.name": self.service})},
            "scopeLogs": [{"scope": scope, "logRecords": [_record(score) for score in scores]}],
        }
        answer = yield Request(self._path, {"resourceLogs": [logs]})
        partial = answer.get("partialSuccess") if isinstance(answer, dict) else None
        rejected = int(partial.get("rejectedLogRecords") or 0) if isinstance(partial, dict) else 0
        return [str(partial.get("errorMessage") or "rejected")] * rejected if partial else ()


def _record(score: Score) -> dict[str, Any]:
    when = str(int(score.at * 1e9))
    attributes = {
        **event_attributes(score.result),
        "log.record.uid": score.id,
        "halluscope.run": score.run,
        "halluscope.case": score.result.case_id,
    }
    return {
        "timeUnixNano": when,
        "observedTimeUnixNano": when,
        "severityNumber": _INFO,
        "severityText": "INFO",
        "eventName": EVENT,
        "attributes": _attributes(attributes),
        "traceId": score.ids.trace,
        **({"spanId": score.ids.span} if score.ids.span else {}),
    }


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    kinds = {bool: "boolValue", float: "doubleValue"}
    return [{"key": key, "value": {kinds.get(type(value), "stringValue"): value}} for key, value in values.items()]


def _read_headers(text: str) -> dict[str, str]:
    """Headers as OTEL_EXPORTER_OTLP_HEADERS has them: `name=value,name=value`, percent-encoded."""
    pairs = (part.partition("=") for part in text.split(",") if "=" in part)
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}
