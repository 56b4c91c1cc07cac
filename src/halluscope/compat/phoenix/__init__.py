"""Phoenix's HallucinationEvaluator.

from halluscope.compat.phoenix import LLM, HallucinationEvaluator

evaluator = HallucinationEvaluator(llm=LLM(model="gpt-4o", provider="openai"))
evaluator.evaluate(eval_input={"input": "…", "output": "…", "context": "…"})[0].label
"""

from .._facade import facade

__getattr__, __all__ = facade(__name__)
