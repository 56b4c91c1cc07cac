"""Labelled rows: input, context, output, label, and optionally spans, a score and gold evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....core.errors import InputError
from ....runs.datasets import NAMES
from ....runs.labelled_case import LabelledCase, labelled, read_label
from .row_readers import by_row, field, optional

OUTPUT = ("output", "actual_output", "response", "answer", "claim", "summary", *NAMES["output"])
CONTEXT = ("context", "contexts", "retrieval_context", "retrieved_contexts", "evidence", "document", *NAMES["context"])
INPUT = ("input", "question", "query", "user_input", *NAMES["input"])
"""The column names for each field, by precedence: those of `eval`, and more."""
LABEL = ("label", "is_hallucination", "hallucinated")

SKIPPED = "skipped"
"""The label of a skipped case."""


def texts(row: dict[str, Any]) -> dict[str, Any]:
    """Return the output, the context, the input and the id of a row."""
    return {
        "output": field(row, *OUTPUT),
        "context": optional(row, *CONTEXT),
        "input": optional(row, *INPUT),
        "id": None if row.get("id") is None else str(row["id"]),
    }


def _plain(row: dict[str, Any], name: str) -> Iterator[LabelledCase]:
    label = field(row, *LABEL)
    if label == SKIPPED:
        return
    group = row.get("group", row.get("dataset"))
    yield labelled(
        **texts(row),
        hallucinated=read_label(label),
        label=str(label),
        spans=_spans(row.get("spans")),
        group=None if group is None else str(group),
        kind=None if row.get("kind") is None else str(row["kind"]),
        score=_score(row),
        evidence=_evidence(row),
        metadata=row.get("metadata") if isinstance(row.get("metadata"), dict) else None,
    )


def _spans(spans: object) -> list[tuple[int, int]] | None:
    """Read pairs of offsets, or objects with `start` and `end`."""
    if spans is None:
        return None
    if not isinstance(spans, list):
        raise InputError("`spans` must be a list.")
    found = []
    for span in spans:
        ends = (span.get("start"), span.get("end")) if isinstance(span, dict) else span
        if not isinstance(ends, (list, tuple)) or len(ends) < 2 or not all(isinstance(x, int) for x in ends[:2]):
            raise InputError(f"the span {span!r} needs a `start` and an `end`.")
        found.append((ends[0], ends[1]))
    return found


def _evidence(row: dict[str, Any]) -> list[tuple[int, int, int]] | None:
    """Read objects with `passage`, `start` and `end`. Texts in a column of this name are the context."""
    given = row.get("evidence")
    if not isinstance(given, list) or not all(isinstance(quote, dict) for quote in given):
        return None
    found = [tuple(quote.get(name) for name in ("passage", "start", "end")) for quote in given]
    if not all(isinstance(value, int) for quote in found for value in quote):
        raise InputError("each object in `evidence` needs a `passage`, a `start` and an `end`.")
    return found


def _score(row: dict[str, Any]) -> float | None:
    value = row.get("probability", row.get("score"))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return None


plain = by_row(_plain)
