"""Scoring as a column of a Spark DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from ..core.errors import InputError, MissingExtra
from ..core.plumbing.public import public_in, renamed_retry_policy
from ..core.result import Result
from ..engine.driver import RetryPolicy
from ..engine.judge import JudgeSpec
from ..engine.metrics import MetricSpec
from ..runs.datasets import BadRow, Row, open_data
from ..runs.runner.evaluation import AT_ONCE
from .worker_scoring import Recipe, WorkerScoring, made_recipe

if TYPE_CHECKING:
    import pandas

FIELDS = {
    "score": "double",
    "label": "string",
    "passed": "boolean",
    "outcome": "string",
    "reason": "string",
    "verdicts": "string",
    "calls": "long",
    "cost": "double",
}
"""The fields of the column. `verdicts` is JSON."""
_COLUMNS = ("output", "context", "input")


@public_in("halluscope.distributed")
@renamed_retry_policy
def spark_udf(
    metric: MetricSpec = "hallucination",
    judge: JudgeSpec = None,
    *,
    tasks: int | None = None,
    concurrency: int | None = None,
    calls_per_minute: float | None = None,
    profile: str | None = None,
    retry_policy: RetryPolicy | None = None,
    **options: Any,
) -> Any:
    """Create a pandas UDF that scores the columns output, context and, optionally, input.

    Args:
        metric: The metric.
        judge: Name or instance of the judge.
        tasks: Spark tasks that run at the same time. By default one for each core of the session.
        concurrency: Judge calls at the same time, divided evenly among the tasks.
        calls_per_minute: Judge calls per minute, divided evenly among the tasks.
        profile: Name of a profile made by `halluscope calibrate`.
        retry_policy: Limits of retries and time.
        options: Options of the metric and, for a judge given by name, of the judge.

    Returns:
        A UDF whose result is a struct: score, label, passed, outcome, reason, verdicts (as JSON), calls and cost. A row
        that cannot be read has the outcome `bad_row` and a reason.

    Raises:
        InputError: An argument is invalid, or the judge cannot be pickled.
        MissingExtra: Spark is not installed.

    Example:
        >>> df.withColumn("judged", spark_udf("hallucination")("answer", "contexts", "question"))
    """
    try:
        from pyspark import cloudpickle
        from pyspark.sql import SparkSession
        from pyspark.sql.functions import pandas_udf
    except ImportError as error:
        raise MissingExtra("spark", "scoring on Spark") from error
    recipe = made_recipe(metric, judge, profile, retry_policy, options)
    if len(recipe.metrics) != 1:
        raise InputError("a column holds the results of one metric: make one `spark_udf` for each.")
    session = SparkSession.getActiveSession()
    if tasks is None:
        tasks = 1 if session is None else int(session.sparkContext.defaultParallelism)
    if tasks < 1:
        raise InputError(f"`tasks` must be 1 or more, not {tasks}.")
    at_once = max(1, (concurrency or AT_ONCE) // tasks)
    per_minute = None if calls_per_minute is None else calls_per_minute / tasks
    packed: bytes = cloudpickle.dumps(recipe)

    def judged(batches: Iterator[tuple[pandas.Series[Any], ...]]) -> Iterator[pandas.DataFrame]:
        scoring = _scoring(packed, at_once, per_minute)
        for columns in batches:
            yield _frame(scoring, columns)

    # Spark reads the annotations, which are strings in this module.
    import pandas as pd

    judged.__annotations__ = {"batches": Iterator[tuple[pd.Series, ...]], "return": Iterator[pd.DataFrame]}
    return pandas_udf(judged, returnType=", ".join(f"{name} {kind}" for name, kind in FIELDS.items()))


@lru_cache(maxsize=4)
def _scoring(packed: bytes, concurrency: int, per_minute: float | None) -> WorkerScoring:
    """Set up scoring in a Python process of Spark. It is kept between tasks, so that the model is loaded once."""
    import pickle

    recipe: Recipe = pickle.loads(packed)  # noqa: S301 - pickled by `spark_udf` in the same job
    return WorkerScoring(recipe, cores=1, concurrency=concurrency, calls_per_minute=per_minute)


def _frame(scoring: WorkerScoring, columns: Sequence[Iterable[Any]]) -> pandas.DataFrame:
    import pandas as pd

    rows = list(open_data([dict(zip(_COLUMNS, values, strict=False)) for values in zip(*columns, strict=True)]))
    sheet = scoring.score(rows)
    results = (results[0] for _, results in sheet.scored())
    made = [_fields(next(results)) if isinstance(row, Row) else _bad(row) for row in rows]
    frame: pandas.DataFrame = pd.DataFrame(made, columns=list(FIELDS))
    return frame


def _fields(result: Result) -> dict[str, Any]:
    return {
        "score": result.score,
        "label": result.label,
        "passed": result.passed,
        "outcome": result.outcome.value,
        "reason": result.reason,
        "verdicts": msgspec.json.encode(result.verdicts).decode(),
        "calls": result.usage.calls,
        "cost": result.usage.cost,
    }


def _bad(row: BadRow) -> dict[str, Any]:
    return dict.fromkeys(FIELDS) | {"outcome": "bad_row", "reason": row.reason, "calls": 0, "cost": 0.0}
