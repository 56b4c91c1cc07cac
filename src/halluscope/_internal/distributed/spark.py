"""The same scores as a column of a Spark DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from ..datasets import Row, Unread, open_data
from ..engine.driver import Patience
from ..errors import InputError, MissingExtra
from ..judge import JudgeSpec
from ..metrics import MetricSpec
from ..plumbing.public import public_in
from ..result import Result
from ..runner.evaluation import AT_ONCE
from .permits import Permits, SharedThrottle
from .recipe import Recipe, made_recipe
from .worker_scoring import WorkerScoring

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
"""What the column holds; `verdicts` is JSON."""
_COLUMNS = ("output", "context", "input")


@public_in("halluscope.distributed")
def spark_udf(
    metric: MetricSpec = "hallucination",
    judge: JudgeSpec = None,
    *,
    tasks: int | None = None,
    concurrency: int | None = None,
    calls_per_minute: float | None = None,
    profile: str | None = None,
    patience: Patience | None = None,
    **options: Any,
) -> Any:
    """A pandas UDF of the columns output, context and, where there is one, input.

    It gives a struct: score, label, passed, outcome, reason, verdicts (as JSON), calls and cost. A row that cannot be
    read has the outcome `bad_row` and its reason. Spark's tasks know nothing of each other, so `concurrency` and
    `calls_per_minute` are divided evenly among as many `tasks` as run at once: by default those that the session has
    cores for.

        df.withColumn("judged", spark_udf("hallucination")("answer", "contexts", "question"))
    """
    try:
        from pyspark.sql import SparkSession
        from pyspark.sql.functions import pandas_udf
    except ImportError as error:
        raise MissingExtra("spark", "scoring on Spark") from error
    recipe = made_recipe(metric, judge, profile, patience, options)
    if len(recipe.metrics) != 1:
        raise InputError("a column holds the results of one metric: make one `spark_udf` for each.")
    session = SparkSession.getActiveSession()
    if tasks is None:
        tasks = 1 if session is None else int(session.sparkContext.defaultParallelism)
    if tasks < 1:
        raise InputError(f"`tasks` must be 1 or more, not {tasks}.")
    at_once = max(1, (concurrency or AT_ONCE) // tasks)
    per_minute = None if calls_per_minute is None else calls_per_minute / tasks
    packed = _packed(recipe)

    def judged(batches: Iterator[tuple[pandas.Series[Any], ...]]) -> Iterator[pandas.DataFrame]:
        scoring = _scoring(packed, at_once, per_minute)
        for columns in batches:
            yield _frame(scoring, columns)

    # Spark reads the types of the function, which are only texts here.
    import pandas as pd

    judged.__annotations__ = {
        "batches": Iterator[tuple[pd.Series, ...]],
        "return": Iterator[pd.DataFrame],
    }
    return pandas_udf(judged, returnType=", ".join(f"{name} {kind}" for name, kind in FIELDS.items()))


def _packed(recipe: Recipe) -> bytes:
    from pyspark import cloudpickle

    packed: bytes = cloudpickle.dumps(recipe)
    return packed


@lru_cache(maxsize=4)
def _scoring(packed: bytes, at_once: int, per_minute: float | None) -> WorkerScoring:
    """What a Python process of Spark scores with: kept from one task to the next, so that models are loaded once."""
    import pickle

    recipe: Recipe = pickle.loads(packed)  # noqa: S301 - made by whoever made the UDF, in the same job
    permits, here = Permits(at_once, per_minute), "this process"
    calls = SharedThrottle(lambda wanted: permits.take(here, wanted), lambda returned: permits.left(here, returned))
    return WorkerScoring(recipe, cores=1, calls=None if recipe.local else calls, at_once=at_once)


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


def _bad(row: Unread) -> dict[str, Any]:
    return dict.fromkeys(FIELDS) | {"outcome": "bad_row", "reason": row.reason, "calls": 0, "cost": 0.0}
