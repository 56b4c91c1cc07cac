"""The trace of an answer: its ids in each tracing tool, its OpenTelemetry span, and the event with its score."""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections.abc import Callable
from secrets import token_hex
from typing import Any

from msgspec import Struct

from ..core.errors import MissingExtra
from ..core.plumbing.per_process import PerProcess
from ..core.result import Result
from ..core.version import __version__
from ..sinks.otel import EVENT, event_attributes
from ..sinks.score import Ids

ANY = ""
"""Key for tools that use the ids of OpenTelemetry."""

_wanted: set[str] = set()


class AnswerSpan(Struct, frozen=True):
    """The span of an answer: its context, and the ids of the trace and the span as text."""

    context: Any
    trace: str
    span: str


def current_span() -> AnswerSpan | None:
    """Return the current span, if the application uses OpenTelemetry."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    try:
        context = trace.get_current_span().get_span_context()
        if not context.is_valid:
            return None
        return AnswerSpan(context, format(context.trace_id, "032x"), format(context.span_id, "016x"))
    except Exception:  # a half-imported or foreign module is no reason to break an answer
        return None


def opentelemetry_in_use() -> bool:
    """Whether the application uses OpenTelemetry."""
    return "opentelemetry.trace" in sys.modules


def require_opentelemetry() -> None:
    """Raise `MissingExtra` if OpenTelemetry is not installed."""
    try:
        import opentelemetry._logs  # noqa: F401
    except ImportError as error:
        raise MissingExtra("otel", "sending scores to OpenTelemetry") from error


def send_event(result: Result, span: AnswerSpan | None, response_id: str | None) -> None:
    """Send the event for a result, on the span of its answer."""
    from opentelemetry._logs import LogRecord, SeverityNumber, get_logger
    from opentelemetry.context import Context
    from opentelemetry.trace import NonRecordingSpan, set_span_in_context

    context = Context() if span is None else set_span_in_context(NonRecordingSpan(span.context), Context())
    record = LogRecord(
        context=context,
        event_name=EVENT,
        severity_number=SeverityNumber.INFO,
        attributes=event_attributes(result, response_id),
    )
    get_logger("halluscope", __version__).emit(record)


def look_for(sink: str) -> None:
    """Read the ids of this tool from now on."""
    if sink in _OWN:
        _wanted.add(sink)


def trace_ids(span: AnswerSpan | None, given: str | None) -> dict[str, Ids]:
    """Return the ids of the current trace by sink. Those of OpenTelemetry have the key `ANY`."""
    found: dict[str, Ids] = {}
    if span is not None and given in (None, span.trace):
        found[ANY] = Ids(span.trace, span.span)
    elif given is not None:
        found[ANY] = Ids(given)
    for name in _wanted if given is None else ():
        try:
            own = _OWN[name]()
        except Exception:  # a half-imported module, or another version of it, is no reason to break an answer
            own = None
        if own is not None:
            found[name] = own
    return found


def _in_mlflow() -> Ids | None:
    mlflow: Any = sys.modules.get("mlflow")
    span = mlflow.get_current_active_span() if mlflow else None
    return Ids(str(span.trace_id), str(span.span_id)) if span else None


def _in_opik() -> Ids | None:
    opik: Any = sys.modules.get("opik.opik_context")
    trace = opik.get_current_trace_data() if opik else None
    span = opik.get_current_span_data() if opik else None
    if span is not None:
        return Ids(str(span.trace_id), str(span.id))
    return Ids(str(trace.id)) if trace else None


_OWN: dict[str, Callable[[], Ids | None]] = {"mlflow": _in_mlflow, "opik": _in_opik}


def sample_number(trace_id: str) -> float:
    """Return a number from 0 to 1 for the trace. An answer is scored if it is below the rate."""
    return int.from_bytes(hashlib.sha256(trace_id.encode(errors="replace")).digest()[:8], "big") / 2**64


_prefix_and_counter = PerProcess(lambda: (token_hex(8), itertools.count()))


def new_trace_id() -> str:
    """Return an id for an answer without a trace. Counting is faster than asking the system for random bytes."""
    prefix, numbers = _prefix_and_counter()
    return f"{prefix}{next(numbers):016x}"
