"""MLflow: assessments on traces and spans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from ..core.errors import InputError, SendError
from ..core.plumbing.public import public_in
from .score import Ids, Score, claim_comment, moment
from .sink import Flow, Request, Sink, first_set, secret

_PATH = "/api/3.0/mlflow/traces"
_MARK = "halluscope.score"
_OTEL_TRACE = re.compile(r"[0-9a-f]{32}", re.IGNORECASE)


@public_in("halluscope.sinks")
class MLflow(Sink):
    """An MLflow tracking server: an assessment per metric and per claim. One that was sent before is updated.

    Args:
        url: The address, by default MLFLOW_TRACKING_URI, or else http://localhost:5000.
        token: The token, by default MLFLOW_TRACKING_TOKEN. For a user and password, put them into the address.

    Raises:
        InputError: If the tracking URI is not that of a server.

    Example:
        >>> MLflow("http://localhost:5000")
        MLflow('http://localhost:5000')
    """

    name = "mlflow"
    batch = 20

    def __init__(self, url: str | None = None, *, token: str | None = None) -> None:
        key = secret(token, "MLFLOW_TRACKING_TOKEN")
        address = url or first_set("MLFLOW_TRACKING_URI") or "http://localhost:5000"
        if not address.startswith(("http://", "https://")):
            raise InputError(
                "mlflow takes scores through a tracking server: set MLFLOW_TRACKING_URI to its http(s) address, or use "
                "halluscope.integrations.mlflow.log_run for a run without traces."
            )
        super().__init__(address, {"authorization": f"Bearer {key}"} if key else {})

    def ids(self, ids: Ids) -> Ids:
        return Ids(f"tr-{ids.trace.lower()}", ids.span) if _OTEL_TRACE.fullmatch(ids.trace) else ids

    def flow(self, scores: Sequence[Score]) -> Flow:
        problems: list[str] = []
        by_trace: dict[str, list[Score]] = {}
        for score in scores:
            by_trace.setdefault(score.ids.trace, []).append(score)
        for trace, on in by_trace.items():
            path = f"{_PATH}/{quote(trace, safe='')}"
            try:
                there = _sent_before((yield Request(path, method="GET")))
            except SendError as error:
                if error.status != 404:
                    raise
                problems += [f"there is no trace {trace!r}"] * len(on)
                continue
            for assessment in (one for score in on for one in _assessments(score)):
                known = there.get(assessment["metadata"][_MARK])
                if known is None:
                    yield Request(f"{path}/assessments", {"assessment": assessment})
                else:
                    fields = "feedback,rationale,metadata"
                    body = {"assessment": {**assessment, "assessment_id": known}, "update_mask": fields}
                    yield Request(f"{path}/assessments/{quote(known, safe='')}", body, method="PATCH")
        return problems


def _sent_before(answer: Any) -> dict[str, str]:
    """The ids of a trace's assessments that come from here, by the id of their score."""
    try:
        found = answer["trace"]["trace_info"].get("assessments", ())
        return {one["metadata"][_MARK]: one["assessment_id"] for one in found if _MARK in one.get("metadata", ())}
    except (KeyError, TypeError, AttributeError):
        return {}


def _assessments(score: Score) -> list[dict[str, Any]]:
    when = moment(score.at)
    common: dict[str, Any] = {
        "trace_id": score.ids.trace,
        **({"span_id": score.ids.span} if score.ids.span else {}),
        "source": {"source_type": "LLM_JUDGE", "source_id": score.result.judge},
        "create_time": when,
        "last_update_time": when,
    }
    about = {name: str(value) for name, value in score.about.items() if value is not None}
    feedback: dict[str, Any] = {"value": score.result.score}
    if score.result.score is None:
        feedback = {"error": {"error_code": score.result.outcome.value.upper(), "error_message": score.comment or ""}}
    whole = {
        **common,
        "assessment_name": score.result.metric,
        "feedback": feedback,
        "rationale": score.comment or "",
        "metadata": {_MARK: score.id, **about},
    }
    return [whole] + [
        {
            **common,
            "assessment_name": name,
            "feedback": {"value": verdict.support.value},
            "rationale": claim_comment(verdict),
            "metadata": {_MARK: f"{score.id}-{number}", "claim": verdict.claim.text},
        }
        for number, (name, verdict) in enumerate(score.claims, start=1)
    ]
