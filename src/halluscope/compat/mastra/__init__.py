"""Mastra's scorers and evals, in snake_case.

from halluscope.compat.mastra import create_hallucination_scorer

scorer = create_hallucination_scorer(model="openai/gpt-4o", options={"context": ["A known fact."]})
scorer.run(input="A question", output="An answer").score
"""

from ..._internal.conversation import ToolResult, extract_tool_results
from ..._internal.errors import HalluscopeError, JudgeError
from ..._internal.plumbing.public import public_in
from ._agent import Agent, AgentResponse, AgentStream
from ._background import LiveScore
from ._context import GetContextParams
from ._evals import AnyScorer, EvalItem, EvalsResult, EvalSummary, arun_evals, run_evals
from ._messages import (
    create_agent_test_run,
    create_test_message,
    create_tool_invocation,
    get_assistant_message_from_run_output,
    get_combined_system_prompt,
    get_reasoning_from_run_output,
    get_system_messages_from_run_input,
    get_text_content_from_mastra_db_message,
    get_user_message_from_run_input,
)
from ._own_scorer import OwnScorer, create_scorer
from ._scorer import MastraScorer, create_faithfulness_scorer, create_hallucination_scorer
from ._scorer_run import ScorerResult
from ._thresholds import GateResult, ThresholdResult
from ._vocabulary import ScoreBand, Vocabulary

MastraError = HalluscopeError
ScorerRunError = JudgeError

__all__ = [
    "Agent",
    "AgentResponse",
    "AgentStream",
    "AnyScorer",
    "EvalItem",
    "EvalSummary",
    "EvalsResult",
    "GateResult",
    "GetContextParams",
    "LiveScore",
    "MastraError",
    "MastraScorer",
    "OwnScorer",
    "ScoreBand",
    "ScorerResult",
    "ScorerRunError",
    "ThresholdResult",
    "ToolResult",
    "Vocabulary",
    "arun_evals",
    "create_agent_test_run",
    "create_faithfulness_scorer",
    "create_hallucination_scorer",
    "create_scorer",
    "create_test_message",
    "create_tool_invocation",
    "extract_tool_results",
    "get_assistant_message_from_run_output",
    "get_combined_system_prompt",
    "get_reasoning_from_run_output",
    "get_system_messages_from_run_input",
    "get_text_content_from_mastra_db_message",
    "get_user_message_from_run_input",
    "run_evals",
]

for _name in __all__:
    if _name not in ("MastraError", "ScorerRunError"):
        public_in(__name__)(globals()[_name])
