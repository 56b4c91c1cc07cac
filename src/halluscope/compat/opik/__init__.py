"""Opik's Hallucination metric.

from halluscope.compat.opik import Hallucination

Hallucination().score(input="…", output="…", context=["…"]).value
"""

from ..._internal.errors import HalluscopeError, JudgeError, MissingParameters, ReplyError
from ..._internal.plumbing.public import public_in
from ._chat_models import LiteLLMChatModel, OpikBaseModel
from ._hallucination import FEW_SHOT_EXAMPLES, Hallucination, ScoreResult

OpikException = HalluscopeError
MetricComputationError = JudgeError
"""What is raised where the judge fails, or its answer cannot be used."""
BaseLLMError = JudgeError
JSONParsingError = ReplyError
ScoreMethodMissingArguments = MissingParameters

__all__ = [
    "FEW_SHOT_EXAMPLES",
    "BaseLLMError",
    "Hallucination",
    "JSONParsingError",
    "LiteLLMChatModel",
    "MetricComputationError",
    "OpikBaseModel",
    "OpikException",
    "ScoreMethodMissingArguments",
    "ScoreResult",
]

for _made in (Hallucination, LiteLLMChatModel, OpikBaseModel, ScoreResult):
    public_in(__name__)(_made)
