"""Datasets with one output and one source: WiCE, LLM-AggreFact, HaluBench, FaithBench, SummEdits and TRUE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ....core.errors import InputError
from ....runs.labelled_case import LabelledCase, labelled, read_label
from .row_readers import Reader, by_row, choice, field


def _wice(row: dict[str, Any], name: str) -> Iterator[LabelledCase]:
    """A claim that is only partly supported counts as hallucinated, as in LLM-AggreFact."""
    label = str(field(row, "label"))
    meta = row.get("meta") if isinstance(row.get("meta"), dict) else {}
    yield labelled(
        output=field(row, "claim"),
        context=field(row, "evidence"),
        hallucinated=read_label(label),
        label=label,
        id=(meta or {}).get("id") or name,
    )


def _grounded(
    output: str,
    context: str,
    good: Sequence[object],
    bad: Sequence[object],
    *,
    input: str = "",
    group: str = "",
) -> Reader:
    """Return a reader of rows with these columns and labels."""

    def read(row: dict[str, Any], name: str) -> Iterator[LabelledCase]:
        yield labelled(
            output=field(row, output),
            context=field(row, context),
            input=row.get(input),
            hallucinated=choice(field(row, "label"), good, bad),
            id=str(row.get("id") or name),
            group=row.get(group),
        )

    return by_row(read)


def _faithbench(row: dict[str, Any], name: str) -> Iterator[LabelledCase]:
    """The worst annotation counts: unwanted and questionable are hallucinated, benign is not."""
    summary = field(row, "summary")
    spans: list[tuple[int, int]] = []
    worst = False
    for note in row.get("annotations") or ():
        labels = note.get("label") or []
        if any(str(label).startswith(("Unwanted", "Questionable")) for label in labels):
            worst = True
            start, end = note.get("summary_start"), note.get("summary_end")
            if isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(summary):
                spans.append((start, end))
    yield labelled(output=summary, context=field(row, "source"), hallucinated=worst, id=name, spans=spans)


def _true(row: dict[str, Any], name: str) -> Iterator[LabelledCase]:
    """Read the CSV files of TRUE (`grounding`, `generated_text`, `label`), or of its sources. Each file is a group."""
    group = name.rpartition("-")[0].removesuffix("_download")
    for i, (context, output, wrong) in enumerate(_true_row(row)):
        yield labelled(output=output, context=context, hallucinated=wrong, id=f"{name}-{i}", group=group)


def _true_row(row: dict[str, Any]) -> Iterator[tuple[Any, Any, bool]]:
    """Yield context, output and label by the conversion rules of TRUE."""
    if "generated_text" in row:
        yield field(row, "grounding"), row["generated_text"], choice(field(row, "label"), (1,), (0,))
    elif "summary_sentences" in row:  # QAGS: a summary with one sentence that most found wrong is wrong
        sentences = row["summary_sentences"]
        wrong = any(
            sum(answer["response"] != "yes" for answer in s["responses"]) * 2 >= len(s["responses"]) for s in sentences
        )
        yield field(row, "article"), " ".join(s["sentence"] for s in sentences), wrong
    elif "gold label" in row:  # BEGIN
        yield field(row, "evidence"), field(row, "response"), row["gold label"] != "entailment"
    elif "dodeca_response" in row:  # Q²: two answers a row, 1 is inconsistent
        for model in ("dodeca", "memnet"):
            said = field(row, f"{model}_response")
            yield field(row, "knowledge"), said, choice(field(row, f"{model}_label"), (0,), (1,))
    else:
        raise InputError("neither TRUE's own columns (grounding, generated_text, label) nor those of a source of it.")


wice = by_row(_wice)
aggrefact = _grounded("claim", "doc", (1,), (0,), group="dataset")
halubench = _grounded("answer", "passage", ("pass",), ("fail",), input="question", group="source_ds")
true = by_row(_true)
summedits = _grounded("summary", "doc", (1,), (0,), group="domain")
faithbench = by_row(_faithbench, files="batch_*.json*")
