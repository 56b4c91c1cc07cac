"""RAGTruth: answers in one file and their sources in another, joined by `source_id`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ....core.errors import InputError
from ....runs.labelled_case import LabelledCase, labelled
from .row_readers import field, rows

RESPONSES, SOURCES = "response.jsonl", "source_info.jsonl"
_PASSAGE = re.compile(r"(?:^|\n)\s*passage \d+:")


def ragtruth(paths: Sequence[Path], split: str) -> Iterator[LabelledCase]:
    """Read the answers of one split with good quality, as in the evaluation of its authors."""
    responses, sources = _files(paths)
    known = {str(field(row, "source_id")): row for _, row in rows(sources)}
    for number, row in rows(responses):
        try:
            if row.get("split", split) != split or row.get("quality", "good") != "good":
                continue
            source = known.get(str(field(row, "source_id")))
            if source is None:
                raise InputError(f"its source {row['source_id']!r} is not in {sources.name}.")
            yield _case(row, source)
        except InputError as error:
            raise InputError(f"row {number} of {responses.name}: {error}") from None


def _case(row: dict[str, Any], source: dict[str, Any]) -> LabelledCase:
    spans = [(int(field(span, "start")), int(field(span, "end"))) for span in field(row, "labels")]
    info = field(source, "source_info")
    question = None
    context: object = info
    if isinstance(info, dict) and "passages" in info:
        question = info.get("question")
        context = [text.strip() for text in _PASSAGE.split(str(info["passages"])) if text.strip()]
    return labelled(
        output=field(row, "response"),
        context=context,
        input=question,
        hallucinated=bool(spans),
        id=f"ragtruth-{field(row, 'id')}",
        spans=[span for span in spans if span[0] < span[1]],
        group=source.get("task_type"),
    )


def _files(paths: Sequence[Path]) -> tuple[Path, Path]:
    """Find both files, given their folder, one of them, or both."""
    folders = {path if path.is_dir() else path.parent for path in paths}
    for folder in folders:
        for ending in ("", ".gz"):
            responses, sources = folder / (RESPONSES + ending), folder / (SOURCES + ending)
            if responses.is_file() and sources.is_file():
                return responses, sources
    raise InputError(f"RAGTruth needs {RESPONSES} and {SOURCES} in one folder: pass that folder.")
