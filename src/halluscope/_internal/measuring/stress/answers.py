"""The answers to be changed: those that are believed good, or sentences of passages taken as answers.

Some come with the package, with the passages they rest on: invented, like all that is in them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Literal

from ...case import Case
from ...datasets.columns import NAMES, Columns
from ...datasets.files import Cells, open_file
from ...datasets.objects import open_object
from ...datasets.rows import Unread
from ...errors import DataError, InputError
from ...text import sentences
from ..labelled_case import BAD, label_word
from .changes.mutant import comparable

PACKAGED = Path(__file__).with_name("right_answers.jsonl.gz")
"""Right answers in words of their own, and passages to copy sentences from."""

Wording = Literal["copied", "reworded"]
WORDINGS: tuple[Wording, ...] = ("copied", "reworded")

_PASSAGE = ("passage", "text", "content", "document", *NAMES["context"])
_BAD = BAD | {"true"}
_PROSE = re.compile(r"[A-Z“\"'(\d][^\n{}|<>\[\]]{30,400}[.!]")
_MOST_SENTENCES = 3


class Skipped(InputError):
    """A row that holds nothing to change."""


def read_answers(data: object, *, map: Mapping[str, str] | None = None, seed: int = 0) -> Iterator[Case | str]:
    """Each row as a case, or the reason why it is left out.

    `data` is what `evaluate` takes, or holds passages only: one column of text, or plain strings.
    A row whose label says that it is wrong is left out.
    """
    source = open_file(data) if isinstance(data, (str, os.PathLike)) else open_object(data)
    columns = Columns(map, cells=isinstance(source, Cells))
    for record in source.records():
        if isinstance(record, Unread):
            yield f"{record.place}: {record.reason}"
            continue
        try:
            yield _case(record.fields, columns, map or {}, seed)
        except InputError as error:
            yield f"{record.place}: {error}"


def _case(fields: Any, columns: Columns, map: Mapping[str, str], seed: int) -> Case:
    if isinstance(fields, str):
        return from_passage(fields, seed=seed)
    if isinstance(fields, Case):
        case = fields
    else:
        if not isinstance(fields, Mapping):
            raise DataError("a row must hold named fields, or be a passage's text")
        if _label(fields) in _BAD:
            raise Skipped("its label says that the answer is not good")
        if "output" not in map and not any(name in fields for name in NAMES["output"]):
            return from_passage(_passage(fields), id=_id(fields), seed=seed)
        case = columns.case(fields)
    if not case.output.strip():
        raise Skipped("the answer is empty")
    if not case.passages:
        raise Skipped("there is no context to hold the answer against")
    return case


def wording(case: Case) -> Wording:
    """Copied is an answer whose every sentence stands in the context word for word; any other is reworded."""
    known = comparable("\n".join(case.context or ()))
    return "copied" if all(comparable(span.of(case.output)) in known for span in sentences(case.output)) else "reworded"


def from_passage(passage: object, *, id: str | None = None, seed: int = 0) -> Case:
    """A case whose answer is one to three sentences of the passage, drawn by seed."""
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
        raise Skipped("the passage holds no plain sentence to take as an answer")
    first, last = Random(f"{seed} {text}").choice(runs)
    answer = " ".join(span.of(text) for span in spans[first : last + 1])
    return Case.of(answer, passage, id=id)


def _passage(fields: Mapping[str, Any]) -> Any:
    for name in _PASSAGE:
        if fields.get(name):
            return fields[name]
    raise DataError(f"no column for an answer or a passage (columns: {', '.join(map(str, fields))})")


def _label(fields: Mapping[str, Any]) -> str:
    label = fields.get("label")
    if isinstance(label, (bool, int, float)):
        return str(int(label))
    return label_word(label or "")


def _id(fields: Mapping[str, Any]) -> str | None:
    found = next((fields[name] for name in NAMES["id"] if fields.get(name)), None)
    return None if found is None else str(found)
