"""DeepEval: a metric for `evaluate` and `assert_test`."""

from __future__ import annotations

from typing import Any

from ._common import Check, needs, no_score, score_of

with needs("deepeval", "deepeval"):
    from deepeval.metrics import BaseMetric
    from deepeval.metrics.utils import check_llm_test_case_params
    from deepeval.test_case import LLMTestCase, SingleTurnParams


class Groundedness(BaseMetric):  # type: ignore[misc]
    """Score whether the actual output is grounded in the retrieval context, else in the context, of a test case.

    Args:
        threshold: Lowest score that succeeds.
        judge: Name or instance of the judge.
        metric: Name of a metric of which higher scores are better.
        strict_mode: Whether only a perfect score succeeds.
        options: Options of the metric and the judge.

    Example:
        >>> evaluate([LLMTestCase(input="…", actual_output="…", retrieval_context=["…"])], [Groundedness()])
    """

    _required_params = [SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT]

    def __init__(
        self,
        threshold: float = 0.5,
        judge: Any = "local",
        *,
        metric: str = "faithfulness",
        strict_mode: bool = False,
        **options: Any,
    ) -> None:
        self.threshold = 1.0 if strict_mode else threshold
        self.strict_mode = strict_mode
        self.include_reason = True
        self.evaluation_model = getattr(judge, "name", str(judge))
        self._check = Check(metric, judge, options)

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        return self._keep(self._check.run(*self._parts(test_case)))

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        return self._keep(await self._check.arun(*self._parts(test_case)))

    def _parts(self, test_case: LLMTestCase) -> tuple[Any, Any, Any]:
        required = list(self._required_params)
        if test_case.context is None:
            required.append(SingleTurnParams.RETRIEVAL_CONTEXT)
        check_llm_test_case_params(test_case, required, None, None, self, None, test_case.multimodal)
        return test_case.actual_output, test_case.retrieval_context or test_case.context, test_case.input

    def _keep(self, result: Any) -> float:
        self.error = None if result.score is not None else no_score(result)
        self.score = score_of(result)
        self.reason = result.reason
        self.evaluation_cost = result.usage.cost
        self.success = self.is_successful()
        return self.score

    def is_successful(self) -> bool:
        return self.error is None and self.score is not None and self.score >= self.threshold

    @property
    def __name__(self) -> str:
        return "Groundedness"
