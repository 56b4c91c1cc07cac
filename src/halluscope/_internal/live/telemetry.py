"""OpenTelemetry: the span that an answer belongs to, and the event that says how the answer was judged.

The semantic conventions for generative AI name the event `gen_ai.evaluation.result` and say that it is parented to the
span of what is evaluated. An event is a log record: it can be sent after that span has ended, which it has when a score
comes.
"""

from __future__ import annotations

import sys
from typing import Any

from msgspec import Struct

from ..errors import MissingExtra
from ..result import Outcome, Result
from ..version import __version__

EVENT = "gen_ai.evaluation.result"


class AnswerSpan(Struct, frozen=True):
    """What names the span of an answer: its context, and its trace as text."""

    context: Any
    trace: str


def current_span() -> AnswerSpan | None:
    """The span that is open here, where the application uses OpenTelemetry at all."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    try:
        context = trace.get_current_span().get_span_context()
        return AnswerSpan(context, format(context.trace_id, "032x")) if context.is_valid else None
    except Exception:  # a half-imported or foreign module is no reason to break an answer
        return None


def in_use() -> bool:
    """Whether the application uses OpenTelemetry."""
    return "opentelemetry.trace" in sys.modules


def require() -> None:
    """Raise the error that names the extra where OpenTelemetry is missing."""
    try:
        import opentelemetry._logs  # noqa: F401
    except ImportError as error:
        raise MissingExtra("otel", "sending scores to OpenTelemetry") from error


def send(result: Result, span: AnswerSpan | None, response_id: str | None) -> None:
    """Send the event for a result, on the span of its answer."""
    from opentelemetry._logs import LogRecord, SeverityNumber, get_logger
    from opentelemetry.context import Context
    from opentelemetry.trace import NonRecordingSpan, set_span_in_context

    context = Context() if span is None else set_span_in_context(NonRecordingSpan(span.context), Context())
    record = LogRecord(
        context=context,
        event_name=EVENT,
        severity_number=SeverityNumber.INFO,
        attributes=attributes(result, response_id),
    )
    get_logger("halluscope", __version__).emit(record)


def attributes(result: Result, response_id: str | None) -> dict[str, Any]:
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
