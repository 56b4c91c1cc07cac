"""Phoenix's HallucinationEvaluator.

from halluscope.compat.phoenix import LLM, HallucinationEvaluator

evaluator = HallucinationEvaluator(llm=LLM(model="gpt-4o", provider="openai"))
evaluator.evaluate(eval_input={"input": "…", "output": "…", "context": "…"})[0].label
"""

from ..._internal.errors import HalluscopeError, JudgeThrottled, MissingParameters, PromptError, QuestionTooLong
from ..._internal.plumbing.public import public_in
from ._evaluators import LLM, FaithfulnessEvaluator, HallucinationEvaluator, bind_evaluator
from ._frames import async_evaluate_dataframe, evaluate_dataframe
from ._score import Evaluator, Score
from ._templates import HALLUCINATION_PROMPT_TEMPLATE, PromptTemplate

PhoenixException = HalluscopeError
PhoenixContextLimitExceeded = QuestionTooLong
PhoenixTemplateMappingError = MissingParameters
PhoenixInvalidPromptTemplateError = PromptError
RateLimitError = JudgeThrottled

__all__ = [
    "HALLUCINATION_PROMPT_TEMPLATE",
    "LLM",
    "Evaluator",
    "FaithfulnessEvaluator",
    "HallucinationEvaluator",
    "PhoenixContextLimitExceeded",
    "PhoenixException",
    "PhoenixInvalidPromptTemplateError",
    "PhoenixTemplateMappingError",
    "PromptTemplate",
    "RateLimitError",
    "Score",
    "async_evaluate_dataframe",
    "bind_evaluator",
    "evaluate_dataframe",
]

for _made in (
    LLM,
    Evaluator,
    FaithfulnessEvaluator,
    HallucinationEvaluator,
    PromptTemplate,
    Score,
    async_evaluate_dataframe,
    bind_evaluator,
    evaluate_dataframe,
):
    public_in(__name__)(_made)
