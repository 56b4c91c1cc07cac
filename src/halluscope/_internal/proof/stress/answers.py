"""The answers to change: correct answers, or sentences copied from passages.

The package contains a set of invented answers with their passages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal

from ...core.case import Case
from ...core.errors import DataError, InputError
from ...runs.datasets.columns import NAMES, Columns
from ...runs.datasets.files import Cells, open_file
from ...runs.datasets.objects import open_object
from ...runs.datasets.rows import BadRow
from ...runs.labelled_case import BAD, label_word
from ...text import sentences
from .changes.mutant import comparable

PACKAGED = Path(__file__).with_name("right_answers.jsonl.gz")
"""Correct answers in other words, and passages to copy sentences from."""

Wording = Literal["copied", "reworded"]
WORDINGS: tuple[Wording, ...] = ("copied", "reworded")

_PASSAGE = ("passage", "text", "content", "document", *NAMES["context"])
_BAD = BAD | {"true"}
_PROSE = re.compile(r"[A-Z“\"'(\d][^\n{}|<>\[\]]{30,400}[.!]")
_MOST_SENTENCES = 3


def read_answers(data: object, *, map: Mapping[str, str] | None = None, seed: int = 0) -> Iterator[Case | str]:
    """Yield each row as a case, or the reason why it is skipped.

    `data` is as for `evaluate`, or contains only passages: one column of text, or strings. Rows that are labelled as
    hallucinated are skipped.
    """
    source = open_file(data) if isinstance(data, (str, os.PathLike)) else open_object(data)
    columns = Columns(map, cells=isinstance(source, Cells))
    for record in source.records():
        if isinstance(record, BadRow):
            yield f"{record.place}: {record.reason}"
            continue
        try:
            yield _case(record.fields, columns, map or {}, seed)
        except InputError as error:
            yield f"{record.place}: {error}"


def _case(fields: Any, columns: Columns, map: Mapping[str, str], seed: int) -> Case:
    if isinstance(fields, str):
        return from_passage(fields, seed=seed)
    if isinstance(fields, Mapping):
        if _label(fields) in _BAD:
            raise InputError("it is labelled as hallucinated")
        if "output" not in map and not any(name in fields for name in NAMES["output"]):
            passage, id = _first(fields, _PASSAGE), _first(fields, NAMES["id"])
            if passage is None:
                raise DataError(
                    f"no column for an answer or a passage (columns: {', '.join(str(name) for name in fields)})"
                )
            return from_passage(passage, id=None if id is None else str(id), seed=seed)
    elif not isinstance(fields, Case):
        raise DataError("a row must hold named fields, or be a passage's text")
    case = columns.cases(fields)[-1]
    if not case.output.strip():
        raise InputError("the answer is empty")
    if not case.passages:
        raise InputError("there is no context")
    return case


def wording(case: Case) -> Wording:
    """Return "copied" if every sentence of the answer is in the context word for word, else "reworded"."""
    known = comparable("\n".join(case.context or ()))
    return "copied" if all(comparable(span.of(case.output)) in known for span in sentences(case.output)) else "reworded"


def from_passage(passage: object, *, id: str | None = None, seed: int = 0) -> Case:
    """Create a case whose answer is one to three random sentences of the passage."""
    whole = Case.of("", passage)
    text = "\n".join(text for _, text in whole.passages)
    spans = sentences(text)
    good = [_PROSE.fullmatch(span.of(text)) is not None for span in spans]
    runs = [
        (first, last)
        for first in range(len(spans))
        for last in range(first, min(first + _MOST_SENTENCES, len(spans)))
        if all(good[first : last + 1])
    ]
    if not runs:
        raise InputError("the passage has no plain sentence to use as an answer")
    first, last = Random(f"{seed} {text}").choice(runs)
    answer = " ".join(span.of(text) for span in spans[first : last + 1])
    return Case.of(answer, passage, id=id)


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the first of these values that is not empty."""
    return next((fields[name] for name in names if fields.get(name)), None)


def _label(fields: Mapping[str, Any]) -> str:
    label = fields.get("label")
    if isinstance(label, (bool, int, float)):
        return str(int(label))
    return label_word(label or "")
