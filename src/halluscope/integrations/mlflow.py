"""MLflow: a scorer for `mlflow.genai.evaluate`, and stored runs as runs of MLflow."""

from __future__ import annotations

from typing import Any

from pydantic import PrivateAttr

from halluscope import Run

from ._common import Check, claims, find_context, needs, no_score, rationale

with needs("mlflow", "mlflow"):
    import mlflow
    from mlflow.entities import AssessmentSource, Feedback
    from mlflow.genai.scorers import Scorer
    from mlflow.genai.utils.trace_utils import extract_retrieval_context_from_trace


class Groundedness(Scorer):  # type: ignore[misc]
    """Score whether outputs are grounded in the passages of the trace, or of the row.

    The passages are what the trace's retrievers returned; without a trace, the `context` of the row's inputs or
    expectations. Each claim becomes an assessment of its own, with the reason of its verdict.

    Args:
        judge: Name or instance of the judge.
        metric: Name of the metric; `faithfulness` is the share of supported claims.
        name: Name of the assessment in MLflow.
        per_claim: Whether to add an assessment for each claim.
        options: Options of the metric and the judge.

    Example:
        >>> mlflow.genai.evaluate(data=rows, scorers=[Groundedness()])
    """

    name: str = "groundedness"
    per_claim: bool = True
    _check: Check = PrivateAttr()

    def __init__(
        self,
        judge: Any = "local",
        *,
        metric: str = "faithfulness",
        name: str = "groundedness",
        per_claim: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(name=name, per_claim=per_claim)
        self._check = Check(metric, judge, options)

    def __call__(
        self, *, inputs: Any = None, outputs: Any = None, expectations: Any = None, trace: Any = None
    ) -> list[Any]:
        retrieved = [chunk["content"] for chunks in _chunks(trace) for chunk in chunks]
        result = self._check.run(outputs, retrieved or find_context(inputs, expectations), _question(inputs))
        source = AssessmentSource(source_type="LLM_JUDGE", source_id=result.judge)
        about = {"metric": result.metric, "metric_version": result.metric_version, "outcome": result.outcome.value}
        if result.score is None:
            return [Feedback(name=self.name, error=no_score(result), source=source, metadata=about)]
        whole = Feedback(name=self.name, value=result.score, rationale=result.reason, source=source, metadata=about)
        return [whole] + [
            Feedback(
                name=f"{self.name}/claim_{number}",
                value=verdict.support.value,
                rationale=rationale(verdict),
                source=source,
                metadata={"claim": verdict.claim.text},
            )
            for number, verdict in enumerate(result.verdicts if self.per_claim else (), start=1)
        ]


def log_run(run: Run | str, experiment: str | None = None) -> str:
    """Log a stored run to MLflow: a metric for each mean, a table of all results.

    Args:
        run: A run, or its name in the store.
        experiment: Name of the experiment; the active one by default.

    Returns:
        The id of the run in MLflow.
    """
    stored = Run(run) if isinstance(run, str) else run
    if experiment:
        mlflow.set_experiment(experiment)
    with mlflow.start_run(run_name=stored.name, tags={"halluscope.run": stored.name}) as logged:
        for metric in stored.summary().metrics:
            for name in ("mean", "pass_rate", "coverage"):
                figure = getattr(metric, name)
                if figure is not None:
                    mlflow.log_metric(f"{metric.metric}/{name}", figure)
        rows = [
            {
                "case": result.case_id,
                "output": case.output,
                "metric": result.metric,
                "score": result.score,
                "passed": result.passed,
                "outcome": result.outcome.value,
                "reason": result.reason,
                "claims": claims(result),
            }
            for case, result in stored.pairs()
        ]
        if rows:
            mlflow.log_table({key: [row[key] for row in rows] for key in rows[0]}, "halluscope/results.json")
        return str(logged.info.run_id)


def _chunks(trace: Any) -> Any:
    return extract_retrieval_context_from_trace(trace).values()


def _question(inputs: Any) -> Any:
    if not isinstance(inputs, dict):
        return inputs
    return next((inputs[key] for key in ("question", "query", "input", "messages") if key in inputs), None)
