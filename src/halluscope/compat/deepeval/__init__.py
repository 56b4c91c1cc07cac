"""DeepEval's Hallucination and Faithfulness: its Python classes, and the calls of its Elixir port.

from halluscope.compat.deepeval import HallucinationMetric, LLMTestCase

metric = HallucinationMetric(threshold=0.3)
metric.measure(LLMTestCase(input="…", actual_output="…", context=["…"]))
"""

from ..._internal.errors import HalluscopeError, InputError, JudgeError, MissingParameters
from ..._internal.plumbing.public import public_in
from ._evaluate import (
    AsyncConfig,
    ErrorConfig,
    EvaluationResult,
    MetricData,
    TestResult,
    a_evaluate,
    assert_test,
    evaluate,
)
from ._measuring import Faithfulness, Hallucination, Result
from ._metrics import BaseMetric, DeepEvalBaseLLM, FaithfulnessMetric, HallucinationMetric
from ._test_case import LLMTestCase, TestCase, ToolCall

ApiError = JudgeError
"""What is raised where the judge fails: `status` and `body` are those of its response."""
DeepEvalError = HalluscopeError
MissingTestCaseParamsError = MissingParameters
MismatchedTestCaseInputsError = InputError

__all__ = [
    "ApiError",
    "AsyncConfig",
    "BaseMetric",
    "DeepEvalBaseLLM",
    "DeepEvalError",
    "ErrorConfig",
    "EvaluationResult",
    "Faithfulness",
    "FaithfulnessMetric",
    "Hallucination",
    "HallucinationMetric",
    "LLMTestCase",
    "MetricData",
    "MismatchedTestCaseInputsError",
    "MissingParameters",
    "MissingTestCaseParamsError",
    "Result",
    "TestCase",
    "TestResult",
    "ToolCall",
    "a_evaluate",
    "assert_test",
    "evaluate",
]

for _name in __all__:
    if globals()[_name].__module__.startswith(__name__):
        public_in(__name__)(globals()[_name])
