"""Ragas: a metric for `evaluate` and for experiments."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import halluscope

from ._common import Check, needs, no_score

with needs("ragas", "ragas"):
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics.base import MetricType, SingleTurnMetric
    from ragas.metrics.result import MetricResult


@dataclass
class Groundedness(SingleTurnMetric):  # type: ignore[misc]
    """Score whether the response is grounded in the retrieved contexts. NaN where there is no score, as Ragas has it.

    Args:
        judge: Name or instance of the judge.
        metric: Name of the halluscope metric.
        options: Options of the metric and the judge.

    Example:
        >>> evaluate(dataset, metrics=[Groundedness()])
        >>> await Groundedness().ascore(user_input="…", response="…", retrieved_contexts=["…"])
    """

    name: str = "groundedness"
    judge: Any = "local"
    metric: str = "faithfulness"
    options: dict[str, Any] = field(default_factory=dict)
    _required_columns: dict[MetricType, set[str]] = field(
        default_factory=lambda: {MetricType.SINGLE_TURN: {"user_input:optional", "response", "retrieved_contexts"}}
    )

    def init(self, run_config: Any) -> None:
        """Nothing to prepare: the judge has time limits of its own."""

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any) -> float:
        result = await self._result(sample.user_input, sample.response, sample.retrieved_contexts)
        return math.nan if result.score is None else result.score

    async def ascore(
        self, *, response: str, retrieved_contexts: list[str], user_input: str | None = None
    ) -> MetricResult:
        """Score one response, with the reason."""
        result = await self._result(user_input, response, retrieved_contexts)
        if result.score is None:
            return MetricResult(value=math.nan, reason=no_score(result))
        return MetricResult(value=result.score, reason=result.reason)

    async def _result(self, question: Any, response: Any, contexts: Any) -> halluscope.Result:
        return await Check(self.metric, self.judge, self.options).arun(response, contexts, question)
