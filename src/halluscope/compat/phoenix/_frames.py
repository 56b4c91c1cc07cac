"""Evaluators over the rows of a frame: Phoenix's functions, with its columns, and ours with plain ones."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..._internal.engine.many import collected
from ..._internal.errors import InputError
from ..._internal.plumbing import sync
from ._inputs import InputMapping
from ._score import Evaluator, Score

if TYPE_CHECKING:
    import pandas as pd

COMPLETED, FAILED, DID_NOT_RUN = "COMPLETED", "FAILED", "DID NOT RUN"
_AT_ONCE = 3


async def async_evaluate_dataframe(
    dataframe: pd.DataFrame,
    evaluators: Sequence[Evaluator],
    concurrency: int | None = None,
    tqdm_bar_format: str | None = None,
    hide_tqdm_bar: bool | None = False,
    exit_on_error: bool | None = None,
    max_retries: int | None = None,
) -> pd.DataFrame:
    """A copy of the frame with two columns for each evaluator.

    `<name>_score` has the score as a dictionary, None where the row failed. `<name>_execution_details`
    says how it went: `status` ("COMPLETED", "FAILED", or "DID NOT RUN" after `exit_on_error`),
    `exceptions` and `execution_seconds`. No bar is drawn.
    """
    at_once = _whole("concurrency", _AT_ONCE if concurrency is None else concurrency, 1)
    rows = _rows(dataframe)
    chosen = list(evaluators)
    if max_retries is not None:
        chosen = [_retrying(evaluator, _whole("max_retries", max_retries, 0)) for evaluator in chosen]
    for evaluator in chosen:
        getattr(evaluator, "judge", None)  # a key that is missing is found out before the first row
    stopped = False

    async def work(job: tuple[int, int]) -> tuple[list[Score], dict[str, Any]]:
        nonlocal stopped
        if stopped:
            return [], _details(DID_NOT_RUN, [], 0.0)
        began = time.perf_counter()
        try:
            scores = await chosen[job[1]].async_evaluate(rows[job[0]])
        except Exception as error:  # a row's own fault, or that of a function in its mapping
            stopped = stopped or bool(exit_on_error)
            return [], _details(FAILED, [error], time.perf_counter() - began)
        return scores, _details(COMPLETED, [], time.perf_counter() - began)

    jobs = [(row, place) for row in range(len(rows)) for place in range(len(chosen))]
    done = dict(zip(jobs, await collected(jobs, work, at_once=at_once), strict=True))
    told: pd.DataFrame = dataframe.copy()
    for place, evaluator in enumerate(chosen):
        told[f"{evaluator.name}_execution_details"] = _column([done[row, place][1] for row in range(len(rows))])
    for place, evaluator in enumerate(chosen):
        scores = [next((score.to_dict() for score in done[row, place][0]), None) for row in range(len(rows))]
        told[f"{evaluator.name}_score"] = _column(scores)
    return told


def evaluate_dataframe(
    dataframe: pd.DataFrame,
    evaluators: Sequence[Evaluator],
    tqdm_bar_format: str | None = None,
    hide_tqdm_bar: bool = False,
    exit_on_error: bool | None = None,
    max_retries: int | None = None,
    concurrency: int | None = None,
) -> pd.DataFrame:
    """Like `async_evaluate_dataframe`, without awaiting."""
    return sync.run(
        async_evaluate_dataframe(
            dataframe,
            evaluators,
            concurrency,
            tqdm_bar_format,
            hide_tqdm_bar,
            exit_on_error,
            max_retries,
        )
    )


def in_columns(
    evaluator: Any, dataframe: pd.DataFrame, input_mapping: InputMapping | None, concurrency: int
) -> pd.DataFrame:
    """The frame with score, label, explanation and error of each row in columns of their own."""
    at_once = _whole("concurrency", concurrency, 1)
    rows = _rows(dataframe)
    _ = evaluator.judge

    async def outcome(row: Mapping[str, Any]) -> Score | str:
        try:
            scores: list[Score] = await evaluator.async_evaluate(row, input_mapping)
            return scores[0]
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    outcomes = sync.run(collected(rows, outcome, at_once=at_once))
    scores = [outcome if isinstance(outcome, Score) else Score() for outcome in outcomes]
    told: pd.DataFrame = dataframe.copy()
    told[f"{evaluator.name}_score"] = [score.score for score in scores]
    told[f"{evaluator.name}_label"] = [score.label for score in scores]
    told[f"{evaluator.name}_explanation"] = [score.explanation for score in scores]
    told[f"{evaluator.name}_error"] = [outcome if isinstance(outcome, str) else None for outcome in outcomes]
    return told


def _retrying(evaluator: Any, retries: int) -> Any:
    """The evaluator with so many retries; one of the user's own sees to its retries itself."""
    return evaluator._with_retries(retries) if hasattr(evaluator, "_with_retries") else evaluator


def _details(status: str, errors: Sequence[Exception], seconds: float) -> dict[str, Any]:
    told = [f"{type(error).__name__}: {error}" for error in errors]
    return {"status": status, "exceptions": told, "execution_seconds": seconds}


def _column(values: list[Any]) -> Any:
    """A column of objects: pandas would spread dictionaries out, or turn None into a number."""
    import numpy as np

    column = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        column[place] = value
    return column


def _rows(dataframe: Any) -> list[Mapping[str, Any]]:
    if not hasattr(dataframe, "to_dict") or not hasattr(dataframe, "columns"):
        raise InputError(f"a {type(dataframe).__name__} is no DataFrame: pass one of pandas.")
    return [{str(name): value for name, value in row.items()} for row in dataframe.to_dict("records")]


def _whole(what: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"the {what} must be a whole number from {least}, not {value!r}.")
    return value
