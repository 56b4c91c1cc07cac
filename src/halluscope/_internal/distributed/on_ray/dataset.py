"""A Ray dataset of rows in, a Ray dataset of results out: one step of whatever else is done with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from secrets import token_hex
from typing import Any

from ...datasets import open_data
from ...engine.driver import Patience
from ...judge import JudgeSpec
from ...metrics import MetricSpec
from ...plumbing.public import public_in
from ...runs.export import arrow_table, bad_line, line
from ..recipe import made_recipe
from .cluster import ray_module
from .staff import Staff, check_numbers
from .workers import Crew

BATCH_ROWS = 256


@public_in("halluscope.distributed")
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
    patience: Patience | None = None,
    **options: Any,
) -> Any:
    """A `ray.data.Dataset` with one row for each case and metric of a `ray.data.Dataset`, made when it is asked for.

    The columns are those of `Run.export`. A row that cannot be read has the outcome `bad_row` and its reason, and no
    metric. The options are those of `evaluate`, which also keeps a run in a folder, continues it and sums it up.
    """
    check_numbers(workers=workers, concurrency=concurrency, calls_per_minute=calls_per_minute, batch_rows=batch_rows)
    ray = ray_module()
    recipe = made_recipe(metrics, judge, profile, patience, options)
    staff = Staff(ray, recipe, workers, cpus, gpus, concurrency, calls_per_minute)
    return dataset.map_batches(
        ScoreRows,
        batch_size=batch_rows,
        batch_format="pyarrow",
        compute=staff.pool(),
        fn_constructor_args=(staff.crew, dict(map or {})),
        **staff.size,
    )


class ScoreRows:
    """An actor: scores the rows that it is given."""

    def __init__(self, crew: Crew, map: Mapping[str, str]) -> None:
        self._map = map
        self._scoring = crew.scoring(token_hex(6))

    def __call__(self, batch: Any) -> Any:
        sheet = self._scoring.score(list(open_data(batch.to_pylist(), self._map)))
        lines = [line(case, result) for case, results in sheet.scored() for result in results]
        return arrow_table([*lines, *(bad_line(row.reason) for row in sheet.unread)])
