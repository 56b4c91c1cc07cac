"""A score on its way to a sink, and the trace and span that it belongs to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from msgspec import Struct

from ..core.case import Case
from ..core.plumbing.public import public_in
from ..core.result import Result
from ..core.verdict import Verdict

TRACE_COLUMNS = ("trace_id", "traceId", "trace")
SPAN_COLUMNS = ("span_id", "spanId", "observation_id", "span")
AT = "answered_at"
"""The metadata column with the moment in which an answer was given."""
_LONGEST = 4000
"""Characters of a comment."""
_TRACE_ID = re.compile(r"(?:tr-)?[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


@public_in("halluscope.sinks")
class Ids(Struct, frozen=True):
    """The ids of the trace and the span that an answer was given in, as the sink has them.

    Attributes:
        trace: Id of the trace.
        span: Id of the span, None for the whole trace.
    """

    trace: str
    span: str | None = None


@public_in("halluscope.sinks")
class Score(Struct, frozen=True):
    """A result for a sink.

    Attributes:
        ids: The trace and the span that it belongs to.
        run: Name of the run.
        result: The result.
        at: When it was scored, in seconds since 1970.
    """

    ids: Ids
    run: str
    result: Result
    at: float

    @property
    def id(self) -> str:
        """The same for the same metric, case and run: sending a score again replaces it."""
        named = (self.run, self.result.metric, self.result.case_id, self.ids.trace, self.ids.span or "")
        return hashlib.sha256("\0".join(named).encode()).hexdigest()[:32]

    @property
    def comment(self) -> str | None:
        """The reason, or why there is no score."""
        failure = self.result.failure
        said = self.result.reason or (failure.message if failure else None)
        return shortened(said) if said else None

    @property
    def label(self) -> str | None:
        """The label, or the outcome if there is no score."""
        return self.result.label if self.result.score is not None else self.result.outcome.value

    @property
    def claims(self) -> list[tuple[str, Verdict]]:
        """Each verdict, with the name of its score."""
        verdicts = enumerate(self.result.verdicts, start=1)
        return [(f"{self.result.metric}/claim_{number}", verdict) for number, verdict in verdicts]

    @property
    def about(self) -> dict[str, Any]:
        """What else a sink can store."""
        return {
            "run": self.run,
            "case": self.result.case_id,
            "judge": self.result.judge,
            "metric_version": self.result.metric_version,
            "outcome": self.result.outcome.value,
            "passed": self.result.passed,
        }


def moment(at: float) -> str:
    """A time as text, in UTC."""
    return datetime.fromtimestamp(at, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def time_of(case: Case) -> float | None:
    """When an answer was given, in seconds since 1970, None if its metadata does not say."""
    try:
        return datetime.fromisoformat(str(case.metadata[AT]).replace("Z", "+00:00")).timestamp()
    except (KeyError, ValueError):
        return None


def shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def claim_comment(verdict: Verdict) -> str:
    """A claim with the reason of its verdict, else with its evidence."""
    quotes = "; ".join(f"“{evidence.quote}”" for evidence in verdict.evidence)
    return shortened(": ".join(part for part in (verdict.claim.text, verdict.reason or quotes) if part))


def ids_of(case: Case, trace_column: str | None = None, span_column: str | None = None) -> Ids | None:
    """The ids in a case's metadata, or the trace id that the case has as its own id. None if there are none."""
    trace = _first(case.metadata, (trace_column,) if trace_column else TRACE_COLUMNS)
    if trace is None and trace_column is None and _TRACE_ID.fullmatch(case.id):
        trace = case.id
    span = _first(case.metadata, (span_column,) if span_column else SPAN_COLUMNS)
    return Ids(trace, span) if trace else None


def _first(metadata: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((str(metadata[name]) for name in names if metadata.get(name)), None)
