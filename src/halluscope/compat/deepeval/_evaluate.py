"""Many test cases with several metrics, the assertion for one in a test, and datasets that test cases come from."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from ..._internal.core.errors import InputError, MissingParameters
from ..._internal.core.plumbing import sync
from ..._internal.core.plumbing.user_functions import call as called
from ..._internal.engine.many import collected
from ._test_case import AnyCase, Fields, case_of


class AsyncConfig(Struct, frozen=True):
    """How many test cases are measured at once: one where `run_async` is off."""

    run_async: bool = True
    throttle_value: float = 0
    max_concurrent: int = 20


class ErrorConfig(Struct, frozen=True):
    """Whether a metric that fails raises or is kept, and whether one with missing fields is left out."""

    ignore_errors: bool = False
    skip_on_missing_params: bool = False


class DisplayConfig(Struct, frozen=True):
    """How DeepEval shows an evaluation. It is taken and does nothing: nothing is printed here."""

    show_indicator: bool = True
    print_results: bool = True
    verbose_mode: bool | None = None


class CacheConfig(Struct, frozen=True):
    """Whether DeepEval caches results. It is taken and does nothing: replies are cached by the store of a run."""

    write_cache: bool = True
    use_cache: bool = False


class MetricData(Struct, frozen=True, kw_only=True):
    """What one metric says of one test case."""

    name: str
    threshold: float | None
    success: bool | None
    score: float | None = None
    reason: str | None = None
    strict_mode: bool = False
    evaluation_model: str | None = None
    error: str | None = None
    evaluation_cost: float | None = None
    verbose_logs: str | None = None
    skipped: bool = False


class TestResult(Fields, frozen=True, kw_only=True):  # type: ignore[misc]
    """What all metrics say of one test case; it succeeds where none fails, and at least one measured it."""

    __test__: ClassVar[bool] = False

    success: bool
    metrics_data: list[MetricData]
    index: int
    conversational: bool = False
    multimodal: bool = False
    metadata: dict[str, Any] | None = None


class EvaluationResult(Struct, frozen=True):
    """The results in the order of the test cases. Nothing is uploaded, so there is no link."""

    test_results: list[TestResult]
    confident_link: str | None = None
    test_run_id: str | None = None


_TOLD = ("threshold", "score", "reason", "strict_mode", "error", "evaluation_cost", "verbose_logs")


async def a_evaluate(
    test_cases: Any,
    metrics: Sequence[Any],
    *,
    hyperparameters: Mapping[str, Any] | None = None,
    identifier: str | None = None,
    async_config: AsyncConfig | None = None,
    error_config: ErrorConfig | None = None,
    display_config: Any = None,
    cache_config: Any = None,
) -> EvaluationResult:
    """Measure every test case with every metric.

    Args:
        test_cases: A list of test cases, ours or DeepEval's, or an `EvaluationDataset`.
        metrics: Metrics, ours, your own or DeepEval's, or classes of them.
        hyperparameters: Taken, and does nothing, as do `identifier`, `display_config` and `cache_config`.
        async_config: How many test cases are measured at the same time.
        error_config: Whether a metric that fails raises.

    Returns:
        The results of each test case, in order.

    Raises:
        InputError: There are no test cases or metrics.

    Example:
        >>> evaluate([test_case], [HallucinationMetric()]).test_results[0].success
        True
    """
    cases = [case_of(case) for case in getattr(test_cases, "test_cases", test_cases)]
    if not cases or not metrics:
        raise InputError(f"there are no {'metrics' if cases else 'test cases'}: pass at least one.")
    metrics = [_metric(metric) for metric in metrics]
    errors = error_config or ErrorConfig()
    tasks = async_config or AsyncConfig()
    at_once = max(1, tasks.max_concurrent) if tasks.run_async else 1

    async def work(index: int) -> TestResult:
        measured = [await _measured(metric, cases[index], errors) for metric in metrics]
        return _told(index, cases[index], [data for data in measured if data is not None])

    return EvaluationResult(await collected(range(len(cases)), work, at_once=at_once))


evaluate = sync.blocking(a_evaluate, "evaluate")


def assert_test(test_case: Any, metrics: Sequence[Any], run_async: bool = True) -> None:
    """Assert that every metric succeeds on a test case.

    Args:
        test_case: The test case.
        metrics: The metrics, as for `evaluate`.
        run_async: Taken, and does nothing for a single test case.

    Raises:
        AssertionError: A metric does not succeed. The message has its score and its reason.
    """
    result = evaluate([test_case], metrics, async_config=AsyncConfig(run_async=run_async))
    failed = [data for data in result.test_results[0].metrics_data if data.success is False]
    if failed:
        told = ", ".join(
            f"{data.name} (score: {data.score}, threshold: {data.threshold}, strict: {data.strict_mode}, "
            f"error: {data.error}, reason: {data.reason})"
            for data in failed
        )
        raise AssertionError(f"Metrics: {told} failed.")


def _metric(metric: Any) -> Any:
    if isinstance(metric, type):
        return getattr(metric, "metric_class", metric)()
    if not hasattr(metric, "measure") and not hasattr(metric, "a_measure"):
        raise InputError(f"a {type(metric).__name__} is no metric: pass HallucinationMetric(…) or the like.")
    return metric


async def _measured(metric: Any, case: AnyCase, errors: ErrorConfig) -> MetricData | None:
    # A metric keeps what it measured: each test case has one of its own.
    own = copy.copy(metric)
    own.error = None
    try:
        await called(own.a_measure if hasattr(own, "a_measure") else own.measure, case)
    except Exception as error:  # a metric of the user's own raises what it likes
        missing = isinstance(error, MissingParameters) or type(error).__name__ == "MissingTestCaseParamsError"
        if missing and errors.skip_on_missing_params:
            return None
        if not errors.ignore_errors:
            raise
        own.error, own.success = str(error), False
    if own.success is None and own.error is None and hasattr(own, "is_successful"):
        own.success = own.is_successful()
    told = {name: getattr(own, name) for name in _TOLD}
    success = None if own.success is None else bool(own.success)
    model = own.evaluation_model if own.error is None else None
    return MetricData(name=own.__name__, success=success, evaluation_model=model, skipped=bool(own.skipped), **told)


def _told(index: int, case: AnyCase, measured: list[MetricData]) -> TestResult:
    fields = {name: getattr(case, name) for name in Fields.__struct_fields__}
    return TestResult(
        **{**fields, "name": case.name or f"test_case_{index}"},
        success=bool(measured) and all(data.success is not False for data in measured),
        metrics_data=measured,
        index=index,
        metadata=case.metadata or None,
    )


class Golden(Fields, kw_only=True):
    """An input to test an application with, and what is expected of it."""

    input: Any
    additional_metadata: dict[str, Any] | None = None
    tools_called: Any = None
    expected_tools: Any = None
    comments: str | None = None
    source_file: str | None = None


class EvaluationDataset:
    """Goldens, and the test cases that were made of them.

    Args:
        goldens: Inputs to test an application with.
        test_cases: Test cases that are there already.

    Example:
        >>> dataset = EvaluationDataset([Golden(input="When did it close?")])
        >>> for golden in dataset.evals_iterator([HallucinationMetric()]):
        ...     dataset.add_test_case(LLMTestCase(input=golden.input, actual_output=app(golden.input), context=facts))
    """

    def __init__(self, goldens: Iterable[Golden] = (), test_cases: Iterable[Any] = ()) -> None:
        self.goldens = list(goldens)
        self.test_cases: list[AnyCase] = [case_of(case) for case in test_cases]
        self.results: EvaluationResult | None = None

    def add_golden(self, golden: Golden) -> None:
        """Add a golden."""
        if not hasattr(golden, "input"):
            raise InputError(f"a {type(golden).__name__} is no golden: pass a Golden.")
        self.goldens.append(golden)

    def add_test_case(self, test_case: Any) -> None:
        """Add a test case."""
        self.test_cases.append(case_of(test_case))

    def evals_iterator(self, metrics: Sequence[Any] = (), **options: Any) -> Iterator[Golden]:
        """Yield the goldens: call your application with each, and add a test case of what it says.

        Args:
            metrics: Metrics with which the test cases are evaluated at the end; `results` has what came of it.
            options: Options of `evaluate`.
        """
        yield from self.goldens
        if metrics:
            self.results = self.evaluate(metrics, **options)

    def evaluate(self, metrics: Sequence[Any], **options: Any) -> EvaluationResult:
        """Measure every test case with every metric; see `evaluate`."""
        return evaluate(self.test_cases, metrics, **options)
