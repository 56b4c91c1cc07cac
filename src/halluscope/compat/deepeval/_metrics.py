"""DeepEval's metrics as its Python package has them: an object that keeps what it measured last."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..._internal.errors import HalluscopeError
from ..._internal.judge import JudgeSpec
from ..._internal.metrics import Contradiction, TruthFaithfulness
from ..._internal.plumbing import sync
from .._callables import NamedValues
from ._measuring import Result, Supporting, contradictions, judging_for, made_metric, truths
from ._test_case import LLMTestCase, TestCase


class DeepEvalBaseLLM(ABC):
    """A model of your own: `generate` takes a prompt and returns the text of the reply; `a_generate` may do so too."""

    def __init__(self, model: str | None = None) -> None:
        self.name = model

    def load_model(self) -> Any:
        """The model behind it, where there is one."""
        return self

    @abstractmethod
    def generate(self, prompt: str) -> str:
        """The reply to a prompt."""

    async def a_generate(self, prompt: str) -> str:
        """The same, awaited. Where it is not there, `generate` is called in a thread."""
        raise NotImplementedError

    def get_model_name(self) -> str:
        """What results call the model."""
        return self.name or type(self).__name__


class BaseMetric(ABC):
    """What the two metrics share. After `measure`: `score`, `reason`, `success`, `evaluation_cost`, `error`."""

    __name__: str
    threshold: float

    def __init__(
        self,
        threshold: float,
        model: JudgeSpec,
        include_reason: bool,
        async_mode: bool,
        strict_mode: bool,
        verbose_mode: bool,
        options: dict[str, Any],
    ) -> None:
        self.threshold = threshold
        self.include_reason = include_reason
        self.async_mode = async_mode
        self.strict_mode = strict_mode
        self.verbose_mode = verbose_mode
        self.model = model
        self._judging = judging_for(None, model, options)
        self._own_options = options
        self.score: float | None = None
        self.reason: str | None = None
        self.success: bool | None = None
        self.error: str | None = None
        self.evaluation_cost: float | None = None
        self.verdicts: list[Any] = []
        self.details: Result | None = None

    @property
    def evaluation_model(self) -> str:
        """The name of the judge."""
        return self._judging.judge.name

    async def a_measure(self, /, test_case: LLMTestCase | TestCase, *_: Any, **_ignored: Any) -> float | None:
        """The score of a test case; it, its reason and the rest stay on the metric. A judge that fails raises."""
        self.score = self.reason = self.success = self.error = self.evaluation_cost = self.details = None
        self.verdicts = []
        try:
            told = await self._measured(test_case)
        except HalluscopeError as error:
            self.error, self.success = str(error), False
            raise
        self.details = told
        self.verdicts = [NamedValues(verdict) for verdict in told.metadata["verdicts"]]
        self.evaluation_cost = told.evaluation_cost
        self.score, self.reason = self._strictly(told)
        self.is_successful()
        return self.score

    measure = sync.blocking_method(a_measure, "measure")

    def is_successful(self) -> bool:
        """Whether the score is on the right side of the threshold; never where there is none."""
        self.success = self.error is None and self.score is not None and self._passes(self.score)
        return self.success

    def _strictly(self, told: Result) -> tuple[float | None, str | None]:
        """The score and its reason; in strict mode everything that does not pass has the worst score."""
        if not self.strict_mode or told.score is None or self._passes(told.score):
            return told.score, told.reason
        worst = self._worst
        if told.reason is None or told.score == worst:
            return worst, told.reason
        return worst, f"In strict mode the score is {worst:g}: nothing may be wrong. Without it: {told.reason}"

    _worst: float

    @abstractmethod
    def _passes(self, score: float) -> bool: ...

    @abstractmethod
    async def _measured(self, test_case: Any) -> Result: ...


class HallucinationMetric(BaseMetric):
    """The share of context passages that the output contradicts; it passes up to the threshold.

    `strict_mode` allows none: the threshold is 0, and the score 1 where one is contradicted. A
    passage is contradicted or not, so `penalize_ambiguous_claims` has nothing to do.
    """

    __name__ = "Hallucination"
    _worst = 1.0

    def __init__(
        self,
        threshold: float = 0.5,
        model: JudgeSpec = None,
        include_reason: bool = True,
        async_mode: bool = True,
        strict_mode: bool = False,
        verbose_mode: bool = False,
        penalize_ambiguous_claims: bool = False,
        **options: Any,
    ) -> None:
        held_to = 0.0 if strict_mode else threshold
        super().__init__(held_to, model, include_reason, async_mode, strict_mode, verbose_mode, options)
        self.penalize_ambiguous_claims = penalize_ambiguous_claims
        chosen = {"threshold": held_to, "include_reason": include_reason}
        self._metric = made_metric(Contradiction, {**self._own_options, **chosen})

    def _passes(self, score: float) -> bool:
        return score <= self.threshold

    async def _measured(self, test_case: Any) -> Result:
        return await contradictions(self._metric, test_case, self._judging)


class FaithfulnessMetric(BaseMetric):
    """The share of claims that no truth drawn from the context contradicts; it passes from the threshold on.

    `strict_mode` allows none: the threshold is 1, and the score 0 where one is contradicted. With
    `penalize_ambiguous_claims` a claim that the truths do not settle is not faithful. At most
    `truths_extraction_limit` truths are drawn from the context.
    """

    __name__ = "Faithfulness"
    _worst = 0.0

    def __init__(
        self,
        threshold: float = 0.5,
        model: JudgeSpec = None,
        include_reason: bool = True,
        async_mode: bool = True,
        strict_mode: bool = False,
        verbose_mode: bool = False,
        truths_extraction_limit: int | None = None,
        penalize_ambiguous_claims: bool = False,
        **options: Any,
    ) -> None:
        held_to = 1.0 if strict_mode else threshold
        super().__init__(held_to, model, include_reason, async_mode, strict_mode, verbose_mode, options)
        self.truths_extraction_limit = truths_extraction_limit
        self.penalize_ambiguous_claims = penalize_ambiguous_claims
        self.truths: list[str] = []
        self.claims: list[str] = []
        chosen = {"threshold": held_to, "include_reason": include_reason, "truths_limit": truths_extraction_limit}
        kind = Supporting if penalize_ambiguous_claims else TruthFaithfulness
        self._metric = made_metric(kind, {**self._own_options, **chosen})

    def _passes(self, score: float) -> bool:
        return score >= self.threshold

    async def _measured(self, test_case: Any) -> Result:
        told = await truths(self._metric, test_case, self._judging)
        self.truths, self.claims = told.metadata["truths"], told.metadata["claims"]
        return told
