"""pydantic-evals: an evaluator for a `Dataset`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ._common import Check, find_context, needs, score_of

with needs("pydantic-evals", "pydantic_evals"):
    from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext


@dataclass(repr=False)
class Groundedness(Evaluator[Any, Any, Any]):  # type: ignore[misc]
    """Score whether the output of a task is grounded in its context.

    The context is looked for in the output, the inputs and the metadata of a case, under a name such as `context` or
    `documents`. An output that is an object or a mapping is judged by its `answer`, `output` or `text`.

    Args:
        judge: Name of the judge. An instance works too, but cannot be written to a dataset file.
        metric: Name of the metric.
        context: Name under which the passages are found, or a function from the evaluator's context to them.
        options: Options of the metric and the judge.

    Example:
        >>> Dataset(cases=cases, evaluators=[Groundedness(context="passages")])
    """

    judge: Any = "local"
    metric: str = "faithfulness"
    context: str | Callable[[EvaluatorContext[Any, Any, Any]], Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)

    async def evaluate(self, ctx: EvaluatorContext[Any, Any, Any]) -> dict[str, EvaluationReason]:
        if callable(self.context):
            passages = self.context(ctx)
        else:
            passages = find_context(ctx.output, ctx.inputs, ctx.metadata, name=self.context)
        question = ctx.inputs if isinstance(ctx.inputs, str) else _field(ctx.inputs, "question", "query", "input")
        output = ctx.output if isinstance(ctx.output, str) else _field(ctx.output, "answer", "output", "text")
        result = await Check(self.metric, self.judge, self.options).arun(output, passages, question)
        return {
            "groundedness": EvaluationReason(value=score_of(result), reason=result.reason),
            "grounded": EvaluationReason(value=bool(result.passed), reason=result.reason),
        }


def _field(value: Any, *names: str) -> Any:
    fields = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
    return next((fields[name] for name in names if name in fields), None)
