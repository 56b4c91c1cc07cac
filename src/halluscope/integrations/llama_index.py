"""LlamaIndex: an evaluator for responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._common import Check, needs, no_score

with needs("llama-index-core", "llama_index"):
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult


class GroundednessEvaluator(BaseEvaluator):  # type: ignore[misc]
    """Score whether a response is grounded in the contexts, or in the source nodes of a `Response`.

    Args:
        judge: Name or instance of the judge.
        metric: Name of the metric.
        options: Options of the metric and the judge.

    Example:
        >>> GroundednessEvaluator().evaluate_response(query="…", response=query_engine.query("…"))
    """

    def __init__(self, judge: Any = "local", *, metric: str = "faithfulness", **options: Any) -> None:
        self._check = Check(metric, judge, options)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: dict[str, Any]) -> None:
        """Nothing to update: prompts are an option of the metric."""

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        result = await self._check.arun(response, None if contexts is None else list(contexts), query)
        given = {"query": query, "response": response, "contexts": contexts}
        if result.score is None:
            return EvaluationResult(**given, invalid_result=True, invalid_reason=no_score(result))
        return EvaluationResult(**given, score=result.score, passing=result.passed, feedback=result.reason)
