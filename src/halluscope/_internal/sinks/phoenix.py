"""Arize Phoenix: annotations on spans and traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.plumbing.public import public_in
from .score import Score, claim_comment
from .sink import Flow, Request, Sink, first_set, secret


@public_in("halluscope.sinks")
class Phoenix(Sink):
    """Phoenix: an annotation per metric and per claim, on the span if there is one, else on the trace.

    Args:
        url: The address, by default PHOENIX_ENDPOINT, PHOENIX_COLLECTOR_ENDPOINT, or else http://localhost:6006.
        api_key: The API key, by default PHOENIX_API_KEY. A server without authentication needs none.

    Example:
        >>> Phoenix("http://localhost:6006")
        Phoenix('http://localhost:6006')
    """

    name = "phoenix"

    def __init__(self, url: str | None = None, *, api_key: str | None = None) -> None:
        key = secret(api_key, "PHOENIX_API_KEY")
        named = first_set("PHOENIX_ENDPOINT", "PHOENIX_COLLECTOR_ENDPOINT", "PHOENIX_BASE_URL")
        address = (url or named or "http://localhost:6006").rstrip("/").removesuffix("/v1/traces")
        super().__init__(address, {"authorization": f"Bearer {key}"} if key else {})

    def flow(self, scores: Sequence[Score]) -> Flow:
        for kind in ("span", "trace"):
            on = [score for score in scores if (score.ids.span is not None) == (kind == "span")]
            if on:
                yield Request(
                    f"/v1/{kind}_annotations", {"data": [data for score in on for data in _annotations(score)]}
                )
        return ()


def _annotations(score: Score) -> list[dict[str, Any]]:
    target = {"span_id": score.ids.span} if score.ids.span else {"trace_id": score.ids.trace}
    common = {**target, "annotator_kind": "LLM", "identifier": f"halluscope:{score.id}"}
    whole = {
        **common,
        "name": score.result.metric,
        "result": {"score": score.result.score, "label": score.label, "explanation": score.comment},
        "metadata": score.about,
    }
    return [whole] + [
        {
            **common,
            "name": name,
            "result": {
                "score": float(verdict.support.holds),
                "label": verdict.support.value,
                "explanation": claim_comment(verdict),
            },
            "metadata": {"confidence": verdict.confidence},
        }
        for name, verdict in score.claims
    ]
