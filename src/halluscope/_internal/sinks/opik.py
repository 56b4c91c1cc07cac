"""Opik: feedback scores on traces and spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from ..core.errors import InputError
from ..core.plumbing.public import public_in
from .score import Ids, Score, claim_comment
from .sink import Flow, Request, Sink, first_set, secret

_CLOUD, _LOCAL = "https://www.comet.com/opik/api", "http://localhost:5173/api"
_MOST = 1000
"""The server takes no more feedback scores in a request."""


@public_in("halluscope.sinks")
class Opik(Sink):
    """Opik: a feedback score per metric and per claim; a claim's support is the score's category.

    Args:
        url: The address, by default OPIK_URL_OVERRIDE, or else Opik Cloud with a key and the local server without one.
        api_key: The API key, by default OPIK_API_KEY. A server of your own needs none.
        workspace: The workspace, by default OPIK_WORKSPACE.
        project: The project, by default OPIK_PROJECT_NAME.

    Example:
        >>> Opik("http://localhost:5173/api")
        Opik('http://localhost:5173/api')
    """

    name = "opik"

    def __init__(
        self,
        url: str | None = None,
        *,
        api_key: str | None = None,
        workspace: str | None = None,
        project: str | None = None,
    ) -> None:
        key = secret(api_key, "OPIK_API_KEY")
        space = workspace or first_set("OPIK_WORKSPACE")
        self.project = project or first_set("OPIK_PROJECT_NAME")
        headers = {"authorization": key, "comet-workspace": space}
        address = url or first_set("OPIK_URL_OVERRIDE") or (_CLOUD if key else _LOCAL)
        super().__init__(address, {name: text for name, text in headers.items() if text})

    def ids(self, ids: Ids) -> Ids:
        try:
            return Ids(str(UUID(ids.trace)), None if ids.span is None else str(UUID(ids.span)))
        except ValueError:
            raise InputError(
                f"{ids.span or ids.trace!r} is no id of Opik, which are UUIDs: name the column with Opik's own ids."
            ) from None

    def flow(self, scores: Sequence[Score]) -> Flow:
        for kind in ("span", "trace"):
            on = [score for score in scores if (score.ids.span is not None) == (kind == "span")]
            items = [item for score in on for item in self._items(score)]
            for start in range(0, len(items), _MOST):
                yield Request(
                    f"/v1/private/{kind}s/feedback-scores", {"scores": items[start : start + _MOST]}, method="PUT"
                )
        return ()

    def _items(self, score: Score) -> list[dict[str, Any]]:
        if score.result.score is None:
            return []
        common: dict[str, Any] = {"id": score.ids.span or score.ids.trace, "source": "sdk"}
        if self.project:
            common["project_name"] = self.project
        whole = {**common, "name": score.result.metric, "value": score.result.score, "reason": score.comment}
        return [{**whole, "category_name": score.label} if score.label else whole] + [
            {
                **common,
                "name": name,
                "value": float(verdict.support.holds),
                "category_name": verdict.support.value,
                "reason": claim_comment(verdict),
            }
            for name, verdict in score.claims
        ]
