"""DSPy: a metric for `Evaluate` and for optimizers."""

from __future__ import annotations

from typing import Any

from ._common import ChecksFields, find_context, needs, no_score

with needs("dspy", "dspy"):
    import dspy


class Groundedness(ChecksFields):
    """Score whether a prediction is grounded in the context of the prediction or the example.

    Evaluations and optimizers that read feedback, such as GEPA, get a score with the reason as `feedback`. Optimizers
    that bootstrap demonstrations get whether the output passed. An output without a score counts as 0, with the reason.

    Args:
        judge: Name or instance of the judge.
        metric: Name of a metric of which higher scores are better.
        answer: Name of the prediction's field with the answer.
        context: Name of the field with the passages. By default a usual name.
        question: Name of the example's field with the question.
        options: Options of the metric and the judge.

    Example:
        >>> dspy.Evaluate(devset=devset, metric=Groundedness())(program)
    """

    __name__ = "groundedness"

    def __call__(
        self, example: Any, pred: Any, trace: Any = None, pred_name: Any = None, pred_trace: Any = None
    ) -> Any:
        answer, context, question = self.fields
        result = self._check.run(
            getattr(pred, answer), find_context(pred, example, name=context), getattr(example, question, None)
        )
        if trace is not None and pred_name is None:
            return bool(result.passed)
        if result.score is None:
            return dspy.Prediction(score=0.0, feedback=no_score(result))
        return dspy.Prediction(score=result.score, feedback=result.reason or "")
