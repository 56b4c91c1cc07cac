"""HaluEval: rows with a correct and a hallucinated output and, in one file, rows with one labelled output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....core.errors import InputError
from ....runs.labelled_case import LabelledCase, labelled, places
from .row_readers import Reader, by_row, choice, field


def _pairs(context: str, input: str | None, output: str) -> Reader:
    def read(row: dict[str, Any], name: str) -> Iterator[LabelledCase]:
        if "hallucination" in row:  # the sampled form: one output a row, with yes or no
            said = [(name, field(row, output), choice(row["hallucination"], ("no",), ("yes",)))]
        else:
            kinds = (("right", False), ("hallucinated", True))
            said = [(f"{name}-{kind}", field(row, f"{kind}_{output}"), wrong) for kind, wrong in kinds]
        asked = field(row, input) if input else None
        for id, text, wrong in said:
            yield labelled(output=text, context=field(row, context), input=asked, hallucinated=wrong, id=id)

    return by_row(read)


def _general(row: dict[str, Any], name: str) -> Iterator[LabelledCase]:
    """Read rows without a context."""
    said = field(row, "chatgpt_response")
    wrong = choice(field(row, "hallucination", "hallucination_label"), ("no",), ("yes",))
    quoted = row.get("hallucination_spans")
    if quoted is not None and not isinstance(quoted, list):
        raise InputError("`hallucination_spans` must be a list of quoted texts.")
    spans = None if quoted is None or not isinstance(said, str) else [s for q in quoted for s in places(str(q), said)]
    if wrong and not spans:
        spans = None  # quotes that are not in the text
    yield labelled(output=said, context=None, input=field(row, "user_query"), hallucinated=wrong, id=name, spans=spans)


qa = _pairs("knowledge", "question", "answer")
dialogue = _pairs("knowledge", "dialogue_history", "response")
summarization = _pairs("document", None, "summary")
general = by_row(_general)
