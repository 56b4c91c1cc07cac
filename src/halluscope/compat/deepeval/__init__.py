"""DeepEval's Hallucination and Faithfulness: its Python classes, and the calls of its Elixir port.

from halluscope.compat.deepeval import HallucinationMetric, LLMTestCase

metric = HallucinationMetric(threshold=0.3)
metric.measure(LLMTestCase(input="…", actual_output="…", context=["…"]))
"""

from .._facade import facade

__getattr__, __all__ = facade(__name__)
