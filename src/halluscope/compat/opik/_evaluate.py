"""Opik's `evaluate`, over rows that are here: a list, a DataFrame or a dataset that has been fetched."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Union

from msgspec import Struct

from ..._internal.core.errors import InputError
from ..._internal.core.plumbing import sync
from ..._internal.core.plumbing.user_functions import call as called
from ..._internal.engine.many import collected
from .._callables import taken_by
from .._models import check_keys
from ._metric import BaseMetric, ScoreResult

_KEPT = ("experiment_name", "experiment_name_prefix", "experiment_config", "experiment_tags", "project_name", "prompt")
_KeyMapping = Mapping[str, Union[str, Callable[[dict[str, Any]], Any]]]


class TestCase(Struct, frozen=True, kw_only=True):
    """A row, and what the task made of it."""

    __test__: ClassVar[bool] = False

    dataset_item_id: str
    dataset_item_content: dict[str, Any]
    task_output: dict[str, Any]
    mapped_scoring_inputs: dict[str, Any]


class TestResult(Struct, frozen=True):
    """The scores of a row."""

    __test__: ClassVar[bool] = False

    test_case: TestCase
    score_results: list[ScoreResult]
    trial_id: int = 0


class ScoreStatistics(Struct, frozen=True):
    """One metric's scores. `failed_count` rows have none."""

    mean: float
    max: float
    min: float
    values: list[float]
    std: float | None
    failed_count: int


class AggregatedScores(dict[str, ScoreStatistics]):
    """Each metric's figures, by its name."""

    @property
    def aggregated_scores(self) -> dict[str, ScoreStatistics]:
        """The same."""
        return self


class EvaluationResult(Struct, frozen=True):
    """The results in the order of the rows. Nothing is uploaded, so there is no address."""

    test_results: list[TestResult]
    experiment_name: str | None = None
    experiment_url: str | None = None
    trial_count: int = 1

    def aggregate_evaluation_scores(self) -> AggregatedScores:
        """Mean, bounds and spread of each metric that has a score."""
        found: dict[str, list[float | None]] = {}
        for score in (score for result in self.test_results for score in result.score_results):
            found.setdefault(score.name, []).append(None if score.scoring_failed else score.value)
        told = AggregatedScores()
        for name, scores in found.items():
            given = [score for score in scores if score is not None]
            if given:
                spread = statistics.stdev(given) if len(given) > 1 else None
                failed = len(scores) - len(given)
                told[name] = ScoreStatistics(statistics.fmean(given), max(given), min(given), given, spread, failed)
        return told


async def aevaluate(
    dataset: Any,
    task: Callable[[dict[str, Any]], Any] | None = None,
    scoring_metrics: Sequence[BaseMetric] = (),
    scoring_functions: Sequence[Callable[..., Any]] = (),
    *,
    scoring_key_mapping: _KeyMapping | None = None,
    nb_samples: int | None = None,
    task_threads: int = 16,
    scoring_threads: int | None = None,
    trial_count: int = 1,
    verbose: int = 0,
    **kept: Any,
) -> EvaluationResult:
    """Score what a task makes of the rows of a dataset.

    Args:
        dataset: A list of rows, a DataFrame, or a dataset of Opik's, which is fetched.
        task: From a row to a dictionary, whose fields go to the metrics together with the row's. Without it the
            rows have everything.
        scoring_metrics: Metrics, ours, your own or Opik's.
        scoring_functions: Functions of `dataset_item` and `task_outputs` that return a ScoreResult.
        scoring_key_mapping: For a metric's argument the field it is in, or a function of the row.
        nb_samples: How many rows, from the first.
        task_threads: How many rows are in work at once; `scoring_threads` is another name.
        trial_count: How many times each row is scored.
        verbose: Taken, and does nothing, as are names and tags of the experiment.

    Returns:
        The scores of every row. A metric that fails has a score with `scoring_failed` that says why.
    """
    unknown = [name for name in kept if name not in _KEPT]
    if unknown:
        raise InputError(f"evaluate has no option {unknown[0]!r}: experiments kept on a server are not part of it.")
    rows = _rows(dataset)[:nb_samples]
    if not rows or not (scoring_metrics or scoring_functions):
        raise InputError(f"there are no {'metrics' if rows else 'rows'}: pass at least one.")

    check_keys(scoring_metrics)

    async def work(job: tuple[int, int]) -> TestResult:
        place, trial = job
        row = rows[place]
        output = await called(task, row) if task is not None else {}
        if not isinstance(output, Mapping):
            raise InputError(
                f"the task returned a {type(output).__name__}: return a dictionary such as {{'output': …}}."
            )
        given = {**row, **output}
        for name, source in (scoring_key_mapping or {}).items():
            if callable(source) or source in given:
                given[name] = source(row) if callable(source) else given[source]
        scores = [score for metric in scoring_metrics for score in await _scores(metric, metric.name, given)]
        told = {"dataset_item": row, "task_outputs": dict(output)}
        for function in scoring_functions:
            scores += await _scores(function, getattr(function, "__name__", "score"), taken_by(function, told))
        id = str(row.get("id", place))
        case = TestCase(
            dataset_item_id=id, dataset_item_content=row, task_output=dict(output), mapped_scoring_inputs=given
        )
        return TestResult(case, scores, trial)

    jobs = [(place, trial) for place in range(len(rows)) for trial in range(trial_count)]
    results = await collected(jobs, work, at_once=scoring_threads or task_threads)
    return EvaluationResult(results, kept.get("experiment_name"), trial_count=trial_count)


evaluate = evaluate_on_dict_items = sync.blocking(aevaluate, "evaluate")


async def _scores(metric: Any, name: str, fields: Mapping[str, Any]) -> list[ScoreResult]:
    """The scores that a metric or function gives. An error becomes one without a value."""
    try:
        found = await called(getattr(metric, "ascore", metric), **fields)
    except Exception as error:
        return [ScoreResult(name, None, f"{type(error).__name__}: {error}", scoring_failed=True)]
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _rows(dataset: Any) -> list[dict[str, Any]]:
    if hasattr(dataset, "get_items"):
        dataset = dataset.get_items()
    elif hasattr(dataset, "columns") and hasattr(dataset, "to_dict"):
        dataset = dataset.to_dict("records")
    if (
        isinstance(dataset, str)
        or not isinstance(dataset, Sequence)
        or not all(isinstance(r, Mapping) for r in dataset)
    ):
        raise InputError(f"the dataset is a {type(dataset).__name__}: pass a list of dictionaries, or a DataFrame.")
    return [dict(row) for row in dataset]
