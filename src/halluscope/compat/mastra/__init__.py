"""Mastra's scorers and evals, in snake_case.

from halluscope.compat.mastra import create_hallucination_scorer

scorer = create_hallucination_scorer(model="openai/gpt-4o", options={"context": ["A known fact."]})
scorer.run(input="A question", output="An answer").score
"""

from ..._internal.plumbing.public import public_in
from ._agent import Agent, AgentResponse, LiveScore
from ._context import GetContextParams
from ._evals import EvalItem, EvalsResult, EvalSummary, Scoring, arun_evals, run_evals
from ._scorer import MastraScorer, ScorerResult, create_faithfulness_scorer, create_hallucination_scorer
from ._tools import ToolResult, extract_tool_results
from ._vocabulary import Vocabulary

__all__ = [
    "Agent",
    "AgentResponse",
    "EvalItem",
    "EvalSummary",
    "EvalsResult",
    "GetContextParams",
    "LiveScore",
    "MastraScorer",
    "ScorerResult",
    "Scoring",
    "ToolResult",
    "Vocabulary",
    "arun_evals",
    "create_faithfulness_scorer",
    "create_hallucination_scorer",
    "extract_tool_results",
    "run_evals",
]

for _name in __all__:
    public_in(__name__)(globals()[_name])
