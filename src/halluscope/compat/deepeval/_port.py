"""DeepEval's Elixir port: its two metrics, and its evaluator with telemetry events."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from ..._internal.core.errors import HalluscopeError, InputError, MissingParameters
from ..._internal.core.plumbing import sync
from ..._internal.core.plumbing.time_limit import time_limit
from ..._internal.engine.many import collected
from .._callables import whole_number
from .._models import check_keys
from ._metrics import FaithfulnessMetric, HallucinationMetric, JudgedMetric, Result
from ._test_case import LLMTestCase, TestCase, case_of


class _PortMetric:
    """A metric of the port. It keeps nothing: each measurement is a result."""

    metric_class: ClassVar[type[JudgedMetric]]

    @classmethod
    def metric_name(cls) -> str:
        """What results call the metric."""
        return cls.__name__

    @classmethod
    def required_params(cls) -> list[str]:
        """The fields that a test case needs."""
        return list(cls.metric_class.needs)

    @classmethod
    async def a_measure(cls, test_case: TestCase | LLMTestCase | Mapping[str, Any], **options: Any) -> Result:
        """The result for a test case.

        Args:
            test_case: The test case, or a dictionary with its fields.
            options: `threshold` (0.5), `include_reason` (True), `adapter` and `model`; for Faithfulness also
                `truths_extraction_limit` and `penalize_ambiguous_claims`; what the engine's metric takes (`strict`,
                `prompts`, …) and what the judge takes (`base_url`, `api_key`, `timeout`, `seed`, `temperature`, …).
        """
        return await cls.metric_class(**options).result_of(test_case)

    @classmethod
    def measure(cls, test_case: TestCase | LLMTestCase | Mapping[str, Any], **options: Any) -> Result:
        """Like `a_measure`, without awaiting."""
        return sync.run(cls.a_measure(test_case, **options))


class Hallucination(_PortMetric):
    """The share of context passages that the output contradicts; lower is better."""

    metric_class = HallucinationMetric


class Faithfulness(_PortMetric):
    """The share of claims that no truth drawn from the context contradicts; higher is better."""

    metric_class = FaithfulnessMetric


OnEvent = Callable[[tuple[str, ...], dict[str, Any], dict[str, Any]], Any]


async def a_evaluate_batch(
    test_cases: Sequence[Any],
    metrics: Sequence[Any],
    *,
    concurrency: int | None = None,
    timeout: float = 60_000,
    on_event: OnEvent | None = None,
    **options: Any,
) -> list[list[Result]]:
    """Measure every test case with every metric class: a list of results for each case.

    Args:
        test_cases: Test cases, or dictionaries with their fields.
        metrics: `Hallucination`, `Faithfulness`, or a pair of one and options of its own.
        concurrency: How many cases are measured at once.
        timeout: Milliseconds, as in the port, that a test case may take.
        on_event: Called with (event, measurements, metadata) for each of the port's telemetry events:
            ("deep_eval_ex", "evaluation" or "metric", "start", "stop" or "exception").
        options: Options for all metrics: `threshold`, `model`, `adapter`, …

    Returns:
        For each test case the metrics' results. One that fails has no score, and says why in `reason`.
    """
    cases = [case_of(case) for case in test_cases]
    chosen = [(metric[0], dict(metric[1])) if isinstance(metric, tuple) else (metric, {}) for metric in metrics]
    for metric, _ in chosen:
        if not hasattr(metric, "metric_name") or not hasattr(metric, "a_measure"):
            raise InputError(f"{metric!r} is no metric of the port: pass Hallucination or Faithfulness.")
    check_keys(metric.metric_class(**{**own, **options}) for metric, own in chosen if hasattr(metric, "metric_class"))
    at_once = 2 * (os.cpu_count() or 1) if concurrency is None else whole_number("concurrency", concurrency, 1)

    def tell(what: str, state: str, measured: Mapping[str, Any], **about: Any) -> None:
        if on_event is not None:
            on_event(("deep_eval_ex", what, state), dict(measured), about)

    async def work(case: Any) -> list[Result]:
        until = time.monotonic() + timeout / 1000
        return [await one(case, metric, own, until) for metric, own in chosen]

    async def one(case: Any, metric: Any, own: dict[str, Any], until: float) -> Result:
        name, began = metric.metric_name(), time.monotonic()
        tell("metric", "start", {"system_time": time.time_ns()}, metric=name, test_case_id=case.name)
        try:
            async with time_limit(max(0.0, until - began)):
                found: Result = await metric.a_measure(case, **{**own, **options})
        except (asyncio.TimeoutError, HalluscopeError) as error:
            tell("metric", "exception", {"duration": _since(began)}, metric=name, error=error)
            return Result(name, None, False, _threshold(own, options), _words(error), _since(began), {})
        tell("metric", "stop", {"duration": _since(began), "score": found.score}, metric=name, test_case_id=case.name)
        return found

    began = time.monotonic()
    tell("evaluation", "start", {"test_case_count": len(cases), "metric_count": len(chosen)})
    results = await collected(cases, work, at_once=at_once)
    tell("evaluation", "stop", {"duration": _since(began), "test_case_count": len(cases)})
    return results


evaluate_batch = sync.blocking(a_evaluate_batch, "evaluate_batch")


class Evaluator:
    """The port's `Evaluator`: `evaluate` is `evaluate_batch`."""

    a_evaluate = staticmethod(a_evaluate_batch)
    evaluate = staticmethod(evaluate_batch)

    @staticmethod
    def evaluate_single(test_case: Any, metrics: Sequence[Any], **options: Any) -> list[Result]:
        """The results of one test case."""
        return evaluate_batch([test_case], metrics, **options)[0]


def _since(began: float) -> int:
    return round(1000 * (time.monotonic() - began))


def _threshold(*options: Mapping[str, Any]) -> float:
    return next((float(given["threshold"]) for given in options[::-1] if "threshold" in given), 0.5)


def _words(error: Exception) -> str:
    if isinstance(error, MissingParameters):
        return f"Missing required parameters: {', '.join(error.names)}"
    return "The evaluation timed out." if isinstance(error, asyncio.TimeoutError) else str(error)
