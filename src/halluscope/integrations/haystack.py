"""Haystack: an evaluator component for pipelines."""

from __future__ import annotations

from typing import Any

from halluscope import InputError

from ._common import Check, needs, summary_of

with needs("haystack-ai", "haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict


@component
class GroundednessEvaluator:
    """Score whether answers are grounded in their contexts; the inputs are those of Haystack's FaithfulnessEvaluator.

    Args:
        judge: Name of the judge. An instance works too, but cannot be written to a pipeline file.
        metric: Name of the metric.
        options: Options of the metric and the judge.

    Example:
        >>> pipeline.add_component("groundedness", GroundednessEvaluator())
    """

    def __init__(
        self, judge: Any = "local", metric: str = "faithfulness", options: dict[str, Any] | None = None
    ) -> None:
        self.judge = judge
        self.metric = metric
        self.options = options or {}

    def to_dict(self) -> dict[str, Any]:
        """Serialize the component for a pipeline file."""
        if not isinstance(self.judge, str):
            raise InputError("a judge instance cannot be written to a pipeline file: give the judge by its name.")
        written: dict[str, Any] = default_to_dict(self, judge=self.judge, metric=self.metric, options=self.options)
        return written

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GroundednessEvaluator:
        """Deserialize the component."""
        return default_from_dict(cls, data)  # type: ignore[no-any-return]

    @component.output_types(score=float, individual_scores=list[float | None], results=list[dict[str, Any]])  # type: ignore[untyped-decorator]
    def run(
        self, questions: list[str], contexts: list[list[str]] | list[list[Document]], predicted_answers: list[str]
    ) -> dict[str, Any]:
        """Score each answer against its contexts.

        Returns:
            `score`, the mean of the scores there are (NaN where there is none); `individual_scores`, None where an
            answer has none; `results`, with the reason and the claims of each.
        """
        if not len(questions) == len(contexts) == len(predicted_answers):
            raise InputError(
                f"{len(questions)} questions, {len(contexts)} contexts and {len(predicted_answers)} answers: "
                "give the same number of each."
            )
        check = Check(self.metric, self.judge, self.options)
        results = [
            check.run(
                answer,
                [passage.content if isinstance(passage, Document) else passage for passage in passages],
                question,
            )
            for question, passages, answer in zip(questions, contexts, predicted_answers, strict=True)
        ]
        scores = [result.score for result in results if result.score is not None]
        return {
            "score": sum(scores) / len(scores) if scores else float("nan"),
            "individual_scores": [result.score for result in results],
            "results": [summary_of(result) for result in results],
        }
