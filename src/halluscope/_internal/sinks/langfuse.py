"""Langfuse: scores on traces and observations."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import msgspec

from ..core.errors import InputError, SendError
from ..core.plumbing.public import public_in
from .score import Score, claim_comment
from .sink import Flow, Request, Sink, first_set, secret

_PATH = "/api/public/scores"
_MOST_BYTES = 900_000
"""The server takes bodies of 1 MiB."""


@public_in("halluscope.sinks")
class Langfuse(Sink):
    """Langfuse: a numeric score per metric, a categorical one per claim.

    Args:
        url: The address, by default LANGFUSE_BASE_URL, LANGFUSE_HOST, or else Langfuse Cloud in the EU.
        public_key: The public key, by default LANGFUSE_PUBLIC_KEY.
        secret_key: The secret key, by default LANGFUSE_SECRET_KEY.

    Raises:
        InputError: If a key is missing.

    Example:
        >>> Langfuse("http://localhost:3000", public_key="pk-lf-1", secret_key="sk-lf-1")
        Langfuse('http://localhost:3000')
    """

    name = "langfuse"

    def __init__(self, url: str | None = None, *, public_key: str | None = None, secret_key: str | None = None) -> None:
        public, private = secret(public_key, "LANGFUSE_PUBLIC_KEY"), secret(secret_key, "LANGFUSE_SECRET_KEY")
        if not public or not private:
            raise InputError("langfuse needs both keys of a project: set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY.")
        both = base64.b64encode(f"{public}:{private}".encode()).decode()
        address = url or first_set("LANGFUSE_BASE_URL", "LANGFUSE_HOST") or "https://cloud.langfuse.com"
        super().__init__(address, {"authorization": f"Basic {both}"})

    def flow(self, scores: Sequence[Score]) -> Flow:
        problems: list[str] = []
        for batch in _batches([body for score in scores for body in _bodies(score)]):
            try:
                answer = yield Request(_PATH, batch)
            except SendError as error:
                if error.status != 400:
                    raise
                problems += yield from _one_by_one(batch)  # earlier servers take no lists
            else:
                rejected = answer.get("errors") if isinstance(answer, dict) else None
                problems += [str(one.get("message", one)) for one in rejected or ()]
        return problems


def _one_by_one(batch: list[dict[str, Any]]) -> Flow:
    problems = []
    for body in batch:
        try:
            yield Request(_PATH, body)
        except SendError as error:
            if error.status not in (400, 404, 422):
                raise
            problems.append(str(error))
    return problems


def _bodies(score: Score) -> list[dict[str, Any]]:
    on = {"traceId": score.ids.trace, **({"observationId": score.ids.span} if score.ids.span else {})}
    if score.result.score is None:
        return []
    whole = {
        "id": score.id,
        **on,
        "name": score.result.metric,
        "value": score.result.score,
        "dataType": "NUMERIC",
        "comment": score.comment,
        "metadata": score.about,
    }
    return [whole] + [
        {
            "id": f"{score.id}-{number}",
            **on,
            "name": name,
            "value": verdict.support.value,
            "dataType": "CATEGORICAL",
            "comment": claim_comment(verdict),
        }
        for number, (name, verdict) in enumerate(score.claims, start=1)
    ]


def _batches(bodies: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    batches: list[list[dict[str, Any]]] = []
    room = 0
    for body in bodies:
        size = len(msgspec.json.encode(body)) + 1
        if size > room:
            batches.append([])
            room = _MOST_BYTES
        batches[-1].append(body)
        room -= size
    return batches
