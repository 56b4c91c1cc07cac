"""Many test cases with several metrics, and the assertion for one in a test."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from ..._internal.engine.many import collected
from ..._internal.errors import HalluscopeError, InputError, MissingParameters
from ..._internal.plumbing import sync
from ._metrics import BaseMetric
from ._test_case import AnyCase, LLMTestCase, TestCase


class AsyncConfig(Struct, frozen=True):
    """How many test cases are measured at once: one where `run_async` is off."""

    run_async: bool = True
    throttle_value: float = 0
    max_concurrent: int = 20


class ErrorConfig(Struct, frozen=True):
    """What becomes of a metric that fails: it raises, or is kept; where fields are missing it can be left out."""

    ignore_errors: bool = False
    skip_on_missing_params: bool = False


class MetricData(Struct, frozen=True, kw_only=True):
    """What one metric says of one test case."""

    name: str
    threshold: float
    success: bool
    score: float | None = None
    reason: str | None = None
    strict_mode: bool = False
    evaluation_model: str | None = None
    error: str | None = None
    evaluation_cost: float | None = None


class TestResult(Struct, frozen=True, kw_only=True):
    """What all metrics say of one test case; it succeeds where all of them do, and at least one measured it."""

    __test__: ClassVar[bool] = False

    name: str
    success: bool
    metrics_data: list[MetricData]
    index: int
    conversational: bool = False
    multimodal: bool = False
    input: Any = None
    actual_output: Any = None
    expected_output: Any = None
    context: Any = None
    retrieval_context: Any = None
    metadata: dict[str, Any] | None = None


class EvaluationResult(Struct, frozen=True):
    """The results in the order of the test cases. Nothing is uploaded, so there is no link."""

    test_results: list[TestResult]
    confident_link: str | None = None
    test_run_id: str | None = None


async def a_evaluate(
    test_cases: Sequence[LLMTestCase | TestCase],
    metrics: Sequence[BaseMetric],
    *,
    hyperparameters: Mapping[str, Any] | None = None,
    identifier: str | None = None,
    async_config: AsyncConfig | None = None,
    error_config: ErrorConfig | None = None,
    display_config: Any = None,
    cache_config: Any = None,
) -> EvaluationResult:
    """Measure every test case with every metric.

    `hyperparameters`, `identifier`, `display_config` and `cache_config` are taken and do nothing.
    """
    cases = list(test_cases)
    if not cases or not metrics:
        raise InputError(f"there are no {'metrics' if cases else 'test cases'}: pass at least one.")
    errors = error_config or ErrorConfig()
    tasks = async_config or AsyncConfig()
    at_once = max(1, tasks.max_concurrent) if tasks.run_async else 1

    async def work(index: int) -> TestResult:
        measured = [await _measured(metric, cases[index], errors) for metric in metrics]
        return _told(index, cases[index], [data for data in measured if data is not None])

    return EvaluationResult(await collected(range(len(cases)), work, at_once=at_once))


evaluate = sync.blocking(a_evaluate, "evaluate")


def assert_test(test_case: LLMTestCase | TestCase, metrics: Sequence[BaseMetric], run_async: bool = True) -> None:
    """Fail, as an assertion does, where a metric does not succeed; the message names it, its score and its reason."""
    result = evaluate([test_case], metrics, async_config=AsyncConfig(run_async=run_async))
    failed = [data for data in result.test_results[0].metrics_data if not data.success]
    if failed:
        told = ", ".join(
            f"{data.name} (score: {data.score}, threshold: {data.threshold:g}, strict: {data.strict_mode}, "
            f"error: {data.error}, reason: {data.reason})"
            for data in failed
        )
        raise AssertionError(f"Metrics: {told} failed.")


async def _measured(metric: BaseMetric, case: AnyCase, errors: ErrorConfig) -> MetricData | None:
    # A metric keeps what it measured: each test case has one of its own.
    own = copy.copy(metric)
    try:
        await own.a_measure(case)
    except MissingParameters:
        if errors.skip_on_missing_params:
            return None
        if not errors.ignore_errors:
            raise
    except HalluscopeError:
        if not errors.ignore_errors:
            raise
    return MetricData(
        name=own.__name__,
        threshold=own.threshold,
        success=bool(own.success),
        score=own.score,
        reason=own.reason,
        strict_mode=own.strict_mode,
        evaluation_model=own.evaluation_model if own.error is None else None,
        error=own.error,
        evaluation_cost=own.evaluation_cost,
    )


def _told(index: int, case: AnyCase, measured: list[MetricData]) -> TestResult:
    return TestResult(
        name=case.name or f"test_case_{index}",
        success=bool(measured) and all(data.success for data in measured),
        metrics_data=measured,
        index=index,
        input=case.input,
        actual_output=case.actual_output,
        expected_output=case.expected_output,
        context=case.context,
        retrieval_context=case.retrieval_context,
        metadata=case.metadata or None,
    )
