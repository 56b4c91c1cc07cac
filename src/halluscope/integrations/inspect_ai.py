"""Inspect: a scorer for tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._common import Check, claims, find_context, needs, no_score

with needs("inspect-ai", "inspect_ai"):
    from inspect_ai.model import ChatMessageTool
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState


@scorer(metrics=[mean(), stderr()])  # type: ignore[untyped-decorator]
def groundedness(
    judge: Any = "local",
    metric: str = "faithfulness",
    context: str | Callable[[TaskState], Any] | None = None,
    **options: Any,
) -> Scorer:
    """Score whether the answer is grounded in what tools returned, else in the sample's context.

    Args:
        judge: Name or instance of the judge.
        metric: Name of the metric.
        context: Name of the metadata field with the passages, or a function from the task's state to them.
        options: Options of the metric and the judge.

    Example:
        >>> Task(dataset=dataset, solver=generate(), scorer=groundedness())
    """
    check = Check(metric, judge, options)

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        result = await check.arun(answer, _passages(state, context), state.input_text)
        if result.score is None:
            return Score.unscored(reason=result.outcome.value, answer=answer, explanation=no_score(result))
        return Score(
            value=result.score,
            answer=answer,
            explanation=result.reason,
            metadata={"judge": result.judge, "passed": result.passed, "claims": claims(result)},
        )

    return score


def _passages(state: TaskState, context: str | Callable[[TaskState], Any] | None) -> Any:
    if callable(context):
        return context(state)
    returned = [message.text for message in state.messages if isinstance(message, ChatMessageTool)]
    return returned if returned and context is None else find_context(state.metadata, state.store, name=context)
