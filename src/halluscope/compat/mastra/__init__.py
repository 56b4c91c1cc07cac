"""Mastra's scorers and evals, in snake_case.

from halluscope.compat.mastra import create_hallucination_scorer

scorer = create_hallucination_scorer(model="openai/gpt-4o", options={"context": ["A known fact."]})
scorer.run(input="A question", output="An answer").score
"""

from .._facade import facade

__getattr__, __all__ = facade(__name__)
