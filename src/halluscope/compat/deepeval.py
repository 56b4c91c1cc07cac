"""DeepEval's Hallucination and Faithfulness, as its Elixir port documents them.

from halluscope.compat.deepeval import Hallucination, TestCase

case = TestCase(input="…", actual_output="…", context=["…"])
Hallucination.measure(case, threshold=0.3).success
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct

from .._internal import metrics
from .._internal.case import Case
from .._internal.engine.driver import Driver
from .._internal.errors import InputError, JudgeError, MissingParameters
from .._internal.judge import Judge, JudgeSpec
from .._internal.metric import Metric
from .._internal.metrics import Contradiction, TruthFaithfulness
from .._internal.plumbing import sync
from .._internal.result import Outcome
from .._internal.result import Result as EngineResult
from .._internal.verdict import Support
from ._failures import raise_if_failed
from ._models import judge_of

__all__ = ["ApiError", "Faithfulness", "Hallucination", "MissingParameters", "Result", "TestCase"]

ApiError = JudgeError
"""What is raised where the judge fails: `status` and `body` are those of its response."""

_DEFAULTS = {"openai": "gpt-4o-mini", "anthropic": "claude-3-haiku-20240307"}
_STATES_NOTHING = (Outcome.NO_CLAIMS, Outcome.REFUSAL)


class TestCase(Struct, frozen=True, kw_only=True):
    """What was asked, what the model answered, and the context; `retrieval_context` is another name for it."""

    __test__: ClassVar[bool] = False

    input: Any = None
    actual_output: Any = None
    context: Any = None
    retrieval_context: Any = None
    expected_output: Any = None
    metadata: dict[str, Any] = {}

    @classmethod
    def new(cls, **fields: Any) -> TestCase:
        """A test case from named fields."""
        unknown = [name for name in fields if name not in cls.__struct_fields__]
        if unknown:
            known = ", ".join(cls.__struct_fields__)
            raise InputError(f"a test case has no field {unknown[0]!r}; it takes: {known}.")
        return cls(**fields)

    def passages(self) -> tuple[str, ...]:
        """The context's passages that hold text."""
        case = Case.of("", self.retrieval_context if self.context is None else self.context)
        return tuple(text for _, text in case.passages)


class Result(Struct, frozen=True):
    """How a test case did. `success` compares score and threshold; without a score it is False.

    `details` is our own result, with the evidence, the tokens and the prompts.
    """

    metric: str
    score: float | None
    success: bool
    threshold: float
    reason: str | None
    latency_ms: int
    metadata: dict[str, Any]
    details: EngineResult


class Hallucination:
    """The share of context passages that the output contradicts; lower is better."""

    @staticmethod
    async def a_measure(
        test_case: TestCase,
        *,
        threshold: float = 0.5,
        include_reason: bool = True,
        adapter: str | None = None,
        model: JudgeSpec = None,
        **options: Any,
    ) -> Result:
        """The result for a test case; `options` are those of the metric `contradiction` (strict, prompts, …)."""
        metric = _metric(Contradiction, threshold, include_reason, options)
        return await _contradictions(metric, test_case, adapter, model)

    measure = staticmethod(sync.blocking(a_measure, "measure"))


class Faithfulness:
    """The share of claims that no truth drawn from the context contradicts; higher is better."""

    @staticmethod
    async def a_measure(
        test_case: TestCase,
        *,
        threshold: float = 0.5,
        include_reason: bool = True,
        truths_limit: int | None = None,
        adapter: str | None = None,
        model: JudgeSpec = None,
        **options: Any,
    ) -> Result:
        """The result for a test case; at most `truths_limit` truths are drawn from the context."""
        metric = _metric(TruthFaithfulness, threshold, include_reason, {**options, "truths_limit": truths_limit})
        return await _truths(metric, test_case, adapter, model)

    measure = staticmethod(sync.blocking(a_measure, "measure"))


async def _contradictions(metric: Metric, test_case: TestCase, adapter: str | None, model: JudgeSpec) -> Result:
    test_case = _checked(test_case)
    found = await _scored(metric, test_case, adapter, model)
    verdicts = [{"verdict": "yes" if v.support.holds else "no", "reason": v.reason} for v in found.verdicts]
    metadata = {"context_count": len(test_case.passages()), "verdicts": verdicts}
    return _told("Hallucination", found, found.score, metadata)


async def _truths(metric: Metric, test_case: TestCase, adapter: str | None, model: JudgeSpec) -> Result:
    found = await _scored(metric, _checked(test_case), adapter, model)
    words = {Support.SUPPORTED: "yes", Support.CONTRADICTED: "no", Support.UNSUPPORTED: "idk"}
    counted = [v for v in found.verdicts if v.support in words]
    metadata = {
        "truths": list(found.truths),
        "claims": [v.claim.text for v in counted],
        "verdicts": [{"verdict": words[v.support], "reason": v.reason} for v in counted],
    }
    # An output that claims nothing is faithful, by this tool's rule. An empty one is no output.
    score = 1.0 if found.outcome in _STATES_NOTHING else found.score
    return _told("Faithfulness", found, score, metadata)


def _checked(test_case: object) -> TestCase:
    if isinstance(test_case, TestCase):
        return test_case
    if isinstance(test_case, Mapping):
        return TestCase.new(**test_case)
    raise InputError(f"a {type(test_case).__name__} is no test case: pass a TestCase.")


async def _scored(metric: Metric, test_case: TestCase, adapter: str | None, model: JudgeSpec) -> EngineResult:
    missing = [name for name in ("input", "actual_output") if getattr(test_case, name) is None]
    passages = test_case.passages()
    if not passages:
        missing.append("context")
    if missing:
        raise MissingParameters(missing, "the test case")
    case = Case.of(test_case.actual_output, passages, test_case.input, metadata=test_case.metadata)
    result = await Driver(_judge(adapter, model)).score(metric, case)
    raise_if_failed(result)
    return result


def _metric(kind: type[Metric], threshold: float, include_reason: bool, options: dict[str, Any]) -> Metric:
    return metrics.resolve(kind, threshold=threshold, include_reason=include_reason, **options)


def _judge(adapter: str | None, model: JudgeSpec) -> Judge:
    """The judge for an adapter and a model's name; each may be left out."""
    if adapter is None:
        return judge_of(model, documented=f"openai/{_DEFAULTS['openai']}")
    provider = adapter.strip(": ").casefold()
    if model is not None and not isinstance(model, str):
        raise InputError("an adapter goes with a model's name: leave it out for a model of your own.")
    if model is None and provider not in _DEFAULTS:
        raise InputError(f"the adapter {adapter!r} needs a model: pass model=….")
    return judge_of(model or _DEFAULTS[provider], provider=provider)


def _told(name: str, found: EngineResult, score: float | None, metadata: dict[str, Any]) -> Result:
    if score is None:
        success = False
    elif found.score is None:
        success = score >= found.threshold
    else:
        success = bool(found.passed)
    latency = round(found.latency_ms)
    return Result(name, score, success, found.threshold, found.reason, latency, metadata, found)
