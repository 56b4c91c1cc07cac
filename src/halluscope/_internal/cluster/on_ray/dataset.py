"""A Ray dataset of rows in, a Ray dataset of results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...core.plumbing.public import public_in, renamed_retry_policy
from ...engine.driver import RetryPolicy
from ...engine.judge import JudgeSpec
from ...engine.metrics import MetricSpec
from ...runs.datasets import open_data
from ...runs.export import arrow_table, bad_line, line
from ..worker_scoring import made_recipe
from .cluster import ray_module
from .workers import WorkerSettings, check_numbers, worker_settings

BATCH_ROWS = 256


@public_in("halluscope.distributed")
@renamed_retry_policy
def score(
    dataset: Any,
    metrics: MetricSpec | Sequence[MetricSpec] = "hallucination",
    judge: JudgeSpec = None,
    *,
    map: Mapping[str, str] | None = None,
    workers: int | None = None,
    cpus: float = 1,
    gpus: float = 0,
    concurrency: int | None = None,
    calls_per_minute: float | None = None,
    batch_rows: int = BATCH_ROWS,
    profile: str | None = None,
    retry_policy: RetryPolicy | None = None,
    **options: Any,
) -> Any:
    """Score a Ray dataset as one step of a pipeline. It runs when Ray runs the pipeline.

    Args:
        dataset: A `ray.data.Dataset` with one row per case.
        metrics: One or more metrics.
        judge: Name or instance of the judge.
        map: The column for a field, as in `{"output": "answer"}`.
        workers: Number of workers. By default as many as fit.
        cpus: Processors per worker.
        gpus: GPUs per worker.
        concurrency: Judge calls at the same time, of all workers together.
        calls_per_minute: Judge calls per minute, of all workers together.
        batch_rows: Rows that a worker scores at a time.
        profile: Name of a profile made by `halluscope calibrate`.
        retry_policy: Limits of retries and time.
        options: Options of the metrics and, for a judge given by name, of the judge.

    Returns:
        A `ray.data.Dataset` with one row for each case and metric and the columns of `Run.export`. A row that cannot
        be read has the outcome `bad_row`, a reason, and no metric.

    Raises:
        InputError: An argument is invalid, or the judge cannot be pickled.
        MissingExtra: Ray is not installed.

    Example:
        >>> scored = score(ray.data.read_parquet("answers"), "hallucination")
        >>> scored.write_parquet("scored")
    """
    check_numbers(workers=workers, concurrency=concurrency, calls_per_minute=calls_per_minute, batch_rows=batch_rows)
    ray = ray_module()
    recipe = made_recipe(metrics, judge, profile, retry_policy, options)
    settings = worker_settings(ray, recipe, workers, cpus, gpus, concurrency, calls_per_minute)
    return dataset.map_batches(
        ScoreRows,
        batch_size=batch_rows,
        batch_format="pyarrow",
        compute=settings.pool(ray),
        fn_constructor_args=(settings, dict(map or {})),
        **settings.resources(),
    )


class ScoreRows:
    """An actor that scores batches of rows."""

    def __init__(self, settings: WorkerSettings, map: Mapping[str, str]) -> None:
        self._map = map
        self._scoring = settings.scoring()

    def __call__(self, batch: Any) -> Any:
        sheet = self._scoring.score(list(open_data(batch.to_pylist(), self._map)))
        lines = [line(case, result) for case, results in sheet.scored() for result in results]
        return arrow_table([*lines, *(bad_line(row.reason) for row in sheet.unread)])
