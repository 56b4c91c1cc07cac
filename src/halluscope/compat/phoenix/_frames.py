"""Evaluators over the rows of a frame, with Phoenix's columns."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..._internal.core.errors import InputError
from ..._internal.core.plumbing import sync
from ..._internal.engine.many import collected
from .._callables import whole_number
from .._models import check_keys
from ._evaluators import LLMEvaluator
from ._score import Evaluator, Score

if TYPE_CHECKING:
    import pandas as pd

COMPLETED, FAILED, DID_NOT_RUN = "COMPLETED", "FAILED", "DID NOT RUN"
_AT_ONCE = 3
_ANNOTATORS: dict[str | None, str] = {"llm": "LLM", "human": "HUMAN", "code": "CODE", "heuristic": "CODE"}


async def async_evaluate_dataframe(
    dataframe: pd.DataFrame,
    evaluators: Sequence[Evaluator],
    concurrency: int | None = None,
    tqdm_bar_format: str | None = None,
    hide_tqdm_bar: bool | None = False,
    exit_on_error: bool | None = None,
    max_retries: int | None = None,
) -> pd.DataFrame:
    """Evaluate the rows of a frame.

    Args:
        dataframe: The frame, with a row for each record.
        evaluators: The evaluators.
        concurrency: Evaluations at the same time.
        tqdm_bar_format: Taken, and does nothing, as does `hide_tqdm_bar`: no bar is drawn.
        exit_on_error: Whether to stop at the first row that fails.
        max_retries: How often a failed call is made again.

    Returns:
        A copy of the frame with two columns for each evaluator. `<name>_score` has the score as a dictionary, None if
        the row failed. `<name>_execution_details` has `status` ("COMPLETED", "FAILED", or "DID NOT RUN" after
        `exit_on_error`), `exceptions` and `execution_seconds`.

    Raises:
        InputError: An argument is invalid.

    Example:
        >>> evaluate_dataframe(frame, [HallucinationEvaluator()])["hallucination_score"][0]["label"]
        'factual'
    """
    at_once = whole_number("concurrency", _AT_ONCE if concurrency is None else concurrency, 1)
    rows = _rows(dataframe)
    chosen = list(evaluators)
    if max_retries is not None:
        retries = whole_number("max_retries", max_retries, 0)
        # An evaluator of the user's own sees to its retries itself.
        chosen = [one.with_retries(retries) if isinstance(one, LLMEvaluator) else one for one in chosen]
    check_keys(chosen)
    stopped = False

    async def work(job: tuple[int, int]) -> tuple[list[Score], dict[str, Any]]:
        nonlocal stopped
        if stopped:
            return [], _details(DID_NOT_RUN, 0.0)
        began = time.perf_counter()
        try:
            scores = await chosen[job[1]].async_evaluate(rows[job[0]])
        except Exception as error:  # a row's own fault, or that of a function in its mapping
            stopped = stopped or bool(exit_on_error)
            return [], _details(FAILED, time.perf_counter() - began, error)
        return scores, _details(COMPLETED, time.perf_counter() - began)

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
            dataframe, evaluators, concurrency, exit_on_error=exit_on_error, max_retries=max_retries
        )
    )


def _details(status: str, seconds: float, *errors: Exception) -> dict[str, Any]:
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


def to_annotation_dataframe(dataframe: pd.DataFrame, score_names: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the scores of `evaluate_dataframe` as annotations for Phoenix: a row for each span and score.

    Args:
        dataframe: The evaluated frame, with a column or an index whose name contains `span_id`.
        score_names: Names of the scores. By default all.

    Raises:
        InputError: There is no such column, or no such score.
    """
    import pandas as pd

    frame = dataframe.copy()
    index = str(frame.index.name or "")
    if "span_id" in index.lower():
        frame[f"{index}_from_index" if index in frame.columns else index] = frame.index
    spans = [name for name in map(str, frame.columns) if "span_id" in name.lower()]
    if not spans:
        raise InputError("the frame has no column whose name contains 'span_id': annotations need one.")
    names = list(score_names or ()) or [n[:-6] for n in map(str, frame.columns) if n.endswith("_score")]
    missing = [name for name in names if f"{name}_score" not in frame.columns]
    if missing:
        raise InputError(f"the frame has no scores called {missing[0]!r}: evaluate_dataframe adds {missing[0]}_score.")
    rows = []
    for name in names:
        scores = [_score_of(cell) for cell in frame[f"{name}_score"]]
        kind = next((score.get("kind") or score.get("source") for score in scores if score), None)
        for row, score in zip(frame.to_dict("records"), scores, strict=True):
            told = {**(score.get("metadata") or {})}
            if score.get("direction"):
                told["direction"] = score["direction"]
            fields = {field: score.get(field) for field in ("score", "label", "explanation")}
            about = {"metadata": told or None, "annotation_name": name, "annotator_kind": _ANNOTATORS.get(kind, "LLM")}
            rows.append({**{span: row[span] for span in spans}, **fields, **about})
    annotations: pd.DataFrame = pd.DataFrame(rows)
    return annotations


def _score_of(cell: Any) -> Mapping[str, Any]:
    held = json.loads(cell) if isinstance(cell, str) and cell.strip() else cell
    return held if isinstance(held, Mapping) else {}
